"""Rows whose questions use other words than the row, put together with drawn values.

A row stands among rows of the same kind of value, so that the words have to be understood; it stands by itself below its heading, as
the program reads rows, or in a whole list or table. A question is also asked of rows that do not answer it.

paraphrased.txt holds keys with questions, options.txt commands, conditions.txt statements whose value hangs on a condition, and
records.txt tables of which a question describes a record."""
import os
import random
import re

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
    "time": lambda: f"{n(6, 20)}:{pick(['00', '15', '30', '45'])}", "kilometres": lambda: f"{n(20, 900)} km", "times": lambda: pick(["once", "twice", "three times", "four times"]), "pages": lambda: f"{n(2, 40)} pages",
    "email": lambda: f"{pick(['help', 'office', 'desk', 'team', 'service', 'info', 'hello', 'post', 'mail', 'contact', 'ask', 'inbox', pick(FIRST).lower()])}@{pick(['acme', 'helios', 'northwind', 'umbra', 'vertex', 'globex'])}.example",
    "room": lambda: pick([f"room {n(0, 4)}.{n(10, 40)}", f"{pick('ABCD')}-{n(100, 420)}", f"the {pick(['Elm', 'Oak', 'Maple', 'Birch', 'North', 'Garden'])} room", f"building {n(2, 9)}, {pick(['ground floor', 'first floor', 'room 12', 'lobby'])}", "the lecture hall", "the small library", "the glass cabin"]),
    "channel": lambda: f"#{pick(['ops', 'incident', 'release', 'duty', 'news', 'team', 'alerts', 'launch'])}-{pick(['live', 'room', 'eu', 'bridge', 'updates', 'main', 'talk'])}", "version": lambda: pick([f"{n(1, 9)}.{n(0, 20)}.{n(0, 9)}", f"v{n(1, 9)}.{n(0, 20)}", f"{n(2024, 2027)}.{n(1, 12)}"]),
    "server": lambda: f"{pick(['db', 'web', 'app', 'mail', 'file', 'build'])}{pick(['', '-prod', '-test'])}-{n(1, 30):02}.{pick(['corp', 'intra', 'lan', 'dc1'])}.example", "ip": lambda: pick([f"10.{n(0, 99)}.{n(0, 255)}.{n(1, 254)}", f"192.168.{n(0, 255)}.{n(1, 254)}", f"198.51.100.{n(1, 254)}", f"203.0.113.{n(1, 254)}"]),
    "port": lambda: str(n(1024, 49000)), "os": lambda: pick(["Debian 12", "Ubuntu 24.04", "Rocky Linux 9", "Alpine 3.20", "FreeBSD 14", "Windows Server 2022", "Windows Server 2019", "SUSE 15", "OpenBSD 7.5", "NixOS 24.05", "Oracle Linux 8"]),
    "payterm": lambda: pick([f"{n(7, 90)} days net", f"{n(7, 60)} days after receipt", "within one month", "in advance", "on delivery", "half in advance, half on delivery", "by the end of the following month", "in four quarterly instalments", f"{n(7, 30)} days after acceptance", "immediately"]),
    "law": lambda: f"the law{pick([' of', 's of'])} {pick(['Ireland', 'Portugal', 'Norway', 'Japan', 'Italy', 'France', 'Estonia', 'Canada', 'England and Wales', 'Switzerland', 'Austria'])}", "city": lambda: pick(CITY), "area": lambda: pick([f"{n(30, 900)} m²", f"{n(30, 900)} square metres"]),
    "dims": lambda: pick([f"{n(20, 60)} × {n(15, 50)} × {n(10, 40)} cm", f"{n(200, 600)} x {n(150, 500)} x {n(100, 400)} mm"]), "watts": lambda: f"{n(1, 900)} W", "decibel": lambda: f"{n(30, 70)} dB{pick(['', '(A)'])}", "interface": lambda: pick(["USB-C and Ethernet", "USB 2.0", "Bluetooth 5.2", "Wi-Fi 6 and USB", "Ethernet only", "serial port and USB", "RS-232", "Bluetooth and NFC", "USB-B, Ethernet, Wi-Fi", "Wi-Fi only"]),
    "dish": lambda: pick(["lentil stew", "fish pie", "chicken curry", "spinach lasagne", "bean chili", "pork with cabbage", "potato soup and bread", "mushroom risotto", "fried noodles", "stuffed peppers", "beef goulash", "cheese dumplings", "pea soup"]),
    "stop": lambda: pick(["Harbour Street", "Market Square", "the old customs house", "North Quay", "the bridge", "Library Corner", "Mill Road", "the south gate", "Platform C", "West Pier", "Fishermen's Wharf", "Tower Lane"]),
    "ppe": lambda: pick(["goggles and gloves", "a lab coat and safety glasses", "closed shoes, coat and goggles", "nitrile gloves and an apron", "a face shield", "safety glasses and a respirator", "a cotton coat", "ear plugs and goggles", "long trousers, coat and gloves", "hair tied back, goggles and coat"]),
    "bin": lambda: f"the {pick(['yellow', 'blue', 'red', 'green', 'black', 'white', 'brown', 'grey'])} {pick(['drum', 'can', 'bin', 'canister', 'box', 'tub'])}", "gate": lambda: f"{pick(['gate', 'bay', 'ramp', 'dock'])} {n(1, 24)}",
    "greeting": lambda: pick(["“Good day, how may I help?”", "“Northwind service, my name is …”", "“Welcome to Helios.”", "“Hello and thank you for calling.”", "“Good morning, this is the order line.”", "“You are through to Acme.”", "“Customer care, what can I do for you?”", "“Hello, with whom am I speaking?”", "“Vertex, good day.”", "“Support desk, I am listening.”"]),
    "farewell": lambda: pick(["“Have a pleasant day.”", "“Thank you and goodbye.”", "“Is there anything else?”", "“We are always there for you.”", "“All the best to you.”", "“Thank you for your patience.”", "“Goodbye and take care.”", "“Until next time.”", "“It was good to talk to you.”", "“Call again any time.”"]),
    "decision": lambda: pick(["to buy two electric vans", "a new shift plan from May", "free fruit on every floor", "bicycle stands behind the hall", "to move the archive to the cellar", "a trial of the four-day week", "longer canteen hours", "to hire a second trainer", "new chairs for the call centre", "to close the north gate at night", "a smoking ban in the yard"]),
    "issue": lambda: pick(["the question of parking", "the choice of a new supplier", "the rules for home office", "the name of the new building", "the repair of the lift", "the budget for the summer party", "the use of private phones", "the dress code", "the merger of two teams", "the date of the stocktaking"]),
    "sum": lambda: pick([f"${n(2, 900)}", f"€{n(1, 99)}.{n(10, 99)}", f"{n(2, 90)} EUR", f"£{n(1, 9)},{n(100, 999)}", f"{n(2, 400)} euros", f"{n(5, 200)} dollars"]), "bigsum": lambda: pick([f"€{n(2, 900)},{n(0, 9)}00", f"${n(2, 900)},000", f"{n(1, 9)}.{n(1, 9)} million euros", f"£{n(10, 99)},{n(100, 999)}", f"{n(20, 900)},000 EUR"]),
    "cool": lambda: f"{n(1, 12)} °C", "warm": lambda: f"{n(15, 60)}{pick([' °C', ' degrees'])}", "load": lambda: f"{n(2, 15)}{pick(['00', '50'])} kg",
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
    "time": lambda: f"{n(6, 20)}:{pick(['00', '15', '30', '45'])}", "pages": lambda: f"{n(2, 40)}{pick(['ページ', '枚'])}", "cases": lambda: f"{n(2, 40)}件", "channel": lambda: f"#{pick(['障害', '運用', '公開', '当番', 'お知らせ', '連絡', '速報'])}-{pick(['対応', '本部', '東日本', '全社', '窓口', 'live'])}",
    "email": lambda: f"{pick(['help', 'office', 'desk', 'team', 'service', 'info', 'post', 'madoguchi', 'soumu', 'keiri', 'eigyo', 'koho'])}@{pick(['aoba', 'hokusei', 'minato', 'marusan', 'takasago', 'acme'])}.example",
    "room": lambda: pick([f"{n(1, 9)}階{pick(['会議室', '小会議室', '研修室', '談話室'])}", f"{pick('ABCD')}{n(101, 420)}室", f"{pick(['本館', '別館', '西棟', '東棟'])}{n(1, 6)}階", f"第{n(1, 8)}会議室", "大講義室", "図書室", "地下ホール", "応接室"]),
    "version": lambda: pick([f"{n(1, 9)}.{n(0, 20)}.{n(0, 9)}", f"第{n(2, 12)}版", f"{n(2024, 2027)}.{n(1, 12)}"]), "server": lambda: f"{pick(['db', 'web', 'app', 'mail', 'file', 'build'])}{pick(['', '-prod', '-test'])}-{n(1, 30):02}.{pick(['corp', 'intra', 'lan', 'dc1'])}.example",
    "ip": lambda: pick([f"10.{n(0, 99)}.{n(0, 255)}.{n(1, 254)}", f"192.168.{n(0, 255)}.{n(1, 254)}", f"198.51.100.{n(1, 254)}", f"203.0.113.{n(1, 254)}"]), "port": lambda: f"{n(1024, 49000)}{pick(['', '', '番'])}", "os": lambda: pick(["Debian 12", "Ubuntu 24.04", "Rocky Linux 9", "Alpine 3.20", "FreeBSD 14", "Windows Server 2022", "Windows Server 2019", "SUSE 15", "OpenBSD 7.5", "Oracle Linux 8"]),
    "payterm": lambda: pick([f"請求書受領後{n(7, 60)}日以内", "翌月末日", "月末締め翌月末払い", "前払い", "納品時", f"検収後{n(7, 45)}日以内", "着手時に半額、完了時に半額", f"月末締め翌月{n(5, 25)}日払い", "四半期ごとの分割", "引き渡しと同時"]),
    "law": lambda: f"{pick(['日本', 'ドイツ', 'フランス', '英国', '大韓民国', 'シンガポール', 'スイス', 'カナダ', 'イタリア', 'オランダ'])}{pick(['法', 'の法律', 'の法令'])}", "court": lambda: f"{pick(['東京', '大阪', '名古屋', '福岡', '札幌', '仙台', '広島', '横浜', '神戸', '京都'])}{pick(['地方', '簡易'])}裁判所", "city": lambda: pick(J_CITY) + pick(["", "市"]), "area": lambda: f"{n(30, 900)}{pick(['㎡', '平方メートル'])}",
    "dims": lambda: pick([f"{n(200, 600)}×{n(150, 500)}×{n(100, 400)}mm", f"{n(20, 60)}×{n(15, 50)}×{n(10, 40)}cm"]), "watts": lambda: f"{n(1, 900)}{pick(['W', 'ワット'])}", "decibel": lambda: f"{n(30, 70)}{pick(['dB', 'デシベル'])}", "interface": lambda: pick(["USB-Cと有線LAN", "USB 2.0", "Bluetooth 5.2", "無線LANとUSB", "有線LANのみ", "シリアルとUSB", "RS-232C", "BluetoothとNFC", "USBと有線・無線LAN", "無線LANのみ"]),
    "dish": lambda: pick(["焼き魚定食", "鶏の照り焼き", "野菜カレー", "豚汁と麦飯", "豆腐ハンバーグ", "きのこの炊き込みご飯", "肉うどん", "揚げ出し豆腐", "さばのみそ煮", "麻婆なす", "かき揚げそば", "おでん", "冷やし中華"]),
    "stop": lambda: pick(["北口ロータリー", "東口三番乗り場", "市場前", "橋のたもと", "第一桟橋", "西埠頭", "図書館前", "旧税関前", "南門", "漁協前", "正門脇", "時計台の下"]), "ppe": lambda: pick(["保護眼鏡と手袋", "白衣と保護眼鏡", "白衣・手袋・保護眼鏡", "耐薬品手袋と前掛け", "顔を覆う面", "防毒マスクと手袋", "綿の白衣と運動靴", "長ズボンと白衣", "耳栓と保護眼鏡", "ヘルメットと安全靴"]),
    "bin": lambda: f"{pick(['黄色', '青', '赤', '緑', '黒', '白', '茶色', '灰色'])}の{pick(['容器', '缶', '箱', 'タンク', 'かご', '袋'])}", "gate": lambda: f"{pick(['北', '南', '東', '西', ''])}{n(1, 24)}番{pick(['口', 'ゲート', 'ドック'])}",
    "greeting": lambda: pick(["「お電話ありがとうございます」", "「青葉物産でございます」", "「はい、受注係です」", "「お客様相談室です」", "「北星商事、受付でございます」", "「ご用件を承ります」", "「いつもお世話になっております」", "「サポート窓口の○○です」", "「お待たせいたしました」", "「おはようございます、みなと屋です」"]),
    "farewell": lambda: pick(["「失礼いたします」", "「またお電話ください」", "「ありがとうございました」", "「ほかにご用はございませんか」", "「今後ともよろしくお願いいたします」", "「お気をつけください」", "「よい一日をお過ごしください」", "「お待ちしております」", "「ごめんくださいませ」", "「○○が承りました」"]),
    "decision": lambda: pick(["電気自動車二台の購入", "五月からの新しい交替表", "駐輪場の増設", "食堂の時間延長", "倉庫の地下への移転", "週四日勤務の試行", "講師一名の採用", "北門の夜間閉鎖", "敷地内の禁煙", "椅子の入れ替え", "制服の廃止"]),
    "issue": lambda: pick(["駐車場の割り当て", "新しい仕入先の選定", "在宅勤務の規則", "新館の名前", "昇降機の修理", "夏祭りの予算", "私物の電話の扱い", "服装の決まり", "二つの課の統合", "棚卸しの日取り"]),
    "sum": lambda: pick([f"{n(1, 99)},{n(0, 9)}00円", f"{n(3, 99)}00円", f"{n(1, 90)}万円", f"{n(1, 9)}万{n(1, 9)}千円", f"{n(100, 990)}円"]), "bigsum": lambda: pick([f"{n(10, 900)}万円", f"{n(1, 9)},{n(100, 999)}万円", f"{n(1, 99)},{n(100, 999)},000円", f"{n(1, 9)}億{n(1, 9)}千万円"]),
    "cool": lambda: f"{n(1, 12)}{pick(['度', '℃'])}", "warm": lambda: f"{n(15, 60)}{pick(['度', '℃'])}", "load": lambda: f"{n(2, 15)}{pick(['00', '50'])}{pick(['kg', 'キロ'])}",
    "millilitres": lambda: f"{n(2, 6)}00{pick(['ml', 'ミリリットル'])}", "hours_run": lambda: f"{n(1, 9)}00時間", "torque": lambda: f"{n(5, 120)}N・m", "bar": lambda: f"0.{n(2, 9)}MPa",
}
AFTER = {"en": ["Changes are posted at the entrance.", "Please ask if anything is unclear.", "Valid until further notice.", "Prices include tax."], "ja": ["変更は掲示します。", "ご不明な点はお尋ねください。", "当面の間有効です。", "価格は税込みです。"]}
ITEM = {"en": ["Item", "What", "Subject", "Point"], "ja": ["項目", "内容", "事項", "区分"]}
VALUE = {"en": ["Value", "Detail", "Rule", "Remark"], "ja": ["値", "詳細", "規定", "備考"]}
SAYS = {"en": ["{k}: {v}.", "{k} is {v}.", "As to {k}: {v}."], "ja": ["{k}は{v}です。", "{k}については{v}とします。", "{k}：{v}。"]}


