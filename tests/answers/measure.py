#!/usr/bin/env python3
"""Measures what the offline reports of a binary answer: measure.py BIN [SET ...] [-v].

Each set is loaded into a fresh data folder and each question asked with `query --offline`, without settings, memory or
journal. README.md says how each set is scored. The standard library is enough.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# The program's own words in reports, in every language.
WORDS = [json.loads(path.read_text()) for path in sorted((ROOT / "src/report/words").glob("*.json"))]
END = {words[name] for words in WORDS for name in ("sources", "account")}
FOLDED = {words[name] for words in WORDS for name in ("further", "nearest")}
DISAGREE = {words[name] for words in WORDS for name in ("different", "disagreement")}
NOT_FOUND = tuple(words["not_found"] for words in WORDS)

# An opening is no longer than this, whichever comes first.
OPENING_WORDS = 120
OPENING_WIDE = 400


class Report:
    """A report as a reader sees it: without escapes, marks of citation and the program's remarks."""

    def __init__(self, markdown):
        self.markdown = markdown
        heading = re.compile(r"^#+ +(.*?) *$", re.M)
        ends = [m.start() for m in heading.finditer(markdown) if m.group(1) in END]
        body = markdown[: min(ends)] if ends else markdown
        folds = [m.start() for m in heading.finditer(body) if m.group(1) in FOLDED]
        differs = [m.start() for m in heading.finditer(body) if m.group(1) in DISAGREE]
        # A program may fold with HTML instead of a heading.
        folds += [m.start() for m in re.finditer(r"<details", body)]
        top = body[: min(folds)] if folds else body
        lead = body[: min(folds + differs)] if folds + differs else body
        self.body = shown(body)
        self.opening = clipped(shown(top))
        self.lead = clipped(shown(lead))
        self.not_found = any(words in shown(lead)[:300] for words in NOT_FOUND)
        self.tells_difference = bool(differs)
        found = re.search(r"\*\*(.+?)\*\*", "\n".join(line for line in lead.splitlines() if not line.startswith("#")))
        self.bold = shown(found.group(1)) if found else ""


def shown(text):
    lines = [line for line in text.splitlines() if not line.startswith(("#", "> "))]
    text = re.sub(r"\[\d+\]", "", "\n".join(lines))
    text = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)
    return text.replace("**", "").replace("`", "").strip()


def clipped(text):
    words = 0.0
    limit = OPENING_WORDS
    for piece in re.finditer(r"[\u3041-\u9fff\uff00-\uffef]|[^\s\u3041-\u9fff\uff00-\uffef]+", text):
        words += OPENING_WORDS / OPENING_WIDE if ord(piece.group()[0]) > 0x3000 else 1
        if words > limit:
            return text[: piece.start()]
    return text


def normal(text):
    text = unicodedata.normalize("NFKC", text).lower()
    return text.translate(str.maketrans("’‘“”–—−‐~", "''\"\"-----"))


def stands(wanted, text):
    """Whether `wanted` stands in `text`: case, blanks and full width aside, a number not within a longer one.

    "re:" opens a regular expression over the normalised text.
    """
    text = normal(text)
    if wanted.startswith("re:"):
        return re.search(wanted[3:], text) is not None
    chars = [re.escape(c) for c in normal(wanted) if not c.isspace()]
    pattern = r"\s*".join(chars)
    if normal(wanted)[0].isascii() and normal(wanted)[0].isalnum():
        pattern = r"(?<![0-9a-z])(?<![0-9][.,])" + pattern
    if normal(wanted)[-1].isdigit():
        pattern += r"(?![0-9]|[.,][0-9])"
    return re.search(pattern, text) is not None


def any_stands(wanted, text):
    return any(stands(one, text) for one in wanted)


class Binary:
    def __init__(self, path, folder):
        self.path = str(Path(path).resolve())
        self.folder = folder
        keep = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
        self.env = {**keep, "HOME": str(folder), "DEEPSEARCH_DATA_DIR": str(folder / "data"), "NO_COLOR": "1", "DEEPSEARCH_MEMORY__ENABLED": "off"}
        (folder / "work").mkdir(parents=True)

    def run(self, *arguments):
        done = subprocess.run(
            [self.path, "--offline", *arguments], cwd=self.folder / "work", env=self.env, capture_output=True, text=True
        )
        if done.returncode not in (0, 3, 4):
            sys.exit(f"{arguments}: exit code {done.returncode}\n{done.stderr}")
        return done

    def load(self, paths):
        done = self.run("load", "-c", "documents", *map(str, paths))
        if done.returncode:
            print(f"load: {done.stderr}", file=sys.stderr)

    def ask(self, question, *form):
        return Report(self.run("query", "--no-journal", "--no-memory", *form, question).stdout)

    def ask_on(self, question, then):
        """The answer to a question that follows another one."""
        self.run("query", "--no-memory", question)
        return Report(self.run("ask", then).stdout)


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def language(case):
    return "ja" if re.search(r"[\u3041-\u30ff\u4e00-\u9fff]", case["question"]) else "en"


