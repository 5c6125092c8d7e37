"""Trains the reader: train.py FOLDER PIECES.tsv WORDS.npy OUT.pt SECONDS

FOLDER: what `examples.py` draws from; PIECES.tsv and WORDS.npy: the encoder's vocabulary and its table of words, as it is shipped
(float32). The learning rate follows the clock, so a run always ends in time. An accelerator is used where torch finds one, in
bfloat16 as on the processor; examples are drawn by other processes. What is kept is a running mean of the weights.
Environment: SEED, PEAK (learning rate), TOKENS (in a batch), DROP, BLANK (share of words that are hidden), INIT (a checkpoint to go on
from, which `floats.py` makes of a shipped model, too; else the base, from BASE, the encoder's model.onnx), FREEZE (layers that stay as they
are, with what stands before them), SHARES (of the sources, as JSON, in place of those below), TEACHERS (checkpoints and their tables, `A.pt=A.npy,…`: three fifths of what is learned
are then what they say together; not where the teachers have not read, see UNTAUGHT), WORKERS, THREADS, WARMUP (steps until the rate is
reached), MEAN_FROM (share of the time after which the mean begins; from then on it is also written to OUT.pt.part, now and then)."""
import json
import multiprocessing as mp
import os
import sys
import time
from collections import defaultdict

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

sys.path.append(os.path.join(os.path.dirname(__file__), "../../encoder/train"))
from examples import Examples
from glossed import LANGUAGES
from model import Reader

CLS, SEP, MASK, OPEN = 101, 102, 103, -100
SIZES = (48, 72, 104, 144, 192, 288)
WEIGHTS = json.loads(os.environ["SHARES"]) if "SHARES" in os.environ else {"english": 0.29, "jaquad": 0.25, "blanks": 0.03, "made en": 0.02, "made ja": 0.02, "rows en": 0.09, "rows ja": 0.09, "written en": 0.105, "written ja": 0.105}
SETTING = lambda name, usual: type(usual)(os.environ.get(name, usual))
SEED, PEAK, TOKENS = SETTING("SEED", 1), SETTING("PEAK", 4e-4), SETTING("TOKENS", 32768)
WARMTH = 2.0
# Sources that the teachers were not trained on: texts that are read by their glosses. Only the answers teach there.
UNTAUGHT = tuple(f"later {language}" for language in LANGUAGES)
COUNT = SETTING("COUNT", 6000)
FREEZE = SETTING("FREEZE", 0)
THREADS, WARMUP, MEAN_FROM = SETTING("THREADS", 2), SETTING("WARMUP", 300), SETTING("MEAN_FROM", 0.5)
DROP, BLANK, WORKERS = SETTING("DROP", 0.1), SETTING("BLANK", 0.06), SETTING("WORKERS", max(1, (os.cpu_count() or 2) - 2))


def packed(batch, size):
    """Examples as arrays of one shape: ids, where the passage begins and ends, start, end, whether it answers."""
    ids = np.zeros((len(batch), size), np.int32)
    where = np.zeros((len(batch), 2), np.int32)
    told = np.zeros((len(batch), 3), np.int32)
    for row, (_, question, passage, first, last, answered) in enumerate(batch):
        tokens, offset = [CLS, *question, SEP, *passage, SEP], len(question) + 2
        ids[row, : len(tokens)] = tokens
        where[row] = offset, offset + len(passage)
        if answered:
            told[row] = first + offset, last + offset if last >= 0 else OPEN, 1
    return ids, where, told


def draw(found, folder, pieces, seed, weights):
    """Fills a queue with batches, each of examples of like lengths."""
    torch.set_num_threads(1)
    examples, waiting = Examples(folder, pieces, seed, weights), defaultdict(list)
    while True:
        example = examples.one()
        length = len(example[1]) + len(example[2]) + 3
        size = next((size for size in SIZES if length <= size), None)
        if size is None:
            continue
        waiting[size].append(example)
        if len(waiting[size]) * size >= TOKENS:
            batch = waiting.pop(size)
            found.put((*packed(batch, size), np.array([example[0].startswith(UNTAUGHT) for example in batch])))