# Topics that no example is made of, so that `evaluate_rows.py` can ask about them.
HELD = ("City marathon", "Coworking space", "sqlite", "市民マラソン", "集合住宅のしおり", "旅券窓口", "tar", "Island ferry", "Call for papers", "島の定期船", "論文募集", "snapkeep", "複合機のメニュー",
        "Water use", "Library of things", "取材の申し込み", "貸し出し品", "Guided tours", "見学ツアー")


def asks(text):
    """The single questions of a field."""
    return [q.strip() for q in text.split(" / ")]


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
            rows.append((parts[0], parts[1], asks(parts[2])))
    return found


def read_conditions(held=False):
    """By language: a title, the question of a FAQ, how values are drawn, statements, questions for each value, questions it leaves open."""
    found = {"en": [], "ja": []}
    for line in open(os.path.join(HERE, "conditions.txt"), encoding="utf8"):
        line = line.rstrip("\n")
        parts = line.split("|")
        if len(parts) == 4:
            entry = {"title": parts[1], "asks": parts[2], "spec": parts[3], "says": None, "questions": [], "open": []}
            if (parts[1] in HELD) == held:
                found[parts[0]].append(entry)
        elif entry["says"] is None:
            entry["says"] = line.split(" // ")
        elif line.startswith("!"):
            entry["open"] = asks(line[1:])
        else:
            entry["questions"].append(asks(line))
    return found