# One function for each way of scoring: the share that passed, between 0 and 1, and what is missing.


def score_answer(case, report):
    """The answer stands in the opening, and no wrong answer is the one in bold."""
    if report.not_found:
        return 0, "not found"
    if any_stands(case.get("wrong", []), report.bold) and not any_stands(case["answers"], report.bold):
        return 0, f"answers {report.bold!r}"
    return (1, "") if any_stands(case["answers"], report.lead) else (0, "answer not in the opening")


def score_current(case, report):
    """As for an answer, and the first sentence does not tell the old one alone."""
    if report.not_found:
        return 0, "not found"
    first = re.split(r"(?<=[.!?。])\s|\n", report.lead + " ")[0]
    for told in (report.bold, first):
        if any_stands(case["old"], told) and not any_stands(case["answers"], told):
            return 0, f"tells the old: {told!r}"
    return (1, "") if any_stands(case["answers"], report.opening) else (0, "current answer not in the opening")


def score_share(case, report):
    """The share of what is wanted that the report states: each wanted thing is a list of lists, one string of each."""
    missing = []
    for name, groups in case["wanted"].items():
        if not all(any_stands(group, report.body) for group in groups):
            missing.append(name)
    return 1 - len(missing) / len(case["wanted"]), "missing: " + "; ".join(missing) if missing else ""


def score_different(case, report):
    """Both answers stand in the report above what is folded."""
    text = report.opening if not report.tells_difference else report.body
    missing = [one for one in case["both"] if not any_stands(one, text)]
    if report.not_found:
        return 0, "not found"
    return (0, f"not told: {missing}") if missing else (1, "")


def score_same(case, report):
    """The report claims no difference."""
    if report.not_found:
        return 0, "not found"
    if report.tells_difference:
        return 0, "false alarm"
    return (1, "") if any_stands(case["answers"], report.lead) else (0, "answer not in the opening")


def score_found(case, report):
    """The right evidence was found: the answer stands in the report."""
    if report.not_found:
        return 0, "not found"
    return (1, "") if any_stands(case["answers"], report.body) else (0, "answer not in the report")


def score_nowhere(_case, report):
    return (1, "") if report.not_found else (0, f"answers {report.bold!r}")


class Told:
    """What reports take to tell their nuggets: words, sentences said twice, and citations whose quote has the words."""

    def __init__(self):
        self.nuggets = self.words = self.sentences = self.repeated = self.cited = self.quoted = 0

    def take(self, case, report, share):
        self.nuggets += round(share * len(case["wanted"]))
        wide = len(re.findall(r"[\u3041-\u9fff]", report.body))
        others = re.sub(r"[\u3041-\u9fff]", " ", report.body).split()
        # Two characters of a script without spaces count as one word.
        self.words += (wide + 1) // 2 + sum(any(c.isalnum() for c in word) for word in others)
        quotes = dict(re.findall(r"^(\d+)\. \*\*.*?[:：] ?[“„«「]\s?(.*?)\s?[”“»」]$", report.markdown, re.M))
        quotes = {number: bare(shown(quote)) for number, quote in quotes.items()}
        seen = set()
        for statement, numbers in statements(report.markdown):
            text = bare(shown(statement))
            if not text:
                continue
            self.sentences += 1
            self.repeated += text in seen
            seen.add(text)
            if numbers:
                self.cited += 1
                self.quoted += any(is_quoted(statement, quotes.get(number, "")) for number in numbers)

    def line(self):
        each = self.words / max(self.nuggets, 1)
        quoted = 100 * self.quoted / max(self.cited, 1)
        return f"{each:.1f} words a nugget, {self.repeated} of {self.sentences} statements repeated, {quoted:.1f} % of cited ones quoted"


def statements(markdown):
    """The statements above the list of sources, each with the numbers that it cites."""
    ends = [m.start() for m in re.finditer(r"^#+ +(.*?) *$", markdown, re.M) if m.group(1) in END]
    for line in (markdown[: min(ends)] if ends else markdown).splitlines():
        if line.startswith(("#", "> ")):
            continue
        start = 0
        for mark in re.finditer(r"((?: ?\[\d+\])+)[.。]?", line):
            yield line[start : mark.start()], re.findall(r"\d+", mark.group(1))
            start = mark.end()
        if line[start:].strip(" -*|"):
            yield line[start:], []


def is_quoted(statement, quote):
    """Whether a quote has a statement's words; of a row its values, whose columns stand elsewhere."""
    told = shown(re.sub(r"^- (\*[^*]+\*( \([^)]*\))?: )?", "", statement))
    return bare(told) in quote or all(bare(cell.split(": ", 1)[-1]) in quote for cell in told.split("; "))


def bare(text):
    return "".join(c for c in normal(text) if c.isalnum())


