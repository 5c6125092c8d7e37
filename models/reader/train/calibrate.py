"""Brings a checkpoint's scores to the scale that the program's thresholds were set with: calibrate.py FOLDER PIECES.tsv WORDS.npy IN.pt OUT.pt

The scores become a × score + b, with which the middle scores of passages that answer and of those that do not, of examples that were
left out of training, are those of the first reader. Both heads are scaled, so which words answer stays the same."""
import sys

import numpy as np
import torch

from examples import Examples
from model import Reader
from train import packed, run, scores

COUNT = 1500
SHARES = {"english": 0.4, "jaquad": 0.4, "written en": 0.1, "written ja": 0.1}
# Of the reader that the thresholds were set with, on the same examples.
WANTED = {1: 9.45, 0: -7.13}


def judged(reader, words, examples):
    """The score of each example, and whether it is answered."""
    found = []
    with torch.no_grad():
        for first in range(0, len(examples), 20):
            batch = examples[first : first + 20]
            ids, where, told = (torch.from_numpy(part).long() for part in packed(batch, max(len(e[1]) + len(e[2]) + 3 for e in batch)))
            spans, answerable = run(reader, words, ids, where, "cpu")
            found += zip(scores(spans, answerable).tolist(), told[:, 2].tolist())
    return np.array(found)


def main(folder, pieces, table, checkpoint, out):
    drawn = Examples(folder, pieces, 3, SHARES, measured=True)
    examples = sorted((drawn.one() for _ in range(COUNT)), key=lambda one: len(one[1]) + len(one[2]))
    state = torch.load(checkpoint)
    reader = Reader()
    reader.load_state_dict(state)
    found = judged(reader.eval(), torch.from_numpy(np.load(table)), examples)
    middle = {answered: float(np.median(found[found[:, 1] == answered][:, 0])) for answered in (0, 1)}
    a = (WANTED[1] - WANTED[0]) / (middle[1] - middle[0])
    b = WANTED[1] - a * middle[1]
    print(f"middle scores {middle[1]:.2f} and {middle[0]:.2f}: a {a:.3f}, b {b:.3f}")
    for name in ("span", "answerable"):
        state[f"{name}.weight"] *= a
        state[f"{name}.bias"] *= a
    state["answerable.bias"] += b
    torch.save(state, out)


if __name__ == "__main__":
    main(*sys.argv[1:6])