def read_records(held=False):
    """By language: a title, and columns of names, how values are drawn, and questions in which {Name} stands for another column's value."""
    found = {"en": [], "ja": []}
    for line in open(os.path.join(HERE, "records.txt"), encoding="utf8"):
        parts = line.rstrip("\n").split("|")
        if len(parts) == 2:
            columns = []
            if (parts[1] in HELD) == held:
                found[parts[0]].append((parts[1], columns))
        else:
            columns.append((asks(parts[0]), parts[1], asks(parts[2])))
    return found


HELD_OUT = os.environ.get("HELD_OUT") == "1"
FACTS, OPTIONS = read("paraphrased.txt", HELD_OUT), read("options.txt", HELD_OUT)
CONDITIONS, RECORDS = read_conditions(HELD_OUT), read_records(HELD_OUT)


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
            # Of another kind than what is here: two topics may well answer the same question.
            strange = [row for row in foreign if row[1] not in {kind for _, kind, _ in chosen}]
            if strange:
                question, sure = pick(pick(strange)[2]), False
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
    style = n(0, 5)
    wide = max(len(command) for command, _, _ in chosen) if chance(0.5) else 0
    passage += "```\n" if style == 5 else ""
    for i, (command, does, _) in enumerate(chosen):
        before, after = {5: ("", " " * max(2, wide + 2 - len(command)) + f"# {does.rstrip('.。')}\n"), 0: ("- `", f"`: {does}\n"), 1: (does + "\n\n    ", "\n\n"), 2: ("| `", f"` | {does} |\n"), 3: (f"{does.rstrip('.。')}: `", "`\n"), 4: ("", f"\n{does}\n\n")}[style]
        passage += before
        if i == asked:
            span = len(passage), len(passage) + len(command)
        passage += command + after
    passage += "```\n" if style == 5 else ""
    return (question, passage, *span) if sure else (question, passage, None, None)


