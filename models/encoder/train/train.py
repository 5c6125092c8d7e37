"""Trains the rows of the new pieces through the frozen layers: train.py PIECES.tsv TRAIN.pkl INIT.npy JAQUAD.json OUT.npy UNTIL

The encoder itself, on the English side, is the teacher. Losses: the cosine to the English side's vector; both ways, which of a batch
is the translation, by vectors and by late interaction (with the passage side as signs, as it is stored); and which passage of the
same article answers a Japanese question. Batches are drawn from near texts half of the time; what is nearly a paraphrase of the right
text is no wrong answer. UNTIL: seconds since 1970; the learning rate follows the clock."""
import json
import os
import pickle
import random
import sys
import time
from collections import defaultdict

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.numpy import load_file

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../reader/train"))
from model import HIDDEN, Reader
from tokens import BASE, CLS, SEP, UNKNOWN, Tokens

RATE, BATCH, NEAR = 2e-3, 1400, 0.93


class Trainer:
    def __init__(self, pieces, init):
        self.tokens = Tokens(pieces)
        base = load_file(f"{BASE}/model.safetensors")
        self.layers = Reader().eval().requires_grad_(False)
        self.layers.start_from(base)
        old = {name.removeprefix("bert."): value for name, value in base.items()}["embeddings.word_embeddings.weight"]
        self.words = torch.cat([torch.from_numpy(old.astype(np.float32)), torch.zeros(self.tokens.size - self.tokens.old, HIDDEN)])
        self.place = torch.full((self.tokens.size,), -1)
        self.place[torch.tensor(self.tokens.trained)] = torch.arange(len(self.tokens.trained))
        self.content = torch.zeros(self.tokens.size, dtype=torch.bool)
        for i, piece in self.tokens.pieces.items():
            self.content[i] = any(c.isalnum() for c in piece) and i not in (UNKNOWN, CLS, SEP)
        self.rows = torch.nn.Parameter(torch.from_numpy(np.load(init)))

    def states(self, texts, student, cut=126):
        """Vector, token states of length 1, and which tokens count, for lists of ids."""
        texts = [[CLS, *text[:cut], SEP] for text in texts]
        length = max(map(len, texts))
        ids, mask = torch.zeros(len(texts), length, dtype=torch.long), torch.zeros(len(texts), length, dtype=torch.bool)
        for row, text in enumerate(texts):
            ids[row, : len(text)] = torch.tensor(text)
            mask[row, : len(text)] = True
        vectors = self.words[ids]
        if student:
            place = self.place[ids]
            new = place >= 0
            vectors = vectors.masked_scatter(new[..., None], F.embedding(place[new], self.rows, sparse=True))
        part = self.layers
        x = part.norm(vectors + part.positions.weight[:length] + part.types.weight[0])
        bias = ((~mask) * -30000.0)[:, None, None, :]
        for layer in part.layers:
            x = layer(x, bias, 0.0)
        weight = mask[..., None].float()
        mean = F.normalize((x * weight).sum(1) / weight.sum(1), dim=-1)
        return mean, F.normalize(x, dim=-1), mask & self.content[ids]


def late(query, query_counts, passage, passage_counts):
    """Scores of all queries with all passages by late interaction; the passages' states are signs, with a gradient as if they were not."""
    signs = passage + (torch.sign(passage) * HIDDEN**-0.5 - passage).detach()
    (a, n, _), (b, m, _) = query.shape, signs.shape
    near = (query.reshape(-1, HIDDEN) @ signs.reshape(-1, HIDDEN).t()).view(a, n, b, m)
    best = near.masked_fill(~passage_counts[None, None], -1).amax(-1)
    weight = query_counts.float()
    return (best * weight[..., None]).sum(1) / weight.sum(1).clamp(min=1)[:, None]


def choose(scores, temperature, ignored):
    scores = scores.masked_fill(ignored, -1e4) / temperature
    return F.cross_entropy(scores, torch.arange(len(scores)))


