"""Trains the rows of the new pieces through the frozen layers: train.py TEXTS.npz WORDS.bin MODEL.onnx OUT.npy SECONDS

TEXTS.npz: what `texts.py` makes; WORDS.bin: the table to begin with; MODEL.onnx: the encoder. The encoder itself, on the English side,
is the teacher. Losses: the cosine to the English side's vector; both ways, which of a batch is the translation, by vectors and by late
interaction (with the passage side as signs, as it is stored); and which passage of the same article answers a Japanese question. What
is nearly a paraphrase of the right text is no wrong answer. Rows are rounded to the table's scale while they are trained. The learning
rate follows the clock; what is kept is a running mean. An accelerator is used where torch finds one. Environment: RATE, PAIRS (in a batch)."""
import json
import os
import sys
import time
from collections import defaultdict

import numpy as np
import torch
import torch.nn.functional as F

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../reader/train"))
from base import base, table
from model import HIDDEN, Reader

CLS, SEP, NEAR = 101, 102, 0.93
RATE, PAIRS = float(os.environ.get("RATE", "1e-3")), int(os.environ.get("PAIRS", "384"))
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
PLAN = ["near", "far", "questions", "near", "words", "questions", "far", "names", "near", "questions", "long", "written"]
# Sources whose pairs follow one another in a manual.
MANUALS = [2, 3, 4, 5, 6, 8]


class Texts:
    """Lists of ids, drawn as padded rows with borders."""

    def __init__(self, found, name):
        self.ids = torch.from_numpy(found[name].astype(np.int32)).to(DEVICE)
        self.lengths = found[f"{name}_n"].astype(np.int64)
        self.length = torch.from_numpy(self.lengths).to(DEVICE)
        self.begin = torch.cumsum(self.length, 0) - self.length

    def __len__(self):
        return len(self.lengths)

    def draw(self, which, cut=200, first=None, last=None):
        which = torch.as_tensor(which, device=DEVICE)
        begin, length = self.begin[which], self.length[which]
        if first is not None:
            begin, length = begin + first, last - first
        length = length.clamp(max=cut)
        place = torch.arange(int(length.max()), device=DEVICE)
        rows = torch.zeros(len(length), len(place) + 2, dtype=torch.long, device=DEVICE)
        rows[:, 0] = CLS
        ids = self.ids[(begin[:, None] + place).clamp(max=len(self.ids) - 1)].long()
        rows[:, 1:-1] = torch.where(place < length[:, None], ids, 0)
        return rows.scatter_(1, (length + 1)[:, None], SEP)


def joined(first, second):
    """Each row of `first` and that of `second` as one text."""
    one, two = (first != 0).sum(1), (second != 0).sum(1)
    rows = torch.zeros(len(first), int((one + two - 2).max()), dtype=torch.long, device=DEVICE)
    row = torch.arange(len(first), device=DEVICE)[:, None]
    place = torch.arange(first.shape[1], device=DEVICE)
    kept = place < (one - 1)[:, None]
    rows[row.expand_as(first)[kept], place.expand_as(first)[kept]] = first[kept]
    place = torch.arange(second.shape[1], device=DEVICE)
    kept = (place >= 1) & (place < two[:, None])
    rows[row.expand_as(second)[kept], (place + (one - 2)[:, None])[kept]] = second[kept]
    return rows


