"""The mean of two checkpoints of one training: average.py A.pt B.pt OUT.pt"""
import sys

import torch


def main(first, second, out):
    first, second = torch.load(first), torch.load(second)
    torch.save({name: (first[name] + second[name]) / 2 for name in first}, out)


if __name__ == "__main__":
    main(*sys.argv[1:4])
