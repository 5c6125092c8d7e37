"""The base encoder's graph without its table of words: graph.py MODEL.onnx OUT.onnx

Only the look-up goes: its result becomes the input `word_vectors`, so that one table serves several graphs."""
import sys

import onnx
from onnx import TensorProto, helper

TABLE = "model.embeddings.word_embeddings.weight"


def main(source, out):
    model = onnx.load(source)
    graph = model.graph
    tables = {i.name for i in graph.initializer if i.name.startswith(TABLE)}
    lookup = [n for n in graph.node if n.op_type == "Gather" and n.input[0] in tables]
    assert len(lookup) == 1, lookup
    after = [n for n in graph.node if lookup[0].output[0] in n.input]
    assert [n.op_type for n in after] == ["DequantizeLinear"], after
    vectors = after[0].output[0]
    for node in (lookup[0], after[0]):
        graph.node.remove(node)
    for node in graph.node:
        for i, name in enumerate(node.input):
            if name == vectors:
                node.input[i] = "word_vectors"
    for value in [i for i in graph.initializer if i.name in tables]:
        graph.initializer.remove(value)
    # Shapes are still taken from the ids; the mask has the same.
    for node in graph.node:
        for i, name in enumerate(node.input):
            if name == "input_ids":
                node.input[i] = "attention_mask"
    inputs = {i.name: i for i in graph.input}
    graph.input.remove(inputs["input_ids"])
    graph.input.insert(0, helper.make_tensor_value_info("word_vectors", TensorProto.FLOAT, ["batch", "sequence", 384]))
    del graph.value_info[:]
    onnx.checker.check_model(model)
    onnx.save(model, out)


if __name__ == "__main__":
    main(*sys.argv[1:3])