def leaves(vectors, size):
    """Groups of texts that lie near each other, other ones at every call: halves along random differences."""
    todo, found = [np.random.permutation(len(vectors))], []
    while todo:
        group = todo.pop()
        if len(group) <= size:
            found.append(group)
            continue
        a, b = vectors[np.random.choice(group, 2, replace=False)]
        along = vectors[group] @ (a - b)
        order = group[np.argsort(along, kind="stable")]
        todo += [order[: len(order) // 2], order[len(order) // 2 :]]
    return found


def packed(order, pairs):
    """Batches of at most BATCH tokens on a side, of like lengths."""
    found, batch, longest = [], [], 0
    for i in sorted(order, key=lambda i: len(pairs[i][3]) + len(pairs[i][2]) * 0.5):
        length = max(len(pairs[i][3]), len(pairs[i][2])) + 2
        if batch and max(longest, length) * (len(batch) + 1) > BATCH:
            found.append(batch)
            batch, longest = [], 0
        batch.append(i)
        longest = max(longest, length)
    return [b for b in [*found, batch] if len(b) >= 12]


def parallel(pairs, vectors):
    while True:
        order = np.random.permutation(len(pairs))
        far = sum((packed(order[k : k + 4096], pairs) for k in range(0, len(order), 4096)), [])
        near = sum((packed(group, pairs) for group in leaves(vectors, 160)), [])
        random.shuffle(far)
        random.shuffle(near)
        for a, b in zip(far, near):
            yield a
            yield b


def main(pieces, data, init, jaquad, out, until):
    torch.set_num_threads(1)
    torch.manual_seed(0)
    random.seed(0)
    np.random.seed(0)
    trainer = Trainer(pieces, init)
    data = pickle.load(open(data, "rb"))
    pairs, words = data["pairs"], data["words"]
    optimizer = torch.optim.SparseAdam([trainer.rows], lr=RATE, betas=(0.9, 0.99))
    # Where a text is, roughly: the mean of its English rows, good enough to find near texts.
    count = np.bincount(np.concatenate([p[2] for p in pairs]), minlength=trainer.tokens.size)
    rare = 1 / (1e-4 + count / count.sum())
    table = F.normalize(trainer.words, dim=-1).numpy()
    vectors = np.stack([(table[p[2]] * np.sqrt(rare[p[2]])[:, None]).sum(0) for p in pairs])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9
    # Neighbours in a manual, joined, make passages.
    manuals = [i for i, p in enumerate(pairs) if p[1] in ("tfdocs", "angular")]
    usual, rest = [w for w in words if w[2]], [w for w in words if not w[2]]
    # Six paragraphs in a row are mostly of one article, so that the wrong passages of a batch are near the right one.
    questions, known = defaultdict(list), {}
    for question, context, at, _ in json.load(open(jaquad)):
        if int(at) >= 0:
            questions[known.setdefault(context, len(known)) // 6].append((question, context, int(at)))
    blocks = sorted(questions)
    stream, begin, cpu = parallel(pairs, vectors), time.time(), time.process_time()
    step = seen = 0
    sums, said = defaultdict(list), begin
    while (share := (time.time() - begin) / (until - begin)) < 1:
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1, (step + 1) / 50) * (1 - share * 0.95)
        kind, ignored = step % 8, None
        name = {3: "words", 6: "long", 1: "questions", 5: "questions", 7: "questions"}.get(kind, "near" if step % 2 else "pairs")
        if name == "questions":
            chosen = [q for block in random.sample(blocks, 5) for q in random.sample(questions[block], min(5, len(questions[block])))]
            left, right = [], []
            for question, context, at in chosen:
                first, last = max(0, at - random.randint(20, 120)), min(len(context), at + random.randint(30, 130))
                left.append(trainer.tokens.encode(question)[:60])
                right.append(trainer.tokens.encode(context[first:last])[:126])
            ignored = torch.tensor([[a[1] == b[1] and a is not b for b in chosen] for a in chosen])
        elif name == "words":
            chosen = random.sample(usual if random.random() < 0.7 else rest, 150)
            left = [sum((chosen[k + o][0] for o in range(3)), []) for k in range(0, 150, 3)]
            right = [sum((chosen[k + o][1][:10] for o in range(3)), []) for k in range(0, 150, 3)]
        elif name == "long":
            left, right = [], []
            for first in random.sample(manuals, 13):
                a, b = [], []
                for p in pairs[first : first + 6]:
                    if p[:2] != pairs[first][:2] or len(a) + len(p[3]) > 120 or len(b) + len(p[2]) > 120:
                        break
                    a, b = a + p[3], b + p[2]
                if a:
                    left.append(a)
                    right.append(b)
        else:
            chosen = next(stream)
            left, right = [pairs[i][3] for i in chosen], [pairs[i][2] for i in chosen]
        own, own_states, own_counts = trainer.states(left, True)
        if name == "questions":
            other, other_states, other_counts = trainer.states(right, True)
            loss = 0.5 * choose(own @ other.t(), 0.05, ignored)
            loss = loss + 0.5 * choose(late(own_states, own_counts, other_states, other_counts), 0.03, ignored)
            told = {"questions": loss}
        else:
            with torch.no_grad():
                other, other_states, other_counts = trainer.states(right, False)
            ignored = (other @ other.t() > NEAR) & ~torch.eye(len(other), dtype=torch.bool)
            by_vector = own @ other.t()
            forth = late(own_states, own_counts, other_states, other_counts)
            back = late(other_states, other_counts, own_states, own_counts)
            cosine = by_vector.diagonal().mean()
            which = (choose(by_vector, 0.05, ignored) + choose(by_vector.t(), 0.05, ignored)) / 2
            which_late = (choose(forth, 0.03, ignored) + choose(back, 0.03, ignored)) / 2
            alike = (forth.diagonal().mean() + back.diagonal().mean()) / 2
            loss = 4 * (1 - cosine) + 0.5 * which + 0.5 * which_late + (1 - alike)
            told = {f"{name} cosine": cosine, f"{name} which": which, f"{name} late": which_late}
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step, seen = step + 1, seen + sum(map(len, left))
        for key, value in told.items():
            sums[key].append(value.item())
        if time.time() - said > 60:
            said = time.time()
            means = {key: round(sum(v) / len(v), 3) for key, v in sorted(sums.items())}
            print(f"{said - begin:.0f} s, cpu {time.process_time() - cpu:.0f}, step {step}, tokens {seen}, {means}", flush=True)
            sums.clear()
            np.save(out, trainer.rows.detach().numpy())
    np.save(out, trainer.rows.detach().numpy())
    print("done", step, seen, round(time.process_time() - cpu), "s cpu")


if __name__ == "__main__":
    main(*sys.argv[1:6], float(sys.argv[6]))
