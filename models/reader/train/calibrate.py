"""Brings a checkpoint's scores to the scale of another's, so that thresholds keep their meaning: calibrate.py NEW.pt REFERENCE.pt DATA.pkl WORDS.npy OUT.pt

DATA.pkl: examples as `train.py` takes them. The scores become a × score + b, with which the middle scores of passages that answer
and of those that do not are the reference's. Both heads are scaled, so which words answer stays the same."""
import pickle
import random
import sys

import numpy as np
import torch

from model import Reader
from train import tensors

COUNT = 1500


def scores(checkpoint, words, batches):
    """The score of each example, and whether it is answered."""
    reader = Reader()
    reader.load_state_dict(torch.load(checkpoint))
    reader.eval()
    found = []
    with torch.no_grad():
        for batch in batches:
            ids, mask, types, allowed, _, _, answers = tensors(batch)
            spans, answerable = reader(words[ids], mask, types)
            spans = spans.masked_fill(~allowed[..., None], -1e4)
            null = spans[:, 0].sum(1)
            spans[:, 0] = -1e4
            best = spans[..., 0].max(1).values + spans[..., 1].max(1).values
            found += zip(((best - null) / 2 + answerable).tolist(), answers.tolist())
    return np.array(found)


def main(new, reference, data, table, out):
    torch.set_num_threads(1)
    examples = random.Random(3).sample(pickle.load(open(data, "rb")), COUNT)
    examples.sort(key=lambda one: len(one[1]) + len(one[2]))
    words = torch.from_numpy(np.load(table))
    batches = [examples[i : i + 20] for i in range(0, COUNT, 20)]
    ours, theirs = (scores(checkpoint, words, batches) for checkpoint in (new, reference))
    middle = lambda found, answered: float(np.median(found[found[:, 1] == answered][:, 0]))
    a = (middle(theirs, 1) - middle(theirs, 0)) / (middle(ours, 1) - middle(ours, 0))
    b = middle(theirs, 1) - a * middle(ours, 1)
    print(f"a {a:.3f}, b {b:.3f}; middle scores {middle(ours, 1):.2f} and {middle(ours, 0):.2f}, of the reference {middle(theirs, 1):.2f} and {middle(theirs, 0):.2f}")
    state = torch.load(new)
    for name in ("span", "answerable"):
        state[f"{name}.weight"] *= a
        state[f"{name}.bias"] *= a
    state["answerable.bias"] += b
    torch.save(state, out)


if __name__ == "__main__":
    main(*sys.argv[1:6])