def measure(reader, words, batches, device):
    """Exact spans where the end is known, and how well the score tells what answers, by source."""
    reader.eval()
    found = defaultdict(lambda: ([], [], []))
    with torch.no_grad():
        for batch in batches:
            ids, where, told = (torch.from_numpy(part).to(device).long() for part in packed(batch, max(len(e[1]) + len(e[2]) + 3 for e in batch)))
            spans, answerable = run(reader, words, ids, where, device)
            score = scores(spans, answerable)
            right = (spans[..., 0].argmax(1) == told[:, 0]) & (spans[..., 1].argmax(1) == told[:, 1])
            for example, s, r in zip(batch, score.tolist(), right.tolist()):
                name = example[0].split("-")[0]
                name = "english" if name in ("ssw", "ssr", "ssa", "qamr", "qed", "pol") else name
                exact, yes, no = found[name]
                (yes if example[5] else no).append(s)
                if example[5] and example[4] >= 0:
                    exact.append(r)
    reader.train()
    auc = lambda a, b: float((np.array(a)[:, None] > np.array(b)[None]).mean()) if a and b else 0
    return {name: (round(100 * float(np.mean(e or [0])), 1), len(e), round(auc(y, n), 3)) for name, (e, y, n) in sorted(found.items())}


def scores(spans, answerable):
    """How sure the reader is of each example's answer. In `spans` the first token, for "nothing here", is put last, so that its best
    are the answer's."""
    null = spans[:, 0].sum(1)
    spans[:, 0] = -1e4
    return (spans[..., 0].amax(1) + spans[..., 1].amax(1) - null) / 2 + answerable


def run(reader, words, ids, where, device):
    """Logits of spans within the passage or at the first token, and of whether it answers."""
    at = torch.arange(ids.shape[1], device=device)
    types = (at >= where[:, :1]) & (at <= where[:, 1:])
    with torch.autocast(device, dtype=torch.bfloat16):
        spans, answerable = reader(F.embedding(ids, words), (ids != 0).long(), types.long())
    allowed = ((at >= where[:, :1]) & (at < where[:, 1:])) | (at == 0)
    return spans.float().masked_fill(~allowed[..., None], -1e4), answerable.float()