def series(spec, count, language, used=()):
    """`count` different values: of a list (`=a,b`), of a pattern with a range (`€#:5-90@5<`), or of a kind."""
    if spec.startswith("="):
        return R.sample([one.split("~")[0] for one in spec.lstrip("=!&").split(",")], count)
    if "#" in spec:
        pattern, low, high, step, order = re.fullmatch(r"(.*):(\d+)-(\d+)(?:@(\d+))?([<>]?)", spec).groups()
        pattern = pick(pattern.split(" / "))
        numbers = R.sample(range(int(low), int(high) + 1, int(step or 1)), count)
        if order:
            numbers.sort(reverse=order == ">")
        values = [re.sub("#[ny]?", f"{x:,}" if re.search("[$€£円]|EUR|euros", pattern) else str(x), pattern) for x in numbers]
        return [re.sub(r"^1 ([a-z]+)s$", r"1 \1", value) for value in values]
    values = []
    while len(values) < count:
        value = (KINDS if language == "en" else J_KINDS)[spec]()
        if all(name(value) not in (name(other) for other in known) for known in (values, used)):
            values.append(value)
    return values


def name(value):
    """What tells a person from others: the family name; for another value, the value."""
    first = next((one for one in J_LAST if value.startswith(one)), None)
    return first or (value.split()[-1] if value.split()[-1] in LAST else value)