class Trainer:
    def __init__(self, found, words, model):
        self.scale, zero, bytes_ = table(words)
        self.words = torch.from_numpy((bytes_.astype(np.int32) - zero).astype(np.float32) * self.scale).to(DEVICE)
        self.lowest, self.highest = -zero * self.scale, (255 - zero) * self.scale
        self.layers = Reader().eval().requires_grad_(False)
        self.layers.start_from(base(model))
        self.layers.to(DEVICE)
        trained = torch.from_numpy(found["trained"].astype(np.int64)).to(DEVICE)
        self.place = torch.full((len(self.words),), -1, dtype=torch.long, device=DEVICE)
        self.place[trained] = torch.arange(len(trained), device=DEVICE)
        self.content = torch.from_numpy(found["content"]).to(DEVICE)
        self.rows = torch.nn.Parameter(self.words[trained].clone())

    def states(self, ids, student):
        """Vector, token states of length 1, and which tokens count, for padded rows of ids."""
        vectors = F.embedding(ids, self.words)
        if student:
            place = self.place[ids]
            rounded = (self.rows / self.scale).round().mul(self.scale).clamp(self.lowest, self.highest)
            rows = self.rows + (rounded - self.rows).detach()
            vectors = torch.where((place >= 0)[..., None], F.embedding(place.clamp(min=0), rows), vectors)
        mask = ids != 0
        with torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=DEVICE == "cuda"):
            x = self.layers.states(vectors, mask.long(), torch.zeros_like(ids))
        x, weight = x.float(), mask[..., None].float()
        mean = F.normalize((x * weight).sum(1) / weight.sum(1), dim=-1)
        return mean, F.normalize(x, dim=-1), mask & self.content[ids]


def late(query, query_counts, passage, passage_counts):
    """Scores of all queries with all passages by late interaction; the passages' states are signs, with a gradient as if they were not."""
    signs = passage + (torch.sign(passage) * HIDDEN**-0.5 - passage).detach()
    (a, n, _), (b, m, _) = query.shape, signs.shape
    with torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=DEVICE == "cuda"):
        near = (query.reshape(-1, HIDDEN) @ signs.reshape(-1, HIDDEN).t()).view(a, n, b, m)
    best = near.masked_fill(~passage_counts[None, None], -1).amax(-1).float()
    weight = query_counts.float()
    return (best * weight[..., None]).sum(1) / weight.sum(1).clamp(min=1)[:, None]


def choose(scores, temperature, ignored):
    return F.cross_entropy(scores.masked_fill(ignored, -1e4) / temperature, torch.arange(len(scores), device=DEVICE))


