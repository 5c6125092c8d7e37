#!/usr/bin/env python3
"""Fills in the Homebrew formula and the winget manifests, when the archives of every platform lie in one folder.

    packaging/manifests.py OUT REPOSITORY

REPOSITORY is the address of the repository whose release has the archives. What is made goes to OUT/homebrew and
OUT/winget, and OUT/SHA256SUMS is written again over all files of OUT.
"""

import hashlib
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import make  # noqa: E402

TEMPLATES = Path(__file__).resolve().parent / "templates"


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} OUT REPOSITORY")
    out, repository = Path(sys.argv[1]), sys.argv[2].rstrip("/")
    publisher = repository.rsplit("/", 2)[-2]

    def fill(mark: re.Match) -> str:
        """`{{version}}`, or `{{sha256 NAME}}` for a file of OUT."""
        word, _, name = mark[1].partition(" ")
        if word == "sha256":
            path = out / name.replace("VERSION", make.VERSION)
            if not path.exists():
                sys.exit(f"{path} is missing: make the packages of every platform first")
            return hashlib.sha256(path.read_bytes()).hexdigest()
        known = {"version": make.VERSION, "summary": make.SUMMARY, "licence": make.PACKAGE["license"]}
        return (known | {"repository": repository, "publisher": publisher})[word]

    for template in sorted(path for path in TEMPLATES.rglob("*") if path.is_file()):
        made = out / template.relative_to(TEMPLATES)
        text = re.sub(r"\{\{([^}]*)\}\}", fill, template.read_text("utf-8"))
        made = made.with_name(made.name.replace("PUBLISHER", publisher))
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_bytes(text.encode())
        print(made)
    make.write_sums(out)


if __name__ == "__main__":
    main()
