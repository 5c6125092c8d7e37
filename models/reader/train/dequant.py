"""The float weights of an exported reader: dequant.py MODEL.onnx OUT.pt

Where no checkpoint is left, training goes on from these: each value is within half a step of int8 of what it was."""
import sys
import numpy as np
import onnx
import torch
from onnx import numpy_helper
from model import LAYERS, Reader


def main(model, out):
    graph = onnx.load(model).graph
    values = {i.name: numpy_helper.to_array(i) for i in graph.initializer}

    def whole(name, axis):
        quantized = values[f"{name}_quantized"].astype(np.float32)
        scale, zero = (np.atleast_1d(values[f"{name}_{part}"]).astype(np.float32) for part in ("scale", "zero_point"))
        shape = [1] * quantized.ndim
        shape[axis] = -1
        return (quantized - zero.reshape(shape)) * scale.reshape(shape)

    matrices = [i.name.removesuffix("_quantized") for i in graph.initializer if i.name.startswith("onnx::MatMul") and i.name.endswith("_quantized")]
    places = [f"layers.{i}.{part}.weight" for i in range(LAYERS) for part in ("qkv", "out", "up", "down")] + ["span.weight"]
    reader = Reader()
    state = reader.state_dict()
    for name, place in zip(matrices, places, strict=True):
        # The graph multiplies from the right; a linear layer keeps its matrix the other way round.
        state[place].copy_(torch.from_numpy(whole(name, 1).T.copy()))
    state["types.weight"].copy_(torch.from_numpy(whole("types.weight", 0) if values["types.weight_scale"].size > 1 else whole("types.weight", 1)))
    for head in ("dense", "answerable"):
        state[f"{head}.weight"].copy_(torch.from_numpy(whole(f"{head}.weight", 1).T.copy()))
    for name, value in values.items():
        if name in state:
            state[name].copy_(torch.from_numpy(np.array(value)).reshape(state[name].shape))
    torch.save(state, out)


if __name__ == "__main__":
    main(*sys.argv[1:3])
