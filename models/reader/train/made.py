"""Made examples: rows of tables, list items, "key: value" lines, questions with their answers, commands; in English and Japanese.

Everything is put together from the word lists below, so that nothing of anybody's text is in it."""
import random

R = random.Random(3)
pick, chance = R.choice, lambda p: R.random() < p

FIRST = "Maria James Ana Peter Lucy Omar Chen Ingrid Paul Nadia Tom Elena Victor Grace Hugo Sofia Ravi Claire Ben Yuki Martin Olga Samuel Rosa Daniel Leila Frank Julia Igor Emma".split()
LAST = "Lopez Carter Silva Novak Brown Haddad Wei Larsen Martin Petrova Baker Rossi Hugo Kim Meyer Costa Patel Dubois Turner Tanaka Weber Ivanova Okafor Diaz Young Nasser Moore Fischer Sokolov Wright".split()
CITY = "Nagoya Bristol Porto Leeds Oslo Denver Lyon Austin Ghent Kyoto Turin Dublin Tampa Malaga Perth Basel Cairo Quito Hanoi Bergen".split()
PLAN = "Free Basic Starter Plus Pro Team Business Enterprise Premium Student".split()
THING = "laptop|desk lamp|office chair|water filter|toner cartridge|phone case|garden hose|steel bolt|running shoe|coffee grinder|winter jacket|air pump|safety helmet|notebook|USB cable|projector|label printer|door sensor|heat pump|tablet".split("|")
DEPT = "Finance|Human Resources|Sales|Engineering|Legal|Support|Marketing|Logistics|Security|Research".split("|")
MONTH = "January February March April May June July August September October November December".split()
COLOR = "red blue green black white silver grey orange".split()
COMPANY = "Acme|Northwind|Globex|Initech|Umbra|Helios|Vertex|Blue Harbor|Stonebridge|Red Maple".split("|")
SERVER = "alpha beta gateway mail backup build proxy archive staging web01 db02 cache3".split()
person = lambda: f"{pick(FIRST)} {pick(LAST)}"
money = lambda: pick([f"${R.randint(2, 900)}", f"${R.randint(2, 90)} per month", f"{R.randint(10, 900)} EUR", f"${R.randint(1, 9)},{R.randint(100, 999)}", f"{R.randint(3, 99)}.{R.randint(10, 99)} USD"])
day = lambda: pick([f"{R.randint(1, 28)} {pick(MONTH)} {R.randint(1990, 2026)}", f"{R.randint(2015, 2026)}-{R.randint(1, 12):02}-{R.randint(1, 28):02}", f"{pick(MONTH)} {R.randint(1, 28)}, {R.randint(1990, 2026)}"])
phone = lambda: pick([f"+{R.randint(1, 99)} {R.randint(10, 99)} {R.randint(100, 999)} {R.randint(1000, 9999)}", f"ext. {R.randint(1000, 9999)}", f"0{R.randint(10, 99)}-{R.randint(100, 999)}-{R.randint(1000, 9999)}", f"extension {R.randint(1000, 9999)}"])
mail = lambda: f"{pick(FIRST).lower()}@{pick(COMPANY).replace(' ', '').lower()}.example"
span = lambda: f"{R.randint(2, 90)} {pick(['days', 'weeks', 'months', 'hours', 'years', 'minutes', 'working days'])}"
count = lambda: pick([str(R.randint(2, 9000)), f"{R.randint(1, 99)},{R.randint(100, 999)}"])
share = lambda: f"{R.randint(1, 99)}{pick(['', '.' + str(R.randint(1, 9))])}{pick(['%', ' %', ' percent'])}"