def main(folder, pieces, table, out, seconds):
    begin = time.time()
    torch.manual_seed(SEED)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    found = mp.Queue(64)
    workers = [mp.Process(target=draw, args=(found, folder, pieces, 1000 * SEED + i, WEIGHTS), daemon=True) for i in range(WORKERS)]
    for worker in workers:
        worker.start()
    torch.set_num_threads(THREADS)
    reader = Reader(DROP)
    if os.environ.get("INIT"):
        reader.load_state_dict(torch.load(os.environ["INIT"]))
    else:
        from base import base

        reader.start_from(base(os.environ["BASE"]))
    reader.to(device).train()
    if FREEZE:
        for part in (reader.positions, reader.types, reader.norm, *reader.layers[:FREEZE]):
            part.requires_grad_(False)
    words = torch.from_numpy(np.load(table)).to(device)
    heads = [p for name, p in reader.named_parameters() if name.split(".")[0] in ("span", "dense", "answerable")]
    body = [p for name, p in reader.named_parameters() if p.requires_grad and name.split(".")[0] not in ("span", "dense", "answerable")]
    groups = [{"params": body, "times": 1.0}, {"params": heads, "times": 2.0}]
    teachers = []
    for one in filter(None, os.environ.get("TEACHERS", "").split(",")):
        checkpoint, own = one.split("=")
        teacher = Reader().eval().requires_grad_(False)
        teacher.load_state_dict(torch.load(checkpoint))
        teachers.append((teacher.to(device), torch.from_numpy(np.load(own)).to(device)))
    optimizer = torch.optim.AdamW(groups, lr=PEAK, weight_decay=0.02, betas=(0.9, 0.98), fused=True)
    mean, step, tokens, sums, said = None, 0, 0, defaultdict(list), time.time()
    start = time.time()
    while (share := (time.time() - begin) / seconds) < 1:
        rate = PEAK * min(1, (step + 1) / WARMUP) * max(0.01, 1 - share)
        for group in optimizer.param_groups:
            group["lr"] = rate * group["times"]
        ids, where, told, untaught = (torch.from_numpy(part).to(device, non_blocking=True).long() for part in found.get())
        start_at, end_at, answers = told[:, 0], told[:, 1], told[:, 2].float()
        # Hidden words: never the answer's, nor a border.
        at = torch.arange(ids.shape[1], device=device)
        inside = (at >= start_at[:, None]) & (at <= torch.maximum(end_at, start_at)[:, None]) & (answers > 0)[:, None]
        hide = (torch.rand(ids.shape, device=device) < BLANK) & ~inside & (ids > MASK)
        spans, answerable = run(reader, words, torch.where(hide, MASK, ids), where, device)
        span_loss = (F.cross_entropy(spans[..., 0], start_at, reduction="none") + F.cross_entropy(spans[..., 1], end_at, ignore_index=OPEN, reduction="none")) / 2
        losses = span_loss + 0.7 * F.binary_cross_entropy_with_logits(answerable, answers, reduction="none")
        loss, span_loss = losses.mean(), span_loss.mean()
        if teachers:
            taught = untaught == 0
            with torch.no_grad():
                said_spans, said_answers = (sum(parts) / len(teachers) for parts in zip(*(run(*teacher, ids[taught], where[taught], device) for teacher in teachers)))
            soft = 0.0
            for side in (0, 1):
                wanted = F.softmax(said_spans[..., side] / WARMTH, -1)
                soft = soft - (wanted * F.log_softmax(spans[taught][..., side] / WARMTH, -1)).sum(-1) / 2
            soft = soft * WARMTH + 0.7 * F.binary_cross_entropy_with_logits(answerable[taught], torch.sigmoid(said_answers / WARMTH), reduction="none")
            loss = (losses.sum() - 0.6 * losses[taught].sum() + 0.6 * soft.sum()) / len(losses)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        optimizer.step()
        step, tokens = step + 1, tokens + ids.numel()
        if share > MEAN_FROM and step % 5 == 0:
            now = list(reader.state_dict().values())
            if mean is None:
                mean = [value.clone() for value in now]
            else:
                torch._foreach_lerp_(mean, now, 0.01)
        if mean is not None and step % 200 == 0:
            torch.save(dict(zip(reader.state_dict(), mean)), out + ".part")
        if step % 20 == 0:
            right = ((spans[..., 0].argmax(1) == start_at) & ((spans[..., 1].argmax(1) == end_at) | (end_at < 0))).float().mean()
            sums["span"].append(span_loss.detach())
            sums["exact"].append(right)
            sums["answerable"].append(((answerable > 0) == (answers > 0)).float().mean())
        if time.time() - said > 20:
            said = time.time()
            means = {name: round(float(torch.stack(values).mean()), 3) for name, values in sums.items()}
            print(f"{said - start:.0f} s, step {step}, {tokens / 1e6:.1f}M tokens, {tokens / 1e6 / (said - start):.3f}M/s, queue {found.qsize()}, rate {rate:.1e}, {means}", flush=True)
            sums.clear()
    for worker in workers:
        worker.kill()
    if mean is not None:
        reader.load_state_dict(dict(zip(reader.state_dict(), mean)))
    torch.save({name: value.cpu() for name, value in reader.state_dict().items()}, out)
    print("done", step, "steps", tokens, "tokens", flush=True)
    held = {"english": 0.25, "jaquad": 0.25, "written en": 0.12, "written ja": 0.12, "later en": 0.13, "later ja": 0.13, "later others": 0.2}
    examples = Examples(folder, pieces, 7, held, measured=True)
    batch = sorted((examples.one() for _ in range(COUNT)), key=lambda e: len(e[1]) + len(e[2]))
    print(json.dumps(measure(reader, words, [batch[i : i + 100] for i in range(0, COUNT, 100)], device)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:5], float(sys.argv[5]))
