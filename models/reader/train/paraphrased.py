"""Rows whose questions use other words than the row: paraphrased.txt and options.txt put together with drawn values.

A row stands among rows of the same kind of value, so that the words have to be understood; it stands by itself below its heading, as
the program reads rows, or in a whole list or table. A question is also asked of rows that do not answer it."""
import os
import random

from made import CITY, COLOR, FIRST, J_CITY, J_FIRST, J_LAST, LAST, MONTH

R = random.Random(int(os.environ.get("SEED", "5")) + 1)
pick, chance = R.choice, lambda p: R.random() < p
HERE = os.path.dirname(__file__)
n = R.randint

CLOCK = lambda: pick([f"{n(5, 23)}:{pick(['00', '15', '30', '45'])}", f"{n(1, 11)} {pick(['am', 'pm', 'a.m.', 'p.m.'])}", f"{n(1, 12)}.{pick(['00', '30'])} {pick(['am', 'pm'])}"])
KINDS = {
    "clock": CLOCK,
    "hours": lambda: f"{CLOCK()} {pick(['to', '–', 'until', '-'])} {CLOCK()}",
    "money": lambda: pick([f"${n(2, 900)}", f"€{n(1, 99)}.{n(10, 99)}", f"{n(2, 90)} EUR", f"£{n(1, 9)},{n(100, 999)}", f"{n(2, 400)} euros", f"{n(1, 60)} € per {pick(['day', 'person', 'month', 'hour', 'year'])}"]),
    "beforespan": lambda: f"{n(2, 60)} {pick(['hours', 'days', 'weeks'])} before {pick(['arrival', 'the day', 'the start'])}",
    "word": lambda: f"{pick(COLOR)}{pick(['-', '_', ''])}{pick(['guest', 'house', 'visitor', 'lounge'])}",
    "phone": lambda: pick([f"+{n(30, 60)} {n(10, 99)} {n(100, 999)} {n(1000, 9999)}", f"0{n(100, 999)} {n(10000, 99999)}", f"ext. {n(100, 999)}"]),
    "years": lambda: pick([f"{n(6, 65)} years", f"{n(6, 65)}", f"{n(14, 30)} years of age"]), "age": lambda: f"{n(6, 65)}歳",
    "distance": lambda: pick([f"{n(50, 900)} km", f"{n(50, 900)} kilometres a day"]), "months": lambda: f"{n(2, 36)} months", "days": lambda: f"{n(2, 60)} days",
    "hoursspan": lambda: f"{n(2, 48)} hours", "minutes": lambda: f"{n(3, 90)} minutes", "seconds": lambda: f"{n(2, 90)} seconds", "weeks": lambda: f"{n(2, 26)} weeks",
    "workdays": lambda: f"{n(2, 20)} working days", "yearspan": lambda: f"{n(2, 15)} years", "person": lambda: f"{pick(FIRST)} {pick(LAST)}",
    "count": lambda: str(n(2, 900)), "people": lambda: f"{n(4, 80)} {pick(['people', 'persons', 'guests'])}", "percent": lambda: f"{n(1, 99)}{pick(['', '.' + str(n(1, 9))])}{pick(['%', ' %', ' percent'])}",
    "dayofmonth": lambda: f"the {n(4, 20)}th", "resolution": lambda: pick(["1080p", "720p", "4K", "Full HD", "1440p"]), "exposure": lambda: f"1/{pick([1000, 2000, 4000, 8000])} s",
    "length": lambda: pick([f"{n(10, 250)} cm", f"{n(1, 3)}.{n(10, 90)} m"]), "depth": lambda: f"{n(2, 40)} m", "metres": lambda: f"{n(1, 3)},{n(100, 999)} m", "weight": lambda: f"{n(100, 990)} g",
    "kilos": lambda: f"{n(5, 90)} kg", "centimetres": lambda: f"{n(60, 250)} cm", "cardtype": lambda: pick(["SDXC", "microSD", "CFexpress", "SDHC up to 32 GB"]), "daymonth": lambda: f"{n(1, 28)} {pick(MONTH)}",
    "date": lambda: pick([f"{n(1, 28)} {pick(MONTH)} {n(2024, 2027)}", f"{n(2024, 2027)}-{n(1, 12):02}-{n(1, 28):02}"]), "minbefore": lambda: f"{n(10, 60)} minutes before the start", "celsius": lambda: f"{n(12, 95)} °C",
    "yesno": lambda: pick(["included", "not covered", "covered up to $500", "excluded"]), "code": lambda: f"{pick('ABCDKXZ')}{n(10, 99)}-{n(1000, 99999)}", "gigabytes": lambda: f"{n(5, 900)} GB", "megabytes": lambda: f"{n(8, 900)} MB",
    "host": lambda: f"{pick(['ns1', 'test', 'api', 'sandbox'])}.{pick(COLOR)}-{pick(['net', 'cloud', 'hill'])}.example", "monthspan": lambda: f"{pick(MONTH)} to {pick(MONTH)}", "payment": lambda: pick(["cash only", "cash and debit cards", "all cards", "bank transfer"]),
    "everykm": lambda: f"every {n(2, 9)} km", "place": lambda: f"{pick(['hall', 'room', 'tent', 'counter'])} {n(1, 20)}", "racetime": lambda: f"2:{n(10, 59)}:{n(10, 59)}", "weekday": lambda: pick("Monday Tuesday Wednesday Thursday Friday Saturday".split()),
    "permission": lambda: pick(["with written consent", "not allowed", "up to three months a year"]), "photo": lambda: pick(["35 × 45 mm, in colour", "biometric, not older than six months", "45 × 55 mm"]), "millilitres": lambda: f"{n(200, 600)} ml",
    "hours_run": lambda: f"every {n(1, 9)}00 operating hours", "newton": lambda: f"{n(100, 900)} N", "torque": lambda: f"{n(5, 120)} Nm", "bar": lambda: f"{n(2, 12)} bar",
}
J_CLOCK = lambda: pick([f"{n(5, 22)}時", f"{n(5, 22)}時{pick(['15', '30', '45'])}分", f"{n(5, 22)}:{pick(['00', '30'])}", f"午前{n(6, 11)}時", f"午後{n(1, 9)}時"])
J_KINDS = {
    "clock": J_CLOCK, "hours": lambda: f"{J_CLOCK()}{pick(['から', '～', '〜', '-'])}{J_CLOCK()}", "money": lambda: pick([f"{n(1, 99)},{n(0, 9)}00円", f"{n(3, 99)}00円", f"{n(1, 90)}万円", f"月額{n(3, 90)}00円", f"{n(1, 9)}万{n(1, 9)}千円"]),
    "before": lambda: pick([f"{n(2, 30)}日前", f"{n(2, 30)}日前まで", f"前日の{n(9, 18)}時"]), "phone": lambda: pick([f"0{n(3, 99)}-{n(1000, 9999)}-{n(1000, 9999)}", f"0120-{n(100, 999)}-{n(100, 999)}", f"内線{n(100, 999)}"]),
    "age": lambda: f"{pick(['満', '', ''])}{n(6, 65)}歳{pick(['', '以上'])}", "distance": lambda: pick([f"{n(5, 90)}0km", f"1日{n(5, 90)}0キロ"]), "months": lambda: f"{n(2, 36)}か月", "days": lambda: f"{n(2, 60)}日", "hoursspan": lambda: f"{n(2, 48)}時間",
    "minutes": lambda: f"{n(3, 90)}分", "seconds": lambda: f"{n(2, 90)}秒", "weeks": lambda: f"{n(2, 26)}週間", "workdays": lambda: f"{n(2, 20)}営業日", "yearspan": lambda: f"{n(2, 15)}年", "person": lambda: pick(J_LAST) + pick(["", " "]) + pick(J_FIRST),
    "units": lambda: f"{n(2, 9)}台", "pieces": lambda: f"{n(3, 90)}{pick(['本', '個'])}", "sheets": lambda: f"{n(100, 990)}枚", "people": lambda: f"{n(4, 90)}{pick(['人', '名'])}", "times": lambda: f"{n(2, 5)}回", "percent": lambda: f"{n(1, 99)}{pick(['%', '％', 'パーセント'])}",
    "dayofmonth": lambda: f"毎月{n(1, 28)}日", "resolution": lambda: pick(["1080p", "720p", "4K", "フルHD"]), "length": lambda: f"{n(10, 250)}{pick(['cm', 'センチ'])}", "depth": lambda: f"{n(2, 40)}{pick(['m', 'メートル'])}", "metres": lambda: f"{n(1, 3)},{n(100, 999)}m",
    "weight": lambda: f"{n(100, 990)}{pick(['g', 'グラム'])}", "kilos": lambda: f"{n(5, 90)}{pick(['kg', 'キロ'])}", "daymonth": lambda: f"{n(1, 12)}月{n(1, 28)}日", "date": lambda: pick([f"{n(2024, 2027)}年{n(1, 12)}月{n(1, 28)}日", f"令和{n(6, 9)}年{n(1, 12)}月{n(1, 28)}日"]),
    "minbefore": lambda: f"開演の{n(10, 60)}分前", "celsius": lambda: f"{n(12, 95)}{pick(['度', '℃'])}", "code": lambda: f"{pick('ABCDKXZ')}{n(10, 99)}-{n(1000, 99999)}", "gigabytes": lambda: f"{n(5, 900)}GB", "monthspan": lambda: f"{n(1, 12)}月から{n(1, 12)}月",
    "everykm": lambda: f"{n(2, 9)}キロごと", "place": lambda: f"{pick(['本館', '別館', '東口', '体育館', '市役所'])}{n(1, 9)}{pick(['階', '番窓口'])}", "weekday": lambda: pick("月火水木金土") + pick(["曜日", "曜"]), "photo": lambda: pick(["縦45mm×横35mm", "6か月以内に撮ったもの", "縦4cm×横3cm"]),
    "millilitres": lambda: f"{n(2, 6)}00{pick(['ml', 'ミリリットル'])}", "hours_run": lambda: f"{n(1, 9)}00時間", "torque": lambda: f"{n(5, 120)}N・m", "bar": lambda: f"0.{n(2, 9)}MPa",
}
AFTER = {"en": ["Changes are posted at the entrance.", "Please ask if anything is unclear.", "Valid until further notice.", "Prices include tax."], "ja": ["変更は掲示します。", "ご不明な点はお尋ねください。", "当面の間有効です。", "価格は税込みです。"]}
ITEM = {"en": ["Item", "What", "Subject", "Point"], "ja": ["項目", "内容", "事項", "区分"]}
VALUE = {"en": ["Value", "Detail", "Rule", "Remark"], "ja": ["値", "詳細", "規定", "備考"]}
SAYS = {"en": ["{k}: {v}.", "{k} is {v}.", "As to {k}: {v}."], "ja": ["{k}は{v}です。", "{k}については{v}とします。", "{k}：{v}。"]}


