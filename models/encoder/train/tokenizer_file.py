"""tokenizer.json: the base encoder's own, and the pieces of runs: tokenizer_file.py PIECES.tsv OUT.json"""
import json
import sys

from tokens import BASE, Tokens


def main(pieces, out):
    tokens = Tokens(pieces)
    file = json.load(open(f"{BASE}/tokenizer.json"))
    file["truncation"] = file["padding"] = None
    # Pieces that the vocabulary lacks have the ids after it, in this order.
    file["runs"] = [[piece, round(chance, 4)] for piece, chance in tokens.chance.items()]
    json.dump(file, open(out, "w"), ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    main(*sys.argv[1:3])
