"""Measures a reader on rows of topics that it was not trained on: evaluate_rows.py MODEL.onnx WORDS.npy PIECES.tsv COUNT"""
import os
import sys

os.environ["HELD_OUT"] = "1"
import numpy as np

import paraphrased
from evaluate import Reading, auc


def main(model, words, pieces, count):
    reading = Reading(model, words, pieces)
    for name, make in (("English", paraphrased.english), ("Japanese", paraphrased.japanese)):
        right, wrong, exact = [], [], []
        for _ in range(count):
            question, passage, first, last = make()
            text, score, _, _ = reading.read(question, passage)
            if first is None:
                wrong.append(score)
            else:
                right.append(score)
                exact.append(text.strip() == passage[first:last].strip())
        print(f"{name} rows: exact {100 * np.mean(exact):.1f} of {len(exact)}, AUC against rows that do not answer {auc(right, wrong):.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:4], int(sys.argv[4]))
