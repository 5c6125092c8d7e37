"""The float weights of the encoder's int8 graph, by the names of its original."""
import numpy as np

LAYERS = 6
PARTS = ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense", "intermediate.dense", "output.dense")


def base(model):
    import onnx
    from onnx import numpy_helper

    values = {i.name: numpy_helper.to_array(i) for i in onnx.load(model).graph.initializer}

    def whole(name, axis):
        quantized = values[f"{name}_quantized"].astype(np.float32)
        scale, zero = (np.atleast_1d(values[f"{name}_{part}"]).astype(np.float32) for part in ("scale", "zero_point"))
        shape = [1] * quantized.ndim
        shape[axis] = -1
        return (quantized - (zero.reshape(shape) if zero.size > 1 else zero)) * (scale.reshape(shape) if scale.size > 1 else scale)

    bare = (name for name in values if name.startswith("model.") and not name.endswith(("_quantized", "_scale", "_zero_point")))
    found = {name.removeprefix("model."): np.array(values[name]) for name in bare}
    for name in ("embeddings.token_type_embeddings.weight", "embeddings.position_embeddings.weight"):
        found[name] = whole(f"model.{name}", 1)
    matrices = [name for name in values if name.startswith("onnx::MatMul") and name.endswith("_quantized")]
    places = [f"encoder.layer.{i}.{part}.weight" for i in range(LAYERS) for part in PARTS]
    for name, place in zip(matrices, places, strict=True):
        found[place] = whole(name.removesuffix("_quantized"), 1).T.copy()
    return found


def table(words):
    """The scale, the zero point and the bytes of a table of words."""
    data = open(words, "rb").read()
    scale, zero = float(np.frombuffer(data[:4], np.float32)[0]), int(np.frombuffer(data[4:8], np.int32)[0])
    return scale, zero, np.frombuffer(data[8:], np.uint8).reshape(-1, 384)