# key column, its values; other columns: name, values, questions with {k} for the key.
TABLES = [
    ("Branch", CITY, [("Manager", person, ["Who is the manager of the {k} branch?", "Who runs the branch in {k}?", "Who manages {k}?"]), ("Phone", phone, ["What is the phone number of the {k} branch?", "How can I call the {k} branch?"]), ("Opened", day, ["When did the {k} branch open?", "When was the branch in {k} opened?"]), ("Staff", count, ["How many people work in the {k} branch?", "How large is the staff in {k}?"])]),
    ("Plan", PLAN, [("Price", money, ["How much does the {k} plan cost?", "What is the price of the {k} plan?", "What do I pay for {k}?"]), ("Storage", lambda: f"{R.randint(1, 900)} {pick(['GB', 'TB'])}", ["How much storage does {k} include?", "How much storage comes with the {k} plan?"]), ("Users", count, ["How many users does the {k} plan allow?", "What is the user limit of {k}?"]), ("Support", lambda: pick(["email", "phone", "community forum", "24/7 chat", "none", "business hours"]), ["What kind of support comes with {k}?", "Which support does the {k} plan have?"])]),
    ("Product", THING, [("Price", money, ["How much is the {k}?", "What does the {k} cost?"]), ("Stock", count, ["How many of the {k} are in stock?", "What is the stock of the {k}?"]), ("Supplier", lambda: pick(COMPANY), ["Who supplies the {k}?", "Which supplier delivers the {k}?"]), ("Warranty", span, ["How long is the warranty of the {k}?", "How long is the {k} under warranty?"]), ("Color", lambda: pick(COLOR), ["What color is the {k}?"]), ("SKU", lambda: f"{pick('ABCDXZ')}{pick('KLMN')}-{R.randint(100, 9999)}", ["What is the SKU of the {k}?", "Which article number has the {k}?"])]),
    ("Department", DEPT, [("Head", person, ["Who leads the {k} department?", "Who is the head of {k}?"]), ("Budget", money, ["What is the budget of {k}?", "How large is the {k} budget?"]), ("Floor", lambda: pick(["ground floor", "1st floor", "2nd floor", "3rd floor", "5th floor"]), ["Where is {k} located?", "On which floor is {k}?"]), ("Headcount", count, ["How many people work in {k}?"])]),
    ("Server", SERVER, [("IP address", lambda: f"10.{R.randint(0, 9)}.{R.randint(0, 255)}.{R.randint(1, 254)}", ["What is the IP address of {k}?"]), ("Owner", person, ["Who owns the server {k}?", "Who is responsible for {k}?"]), ("Port", lambda: str(R.randint(22, 9999)), ["Which port does {k} use?", "On what port does {k} listen?"]), ("Operating system", lambda: pick(["Debian 12", "Windows Server 2022", "Ubuntu 24.04", "Alpine", "FreeBSD 14"]), ["What does {k} run on?", "Which operating system does {k} have?"])]),
    ("Quarter", "Q1 Q2 Q3 Q4".split(), [("Revenue", lambda: f"{R.randint(1, 99)}.{R.randint(1, 9)} million", ["What was the revenue in {k}?", "How much revenue did we make in {k}?"]), ("Churn", share, ["What was the churn in {k}?", "How high was churn in {k}?"]), ("New customers", count, ["How many new customers came in {k}?"])]),
    ("Course", "Algebra|Biology|World History|Pottery|Statistics|Spanish|First Aid|Robotics".split("|"), [("Teacher", person, ["Who teaches {k}?"]), ("Room", lambda: f"room {R.randint(1, 500)}", ["Where does {k} take place?", "In which room is {k}?"]), ("Starts", day, ["When does {k} start?", "When does the course {k} begin?"]), ("Fee", money, ["What is the fee for {k}?", "How much does {k} cost?"])]),
]
SENTENCES = "The figures below are checked every quarter.|Please tell us about any mistakes.|See the appendix for details.|Older lists are no longer valid.|Prices do not include tax.|This page is for staff only.|Last reviewed by the office.|All times are local.".split("|")
FACTS = [
    ("Help desk", lambda: f"{person()}, {phone()}", ["Who runs the help desk?", "Who do I call at the help desk?", "How do I reach the help desk?"]), ("Opening hours", lambda: f"{R.randint(7, 10)} am to {R.randint(4, 9)} pm", ["When are you open?", "What are the opening hours?"]),
    ("Deadline", day, ["What is the deadline?", "When is the deadline?", "Until when can I apply?"]), ("Contact", mail, ["Whom do I write to?", "What is the contact address?"]), ("Warranty", span, ["How long is the warranty?", "How long does the warranty last?"]),
    ("Notice period", span, ["How long is the notice period?", "What is the notice period?"]), ("Version", lambda: f"{R.randint(0, 9)}.{R.randint(0, 20)}.{R.randint(0, 9)}", ["Which version is it?", "What is the current version?"]), ("License", lambda: pick(["MIT", "Apache-2.0", "GPL-3.0", "BSD-3-Clause", "CC BY 4.0"]), ["What is the license?", "Under which license is it?"]),
    ("Location", lambda: f"{pick(CITY)}, {pick(['room', 'hall', 'building'])} {R.randint(1, 40)}", ["Where does it take place?", "Where is the meeting?"]), ("Project lead", person, ["Who leads the project?", "Who is the project lead?"]), ("Budget", money, ["What is the budget?", "How large is the budget?"]),
    ("Late fee", money, ["How much is the late fee?", "What do I pay if I am late?"]), ("Wi-Fi password", lambda: f"{pick(COLOR)}-{pick(SERVER)}-{R.randint(10, 99)}", ["What is the Wi-Fi password?"]), ("Maximum upload size", lambda: f"{R.randint(1, 900)} MB", ["How large may an upload be?", "What is the maximum upload size?"]),
    ("Default timeout", lambda: f"{R.randint(1, 900)} seconds", ["What is the default timeout?", "How long is the timeout by default?"]), ("Emergency number", phone, ["What is the emergency number?", "Whom do I call in an emergency?"]), ("Travel allowance", lambda: f"{money()} a day", ["How much is the travel allowance?", "What is the travel allowance?"]),
    ("Approved by", person, ["Who approved it?", "By whom was it approved?"]), ("Valid from", day, ["Since when is it valid?", "From when is it in force?"]), ("Payment terms", lambda: f"{span()} net", ["What are the payment terms?", "When must an invoice be paid?"]), ("Delivery time", span, ["How long does delivery take?", "What is the delivery time?"]),
]
COMMANDS = [
    ("undo the last commit but keep the changes", "git reset --soft HEAD~1"), ("delete a remote branch", "git push origin --delete old-branch"), ("stash your changes", "git stash push -m work"), ("list all branches", "git branch -a"), ("rename the current branch", "git branch -m new-name"), ("see who changed a line", "git blame src/main.c"), ("throw away all local changes", "git checkout -- ."), ("create a tag", "git tag -a v1.2 -m release"),
    ("install the package", "pip install requests"), ("update all packages", "sudo apt upgrade"), ("start the container in the background", "docker run -d nginx"), ("list running containers", "docker ps"), ("remove unused images", "docker image prune"), ("follow the log", "tail -f /var/log/syslog"), ("show disk usage", "df -h"), ("find large files", "find / -size +100M"), ("copy a folder to the server", "scp -r data user@host:/srv"), ("make a file executable", "chmod +x run.sh"),
    ("unpack the archive", "tar -xzf backup.tar.gz"), ("restart the service", "systemctl restart nginx"), ("check the configuration", "nginx -t"), ("run the tests", "cargo test"), ("build for release", "cargo build --release"), ("format the code", "cargo fmt"), ("dump the database", "pg_dump shop > shop.sql"), ("restore the database", "psql shop < shop.sql"), ("create a virtual environment", "python -m venv .venv"), ("renew the certificate", "certbot renew"),
    ("scale to three replicas", "kubectl scale deployment web --replicas=3"), ("show the pods", "kubectl get pods"), ("clear the cache", "npm cache clean --force"), ("list open ports", "ss -tlnp"), ("kill a process", "kill -9 4211"), ("count lines", "wc -l access.log"), ("search in all files", "grep -rn TODO src"), ("change the owner of a file", "chown www-data index.html"), ("add a user", "useradd -m anna"), ("mount the disk", "mount /dev/sdb1 /mnt"), ("sign the package", "gpg --sign release.tar"), ("set the time zone", "timedatectl set-timezone UTC"),
]
ASK = ["How do I {}?", "How can I {}?", "Which command lets me {}?", "What is the command to {}?", "how to {}"]
LEAD = ["To {}, run:\n{}", "- {}: `{}`", "## {}\n```\n{}\n```", "{}:\n    {}", "If you want to {}, use `{}`.", "You can {} with {}."]

