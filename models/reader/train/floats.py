"""The float weights of a shipped reader, as a checkpoint to go on from: floats.py MODEL.onnx OUT.pt"""
import sys

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from model import LAYERS, Reader


def main(model, out):
    values = {i.name: numpy_helper.to_array(i) for i in onnx.load(model).graph.initializer}
    reader = Reader()
    state = reader.state_dict()

    def whole(name):
        quantized, scale, zero = (values[f"{name}_{part}"].astype(np.float32) for part in ("quantized", "scale", "zero_point"))
        return torch.from_numpy((quantized - zero) * scale)

    for name, value in values.items():
        if name in state:
            state[name].copy_(torch.from_numpy(value.copy()))
    state["types.weight"].copy_(whole("types.weight"))
    # Matrices have the numbers of the graph's nodes, in the order of the layers.
    matrices = (name.removesuffix("_quantized") for name in values if name.startswith("onnx::MatMul") and name.endswith("_quantized"))
    places = [f"layers.{i}.{part}" for i in range(LAYERS) for part in ("qkv", "out", "up", "down")] + ["span"]
    for name, place in zip(sorted(matrices, key=lambda name: int(name.split("_")[1])), places, strict=True):
        state[f"{place}.weight"].copy_(whole(name).T)
    for place in ("dense", "answerable"):
        state[f"{place}.weight"].copy_(whole(f"{place}.weight_Transposed").T)
    torch.save(state, out)


if __name__ == "__main__":
    main(*sys.argv[1:3])
