"""Draws the reader's examples without end, from the sources that README.md names.

An example is (source, question ids, passage ids, first, last, answers): `last` is −1 where the answer's end is not known, `first` is −1
where nothing in the passage answers. Windows, neighbours and made rows are drawn anew each time, so that no two passes are alike.
A fixed part of the sources' articles is left out of training, to measure with (`held`)."""
import collections
import functools
import json
import os
import pickle
import random
import re
import sys
import zlib

sys.path.append(os.path.join(os.path.dirname(__file__), "../../encoder/train"))
import made
import paraphrased
import written
from glossed import LANGUAGES, Glossed
from tokens import Tokens

DOT, COLON, Q, A, ASKS, MASK = 1012, 1024, 1053, 1037, 1029, 103
LONGEST, ASKED = 230, 48

BRACKETS = {"「": "」", "『": "』", "“": "”", "《": "》", "【": "】", "〈": "〉", '"': '"'}
UNIT = "年間|年度|年代|年|月|日|世紀|時間|時|分|秒|歳|人|名|円|ドル|パーセント|%|％|キロメートル|センチメートル|メートル|ミリ|km2|km|cm|mm|kg|m|トン|か国|カ国|ヵ国|か所|箇所|校|社|本|枚|台|冊|個|件|回|回目|種|種類|位|番|番目|倍|度|代目|代|号|店舗|店|両|機|隻|点|曲|話|巻|部|軒|戸|頭|匹|羽|階|週間|ヶ月|か月|カ月|つ|割"
NUMBER = re.compile(
    r"(?:約|およそ|紀元前|西暦|第|昭和|平成|明治|大正|令和|天平|寛永|慶長|享保|元禄|文政|天保|嘉永|安政|慶応|全|計)?"
    r"(?:[0-9０-９,，.．]+|[一二三四五六七八九十百千]+)(?:[万億兆千百])*(?:[0-9,.]+[万億兆千]?)*(?:" + UNIT + r")?"
    r"(?:\([^()]{1,8}\))?(?:[0-9]+月(?:[0-9]+日)?)?(?:間|前|後|頃|ごろ|以上|以下)?"
)
RUN = re.compile(r"[\u30a1-\u30fa\u30fc・=＝A-Za-z0-9\-]+[\u4e00-\u9fff々]{0,4}|[\u4e00-\u9fff々ヶ]+")
AFTER = re.compile(r"[はがをにでとのもへや、。,.()（）」』・\n\"]|から|まで|として|である|であ|だ|など")
OPEN_ENDED = re.compile("なぜ|理由|どうして|どのよう|どう|何故|ため|とは")
TERM = re.compile(r"[\u30a1-\u30fa\u30fc・]{3,}|[\u4e00-\u9fff々]{2,8}|[0-9０-９]+(?:年|月|日|人|円|km|m|kg|回|世紀)")


def end_of(question, rest):
    """Where the answer at the start of `rest` ends, or None where that is not plain."""
    if OPEN_ENDED.search(question):
        return None
    if rest[0] in BRACKETS:
        close = rest.find(BRACKETS[rest[0]])
        return close + 1 if 1 < close <= 40 and (close + 1 == len(rest) or AFTER.match(rest, close + 1)) else None
    number = NUMBER.match(rest)
    if number and re.search("[0-9０-９]", number[0]):
        return number.end() if AFTER.match(rest, number.end()) or number.end() == len(rest) else None
    run = RUN.match(rest)
    if run and len(run[0]) >= 2 and AFTER.match(rest, run.end()):
        # "A no B" may be the whole answer, unless a name, a place or a time is asked for.
        if rest[run.end()] == "の" and not re.search("誰|だれ|どこ|いつ|何年|国|都市|都道府県|県|人物", question):
            return None
        return run.end()
    return None


