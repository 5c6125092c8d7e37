"""Puts the reader's examples together: examples.py ENGLISH.pkl JAQUAD.json PIECES.tsv OUT.pkl

ENGLISH.pkl: a list of (source, question ids, passage ids, first, last, answers). JAQUAD.json: a list of [question, paragraph, start
of the answer in characters, title]. Where an answer ends is not in that list: the end is guessed where a bracket, a number with its
unit or a run of one script before a particle makes it plain, and left open (-1) elsewhere, so that only the start is learned.
Environment: SEED, and how many are drawn: ENGLISH, JAPANESE, ROWS (paraphrased ones, of each language)."""
import json
import os
import pickle
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../encoder/train"))
import made
import paraphrased
from tokens import Tokens

DOT, COLON, Q, A, ASKS = 1012, 1024, 1053, 1037, 1029
LONGEST = 230
random.seed(int(os.environ.get("SEED", "5")))

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


def end_of(question, rest):
    """Where the answer at the start of `rest` ends, or None."""
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
    """Ids of a text, and the tokens that the characters `first..last` lie in; `last` None: end open."""
    found = tokens.encode_with_ranges(text)
    ids = [i for i, _, _ in found]
    if first is None:
        return ids, -1, -1
    start = next((k for k, (_, _, b) in enumerate(found) if b > first), None)
    if start is None:
        return None
    if last is None:
        return ids, start, -1
    end = max(k for k, (_, a, _) in enumerate(found) if a < last)
    return (ids, start, end) if start <= end <= start + 40 else None


def window(ids, first, last):
    """At most LONGEST tokens that hold the answer."""
    if len(ids) <= LONGEST:
        return ids, first, last
    if first < 0:
        at = random.randint(0, len(ids) - LONGEST)
        return ids[at : at + LONGEST], -1, -1
    stop = max(first, last)
    at = random.randint(max(0, min(first, stop - LONGEST + 1)), max(0, min(first, len(ids) - LONGEST)))
    return ids[at : at + LONGEST], first - at, last - at if last >= 0 else -1


def from_jaquad(tokens, rows):
    contexts, found = [], []
    for _, context, _, _ in rows:
        if not contexts or contexts[-1] != context:
            contexts.append(context)
    place = {context: i for i, context in enumerate(contexts)}
    for question, context, start, _ in rows:
        start = int(start)
        length = end_of(question, context[start:]) if start < len(context) else None
        if length is None and random.random() < 0.35:
            continue
        asked = tokens.encode(question)[:40]
        borders = [0, *[m.end() for m in re.finditer("[。\n]", context)], len(context)]
        before = [b for b in borders if b <= start]
        stop = start + (length or 30)
        after = [b for b in borders if b >= min(stop, len(context))]
        back, forth = random.choice([(0, 0), (1, 0), (0, 1), (1, 1), (2, 1), (1, 2), (3, 3)])
        lo, hi = before[max(0, len(before) - 1 - back)], after[min(len(after) - 1, forth)]
        made_ = tokens_of(tokens, context[lo:hi], start - lo, start - lo + length if length else None)
        if made_:
            ids, first, last = window(*made_)
            found.append(("jaquad", asked, ids, first, last, 1))
        chance = random.random()
        if chance < 0.3:
            other = place[context] + random.choice([-2, -1, 1, 2])
            if 0 <= other < len(contexts) and (length is None or context[start : start + length] not in contexts[other]):
                text = contexts[other]
                borders = [0, *[m.end() for m in re.finditer("。", text)]]
                lo = random.choice(borders)
                ids = window(tokens.encode(text[lo : lo + random.choice([60, 120, 250])]), -1, -1)[0]
                if ids:
                    found.append(("jaquad-other", asked, ids, -1, -1, 0))
        elif chance < 0.5 and length:
            rest = context[:lo] + context[hi:]
            if len(rest) > 20 and context[start : start + length] not in rest:
                at = random.choice([0, max(0, lo - 100)])
                ids = tokens.encode(rest[at : at + random.choice([80, 160, 300])])[:LONGEST]
                found.append(("jaquad-cut", asked, ids, -1, -1, 0))
    return found


def sentence(ids, first, last):
    """The bounds of the sentence that holds an answer."""
    lo, hi = first, last
    while lo > 0 and ids[lo - 1] != DOT:
        lo -= 1
    while hi < len(ids) - 1 and ids[hi] != DOT:
        hi += 1
    return lo, hi + 1


def from_english(examples):
    """What is made of read examples: single sentences as passages, and lists of questions with their answers."""
    found = []
    answered = [e for e in examples if e[5] and e[0] in ("ssw", "qamr", "qed", "pol", "ssr")]
    for _, question, passage, first, last, _ in random.sample(answered, 2500):
        lo, hi = sentence(passage, first, last)
        if 6 < hi - lo < 70:
            found.append(("sentence", question, passage[lo:hi], first - lo, last - lo, 1))
    for _ in range(900):
        entries = random.sample(answered, random.randint(2, 4))
        asked, ids, span = random.randrange(len(entries)), [], None
        for i, (_, question, passage, first, last, _) in enumerate(entries):
            lo, hi = sentence(passage, first, last)
            ids = ids + random.choice([[Q, COLON], [Q, DOT], []]) + question + [A, COLON] + passage[lo:hi]
            if i == asked:
                at = len(ids) - (hi - lo)
                span = (at + first - lo, at + last - lo)
        question = entries[asked][1]
        if random.random() < 0.5:
            question = [i for i in question if i == ASKS or random.random() > 0.12]
        if len(ids) <= LONGEST:
            found.append(("questions", question, ids, *span, 1))
    return found


def main(english, jaquad, pieces, out):
    tokens = Tokens(pieces)
    read = [e for e in pickle.load(open(english, "rb"))]
    drawn = random.sample(read, min(len(read), int(os.environ.get("ENGLISH", len(read)))))
    examples = {"english": drawn, "of english": from_english(read)}
    written = int(os.environ.get("ROWS", "0"))
    for name, make, times in (("made english", made.english, 5000), ("made japanese", made.japanese, 5000),
                              ("paraphrased english", paraphrased.english, written), ("paraphrased japanese", paraphrased.japanese, written)):
        rows = []
        for _ in range(times):
            question, passage, first, last = make()
            cut = tokens_of(tokens, passage, first, last)
            if cut and len(cut[0]) <= LONGEST:
                rows.append((name, tokens.encode(question)[:40], *cut, int(first is not None)))
        examples[name] = rows
    examples["jaquad"] = random.sample(from_jaquad(tokens, json.load(open(jaquad))), int(os.environ.get("JAPANESE", "21000")))
    for name, rows in examples.items():
        print(name, len(rows), sum(len(r[1]) + len(r[2]) + 3 for r in rows), "open ends", sum(r[5] and r[4] < 0 for r in rows))
    pickle.dump(sum(examples.values(), []), open(out, "wb"))


if __name__ == "__main__":
    main(*sys.argv[1:5])