# Topics that no example is made of, so that `evaluate_rows.py` can ask about them.
HELD = ("City marathon", "Coworking space", "sqlite", "市民マラソン", "集合住宅のしおり", "旅券窓口", "tar")


def read(name, held=False):
    """Topics by language: a title, and its rows of three fields."""
    found = {"en": [], "ja": []}
    for line in open(os.path.join(HERE, name), encoding="utf8"):
        parts = line.rstrip("\n").split("|")
        if parts[0] in found and len(parts) == 2:
            rows = []
            if (parts[1] in HELD) == held:
                found[parts[0]].append((parts[1], rows))
        else:
            rows.append((parts[0], parts[1], [q.strip() for q in parts[2].split(" / ")]))
    return found


HELD_OUT = os.environ.get("HELD_OUT") == "1"
FACTS, OPTIONS = read("paraphrased.txt", HELD_OUT), read("options.txt", HELD_OUT)


def lines(rows, title, asked, language):
    """A passage of (key, value) rows in one of several forms, and where the value of `asked` stands."""
    wide = language == "ja"
    style = n(0, 7)
    text, span = "", None
    if chance(0.7):
        text += pick(["# ", "## ", ""]) + title + "\n"
    if style == 2:
        text += f"| {pick(ITEM[language])} | {pick(VALUE[language])} |\n| --- | --- |\n"
    elif style == 4:
        text += f"{pick(ITEM[language])},{pick(VALUE[language])}\n"
    heads = pick(ITEM[language]), pick(VALUE[language])
    mark = pick(["：", ": ", " … ", "　"] if wide else [": ", " – ", " = ", ": "])
    bullet = pick(["- ", "* ", "", "・" if wide else "• "])
    for i, (key, value) in enumerate(rows):
        before, after = {
            0: (bullet + key + mark, "\n"), 1: (f"{bullet}**{key}**{mark}", "\n"), 2: (f"| {key} | ", " |\n"), 3: (f"{key} | ", "\n"), 4: (f"{key},", "\n"),
            5: (f"{heads[0]}: {key}; {heads[1]}: ", "\n"), 6: (f"{key}\n", "\n"), 7: ("", "" if wide else " "),
        }[style]
        if style == 7:
            before, after = pick(SAYS[language]).replace("{k}", key).split("{v}")
            after += "" if wide else " "
        text += before
        if i == asked:
            span = len(text), len(text) + len(value)
        text += value + after
    if chance(0.3):
        text += ("\n" if style == 7 else "") + pick(AFTER[language])
    return text, span