def conditions(language):
    """A statement with a value for each of some conditions; asked for one of them."""
    known = CONDITIONS[language]
    one = pick(known)
    others = R.sample([other for other in known if other is not one], min(len(known) - 1, pick([0, 0, 1, 2, 3])))
    asked, sure = R.randrange(len(one["questions"])), True
    question = pick(one["questions"][asked])
    listed = [one, *others]
    if chance(0.25):
        sure = False
        if others and chance(0.4):
            listed = others
        else:
            question = pick(one["open"])
    R.shuffle(listed)
    wide = language == "ja"
    style = n(0, 4) if len(listed) == 1 else n(1, 4)
    bullet, mark = pick(["- ", "* ", "", "・" if wide else "• "]), pick([("Q: ", "A: "), ("Q. ", "A. "), ("**", "")] + ([("問　", "答　")] if wide else [("Question: ", "Answer: ")]))
    passage, span = "", None
    if style in (1, 3) and chance(0.3):
        passage += pick(["# ", "## ", ""]) + pick(["ご案内", "規程", "よくある質問", "きまり"] if wide else ["Rules", "Guide", "Frequently asked questions", "Good to know"]) + "\n"
    for entry in listed:
        values = series(entry["spec"], len(entry["questions"]), language)
        passage += {0: f"{pick(['# ', '## ', ''])}{entry['title']}\n", 1: bullet, 2: f"| {entry['title']} | ", 3: f"{mark[0]}{entry['asks']}{'**' if mark[0] == '**' else ''}\n{mark[1]}", 4: ""}[style]
        for i, part in enumerate(re.split(r"\{(\d)\}", pick(entry["says"]))):
            if i % 2 and entry is one and int(part) == asked:
                span = len(passage), len(passage) + len(values[asked])
            passage += values[int(part)] if i % 2 else part
        passage += {2: " |\n", 3: "\n\n", 4: "" if wide else " "}.get(style, "\n")
    if chance(0.2):
        passage += ("\n" if style == 4 else "") + pick(AFTER[language])
    return (question, passage, *span) if sure else (question, passage, None, None)