J_LAST = "佐藤 鈴木 高橋 田中 伊藤 渡辺 山本 中村 小林 加藤 吉田 山田 佐々木 山口 松本 井上 木村 林 斎藤 清水".split()
J_FIRST = "太郎 花子 健一 美咲 大輔 陽子 翔 直美 誠 恵子 拓也 由美 隆 さくら 浩二 真理".split()
J_CITY = "札幌 仙台 東京 横浜 名古屋 京都 大阪 神戸 広島 福岡 金沢 新潟 那覇 高松".split()
J_THING = "ノートパソコン プリンター 椅子 机 電話機 カメラ 冷蔵庫 モニター 自転車 掃除機 時計 プロジェクター".split()
J_PLAN = "無料プラン ベーシック スタンダード プロ プレミアム エンタープライズ 学割プラン 法人プラン".split()
J_DEPT = "総務部 人事部 経理部 営業部 開発部 法務部 広報部 情報システム部 企画部 製造部".split()
j_person = lambda: pick(J_LAST) + pick(["", " "]) + pick(J_FIRST)
j_money = lambda: pick([f"{R.randint(1, 99)},{R.randint(0, 9)}00円", f"{R.randint(1, 900)}万円", f"月額{R.randint(3, 99)}00円", f"{R.randint(1, 9)}億{R.randint(1000, 9000)}万円", f"{R.randint(5, 99)}00円"])
j_day = lambda: pick([f"{R.randint(2000, 2026)}年{R.randint(1, 12)}月{R.randint(1, 28)}日", f"令和{R.randint(1, 8)}年{R.randint(1, 12)}月{R.randint(1, 28)}日", f"{R.randint(1, 12)}月{R.randint(1, 28)}日", f"{R.randint(2015, 2026)}/{R.randint(1, 12)}/{R.randint(1, 28)}"])
j_phone = lambda: pick([f"0{R.randint(3, 99)}-{R.randint(1000, 9999)}-{R.randint(1000, 9999)}", f"内線{R.randint(1000, 9999)}"])
j_span = lambda: f"{R.randint(1, 90)}{pick(['日', '週間', 'か月', '年間', '時間', '営業日', '分'])}"
j_count = lambda: f"{R.randint(2, 900)}{pick(['人', '名'])}"
J_TABLES = [
    ("支店", J_CITY, [("支店長", j_person, ["{k}支店の支店長は誰ですか？", "{k}支店の責任者は？", "{k}の支店長は誰？"]), ("電話番号", j_phone, ["{k}支店の電話番号は何番ですか。", "{k}支店に電話するには？"]), ("開設日", j_day, ["{k}支店はいつ開設されましたか？", "{k}支店の開設日はいつ？"]), ("従業員数", j_count, ["{k}支店の従業員は何人ですか？", "{k}支店で働く人数は？"])]),
    ("プラン", J_PLAN, [("料金", j_money, ["{k}の料金はいくらですか？", "{k}はいくら？"]), ("容量", lambda: f"{R.randint(1, 900)}GB", ["{k}の容量はどれくらいですか？", "{k}は何GB使えますか。"]), ("サポート", lambda: pick(["メール", "電話", "チャット", "なし", "平日のみ"]), ["{k}のサポートは何ですか？", "{k}ではどのようなサポートを受けられますか？"])]),
    ("商品", J_THING, [("価格", j_money, ["{k}の価格はいくらですか？", "{k}はいくらですか。"]), ("在庫", lambda: f"{R.randint(1, 900)}個", ["{k}の在庫はいくつありますか？", "{k}は何個残っていますか？"]), ("保証期間", j_span, ["{k}の保証期間はどのくらいですか？", "{k}は何年保証されますか。"]), ("品番", lambda: f"{pick('ABCDX')}{pick('KLMN')}-{R.randint(100, 9999)}", ["{k}の品番は何ですか？"])]),
    ("部署", J_DEPT, [("部長", j_person, ["{k}の部長は誰ですか？", "{k}の責任者は誰？"]), ("予算", j_money, ["{k}の予算はいくらですか？"]), ("場所", lambda: f"{pick(['本館', '別館', '東棟', '西棟'])}{R.randint(1, 9)}階", ["{k}はどこにありますか？", "{k}は何階ですか？"]), ("人数", j_count, ["{k}は何人いますか？"])]),
]
J_FACTS = [
    ("担当", j_person, ["担当者は誰ですか？", "誰が担当していますか？"]), ("締切", j_day, ["締切はいつですか？", "いつまでに提出すればよいですか？"]), ("会場", lambda: f"{pick(J_CITY)}{pick(['市民会館', '本社', '会議室', 'ホール'])}", ["会場はどこですか？", "どこで開催されますか？"]), ("日時", j_day, ["日時はいつですか？", "いつ開催されますか？"]), ("参加費", j_money, ["参加費はいくらですか？", "参加するにはいくらかかりますか？"]), ("定員", j_count, ["定員は何人ですか？", "何人まで参加できますか？"]), ("有効期限", j_span, ["有効期限はどのくらいですか？"]), ("宿泊費の上限", j_money, ["宿泊費の上限はいくらですか？", "宿泊費はいくらまで出ますか？"]), ("日当", j_money, ["日当はいくらですか？"]), ("連絡先", j_phone, ["連絡先を教えてください。", "どこに連絡すればいいですか？"]), ("承認者", j_person, ["誰が承認しましたか？", "承認者は誰？"]), ("営業時間", lambda: f"午前{R.randint(8, 11)}時から午後{R.randint(4, 9)}時", ["営業時間は何時から何時までですか？", "何時まで開いていますか？"]), ("施行日", j_day, ["いつから施行されますか？", "施行日はいつですか？"]), ("売上高", j_money, ["売上高はいくらですか？", "売上はいくらでしたか？"]), ("前年比", lambda: f"{R.randint(50, 180)}%", ["前年比は何パーセントですか？"]), ("返品期限", j_span, ["返品期限はいつまでですか？", "何日以内なら返品できますか？"]),
]
J_SENTENCES = "詳細は別紙をご覧ください。|数字は四半期ごとに見直します。|不明な点はお問い合わせください。|以前の一覧は無効です。|価格は税抜きです。|社内限り。|変更がある場合は掲示します。".split("|")