def facts(language):
    kinds = KINDS if language == "en" else J_KINDS
    title, known = pick(FACTS[language])
    chosen = R.sample(known, n(2, min(8, len(known))))
    asked = R.randrange(len(chosen))
    rows = [(pick(labels.split(" / ")), kinds[kind]()) for labels, kind, _ in chosen]
    question, sure = pick(chosen[asked][2]), True
    form = R.random()
    if form < 0.3:
        # A row by itself below its heading, as the program reads rows; half of the time not the one that answers.
        sure = chance(0.5)
        row = asked if sure else pick([i for i in range(len(rows)) if i != asked])
        if not sure and chance(0.5):
            like = [i for i in range(len(rows)) if i != asked and chosen[i][1] == chosen[asked][1]]
            row = pick(like) if like else row
        key, value = rows[row]
        lead = title + "\n" + (f"{pick(ITEM[language])}: {key}; {pick(VALUE[language])}: " if chance(0.25) else key + pick([": ", "：" if language == "ja" else ": "]))
        return (question, lead + value, len(lead), len(lead) + len(value)) if sure else (question, lead + value, None, None)
    if form < 0.42:
        others = [fact for fact in known if fact not in chosen]
        topic, foreign = pick(FACTS[language])
        if others and chance(0.7):
            question, sure = pick(pick(others)[2]), False
        elif topic != title:
            question, sure = pick(pick(foreign)[2]), False
    passage, span = lines(rows, title, asked, language)
    return (question, passage, *span) if sure else (question, passage, None, None)


