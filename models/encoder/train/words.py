"""The table of words as it is shipped: words.py PIECES.tsv ROWS.npy MODEL.onnx OUT

MODEL.onnx: the base encoder in int8; its rows stay as they are, byte for byte, and the new ones take its scale and zero point.
Writes OUT.bin (scale and zero point, then one unsigned byte for each value) and OUT.npy (float32, for training the reader)."""
import sys

import numpy as np
import onnx
from onnx import numpy_helper

from tokens import Tokens

TABLE = "model.embeddings.word_embeddings.weight"


def main(pieces, rows, model, out):
    tokens = Tokens(pieces)
    values = {i.name: i for i in onnx.load(model).graph.initializer}
    old = numpy_helper.to_array(values[f"{TABLE}_quantized"])
    scale, zero = float(numpy_helper.to_array(values[f"{TABLE}_scale"])), int(numpy_helper.to_array(values[f"{TABLE}_zero_point"]))
    new = np.load(rows)
    table = np.full((tokens.size, old.shape[1]), zero, np.uint8)
    table[: len(old)] = old
    wanted = np.rint(new / scale) + zero
    table[tokens.trained] = np.clip(wanted, 0, 255).astype(np.uint8)
    print("rows", len(table), "clipped", float(((wanted < 0) | (wanted > 255)).mean()), "scale", scale, "zero", zero)
    with open(f"{out}.bin", "wb") as file:
        file.write(np.float32(scale).tobytes() + np.int32(zero).tobytes() + table.tobytes())
    np.save(f"{out}.npy", (table.astype(np.int32) - zero).astype(np.float32) * np.float32(scale))


if __name__ == "__main__":
    main(*sys.argv[1:5])