def table(tables, sentences, japanese):
    """(question, passage, first, last) as text and characters; no answer where `first` is None."""
    key, names, columns = pick(tables)
    names = R.sample(names, min(len(names), R.randint(2, 7)))
    chosen = R.sample(columns, R.randint(1, len(columns)))
    rows = [[name, *[make() for _, make, _ in chosen]] for name in names]
    head = [key, *[name for name, _, _ in chosen]]
    asked, column = R.randrange(len(rows)), R.randrange(len(chosen))
    question = pick(chosen[column][2]).format(k=names[asked])
    sure = True
    if chance(0.22):
        others = [n for n in R.sample(dict((t[0], t[1]) for t in tables)[key], min(12, len(dict((t[0], t[1]) for t in tables)[key]))) if n not in names]
        if others and chance(0.6):
            question, sure = pick(chosen[column][2]).format(k=pick(others)), False
        else:
            missing = [c for c in columns if c not in chosen]
            if missing:
                question, sure = pick(pick(missing)[2]).format(k=names[asked]), False
    style = R.randrange(6)
    if style == 0:
        # What holds a comma is quoted, or its comma left out.
        quoted = chance(0.5)
        rows = [[f'"{v}"' if "," in v and quoted else v.replace(",", "") for v in row] for row in rows]
    passage, first, last = "", None, None
    if chance(0.4):
        passage += pick(sentences) + "\n"
    if chance(0.3):
        passage += pick(["# ", "## ", ""]) + (pick(["一覧", key + "一覧", "名簿"]) if japanese else pick(["Overview", f"{key} list", "Directory", f"{key}s"])) + "\n"
    if style == 0:
        passage += ",".join(head) + "\n"
    elif style == 1:
        passage += "| " + " | ".join(head) + " |\n|" + " --- |" * len(head) + "\n"
    elif style == 2:
        passage += "\t".join(head) + "\n"
    for r, row in enumerate(rows):
        cells = []
        if style in (3, 4):
            join, mark = pick([("; ", ": "), (", ", ": ")]) if not japanese else pick([("、", "："), ("; ", ": ")])
            parts = [(f"{h}{mark}", v) for h, v in zip(head, row)]
        elif style == 5:
            join = " – " if not japanese else "　"
            parts = [("", row[0])] + [("" if chance(0.3) else f"{h} ", v) for h, v in zip(head[1:], row[1:])]
            parts[0] = ("- ", row[0])
        else:
            join = {0: ",", 1: " | ", 2: "\t"}[style]
            parts = [("| " if style == 1 and not i else "", v) for i, v in enumerate(row)]
        for i, (before, value) in enumerate(parts):
            passage += (join if i else "") + before
            if r == asked and i == column + 1:
                quote = int(value.startswith('"'))
                first, last = len(passage) + quote, len(passage) + len(value) - quote
            passage += value
        passage += (" |" if style == 1 else "") + "\n"
    if chance(0.3):
        passage += pick(sentences)
    return (question, passage, first, last) if sure else (question, passage, None, None)