def options(language):
    """Commands with what they do, or questions with their answers in other words."""
    title, known = pick(OPTIONS[language])
    chosen = R.sample(known, n(1, min(6, len(known))))
    asked, sure = R.randrange(len(chosen)), True
    question = pick(chosen[asked][2])
    if chance(0.25):
        others = [one for one in known if one not in chosen]
        if others:
            question, sure = pick(pick(others)[2]), False
    if chance(0.5) and language == "en":
        question = question.replace("How do I ", f"In {title}, how do I ") if chance(0.3) else question
    passage, span = (f"# {title}\n" if chance(0.5) else f"{title}\n" if chance(0.4) else ""), None
    style = n(0, 4)
    for i, (command, does, _) in enumerate(chosen):
        before, after = {0: ("- `", f"`: {does}\n"), 1: (does + "\n\n    ", "\n\n"), 2: ("| `", f"` | {does} |\n"), 3: (f"{does.rstrip('.。')}: `", "`\n"), 4: ("", f"\n{does}\n\n")}[style]
        passage += before
        if i == asked:
            span = len(passage), len(passage) + len(command)
        passage += command + after
    return (question, passage, *span) if sure else (question, passage, None, None)


def english():
    return facts("en") if chance(0.8) else options("en")


def japanese():
    return facts("ja") if chance(0.85) else options("ja")


if __name__ == "__main__":
    for _ in range(8):
        for make in (english, japanese):
            q, p, a, b = make()
            print(q, "=>", p[a:b] if a is not None else None, "<=", repr(p))