SETS = {
    "rows": score_answer,
    "current": score_current,
    "versions": score_share,
    "briefs": score_share,
    "nuggets": score_share,
    "follow-ups": score_found,
    "different": lambda case, report: (score_different if "both" in case else score_same)(case, report),
    "nowhere": score_nowhere,
    "across": lambda case, report: (score_answer if "answers" in case else score_nowhere)(case, report),
    "languages": lambda case, report: KINDS[case["kind"]](case, report),
    "office": lambda case, report: KINDS[case["kind"]](case, report),
    "unseen": lambda case, report: KINDS[case["kind"]](case, report),
    "two-steps": lambda case, report: KINDS[case["kind"]](case, report),
}
KINDS = {"one thing": score_answer, "two steps": score_answer, "account": score_share, "nowhere": score_nowhere}


def documents(name, case, corpora):
    """The folders that a case is asked of."""
    if name == "nowhere":
        return (HERE / "rows/documents", HERE / "current/documents", HERE / "versions/documents")
    if name in ("briefs", "nuggets", "follow-ups"):
        return (ROOT / case["corpus"] if "/" in case["corpus"] else corpora / case["corpus"],)
    if name == "across":
        return (HERE / case["corpus"],)
    return (HERE / name / "documents" / case.get("corpus", ""),)


def measure(binary, name, options):
    score = SETS[name]
    cases = [case for case in lines(HERE / name / "questions.jsonl") if not options.only or case["id"] in options.only]
    figures, reasons, told = {}, {}, {}
    with tempfile.TemporaryDirectory() as temp:
        loaded = {}
        for case in cases:
            folders = documents(name, case, options.corpora)
            if not all(folder.exists() for folder in folders):
                figures.setdefault("left out, no corpus", []).append(0)
                continue
            if folders not in loaded:
                loaded[folders] = Binary(binary, Path(temp) / str(len(loaded)))
                loaded[folders].load(folders)
            form = ["--length", str(options.length)] if options.length else []
            if "then" in case:
                report = loaded[folders].ask_on(case["question"], case["then"])
            else:
                report = loaded[folders].ask(case["question"], *form)
            share, reason = score(case, report)
            kind = case.get("kind", "")
            if name == "nuggets":
                told.setdefault(kind, Told()).take(case, report, share)
            label = kind if name in ("languages", "unseen") else f"{kind} {language(case)}".strip()
            figures.setdefault(label, []).append(share)
            if name in ("rows", "current"):
                figures.setdefault("bold", []).append(float(any_stands(case["answers"], report.bold)))
            if name == "different" and "answers" in case:
                figures.setdefault("false alarms", []).append(float(reason == "false alarm"))
            if reason:
                short = re.split(r"[:']", reason)[0].strip().removesuffix(" \"")
                reasons[short] = reasons.get(short, 0) + 1
            # Whoever mends what they see here must not see these.
            if options.verbose and share < 1 and kind != "kept apart" and name != "unseen":
                print(f"--- {case['id']} ({share:.2f}) {reason}\n    {case['question']} {case.get('then', '')}\n{indented(case, report, options)}")
    asides = ("bold", "false alarms", "left out, no corpus")
    counted = [shares for key, shares in figures.items() if key not in asides]
    total = [share for shares in counted for share in shares]
    parts = [f"{key} {sum(shares):.1f}/{len(shares)}".replace(".0/", "/") for key, shares in sorted(figures.items(), key=lambda one: one[0] in asides)]
    why = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items(), key=lambda one: -one[1]))
    mean = 100 * sum(total) / len(total) if total else 0
    why = f"; {why}" if why and name not in ("versions", "briefs", "nuggets") else ""
    print(f"{name}: {mean:.1f} % of {len(total)} ({', '.join(parts)}){why}", flush=True)
    for kind, one in sorted(told.items()):
        print(f"    {kind}: {one.line()}", flush=True)


def indented(case, report, options):
    wanted = {key: case[key] for key in ("document", "answers", "both", "old") if key in case}
    text = report.markdown if options.whole else (report.body[:1500] if "wanted" in case else report.opening[:700])
    return "\n".join(f"    | {line}" for line in [str(wanted), *text.splitlines()])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(SETS)}; all of them by default")
    parser.add_argument("-v", "--verbose", action="store_true", help="show what failed, with the report's opening")
    parser.add_argument("--whole", action="store_true", help="with -v: show whole reports")
    parser.add_argument("--only", action="append", metavar="ID", help="only this question")
    parser.add_argument("--length", help="ask for reports of so many words")
    parser.add_argument("--corpora", type=Path, default=ROOT / "target/answers-corpora", help="see corpora.sh")
    options = parser.parse_args()
    unknown = set(options.sets) - set(SETS)
    if unknown:
        parser.error(f"no such set: {', '.join(sorted(unknown))}")
    for name in options.sets or SETS:
        measure(options.binary, name, options)


if __name__ == "__main__":
    main()