def facts(known, sentences, japanese):
    chosen = R.sample(known, R.randint(2, 7))
    asked, sure = R.randrange(len(chosen)), chance(0.8)
    question = pick(chosen[asked][2]) if sure else pick(pick([k for k in known if k not in chosen])[2])
    mark, bullet = (pick(["：", ": ", " "]) if japanese else pick([": ", " - ", ": ", " = "])), pick(["- ", "* ", "", "", "・" if japanese else "• "])
    passage, first, last = pick(sentences) + "\n" if chance(0.5) else "", None, None
    for i, (name, make, _) in enumerate(chosen):
        value = make()
        passage += bullet + name + mark
        if i == asked:
            first, last = len(passage), len(passage) + len(value)
        passage += value + "\n"
    if chance(0.4):
        passage += pick(sentences)
    return (question, passage, first, last) if sure else (question, passage, None, None)


def commands():
    chosen = R.sample(COMMANDS, R.randint(1, 5))
    asked, sure = R.randrange(len(chosen)), chance(0.85)
    question = pick(ASK).format(chosen[asked][0] if sure else pick([c for c in COMMANDS if c not in chosen])[0])
    passage, first, last = "", None, None
    for i, (task, command) in enumerate(chosen):
        text = pick(LEAD).format(task if chance(0.5) else task.capitalize(), command)
        if i == asked:
            first = len(passage) + text.rindex(command)
            last = first + len(command)
        passage += text + "\n"
    return (question, passage, first, last) if sure else (question, passage, None, None)


def english():
    kind = R.random()
    return table(TABLES, SENTENCES, False) if kind < 0.5 else facts(FACTS, SENTENCES, False) if kind < 0.8 else commands()


def japanese():
    return table(J_TABLES, J_SENTENCES, True) if chance(0.55) else facts(J_FACTS, J_SENTENCES, True)


if __name__ == "__main__":
    for _ in range(6):
        for make in (english, japanese):
            q, p, a, b = make()
            print(q, "=>", p[a:b] if a is not None else None, "<=", repr(p))