def tokens_of(tokens, text, first, last):
    """Ids of a text, and the tokens that the characters `first..last` lie in; `last` None: end open. None where they can't be told."""
    found = tokens.encode_with_ranges(text)
    ids = [i for i, _, _ in found]
    if first is None:
        return ids, -1, -1
    start = next((k for k, (_, _, b) in enumerate(found) if b > first), None)
    if start is None:
        return None
    if last is None:
        return ids, start, -1
    end = max((k for k, (_, a, _) in enumerate(found) if a < last), default=-1)
    return (ids, start, end) if start <= end <= start + 40 else None


def window(draw, ids, first, last):
    """At most LONGEST tokens that hold the answer."""
    if len(ids) <= LONGEST:
        return ids, first, last
    if first < 0:
        at = draw.randint(0, len(ids) - LONGEST)
        return ids[at : at + LONGEST], -1, -1
    stop = max(first, last)
    at = draw.randint(max(0, min(first, stop - LONGEST + 1)), max(0, min(first, len(ids) - LONGEST)))
    return ids[at : at + LONGEST], first - at, last - at if last >= 0 else -1


def held(name):
    """Whether an article, a passage or a topic is left out of training."""
    return zlib.crc32(repr(name).encode()) % 40 == 0


def sentence(ids, first, last):
    """The bounds of the sentence that holds an answer."""
    lo, hi = first, last
    while lo > 0 and ids[lo - 1] != DOT:
        lo -= 1
    while hi < len(ids) - 1 and ids[hi] != DOT:
        hi += 1
    return lo, hi + 1


class English:
    """Questions of people over passages; also single sentences, and lists of questions with their answers."""

    def __init__(self, draw, path, measured, hard):
        self.draw, self.hard = draw, hard
        self.rows = [e for e in pickle.load(open(path, "rb")) if held(e[2][:12]) == measured]
        self.answered = [e for e in self.rows if e[5]]

    def one(self):
        draw = self.draw
        chance = draw.random()
        if chance < 0.07:
            _, question, passage, first, last, _ = draw.choice(self.answered)
            lo, hi = sentence(passage, first, last)
            if 6 < hi - lo < 70:
                return "sentence", question, passage[lo:hi], first - lo, last - lo, 1
        elif chance < 0.1:
            return self.several()
        elif chance < 0.2:
            _, question, passage, *_ = draw.choice(self.answered)
            if alike := self.hard[1].get(written.key(question, passage)):
                return "hard", question, self.hard[0][draw.choice(alike)], -1, -1, 0
        return draw.choice(self.rows)

    def several(self):
        draw = self.draw
        entries = draw.sample(self.answered, draw.randint(2, 4))
        asked, ids, span = draw.randrange(len(entries)), [], None
        for i, (_, question, passage, first, last, _) in enumerate(entries):
            lo, hi = sentence(passage, first, last)
            ids = ids + draw.choice([[Q, COLON], [Q, DOT], []]) + question + [A, COLON] + passage[lo:hi]
            if i == asked:
                at = len(ids) - (hi - lo)
                span = (at + first - lo, at + last - lo)
        question = entries[asked][1]
        if draw.random() < 0.5:
            question = [i for i in question if i == ASKS or draw.random() > 0.12]
        return ("questions", question, ids, *span, 1) if len(ids) <= LONGEST else None


