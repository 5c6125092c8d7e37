"""First rows of the new pieces: align.py PAIRS.json DICT.json PIECES.tsv OUT

PAIRS.json: a list of [language, source, English text, other text]; DICT.json: a list of [word, gloss, whether it is a usual word].

IBM model 1 (`./ibm1`) over all pairs and the dictionary; a row is the mean of the English rows that its piece is aligned with.
Writes OUT/init.npy (rows, in the order of Tokens.trained) and OUT/train.pkl (the ids of all texts)."""
import collections
import json
import pickle
import re
import subprocess
import sys

import numpy as np
from safetensors.numpy import load_file

from tokens import BASE, RUN, UNKNOWN, Tokens

STOP = "the a an of to in on at for with by from is are was were be been it this that as and or not you we he she they i . , ; : ? ! - ' \" ( ) s t"


def main(pairs, words, pieces, out):
    tokens = Tokens(pieces)

    def english(texts):
        return [encoded.ids for encoded in tokens.bert.encode_batch(texts, add_special_tokens=False)]

    rows = json.load(open(pairs))
    both = [(row[0], row[1], e, tokens.encode(row[3])) for row, e in zip(rows, english([row[2] for row in rows]))]
    both = [p for p in both if 1 <= len(p[2]) <= 90 and 1 <= len(p[3]) <= 90 and p[3].count(UNKNOWN) <= 0.1 * len(p[3])]
    entries, seen = [], set()
    for head, gloss, usual in json.load(open(words)):
        gloss = re.sub(r"\s+", " ", re.sub(r"\([^)]*\)", "", gloss)).strip()
        if gloss and (head, gloss) not in seen and RUN.fullmatch(head) and len(head) <= 8:
            seen.add((head, gloss))
            ids = tokens.encode(head)
            if UNKNOWN not in ids and len(ids) <= 4:
                entries.append((head, ids, gloss, usual))
    entries = [(ids, e, usual) for (_, ids, _, usual), e in zip(entries, english([x[2] for x in entries]))]
    place = {i: k for k, i in enumerate(tokens.trained)}
    print("pairs", collections.Counter(p[:2] for p in both), "words", len(entries), flush=True)

    def number(value):
        return np.int32(value).tobytes()

    weighed = [(1.0, p[3], p[2]) for p in both] + [(2.0 if usual else 0.7, ids, e) for ids, e, usual in entries]
    weighed = [(w, [place[i] for i in a if i in place], b) for w, a, b in weighed]
    weighed = [row for row in weighed if row[1] and row[2]]
    with open(f"{out}/pairs.bin", "wb") as file:
        file.write(number(len(weighed)))
        for weight, a, b in weighed:
            file.write(np.float32(weight).tobytes() + number(len(a)) + np.int32(a).tobytes() + number(len(b)) + np.int32(b).tobytes())
    pickle.dump({"pairs": both, "words": entries}, open(f"{out}/train.pkl", "wb"))
    subprocess.run(["./ibm1", f"{out}/pairs.bin", str(len(place)), str(tokens.old), "4", f"{out}/align.txt"], check=True)

    base = {name.removeprefix("bert."): value for name, value in load_file(f"{BASE}/model.safetensors").items()}
    old = base["embeddings.word_embeddings.weight"].astype(np.float32)
    stop = {tokens.bert.token_to_id(word) for word in STOP.split()}
    made, bare = np.zeros((len(place), old.shape[1]), np.float32), []
    for line in open(f"{out}/align.txt"):
        which, *found = line.split()
        if int(which) == len(place):
            continue
        parsed = [(float(x.split(":")[1]), int(x.split(":")[0])) for x in found]
        best = [(chance * (0.25 if i in stop else 1), i) for chance, i in parsed][:8]
        if best:
            made[int(which)] = mean(best, old)
        else:
            bare.append(int(which))
    lost, by_character = set(bare), collections.defaultdict(list)
    for k, i in enumerate(tokens.trained):
        if k not in lost:
            for character in tokens.pieces[i]:
                by_character[character].append(k)
    rest = made[sorted(set(range(len(place))) - lost)].mean(0)
    for k in bare:
        like = [x for c in tokens.pieces[tokens.trained[k]] for x in by_character.get(c, [])][:40]
        made[k] = made[like].mean(0) if like else rest
    print("pieces without alignment", len(bare))
    np.save(f"{out}/init.npy", made)


def mean(best, old):
    chance = np.array([x[0] for x in best])
    rows = old[[x[1] for x in best]]
    direction = (chance[:, None] * rows).sum(0) / chance.sum()
    length = (chance * np.linalg.norm(rows, axis=1)).sum() / chance.sum()
    return direction / np.linalg.norm(direction) * length * 0.9


if __name__ == "__main__":
    main(*sys.argv[1:5])
