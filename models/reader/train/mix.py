"""The weighted mean of checkpoints that come from one: mix.py OUT.pt A.pt=0.7 B.pt=0.3 …"""
import sys

import torch


def main(out, *parts):
    weighted = [(torch.load(path), float(weight)) for path, weight in (part.rsplit("=", 1) for part in parts)]
    torch.save({name: sum(weight * state[name] for state, weight in weighted) for name in weighted[0][0]}, out)


if __name__ == "__main__":
    main(*sys.argv[1:])
