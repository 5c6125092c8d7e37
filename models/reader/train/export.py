"""A trained reader as int8 ONNX: export.py CHECKPOINT.pt OUT.onnx

As the encoder: weights per channel in a reduced (7-bit) range, so that processors without VNNI instructions compute the same sums
without saturating."""
import os
import sys
import tempfile

import torch
from onnxruntime.quantization import QuantType, quantize_dynamic

from model import HIDDEN, Reader


def main(checkpoint, out):
    torch.set_num_threads(1)
    reader = Reader()
    reader.load_state_dict(torch.load(checkpoint))
    reader.eval()
    names = ["word_vectors", "attention_mask", "token_type_ids"]
    sample = (torch.randn(2, 9, HIDDEN) * 0.05, torch.ones(2, 9, dtype=torch.long), torch.tensor([[0] * 4 + [1] * 5] * 2))
    axes = {name: {0: "batch", 1: "sequence"} for name in [*names, "span_logits"]}
    axes["answerable_logit"] = {0: "batch"}
    with tempfile.TemporaryDirectory() as work:
        full = os.path.join(work, "full.onnx")
        torch.onnx.export(reader, sample, full, input_names=names, output_names=["span_logits", "answerable_logit"],
                          dynamic_axes=axes, opset_version=14, dynamo=False)
        quantize_dynamic(full, out, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)


if __name__ == "__main__":
    main(*sys.argv[1:3])
