"""Reads the examples that were written for the reader (`written/LANGUAGE-*.txt`), and draws from them.

An entry is `@ title > heading`, the passage's lines, and questions (`? …`) with their answers (`= …`, empty where the passage has none).
Entries of one title that follow each other are one document: no other of them answers the question.
A passage is read as the program reads: whole or in part, with all headings, the lowest or none, and with what stands beside it in its
document; or one line of it below a heading, the row of a table with the names of its columns, half of the time not the line that answers."""
import glob
import os
import re
import zlib

BULLET = re.compile(r"^\s*(?:[-*・●○■□◆]|\(?\d{1,2}[.)）])\s*")


def entries(text):
    """(headings, passage, [(question, answer)]) of each entry; answers that the passage lacks are left out."""
    for block in re.split(r"\n(?=@ )", "\n" + text.strip()):
        lines = [line.rstrip() for line in block.strip("\n").split("\n")]
        if not lines or not lines[0].startswith("@ "):
            continue
        headings = [h.strip() for h in lines[0][2:].split(" > ")]
        asked = next((k for k, line in enumerate(lines) if line.startswith("? ")), len(lines))
        passage = "\n".join(lines[1:asked]).strip("\n")
        questions = [
            (lines[k][2:].strip(), lines[k + 1][1:].strip())
            for k in range(asked, len(lines) - 1)
            if lines[k].startswith("? ") and lines[k + 1].startswith("=")
        ]
        questions = [(q, a) for q, a in questions if q and a in passage]
        if passage and questions:
            yield headings, passage, questions


def key(question, passage):
    """Names a question on a passage."""
    return zlib.crc32(repr((question, passage)).encode())


def parts(text):
    return {text[i : i + 3] for i in range(len(text) - 2)}


def place(question, passage, answer):
    """Where the answer stands; of several places the one in the line that shares most with the question."""
    found, at = [], passage.find(answer)
    while at >= 0:
        found.append(at)
        at = passage.find(answer, at + 1)
    if len(found) == 1:
        return found[0]
    asked = parts(question.lower())
    line = lambda at: passage[passage.rfind("\n", 0, at) + 1 : (passage + "\n").find("\n", at)]
    return max(found, key=lambda at: len(asked & parts(line(at).lower())))


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


