"""Puts together what the rows are trained with: texts.py PIECES.tsv PAIRS.json WORDS.json NAMES.json JAQUAD.json WRITTEN OUT.npz

PAIRS.json: [source, English text, other text]; WORDS.json: [word, gloss, whether it is a usual word] of JMdict; NAMES.json: [name in
katakana or ideographs, name in Latin letters] of JMnedict and GeoNames; JAQUAD.json: [question, paragraph, start of the answer, title];
WRITTEN: the reader's folder `written`. Every 80th pair, every 100th name and the questions of every 40th article are left out, to
measure with."""
import glob
import json
import os
import random
import re
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../reader/train"))
import written
from examples import held
from tokens import UNKNOWN, Tokens

SOURCES = ["tatoeba", "tanaka50k", "tfdocs", "angular", "libreoffice", "gnome", "handbook", "zh-tatoeba", "zh-tfdocs"]
LONG = {"ō": "o", "ū": "u", "Ō": "O", "ā": "a", "ē": "e", "ī": "i"}


def main(pieces, pairs, words, names, jaquad, notes, out):
    tokens = Tokens(pieces)
    english = lambda text: tokens.bert.encode(text, add_special_tokens=False).ids
    both = [(SOURCES.index(source), english(e), tokens.encode(other)) for source, e, other in json.load(open(pairs))]
    both = [p for p in both if all(1 <= len(side) <= 120 for side in p[1:]) and p[2].count(UNKNOWN) <= 0.1 * len(p[2])]
    entries = [(english(gloss)[:12], tokens.encode(word), usual) for word, gloss, usual in json.load(open(words))]
    entries = [e for e in entries if len(e[1]) <= 6 and UNKNOWN not in e[1]]
    plain = lambda name: re.sub(r"[^\x00-\x7f]", lambda m: LONG.get(m[0], m[0]), name)
    called = [(english(plain(latin))[:16], tokens.encode(name)[:16]) for name, latin in json.load(open(names))]

    known, contexts, asked, measured, noted = {}, [], [], [], []
    for question, context, start, title in json.load(open(jaquad)):
        start = int(start)
        if 0 <= start < len(context):
            if context not in known:
                known[context] = len(contexts)
                contexts.append(tokens.encode_with_ranges(context))
            ranges = contexts[known[context]]
            at = next((i for i, (_, _, end) in enumerate(ranges) if end > start), len(ranges) - 1)
            (measured if held(title) else asked).append((tokens.encode(question)[:60], known[context], at))
    for path in sorted(glob.glob(f"{notes}/ja-[0-9].txt")):
        for headings, passage, questions in written.entries(open(path, encoding="utf8").read()):
            noted += [(tokens.encode(q)[:60], len(contexts)) for q, answer in questions if answer]
            contexts.append(tokens.encode_with_ranges(headings[-1] + "\n" + passage)[:300])

    found = {}

    def put(name, lists):
        found[name] = np.concatenate([np.asarray(ids, np.uint16) for ids in lists])
        found[f"{name}_n"] = np.array([len(ids) for ids in lists], np.int32)

    for name, rows in (("p", [p for i, p in enumerate(both) if i % 80]), ("hp", both[::80])):
        put(f"{name}_en", [p[1] for p in rows])
        put(f"{name}_other", [p[2] for p in rows])
        found[f"{name}_source"] = np.array([p[0] for p in rows], np.uint8)
    for name, rows in (("w", entries), ("n", [n for i, n in enumerate(called) if i % 100]), ("hn", called[::100])):
        put(f"{name}_en", [row[0] for row in rows])
        put(f"{name}_other", [row[1] for row in rows])
    found["w_usual"] = np.array([e[2] for e in entries])
    put("c", [[i for i, _, _ in ranges] for ranges in contexts])
    for name, rows in (("q", asked), ("hq", measured), ("written", noted)):
        put(name, [row[0] for row in rows])
        found[f"{name}_at"] = np.array([row[1:] for row in rows], np.int32)
    found["trained"] = np.array(tokens.trained, np.int32)
    found["content"] = np.array([i in tokens.pieces and i not in (100, 101, 102) and any(c.isalnum() for c in tokens.pieces[i]) for i in range(tokens.size)])
    np.savez(out, **found)
    print({name: len(value) for name, value in found.items() if name.endswith("_n")})


if __name__ == "__main__":
    main(*sys.argv[1:8])
