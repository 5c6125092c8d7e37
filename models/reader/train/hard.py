"""Finds passages that share words with a question and do not answer it, as a search does: hard.py FOLDER PIECES.tsv WORDS.npy READER.pt

Writes FOLDER/hard.pkl, which `examples.py` draws from. A passage that holds the answer's words is none; nor is, among those that were
written for the reader, one that READER takes for an answer: two invented firms may well have the same rule."""
import pickle
import sys
from multiprocessing import get_context

import numpy as np
import torch
from sklearn.feature_extraction.text import TfidfVectorizer

from examples import ASKED, LONGEST, Examples
from model import Reader
from train import packed, run, scores
from written import key

COUNT = 8


def nearest(questions, passages, **how):
    """For each question the passages that share most with it, best first."""
    words = TfidfVectorizer(sublinear_tf=True, **how)
    table = words.fit_transform(passages).T.tocsr()
    asked = words.transform(questions)
    for first in range(0, len(questions), 500):
        scores = (asked[first : first + 500] @ table).toarray()
        for row in scores:
            best = np.argpartition(-row, COUNT)[:COUNT]
            yield best[np.argsort(-row[best])].tolist()


def of_english(source):
    as_text = lambda ids: " ".join(map(str, ids))
    passages = sorted({tuple(row[2]) for row in source.rows})
    found = {}
    rows = source.answered
    for row, places in zip(rows, nearest([as_text(row[1]) for row in rows], [as_text(p) for p in passages], token_pattern=r"\d+")):
        answer = f" {as_text(row[2][row[3] : row[4] + 1])} "
        found[key(row[1], row[2])] = [k for k in places if answer not in f" {as_text(passages[k])} "]
    return [list(p) for p in passages], found


def of_japanese(source):
    passages = [context for context, _ in source.contexts]
    found = {}
    rows = [row for row in source.rows if row[3]]
    for (question, context, start, length), places in zip(rows, nearest([row[0] for row in rows], passages, analyzer="char", ngram_range=(2, 2))):
        found[key(question, context)] = [k for k in places if context[start : start + length] not in passages[k]]
    return passages, found


def of_written(sources, tokens, reader, words, device):
    passages, found, pairs = [], {}, []
    for language, how in (("en", {"stop_words": "english"}), ("ja", {"analyzer": "char", "ngram_range": (2, 2)})):
        entries = [entry for source in sources for entry in source.of[language]]
        offset = len(passages)
        passages += [(headings, passage) for headings, passage, _ in entries]
        rows = [(q, a, k) for k, (_, _, questions) in enumerate(entries) for q, a in questions]
        texts = [" ".join(headings) + "\n" + passage for headings, passage, _ in entries]
        for (question, answer, own), places in zip(rows, nearest([q for q, _, _ in rows], texts, **how)):
            name = key(question, entries[own][1])
            found[name] = []
            pairs += [(name, question, offset + k) for k in places if k != own and not (answer and answer in entries[k][1])]
    ids = [tokens.encode(passage)[:LONGEST] for _, passage in passages]
    asked = {}
    pairs.sort(key=lambda pair: len(ids[pair[2]]))
    with torch.no_grad():
        for first in range(0, len(pairs), 256):
            batch = [("", asked.setdefault(q, tokens.encode(q)[:ASKED]), ids[k], -1, -1, 0) for _, q, k in pairs[first : first + 256]]
            arrays = packed(batch, max(len(q) + len(p) + 3 for _, q, p, *_ in batch))
            at, where, _ = (torch.from_numpy(part).to(device).long() for part in arrays)
            spans, answerable = run(reader, words, at, where, device)
            for (name, _, k), score in zip(pairs[first : first + 256], scores(spans, answerable).tolist()):
                if score < 0:
                    found[name].append(k)
    return passages, found


def of_people(folder, pieces, name):
    source = Examples(folder, pieces, 1, {}).sources[name]
    return of_english(source) if name == "english" else of_japanese(source)


def main(folder, pieces, table, checkpoint):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    with get_context("spawn").Pool(2) as pool:
        others = {name: pool.apply_async(of_people, (folder, pieces, name)) for name in ("english", "jaquad")}
        drawn = Examples(folder, pieces, 1, {})
        reader = Reader().eval()
        reader.load_state_dict(torch.load(checkpoint))
        words = torch.from_numpy(np.load(table)).to(device)
        hard = {"written": of_written((drawn.written, drawn.later), drawn.sources["jaquad"].tokens, reader.to(device), words, device)}
        hard |= {name: found.get() for name, found in others.items()}
    for name, (passages, found) in hard.items():
        print(name, len(passages), "passages,", len(found), "questions,", sum(map(len, found.values())), "pairs", flush=True)
    pickle.dump(hard, open(f"{folder}/hard.pkl", "wb"))


if __name__ == "__main__":
    main(*sys.argv[1:5])