class Japanese:
    """Questions over paragraphs: a window of sentences around the answer, or one that doesn't hold it."""

    def __init__(self, draw, tokens, path, measured, hard):
        self.draw, self.tokens, self.hard = draw, tokens, hard
        self.contexts, self.place, self.rows = [], {}, []
        for question, context, start, title in json.load(open(path)):
            start = int(start)
            if held(title) != measured or not 0 <= start < len(context):
                continue
            if context not in self.place:
                self.place[context] = len(self.contexts)
                self.contexts.append((context, title))
            self.rows.append((question, context, start, end_of(question, context[start:])))

    def one(self):
        draw = self.draw
        question, context, start, length = draw.choice(self.rows)
        if length is None and draw.random() < 0.35:
            return None
        asked = self.tokens.encode(question)[:ASKED]
        borders = [0, *[m.end() for m in re.finditer("[。\n]", context)], len(context)]
        before = [b for b in borders if b <= start]
        stop = start + (length or 30)
        after = [b for b in borders if b >= min(stop, len(context))]
        back, forth = draw.choice([(0, 0), (1, 0), (0, 1), (1, 1), (2, 1), (1, 2), (3, 3), (9, 9)])
        lo, hi = before[max(0, len(before) - 1 - back)], after[min(len(after) - 1, forth)]
        chance = draw.random()
        if chance < 0.17:
            other = self.place[context] + draw.choice([-2, -1, 1, 2])
            if length and chance < 0.1 and (alike := self.hard[1].get(written.key(question, context))):
                other = self.place.get(self.hard[0][draw.choice(alike)], -1)
            if 0 <= other < len(self.contexts) and (length is None or context[start : start + length] not in self.contexts[other][0]):
                text = self.contexts[other][0]
                at = draw.choice([0, *[m.end() for m in re.finditer("。", text)]])
                ids = window(draw, self.tokens.encode(text[at : at + draw.choice([60, 120, 250, 500])]), -1, -1)[0]
                return ("jaquad-other", asked, ids, -1, -1, 0) if ids else None
        elif chance < 0.27 and length:
            rest = context[:lo] + context[hi:]
            if len(rest) > 20 and context[start : start + length] not in rest:
                at = draw.choice([0, max(0, lo - 100)])
                ids = self.tokens.encode(rest[at : at + draw.choice([80, 160, 300])])[:LONGEST]
                return "jaquad-cut", asked, ids, -1, -1, 0
        found = tokens_of(self.tokens, context[lo:hi], start - lo, start - lo + length if length else None)
        return ("jaquad", asked, *window(draw, *found), 1) if found else None


class Blanks:
    """A sentence with a term left out as the question, another passage with that term as the answer (recurring spans: Ram et al. 2021,
    "Few-Shot Question Answering by Pretraining Span Selection", section 3)."""

    def __init__(self, draw, tokens, contexts):
        self.draw, self.tokens = draw, tokens
        self.sentences, self.of = [], collections.defaultdict(list)
        groups = collections.defaultdict(lambda: collections.defaultdict(list))
        for k, (context, title) in enumerate(contexts):
            for text in re.split("(?<=。)", context):
                if 12 <= len(text) <= 160:
                    for term in set(TERM.findall(text)):
                        groups[title][term].append(len(self.sentences))
                    self.sentences.append((text, k))
        self.pairs = [(term, places) for terms in groups.values() for term, places in terms.items() if 2 <= len(places) <= 5]

    def one(self):
        draw = self.draw
        term, places = draw.choice(self.pairs)
        a, b = draw.sample(places, 2)
        asked, text = self.sentences[a][0], self.sentences[b][0]
        if asked.count(term) != 1 or text.count(term) != 1 or asked[:20] == text[:20]:
            return None
        left, right = asked.split(term)
        question = (self.tokens.encode(left)[-30:] + [MASK] + self.tokens.encode(right))[:ASKED]
        lo, hi = b, b + 1
        for _ in range(draw.randint(0, 3)):
            if draw.random() < 0.5 and lo > 0 and self.sentences[lo - 1][1] == self.sentences[b][1] and lo - 1 != a:
                lo -= 1
            elif hi < len(self.sentences) and self.sentences[hi][1] == self.sentences[b][1] and hi != a:
                hi += 1
        if draw.random() < 0.15:
            passage = "".join(s for s, _ in self.sentences[lo:hi] if term not in s)
            return ("blank-other", question, self.tokens.encode(passage)[:LONGEST], -1, -1, 0) if len(passage) > 15 else None
        passage = "".join(s for s, _ in self.sentences[lo:hi])
        if passage.count(term) != 1:
            return None
        at = passage.index(term)
        found = tokens_of(self.tokens, passage, at, at + len(term))
        return ("blank", question, *window(draw, *found), 1) if found else None


