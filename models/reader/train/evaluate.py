"""Measures a reader on gold passages and on other passages of the same article: evaluate.py MODEL.onnx WORDS.npy PIECES.tsv SET LANGUAGE COUNT

SET: a folder in BEIR's layout whose queries have answers in their metadata. Never a set that was trained on."""
import collections
import json
import os
import random
import re
import string
import sys

import numpy as np
import onnxruntime

sys.path.append(os.path.join(os.path.dirname(__file__), "../../encoder/train"))
from tokens import CLS, SEP, Tokens

LONGEST = 40


def normal(text, japanese):
    if japanese:
        return re.sub(r"[\s「」『』、。()（）]", "", text)
    text = "".join(c for c in text.lower() if c not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def f1(found, gold, japanese):
    split = list if japanese else str.split
    a, b = split(normal(found, japanese)), split(normal(gold, japanese))
    common = sum((collections.Counter(a) & collections.Counter(b)).values())
    return 2 * common / (len(a) + len(b)) if common else float(a == b)


class Reading:
    def __init__(self, model, words, pieces):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.words, self.tokens = np.load(words), Tokens(pieces)

    def read(self, question, passage, window=240, step=192):
        asked = self.tokens.encode(question)[:64]
        found = self.tokens.encode_with_ranges(passage)
        best = None
        for at in range(0, max(1, len(found) - (window - step)), step):
            part = found[at : at + window]
            ids = [CLS, *asked, SEP, *(i for i, _, _ in part), SEP]
            offset = len(asked) + 2
            feed = {"word_vectors": self.words[ids][None], "attention_mask": np.ones((1, len(ids)), np.int64),
                    "token_type_ids": np.array([[int(k >= offset) for k in range(len(ids))]])}
            spans, answerable = self.session.run(None, feed)
            start, end = spans[0, offset:-1, 0], spans[0, offset:-1, 1]
            null = float(spans[0, 0].sum())
            both = start[:, None] + end[None]
            both = np.where(np.triu(np.ones_like(both)) * np.tril(np.ones_like(both), LONGEST - 1) > 0, both, -1e9)
            i, j = np.unravel_index(both.argmax(), both.shape)
            score = (float(both[i, j]) - null) / 2 + float(answerable[0])
            text = passage[part[i][1] : part[j][2]]
            if self.tokens.pieces[part[j][0]].startswith("##") or j + 1 < len(part) and self.tokens.pieces.get(part[j + 1][0], "").startswith("##"):
                while j + 1 < len(part) and self.tokens.pieces.get(part[j + 1][0], "").startswith("##"):
                    j += 1
                text = passage[part[i][1] : part[j][2]]
            if best is None or score > best[1]:
                best = (text, score, float(answerable[0]), float(both[i, j]) - null)
        return best


def auc(right, wrong):
    right, wrong = np.array(right), np.array(wrong)
    return float((right[:, None] > wrong[None]).mean() + (right[:, None] == wrong[None]).mean() / 2)


def main(model, words, pieces, folder, language, count):
    japanese = language == "ja"
    reading = Reading(model, words, pieces)
    corpus = {row["_id"]: row for row in map(json.loads, open(f"{folder}/corpus.jsonl"))}
    gold = {}
    for line in list(open(f"{folder}/qrels/test.tsv"))[1:]:
        question, passage, *_ = line.split("\t")
        gold.setdefault(question, passage)
    rows = [row for row in map(json.loads, open(f"{folder}/queries.jsonl")) if row["_id"] in gold]
    random.Random(11).shuffle(rows)
    order = sorted(corpus)
    place = {name: i for i, name in enumerate(order)}
    exact, overlap, right, wrong = [], [], [], []
    for row in rows[:count]:
        answers = [a["text"] for a in row["metadata"]["answers"]]
        text, score, _, _ = reading.read(row["text"], corpus[gold[row["_id"]]]["text"])
        exact.append(max(float(normal(text, japanese) == normal(a, japanese)) for a in answers))
        overlap.append(max(f1(text, a, japanese) for a in answers))
        other = corpus[order[(place[gold[row["_id"]]] + random.choice([-2, -1, 1, 2])) % len(order)]]["text"]
        right.append(score)
        if not any(normal(a, japanese) in normal(other, japanese) for a in answers):
            wrong.append(reading.read(row["text"], other)[1])
    print(f"{folder}: {len(exact)} questions, exact {100 * np.mean(exact):.1f}, F1 {100 * np.mean(overlap):.1f}, "
          f"AUC against neighbours {auc(right, wrong):.3f}, score median {np.median(right):.2f} / {np.median(wrong):.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:6], int(sys.argv[6]))