def leaves(vectors, size):
    """Groups of texts that lie near each other, other ones at every call: halves along random differences."""
    todo, found = [np.random.permutation(len(vectors))], []
    while todo:
        group = todo.pop()
        if len(group) <= size:
            found.append(group)
            continue
        a, b = vectors[np.random.choice(group, 2, replace=False)]
        order = group[np.argsort(vectors[group] @ (a - b), kind="stable")]
        todo += [order[: len(order) // 2], order[len(order) // 2 :]]
    return found


class Batches:
    """Padded rows of both sides by the names of PLAN, and which wrong answers don't count."""

    def __init__(self, found, texts, vectors):
        self.found, self.texts = found, texts
        self.near, self.far = self.groups(lambda: leaves(vectors, PAIRS)), self.groups(self.alike)
        source = found["p_source"]
        self.manual = np.flatnonzero(np.isin(source, MANUALS) & (np.roll(source, -1) == source))[:-8]
        self.usual, self.rest = np.flatnonzero(found["w_usual"]), np.flatnonzero(~found["w_usual"])
        # Six paragraphs in a row are mostly of one article, so that the wrong passages of a batch are near the right one.
        blocks = defaultdict(list)
        for i, context in enumerate(found["q_at"][:, 0]):
            blocks[context // 6].append(i)
        self.blocks = [np.array(block) for block in blocks.values()]

    def groups(self, make):
        while True:
            found = make()
            for i in np.random.permutation(len(found)):
                yield found[i]

    def alike(self):
        """Pairs of like lengths, 8,192 at a time."""
        length = self.texts["p_en"].lengths + self.texts["p_other"].lengths
        order, found = np.random.permutation(len(length)), []
        for k in range(0, len(order) - 8192, 8192):
            chunk = order[k : k + 8192]
            chunk = chunk[np.argsort(length[chunk], kind="stable")]
            found += [chunk[i : i + PAIRS] for i in range(0, 8192 - PAIRS + 1, PAIRS)]
        return found

    def draw(self, name):
        return getattr(self, name)() if name in ("questions", "written", "words", "names", "long") else self.pairs(next(getattr(self, name)))

    def pairs(self, chosen):
        left, right = (self.texts[name].draw(chosen, 120) for name in ("p_other", "p_en"))
        # Late interaction takes tokens of both sides and the square of the batch.
        if left.shape[1] * right.shape[1] * len(chosen) ** 2 > 1.2e9:
            return self.pairs(chosen[: len(chosen) // 2])
        return left, right, None

    def questions(self):
        blocks = (self.blocks[i] for i in np.random.choice(len(self.blocks), 32, replace=False))
        chosen = np.concatenate([np.random.choice(block, min(len(block), 8), replace=False) for block in blocks])
        context, at = (torch.from_numpy(part).to(DEVICE).long() for part in self.found["q_at"][chosen].T)
        first = (at - torch.randint(12, 110, at.shape, device=DEVICE)).clamp(min=0)
        last = torch.minimum(self.texts["c"].length[context], at + torch.randint(15, 110, at.shape, device=DEVICE))
        return self.texts["q"].draw(chosen), self.texts["c"].draw(context, 200, first, last), context

    def written(self):
        chosen = np.random.choice(len(self.texts["written"]), 256, replace=False)
        context = torch.from_numpy(self.found["written_at"][chosen, 0]).to(DEVICE).long()
        return self.texts["written"].draw(chosen), self.texts["c"].draw(context, 180), context

    def words(self):
        chosen = np.random.permutation(np.concatenate([np.random.choice(self.usual, 512), np.random.choice(self.rest, 256)]))
        left, right = ([self.texts[name].draw(chosen[i::3], 10) for i in range(3)] for name in ("w_other", "w_en"))
        return joined(joined(*left[:2]), left[2]), joined(joined(*right[:2]), right[2]), None

    def names(self):
        chosen = np.random.choice(len(self.texts["n_en"]), 768, replace=False)
        if np.random.rand() < 0.5:
            return self.texts["n_other"].draw(chosen[:512]), self.texts["n_en"].draw(chosen[:512]), None
        left, right = ([self.texts[name].draw(half) for half in (chosen[:384], chosen[384:])] for name in ("n_other", "n_en"))
        return joined(*left), joined(*right), None

    def long(self):
        chosen = np.random.choice(self.manual, 128, replace=False)
        left, right = ([self.texts[name].draw(chosen + i, 70) for i in range(3)] for name in ("p_other", "p_en"))
        return joined(joined(*left[:2]), left[2])[:, :200], joined(joined(*right[:2]), right[2])[:, :200], None


def measure(trainer, found, texts):
    """Of the pairs and names that were left out, how often the other side is the nearest, both ways; of the questions, the mean
    reciprocal rank of their paragraph among 2,000, by vectors and by late interaction."""
    told = {}
    with torch.no_grad():
        for name in ("hp", "hn"):
            count = min(len(texts[f"{name}_en"]), 2000)
            sides = []
            for side, student in (("other", True), ("en", False)):
                parts = [trainer.states(texts[f"{name}_{side}"].draw(np.arange(k, min(count, k + 200))), student)[0] for k in range(0, count, 200)]
                sides.append(torch.cat(parts))
            near, right = sides[0] @ sides[1].t(), torch.arange(count, device=DEVICE)
            told[name] = [round(100 * float((near.argmax(side) == right).float().mean()), 1) for side in (1, 0)]
        own = np.unique(found["hq_at"][:, 0])
        others = np.setdiff1d(np.arange(int(found["q_at"][:, 0].max())), own)[:1500]
        contexts = np.concatenate([own, others])
        place = {context: i for i, context in enumerate(contexts)}
        gold = torch.tensor([place[context] for context in found["hq_at"][:, 0]], device=DEVICE)
        asked = [trainer.states(texts["hq"].draw(np.arange(k, min(len(gold), k + 128))), True) for k in range(0, len(gold), 128)]
        scores = [[], []]
        for k in range(0, len(contexts), 100):
            vectors, states, counts = trainer.states(texts["c"].draw(contexts[k : k + 100]), True)
            scores[0].append(torch.cat([one[0] @ vectors.t() for one in asked]))
            scores[1].append(torch.cat([late(one[1], one[2], states, counts) for one in asked]))
        for name, parts in zip(("questions", "questions late"), scores):
            all_ = torch.cat(parts, 1)
            rank = 1 + (all_ > all_.gather(1, gold[:, None])).sum(1).float()
            told[name] = round(100 * float((1 / rank).mean()), 1)
    return json.dumps(told)


def loss_of(trainer, name, left, right, context):
    """The loss of a batch; of questions the rows are on both sides."""
    own, own_states, own_counts = trainer.states(left, True)
    alone = ~torch.eye(len(left), dtype=torch.bool, device=DEVICE)
    if context is not None:
        other, states, counts = trainer.states(right, True)
        ignored = (context[:, None] == context) & alone
        return choose(own @ other.t(), 0.05, ignored) + choose(late(own_states, own_counts, states, counts), 0.03, ignored)
    with torch.no_grad():
        other, states, counts = trainer.states(right, False)
    ignored = (other @ other.t() > NEAR) & alone
    near, forth, back = own @ other.t(), late(own_states, own_counts, states, counts), late(states, counts, own_states, own_counts)
    which = (choose(near, 0.05, ignored) + choose(near.t(), 0.05, ignored)) / 2
    which_late = (choose(forth, 0.03, ignored) + choose(back, 0.03, ignored)) / 2
    alike = (forth.diagonal().mean() + back.diagonal().mean()) / 2
    loss = 4 * (1 - near.diagonal().mean()) + 0.5 * which + 0.5 * which_late + (1 - alike)
    return loss / 2 if name == "names" else loss


def main(data, words, model, out, seconds):
    torch.manual_seed(0)
    np.random.seed(0)
    found = dict(np.load(data))
    trainer = Trainer(found, words, model)
    texts = {name.removesuffix("_n"): Texts(found, name.removesuffix("_n")) for name in found if name.endswith("_n")}
    print("begin", measure(trainer, found, texts), flush=True)
    vectors = np.zeros((len(texts["p_en"]), HIDDEN), np.float32)
    with torch.no_grad():
        for group in np.array_split(np.argsort(texts["p_en"].lengths), max(1, len(vectors) // 1024)):
            vectors[group] = trainer.states(texts["p_en"].draw(group, 120), False)[0].cpu().numpy()
    batches = Batches(found, texts, vectors)
    optimizer = torch.optim.Adam([trainer.rows], lr=RATE, betas=(0.9, 0.98))
    begin, step, mean, sums, said = time.time(), 0, None, defaultdict(list), time.time()
    while (share := (time.time() - begin) / seconds) < 1:
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1, (step + 1) / 100) * max(0.02, 1 - share)
        name = PLAN[step % len(PLAN)]
        loss = loss_of(trainer, name, *batches.draw(name))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        step += 1
        if share > 0.6 and step % 10 == 0:
            mean = trainer.rows.detach().clone() if mean is None else mean.lerp_(trainer.rows.detach(), 0.02)
        sums[name].append(loss.detach())
        if time.time() - said > 30:
            said = time.time()
            print(f"{said - begin:.0f} s, step {step}", {name: round(float(torch.stack(losses).mean()), 3) for name, losses in sums.items()}, flush=True)
            sums.clear()
    if mean is not None:
        trainer.rows.data.copy_(mean)
    print("end", step, measure(trainer, found, texts), flush=True)
    np.save(out, trainer.rows.detach().cpu().numpy())


if __name__ == "__main__":
    main(*sys.argv[1:5], float(sys.argv[5]))
