"""Reads a text as the program reads one in a language that the models do not know: word for word by English glosses.

The lists and the rules are those of `src/bundled/gloss.rs`; stems are Snowball's."""
import bisect
import math
import os
import re
import unicodedata

import snowballstemmer

LISTS = os.path.join(os.path.dirname(__file__), "../../glosses")
LANGUAGES = sorted(name.removesuffix(".tsv") for name in os.listdir(LISTS) if name.endswith(".tsv"))
STEMS = {"de": "german", "fr": "french", "es": "spanish", "it": "italian", "pt": "portuguese", "nl": "dutch", "pl": "polish", "ro": "romanian", "ru": "russian", "tr": "turkish", "el": "greek", "ar": "arabic", "hi": "hindi"}
WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f])*")
RUN = re.compile(r"[\u0e00-\u0e7f\u4e00-\u9fff\u3400-\u4dbf\uac00-\ud7a3]+")
LONGEST = 24


def folded(word):
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c)).replace("ς", "σ").replace("ı", "i").replace("ł", "l")


class Glossed:
    """As `Tokens`, for texts in a language with a list."""

    def __init__(self, tokens, language):
        self.tokens, self.language, self.forms, self.stems, self.known = tokens, language, {}, {}, {}
        self.stemmer = snowballstemmer.stemmer(STEMS[language]) if language in STEMS else None
        for line in open(f"{LISTS}/{language}.tsv", encoding="utf8"):
            word, gloss = line.rstrip("\n").split("\t")
            self.forms.setdefault(word, gloss)
            self.stems.setdefault(self.stem(word), gloss)
        self.keys = sorted(self.stems)

    def stem(self, word):
        return folded(self.stemmer.stemWord(word)) if self.stemmer else word

    def gloss(self, word):
        lower = word.lower()
        if lower not in self.known:
            self.known[lower] = self.found(lower)
        return self.known[lower]

    def found(self, word):
        if word in self.forms:
            return self.forms[word]
        stem = self.stem(word)
        if stem in self.stems:
            return self.stems[stem]
        return self.of_parts(word) or self.of_other_form(stem)

    def of_parts(self, word):
        if self.language not in ("de", "nl") or len(word) < 8:
            return None
        best = None
        for at in range(4, len(word) - 2):
            for first in (word[:at], word[: at - 1] if word[at - 1] == "s" and at > 4 else None):
                glosses = [first and (self.forms.get(part) or self.stems.get(self.stem(part))) for part in (first, word[at:])]
                if all(glosses) and (best is None or min(at, len(word) - at) > best[0]):
                    best = min(at, len(word) - at), " ".join(glosses)
        return best and best[1]

    def of_other_form(self, stem):
        if len(stem) < 5 or not self.stemmer:
            return None
        beginning, best = stem[: max(3, math.ceil(len(stem) * 7 / 10))], (0, None)
        at = bisect.bisect_left(self.keys, beginning)
        while at < len(self.keys) and self.keys[at].startswith(beginning):
            other = self.keys[at]
            shared = len(os.path.commonprefix([other, stem]))
            if shared * 10 >= 7 * max(len(other), len(stem)) and shared > best[0]:
                best = shared, self.stems[other]
            at += 1
        return best[1]

    def run(self, text):
        """The parts of a run: words of the list, and what is between."""
        best = [(0, 0, False)] + [(math.inf, 0, False)] * len(text)
        for first in range(len(text)):
            for last in range(first + 1, min(len(text), first + LONGEST) + 1):
                listed = text[first:last] in self.forms
                if not listed and last > first + 1:
                    continue
                cost = best[first][0] + (6 if not listed else 3 if last == first + 1 else 2)
                if cost < best[last][0]:
                    best[last] = cost, last - first, listed
        parts, last = [], len(text)
        while last > 0:
            _, length, listed = best[last]
            parts.append((last - length, last, listed))
            last -= length
        joined = []
        for first, last, listed in reversed(parts):
            if joined and not (joined[-1][2] and listed) and all(not s or b - a < 2 for a, b, s in (joined[-1], (first, last, listed))):
                joined[-1] = joined[-1][0], last, False
            else:
                joined.append((first, last, listed))
        return joined

    def words(self, text):
        """(first, last, gloss) of what has one."""
        if self.stemmer:
            found = ((m.start(), m.end(), self.gloss(m[0])) for m in WORD.finditer(text))
        else:
            found = ((m.start() + a, m.start() + b, self.forms[m[0][a:b]] if listed else None) for m in RUN.finditer(text) for a, b, listed in self.run(m[0]))
        return ((first, last, gloss) for first, last, gloss in found if gloss is not None)

    def encode_with_ranges(self, text):
        found, at = [], 0
        for first, last, gloss in self.words(text):
            found += [(i, at + a, at + b) for i, a, b in self.tokens.encode_with_ranges(text[at:first])]
            found += [(i, first, last) for i in self.tokens.encode(gloss)]
            at = last
        return found + [(i, at + a, at + b) for i, a, b in self.tokens.encode_with_ranges(text[at:])]

    def encode(self, text):
        return [i for i, _, _ in self.encode_with_ranges(text)]