HOURS = "twelve one two three four five six seven eight nine ten eleven".split()


def spoken(value, column, language):
    """How a question may call the record that holds this value in this column."""
    spec = column[1]
    if spec.startswith("="):
        found = next(one.split("~") for one in spec.lstrip("=!&").split(",") if one.split("~")[0] == value)
        if len(found) > 1 and (spec[1] == "!" or chance(0.7)):
            return pick(found[1:])
        return ("the " + value[0].lower() + value[1:]) if spec[1] == "&" else value
    if spec == "person":
        return name(value) if chance(0.35) else value
    if spec == "time" and chance(0.7):
        hour, minute = value.split(":")
        early, hour = int(hour) < 12, int(hour)
        if language == "ja":
            return (("午前" if early else "午後") + f"{hour if hour < 13 else hour - 12}時" if chance(0.5) and hour != 12 else f"{hour}時") + {"00": "", "30": "半"}.get(minute, minute + "分")
        part = "in the morning" if early else "in the afternoon" if hour < 18 else "in the evening"
        if chance(0.5):
            return f"{hour % 12 or 12}{'' if minute == '00' else ':' + minute} {'am' if early else 'pm'}"
        at, after = HOURS[hour % 12], HOURS[(hour + 1) % 12]
        return {"00": at, "15": f"a quarter past {at}", "30": f"half past {at}", "45": f"a quarter to {after}"}[minute] + " " + part
    if spec == "daymonth" and language == "en" and chance(0.5):
        day, month = value.split()
        return f"{month} {day}"
    return value


def drawn(columns, count, language):
    """Rows of values, times and dates rising within a row as their columns do."""
    by, used = [], []
    look = n(0, 2)
    for _, spec, _ in columns:
        if spec == "date":
            values = [(n(2024, 2026), n(1, 12), n(1, 28)) for _ in range(count)]
        else:
            values = series(spec, count, language, used)
            if spec in ("person", "time"):
                used += values
        by.append(values)
    rows = [list(row) for row in zip(*by)]
    for row in rows:
        for spec in ("date", "time"):
            at = [i for i, column in enumerate(columns) if column[1] == spec]
            for i, value in zip(at, sorted((row[i] for i in at), key=lambda v: v if spec == "date" else tuple(map(int, v.split(":"))))):
                row[i] = value
        for i, value in enumerate(row):
            if isinstance(value, tuple):
                y, m, d = value
                row[i] = (f"{y}年{m}月{d}日", f"{y}/{m}/{d}", f"{m}月{d}日")[look] if language == "ja" else (f"{d} {MONTH[m - 1]} {y}", f"{y}-{m:02}-{d:02}", f"{MONTH[m - 1]} {d}, {y}")[look]
    return rows