class Written:
    """`measured`: what is left out of training instead of what is trained on. `later`: the files from the fourth on, of which every
    eighth document is left out; of the others that is one file of a language. `hard`: what `hard.py` found."""

    def __init__(self, folder, draw, measured, later=False, hard=None):
        self.draw, self.of, self.hard = draw, {}, hard or ([], {})
        for language in sorted({os.path.basename(f).split("-")[0] for f in glob.glob(f"{folder}/*-*.txt")}):
            files = [f for f in sorted(glob.glob(f"{folder}/{language}-*.txt")) if bool(re.search(r"-[4-9]\.txt$", f)) == later]
            files = [f for f in files if later or f.endswith("-held.txt") == measured]
            found = [e for f in files for e in entries(open(f, encoding="utf8").read())]
            self.of[language] = [e for e in found if not later or (zlib.crc32(e[0][0].encode()) % 8 == 0) == measured]

    def one(self, language):
        draw, of = self.draw, self.of[language]
        at = draw.randrange(len(of))
        headings, passage, questions = of[at]
        question, answer = draw.choice(questions)
        chance = draw.random()
        if chance < 0.25:
            # A neighbour in the file, of the same document or on something else, or a passage of the same words: it does not answer.
            other = of[(at + draw.choice([-2, -1, 1, 2])) % len(of)]
            own = other[0][0] == headings[0]
            if (alike := self.hard[1].get(key(question, passage))) and (not own or chance < 0.1):
                other, own = self.hard[0][draw.choice(alike)], True
            if other[1] != passage and (own or answer and answer not in other[1] and chance < 0.07):
                headings, passage, answer, at = other[0], other[1], "", None
        if draw.random() < 0.15:
            question = question.rstrip("?？。")
        first = place(question, passage, answer) if answer else None
        if "\n" in passage and draw.random() < 0.4 and (found := self.line(question, headings, passage, answer, first)):
            return found
        found = self.several(question, headings, passage, answer, first)
        return self.beside(found, of, at) if at is not None and draw.random() < 0.4 else found

    def beside(self, found, of, at):
        """With the passages before or after it in its document."""
        question, passage, first, last = found
        lo, hi = at - self.draw.randint(0, 1), at + 1 + self.draw.randint(0, 1)
        shown = lambda k: of[k][0][-1] + "\n" + of[k][1] + "\n\n"
        own = lambda k: 0 <= k < len(of) and of[k][0][0] == of[at][0][0]
        before = "".join(shown(k) for k in range(lo, at) if own(k))
        after = "".join("\n\n" + shown(k) for k in range(at + 1, hi) if own(k)).rstrip("\n")
        moved = lambda place: None if place is None else place + len(before)
        return question, before + passage + after, moved(first), moved(last)

    def line(self, question, headings, passage, answer, first):
        """One line below a heading."""
        draw, lines = self.draw, passage.split("\n")
        table = len(lines) > 2 and lines[0].lstrip().startswith("|") and set(lines[1]) <= set("|-: ")
        if "\n" in answer:
            return None
        own = None if first is None else passage[:first].count("\n")
        others = [k for k, line in enumerate(lines) if k != own and line.strip() and (not table or k > 1) and not (answer and answer in line)]
        at = own if own is not None and draw.random() < 0.6 else draw.choice(others) if others else own
        if at is None or table and at < 2:
            return None
        sure = at == own
        column = first - sum(len(line) + 1 for line in lines[:at]) if sure else 0
        if table and lines[at].lstrip().startswith("|"):
            heads, values = cells(lines[0]), cells(lines[at])
            wide = bool(re.search("[\u3040-\u30ff\u4e00-\u9fff]", passage))
            join, mark = draw.choice([("; ", ": "), ("; ", ": "), ("；", "：")]) if wide else ("; ", ": ")
            number = lines[at][:column].strip().strip("|").count("|") if "|" in lines[at][:column].strip().strip("|") else lines[at][:column].count("|") - 1
            text, start = "", None
            for k, value in enumerate(values):
                text += (join if text else "") + (heads[k] + mark if k < len(heads) and heads[k] else "")
                if sure and k == max(0, number):
                    if answer not in value:
                        return None
                    start = len(text) + value.index(answer)
                text += value
            if sure and start is None:
                return None
        else:
            text = lines[at].strip()
            bullet = BULLET.match(text)
            text = text[bullet.end() :] if bullet else text
            if sure and answer not in text:
                return None
            start = place(question, text, answer) if sure else None
        head = draw.choice([headings[-1], headings[0], f"{headings[0]} › {headings[-1]}", f"{headings[0]} › {headings[-1]}"]) + "\n"
        return (question, head + text, len(head) + start, len(head) + start + len(answer)) if sure else (question, head + text, None, None)

    def several(self, question, headings, passage, answer, first):
        """The passage, or a window of its lines that keeps a table's head, below its headings."""
        draw, lines = self.draw, passage.split("\n")
        if len(lines) > 3 and draw.random() < 0.35:
            head = 2 if lines[0].lstrip().startswith("|") else 0
            at = passage[:first].count("\n") if first is not None else draw.randrange(len(lines))
            lo, hi = max(head, at - draw.randint(0, 3)), at + 1 + draw.randint(0, 3) + answer.count("\n")
            text = "\n".join([*lines[:head], *lines[lo:hi]] if at >= head else lines[: max(hi, head)])
            if answer in text:
                passage, first = text, place(question, text, answer) if answer else None
        style = draw.random()
        if style < 0.25:
            head = "\n".join(("#" * (k + 1) + " " + h) if draw.random() < 0.5 else h for k, h in enumerate(headings)) + "\n"
        elif style < 0.5:
            head = draw.choice(["", "## ", "# "]) + headings[-1] + "\n"
        else:
            head = ""
        return question, head + passage, None if first is None else first + len(head), None if first is None else first + len(head) + len(answer)