class Made:
    """Rows, values, commands and sentences from a generator of (question, passage, first, last)."""

    def __init__(self, draw, tokens, name, make):
        self.draw, self.tokens, self.name, self.make = draw, tokens, name, make

    def one(self):
        question, passage, first, last = self.make()
        found = tokens_of(self.tokens, passage, first, last)
        if not found or not found[0]:
            return None
        return (self.name, self.tokens.encode(question)[:ASKED], *window(self.draw, *found), int(first is not None))


class OneOf:
    """Each of several sources as often as the others."""

    def __init__(self, draw, sources):
        self.draw, self.sources = draw, sources

    def one(self):
        return self.draw.choice(self.sources).one()


class Examples:
    """All sources, each drawn by its weight (shares of examples)."""

    def __init__(self, folder, pieces, seed, weights, measured=False):
        draw = random.Random(seed)
        made.R.seed(seed + 1)
        paraphrased.R.seed(seed + 2)
        tokens = Tokens(pieces)
        # Passages that share words with a question and do not answer it.
        path = f"{folder}/hard.pkl"
        hard = pickle.load(open(path, "rb")) if os.path.exists(path) and not measured else {}
        of = lambda source: hard.get(source, ([], {}))
        japanese = Japanese(draw, tokens, f"{folder}/jaquad_train.json", measured, of("jaquad"))
        folder_of = os.path.join(os.path.dirname(__file__), "written")
        self.written, self.later = (written.Written(folder_of, draw, measured, later, of("written")) for later in (False, True))
        self.sources = {
            "english": English(draw, f"{folder}/english.pkl", measured, of("english")),
            "jaquad": japanese,
            "blanks": Blanks(draw, tokens, japanese.contexts),
            "made en": Made(draw, tokens, "made en", made.english),
            "made ja": Made(draw, tokens, "made ja", made.japanese),
            "rows en": Made(draw, tokens, "rows en", paraphrased.english),
            "rows ja": Made(draw, tokens, "rows ja", paraphrased.japanese),
        }
        for name, texts in (("written", self.written), ("later", self.later)):
            for language, entries in texts.of.items():
                if entries:
                    make = functools.partial(texts.one, language)
                    # Other languages are read by their glosses, as in the program.
                    own = Glossed(tokens, language) if language in LANGUAGES else tokens
                    self.sources[f"{name} {language}"] = Made(draw, own, f"{name} {language}", make)
        of_others = [source for name, source in self.sources.items() if name.startswith("later") and name[6:] not in ("en", "ja")]
        self.sources["later others"] = OneOf(draw, of_others)
        self.draw, self.weights = draw, weights

    def one(self):
        while True:
            source = self.draw.choices(list(self.weights), list(self.weights.values()))[0]
            if (example := self.sources[source].one()) and example[1] and example[2]:
                chance = 0.2 if source in ("english", "jaquad") and len(example[2]) < 140 else 0.05
                return self.joined(example, source) if self.draw.random() < chance else example

    def joined(self, example, source):
        """The passage with another one before or after it, which does not answer."""
        other = self.sources[source].one()
        if not other or other[1] == example[1] or len(other[2]) + len(example[2]) > LONGEST:
            return example
        name, question, passage, first, last, answers = example
        if answers and last >= 0 and any(other[2][i : i + last - first + 1] == passage[first : last + 1] for i in range(len(other[2]))):
            return example
        if self.draw.random() < 0.5:
            return name, question, passage + other[2], first, last, answers
        by = len(other[2])
        return name, question, other[2] + passage, first + by if answers else -1, last + by if answers and last >= 0 else -1, answers
