"""Counts runs of kana and ideographs for `uni`: runs.py PAIRS.json DICT.json JAQUAD.json RUNS.txt HEADS.txt"""
import collections
import json
import sys

from tokens import RUN

pairs, words, jaquad, runs_out, heads_out = sys.argv[1:6]
counts = collections.Counter()


def feed(text, times=1):
    for run in RUN.findall(text):
        counts[run] += times


questions = json.load(open(jaquad))
for context in sorted({row[1] for row in questions}):
    feed(context)
for row in questions:
    feed(row[0])
for _, _, _, text in json.load(open(pairs)):
    feed(text)
common = {}
for head, _, usual in json.load(open(words)):
    common[head] = common.get(head, False) or usual
for head, usual in common.items():
    if usual:
        feed(head, 3)
with open(runs_out, "w") as out:
    out.writelines(f"{run}\t{min(count, 300)}\n" for run, count in counts.items())
with open(heads_out, "w") as out:
    out.writelines(f"{head}\t{int(usual)}\n" for head, usual in common.items() if RUN.fullmatch(head) and len(head) <= 8)
