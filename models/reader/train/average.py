"""The weighted mean of two checkpoints of one training: average.py A.pt B.pt OUT.pt [A's share, 0.5]"""
import sys

import torch


def main(first, second, out, share="0.5"):
    share = float(share)
    first, second = torch.load(first), torch.load(second)
    torch.save({name: share * first[name] + (1 - share) * second[name] for name in first}, out)


if __name__ == "__main__":
    main(*sys.argv[1:5])