def records(language):
    """A table, or rows of it, of which a question describes one record and asks for one of its fields."""
    title, known = pick(RECORDS[language])
    kept = sorted([0, *R.sample(range(1, len(known)), min(len(known) - 1, n(3, 6)))])
    columns = [known[i] for i in kept]
    rows = drawn(known, n(2, 6), language)
    alone = chance(0.4)
    shown = rows[:1] if alone else rows[:-1] if chance(0.2) and len(rows) > 2 else rows
    named = {column[0][0]: i for i, column in enumerate(known)}
    of = lambda question: [named[key] for key in re.findall(r"\{(.*?)\}", question)]
    fit = [(i, q) for i, column in enumerate(known) for q in column[2] if all(j in kept for j in of(q))]
    row, sure = pick(shown), True
    missing, absent = [(i, q) for i, q in fit if i not in kept], [one for one in rows if one not in shown]
    here = [(i, q) for i, q in fit if i in kept]
    if absent and chance(0.45 if alone else 0.8):
        row, sure = pick(absent), False
        shut = {value for one in shown for value in one}
        here = [(i, q) for i, q in here if not any(row[j] in shut for j in of(q))] or here
        column, question = pick(here)
    elif missing and chance(0.14):
        (column, question), sure = pick(missing), False
    else:
        column, question = pick(here)
    question = re.sub(r"\{(.*?)\}", lambda m: spoken(row[named[m[1]]], known[named[m[1]]], language), question)
    if language == "ja":
        question = question.replace("さんさん", "さん")
    heads = [pick(one[0]) for one in columns]
    if chance(0.15):
        order = R.sample(range(len(kept)), len(kept))
        kept, heads = [kept[i] for i in order], [heads[i] for i in order]
    wide = language == "ja"
    style = pick([3, 3, 3, 4, 5]) if alone else n(0, 5)
    passage, span = pick(["# ", "## ", ""]) + title + "\n" if alone and chance(0.8) or chance(0.5) else "", None
    passage += {0: ",".join(heads) + "\n", 1: "| " + " | ".join(heads) + " |\n|" + " --- |" * len(heads) + "\n", 2: "\t".join(heads) + "\n"}.get(style, "")
    join, mark = pick([("；", "："), ("; ", ": "), ("、", "：")] if wide else [("; ", ": "), ("; ", ": "), (", ", " "), (" | ", ": ")])
    bullet = pick(["- ", "", "* "])
    for one in shown:
        for i, (head, at) in enumerate(zip(heads, kept)):
            quote = '"' if style == 0 and "," in one[at] else ""
            passage += {0: ("," if i else "") + quote, 1: " | " if i else "| ", 2: "\t" if i else "", 3: (join if i else "") + head + mark, 4: (join if i else bullet) + (f"{head}{mark}" if at else ""), 5: f"{'  ' if i else ''}- {head}{mark if mark != ' ' else ': '}"}[style]
            if one is row and at == column:
                span = len(passage), len(passage) + len(one[at])
            passage += one[at] + quote + ("\n" if style == 5 else "")
        passage += {1: " |\n", 5: ""}.get(style, "\n")
    if chance(0.15):
        passage += pick(AFTER[language])
    return (question, passage, *span) if sure else (question, passage, None, None)


def either(language):
    return R.choices([facts, options, conditions, records], [50, 15, 15, 20])[0](language)


def english():
    return either("en")


def japanese():
    return either("ja")


if __name__ == "__main__":
    for _ in range(8):
        for make in (english, japanese):
            q, p, a, b = make()
            print(q, "=>", p[a:b] if a is not None else None, "<=", repr(p))
