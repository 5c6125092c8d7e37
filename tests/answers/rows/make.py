"""Writes the office files and PDFs of this set: `pip install python-docx openpyxl reportlab`, then `python3 make.py`.

The embedded Japanese font is that of Debian's package fonts-ipafont-gothic.
"""

from datetime import datetime
from pathlib import Path

import docx
import openpyxl
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

HERE = Path(__file__).parent / "documents"

# When the office files say that they were written; the libraries would write the day of the run, or of their template.
WRITTEN = datetime(2025, 6, 30, 9, 0)


def workbook(name, sheets):
    book = openpyxl.Workbook()
    book.properties.created = WRITTEN
    book.properties.modified = WRITTEN
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(HERE / name)


def document(name, blocks):
    """Blocks: "# text" is a heading, "- text" a list item, a list a table, any other string a paragraph."""
    doc = docx.Document()
    properties = doc.core_properties
    properties.created = properties.modified = WRITTEN
    properties.author = properties.comments = ""
    for block in blocks:
        if isinstance(block, list):
            table = doc.add_table(rows=0, cols=len(block[0]))
            table.style = "Table Grid"
            for row in block:
                for cell, text in zip(table.add_row().cells, row):
                    cell.text = text
        elif block.startswith("#"):
            marks, text = block.split(" ", 1)
            doc.add_heading(text, len(marks) - 1)
        elif block.startswith("- "):
            doc.add_paragraph(block[2:], style="List Bullet")
        else:
            doc.add_paragraph(block)
    doc.save(HERE / name)


def pdf(name, font, bold, blocks):
    """As `document`."""
    text = ParagraphStyle("text", fontName=font, fontSize=10, leading=15, spaceAfter=4, wordWrap="CJK" if font[0] == "H" or "ipa" in font else None)
    head = ParagraphStyle("head", parent=text, fontName=bold, fontSize=12, leading=18, spaceBefore=8)
    story = []
    for block in blocks:
        if isinstance(block, list):
            style = [("FONT", (0, 0), (-1, -1), font, 9), ("GRID", (0, 0), (-1, -1), 0.5, colors.grey)]
            story += [Table(block, style=TableStyle(style), hAlign="LEFT"), Spacer(1, 8)]
        elif block.startswith("#"):
            story.append(Paragraph(block.split(" ", 1)[1], head))
        else:
            story.append(Paragraph(block, text))
    SimpleDocTemplate(str(HERE / name), pagesize=A4, invariant=1).build(story)


workbook("larkspur-price-list-2025.xlsx", {
    "Plans": [
        ["Larkspur Helpdesk: prices from 1 January 2025, per agent and month, without VAT"],
        [],
        ["Plan", "Billed monthly", "Billed yearly", "Agents", "Storage", "Response time"],
        ["Starter", "$12", "$10", "up to 5", "10 GB", "next working day"],
        ["Team", "$26", "$22", "up to 50", "100 GB", "8 hours"],
        ["Pro", "$49", "$41", "unlimited", "1 TB", "2 hours"],
        ["Enterprise", "on request", "on request", "unlimited", "by agreement", "30 minutes"],
    ],
    "Add-ons": [
        ["Item", "Price", "Unit", "Available from plan"],
        ["Telephone channel", 9, "USD per agent and month", "Team"],
        ["Extra storage", 15, "USD per 100 GB and month", "Starter"],
        ["Sandbox", 120, "USD per month", "Pro"],
        ["Single sign-on", 4, "USD per agent and month", "Team"],
        ["Audit log, 7 years", 80, "USD per month", "Pro"],
        ["Onboarding workshop", 1450, "USD, once", "Starter"],
    ],
    "Discounts": [
        ["Who", "Discount", "Proof"],
        ["Registered charities", "40 %", "charity number"],
        ["Schools and universities", "55 %", "address of the domain"],
        ["Start-ups, first year", "25 %", "date of registration"],
        ["Resellers", "18 %", "partner contract"],
    ],
})

workbook("備品台帳_2025.xlsx", {
    "パソコン": [
        ["管理番号", "機種", "使用者", "部署", "購入日", "設置場所", "リース満了"],
        ["PC-0212", "ノート14型", "平野 早紀", "経理部", "2022-05-10", "本社5階", "2026年5月"],
        ["PC-0231", "ノート14型", "森 隆志", "名古屋支店", "2023-02-20", "名古屋支店", "2027年2月"],
        ["PC-0240", "デスクトップ", "共用（製図）", "設計課", "2021-11-08", "本社4階", "2025年11月"],
        ["PC-0255", "ノート13型", "長谷川 舞", "人事部", "2024-04-01", "本社6階", "2028年4月"],
        ["PC-0256", "ノート13型", "石井 由香里", "人事部", "2024-04-01", "本社6階", "2028年4月"],
        ["PC-0268", "タブレット", "共用（受付）", "総務部", "2024-09-17", "本社1階", "買取"],
    ],
    "複合機": [
        ["管理番号", "型式", "設置場所", "月額リース料（税抜）", "保守会社", "カウンター料金（モノクロ）", "カウンター料金（カラー）"],
        ["MF-01", "C3550", "本社5階 中央", 18500, "東亜ビジネス", "0.9円", "8.0円"],
        ["MF-02", "C3550", "本社6階 人事部前", 18500, "東亜ビジネス", "0.9円", "8.0円"],
        ["MF-03", "C5860", "本社4階 設計課", 32000, "東亜ビジネス", "0.8円", "7.5円"],
        ["MF-04", "B2100", "名古屋支店", 9800, "中部OAサービス", "1.2円", "―"],
    ],
    "社用車": [
        ["登録番号", "車種", "燃料", "次回車検", "保管場所", "ETCカード"],
        ["品川500 あ 12-34", "セダン", "ハイブリッド", "2026年3月", "芝浦第2駐車場", "有"],
        ["品川400 い 56-78", "ワゴン", "ガソリン", "2025年9月", "芝浦第2駐車場", "有"],
        ["名古屋500 う 90-12", "軽バン", "ガソリン", "2025年12月", "名古屋支店", "無"],
        ["大宮400 え 34-56", "2tトラック", "軽油", "2025年7月", "さいたま工場", "有"],
    ],
})

document("aquila-filter-manual.docx", [
    "# Aquila P4 water filter: user manual",
    "Read this manual before the first use and keep it. Part number 88-4102, edition 6.",
    "## 1. What is in the box",
    "- Housing P4 with bracket",
    "- Two cartridges (sediment, carbon)",
    "- Spanner for the housing",
    "- Four screws and wall plugs",
    "## 2. Technical data",
    [["Property", "Value"], ["Greatest pressure", "8 bar"], ["Water temperature", "4 to 38 °C"], ["Flow", "11 litres per minute"],
     ["Connection", "3/4 inch, outside thread"], ["Weight, empty", "2.3 kg"], ["Life of the sediment cartridge", "6 months or 30 m³"],
     ["Life of the carbon cartridge", "9 months or 22 m³"]],
    "## 3. Fitting",
    "Shut the main valve and open a tap until no more water comes. Screw the bracket to the wall with the screws supplied. Leave 6 cm free below the housing.",
    "## 4. Changing a cartridge",
    "Turn off the inlet. Press the red button to let the pressure out. Unscrew the housing with the spanner, replace the cartridge, and wet the ring with silicone grease, never with oil. Run the water for ten minutes before drinking.",
    "## 5. The lamp on the lid",
    [["Lamp", "Meaning", "What to do"], ["green, steady", "all is well", "nothing"], ["yellow, flashing", "cartridge used up in two weeks", "order a new one"],
     ["red, steady", "cartridge used up", "change it"], ["red, flashing twice", "battery low", "fit a new CR2450 cell"],
     ["red, flashing four times", "leak sensor wet", "close the inlet, dry the tray"]],
    "## 6. Cleaning and storage",
    "Clean the outside with a damp cloth. Stored filters must be empty and free from frost.",
    "## 7. Warranty",
    "Aquila warrants the housing for five years and the lid's electronics for 24 months from the day of purchase. Cartridges are consumables; we warrant them for 18 months from the day of manufacture, unopened.",
    "## 8. Spare parts",
    [["Part", "Number", "Price"], ["Sediment cartridge", "88-4110", "€14.50"], ["Carbon cartridge", "88-4111", "€21.90"], ["Ring for the housing", "88-4120", "€3.20"],
     ["Spanner", "88-4125", "€6.80"], ["Lid with electronics", "88-4130", "€39.00"]],
    "## 9. Service",
    "Aquila Service, Hauptstraße 12, 4600 Wels. Telephone +43 7242 555 010, Monday to Thursday 8 to 16, Friday 8 to 12.",
])

document("minutes-2025-03-11.docx", [
    "# Minutes: allotment association, committee",
    "Date: Tuesday 11 March 2025, 19:30 to 21:10",
    "Place: Scout hut, Fenwick Lane",
    "Chair: Rosalind Peake",
    "Minutes taken by: Amir Chaudhry",
    "Apologies: Len Garside, Sue Tranter",
    "## 1. Minutes of the last meeting",
    "Approved without change.",
    "## 2. Money",
    "The treasurer, Wendy Holt, reported £4,212.60 in the current account and £11,000 in savings. 9 of 84 rents are still unpaid.",
    "## 3. Water",
    "The standpipe by plot 40 leaks. Two quotations: Bright Plumbing £380, Danes & Son £455 with a two-year guarantee. Resolved: Danes & Son, by five votes to one.",
    "## 4. Bonfires",
    "Bonfires stay limited to the months of November to March, after 4 pm, wood only.",
    "## 5. Actions",
    [["No.", "Action", "Who", "By"], ["1", "Order the new standpipe", "Rosalind Peake", "18 March"], ["2", "Write to those who owe rent", "Wendy Holt", "31 March"],
     ["3", "Repaint the numbers on the plots", "Joe Baptiste", "30 April"], ["4", "Find a speaker for the annual meeting", "Amir Chaudhry", "15 April"],
     ["5", "Get a skip for the spring clean-up", "Len Garside", "5 April"]],
    "## 6. Next meeting",
    "Tuesday 13 May 2025, 19:30, same place.",
])

document("空気清浄機KJ-80取扱説明書.docx", [
    "# 空気清浄機 KJ-80 取扱説明書",
    "このたびはお買い上げいただき、まことにありがとうございます。ご使用の前に必ずお読みください。",
    "## 1. 各部の名前",
    "- 前面パネル、プレフィルター、集じんフィルター、脱臭フィルター、給水タンク、操作部",
    "## 2. 仕様",
    [["項目", "内容"], ["電源", "AC100V 50/60Hz"], ["消費電力", "4W～58W"], ["適用床面積", "～36㎡（22畳）"], ["加湿量", "最大520mL/h"], ["運転音", "19～53dB"],
     ["本体質量", "8.4kg"], ["タンク容量", "約2.8L"], ["電源コードの長さ", "1.8m"]],
    "## 3. お手入れの目安",
    [["部品", "時期", "方法"], ["プレフィルター", "2週間に1回", "掃除機で吸い取る"], ["集じんフィルター", "交換のみ（約10年）", "水洗いできません"], ["脱臭フィルター", "1か月に1回", "掃除機で吸い取る。水洗いできません"],
     ["加湿フィルター", "1か月に1回", "ぬるま湯とクエン酸でつけ置き"], ["給水タンク", "毎日", "水を入れ替え、すすぐ"]],
    "## 4. ランプとエラー表示",
    [["表示", "原因", "処置"], ["E1", "ファンの回転異常", "電源プラグを抜き、販売店へ連絡"], ["E3", "湿度センサーの異常", "販売店へ連絡"], ["E5", "給水タンクが空、または外れている", "水を入れ、正しく取り付ける"],
     ["F（点滅）", "フィルターの交換時期", "交換後、リセットボタンを3秒押す"], ["CL", "チャイルドロック中", "ロックボタンを3秒押して解除"]],
    "## 5. 別売品",
    [["品名", "品番", "希望小売価格（税込）"], ["集じんフィルター", "KJF-80H", "7,480円"], ["脱臭フィルター", "KJF-80D", "5,280円"], ["加湿フィルター", "KJF-80W", "3,960円"], ["Ag除菌カートリッジ", "KJC-11", "1,650円"]],
    "## 6. 保証とアフターサービス",
    "保証期間はお買い上げの日から本体1年、ファンモーターは3年です。消耗品は対象となりません。",
    "補修用性能部品の保有期間は、製造打ち切り後6年です。",
    "ご相談窓口：0120-555-380（受付時間 9:00～18:00、年中無休）",
])

document("第3回品質会議議事録.docx", [
    "# 第3回 品質会議 議事録",
    "日時：2025年6月12日（木）10時00分～11時40分",
    "場所：さいたま工場 第2会議室",
    "出席者：堀内工場長、原田（品質保証部）、山口（製造一課）、森田（購買課）、小林（設計課）",
    "欠席者：渡辺（製造二課）",
    "記録：山口",
    "## 1. 5月の不良実績",
    [["ライン", "生産数", "不良数", "不良率", "主な原因"], ["A", "48,200", "96", "0.20%", "バリ残り"], ["B", "36,500", "219", "0.60%", "寸法不良（治具の摩耗）"], ["C", "51,000", "77", "0.15%", "キズ"], ["D", "12,400", "62", "0.50%", "異物混入"]],
    "## 2. 審議事項",
    "Bラインの治具を更新する。費用は見積3社のうち最安の大同精機（182万円）とし、7月の連休中に入れ替える。",
    "Dラインの入口にエアシャワーを設けるかどうかは、効果の試算を待って次回決める。",
    "## 3. 決定事項と担当",
    [["番号", "内容", "担当", "期限"], ["1", "治具の発注", "森田", "6月20日"], ["2", "エアシャワーの効果試算", "小林", "7月4日"], ["3", "異物混入の検査手順の見直し", "原田", "6月30日"], ["4", "作業者への再教育", "山口", "6月27日"]],
    "## 4. 次回",
    "2025年7月10日（木）10時から、同じ会議室。",
])

pdf("lease-unit-12.pdf", "Helvetica", "Helvetica-Bold", [
    "# Lease of Unit 12, Fulmar Business Park",
    "# Particulars",
    [["Landlord", "Fulmar Estates Limited"], ["Tenant", "Ostler Ceramics LLP"], ["Date of this lease", "14 October 2024"], ["Term", "six years from 1 November 2024"],
     ["Rent", "£27,600 a year, payable quarterly in advance"], ["Rent-free period", "the first two months"], ["Deposit", "£6,900"], ["Permitted use", "workshop and showroom for pottery"],
     ["Parking", "four spaces, numbered 31 to 34"], ["Break date", "31 October 2027, on six months' notice"], ["Insurer", "Pennine Mutual"]],
    "# Schedule 1: service charge",
    [["Item", "Tenant's share"], ["Cleaning of the common parts", "8.5 %"], ["Security patrol", "6 %"], ["Refuse", "12 %"], ["Landscaping", "5 %"], ["Lift", "none"]],
    "# Schedule 2: rules of the estate",
    "2.1 Deliveries by lorries over 7.5 tonnes: only between 7 am and 6 pm.",
    "2.2 Kilns: the tenant may run no more than three, each fitted with its own extractor.",
    "2.3 Signs: one fascia sign of at most 4 m by 0.8 m; no neon.",
    "2.4 Skips: with the estate manager's leave, for at most five days.",
    "# Schedule 3: addresses for notices",
    "Landlord: c/o Brook & Vane Solicitors, 3 Chapel Row, Halifax HX1 5QQ",
    "Tenant: at Unit 12",
    "Estate manager: Gwen Parry, 01422 555 067",
])

pdfmetrics.registerFont(UnicodeCIDFont("HeiseiKakuGo-W5"))
pdf("業務委託契約書_清掃.pdf", "HeiseiKakuGo-W5", "HeiseiKakuGo-W5", [
    "# 清掃業務委託契約書",
    "株式会社東和製作所（以下「甲」という。）と有限会社きらめきメンテナンス（以下「乙」という。）とは、次のとおり契約を締結する。",
    [["契約番号", "総務2024-117"], ["契約期間", "令和7年4月1日から令和8年3月31日まで"], ["履行場所", "東京本社（地下1階から8階まで）"], ["委託料", "月額 418,000円（消費税込み）"],
     ["支払条件", "毎月末日締め、翌月25日払い"], ["甲の担当者", "総務部 大塚 剛"], ["乙の責任者", "現場責任者 岩崎 勝"]],
    "# 別表1 作業の内容と回数",
    [["場所", "作業", "回数"], ["執務室", "床の掃除機がけ", "週3回"], ["執務室", "ごみの回収", "毎営業日"], ["便所", "清掃・消耗品の補充", "1日2回"], ["エントランス", "床の水拭き", "毎営業日"],
     ["窓ガラス", "内外面の清掃", "年4回"], ["カーペット", "洗浄", "年1回"]],
    "# 条項",
    "第5条（再委託）乙は、甲の書面による承諾なく、業務の全部又は一部を第三者に委託してはならない。",
    "第8条（損害賠償）乙が甲に損害を与えたときは、委託料の6か月分を限度として賠償する。",
    "第11条（解約）甲又は乙は、3か月前までに書面で通知することにより、本契約を解約することができる。",
    "第12条（合意管轄）本契約に関する紛争は、東京地方裁判所を第一審の専属的合意管轄裁判所とする。",
])

pdfmetrics.registerFont(TTFont("ipag", "/usr/share/fonts/opentype/ipafont-gothic/ipag.ttf"))
pdf("定期健康診断のお知らせ.pdf", "ipag", "ipag", [
    "# 2025年度 定期健康診断のお知らせ",
    "2025年5月8日　人事部 村上",
    "# 日程と会場",
    [["対象", "実施日", "受付時間", "会場"], ["本社（5階・6階）", "6月3日（火）", "8:30～10:30", "本社大会議室"], ["本社（4階・7階・8階）", "6月4日（水）", "8:30～10:30", "本社大会議室"],
     ["さいたま工場", "6月10日（火）・11日（水）", "7:45～11:00", "工場食堂"], ["名古屋支店・配送センター", "6月17日（火）", "9:00～11:30", "中部健診クリニック"], ["大阪支社", "6月19日（木）", "9:00～11:00", "中之島健診プラザ"]],
    "# 検査の項目",
    "35歳および40歳以上：血液検査、心電図、胃部エックス線（または胃カメラ。差額4,400円は自己負担）",
    "34歳以下、36～39歳：身体計測、尿検査、胸部エックス線",
    "# 注意",
    "食事：前日の21時以降は食べないでください。水は当日朝まで可。",
    "持ち物：問診票、社員証、採尿容器",
    "変更の連絡：実施日の3営業日前までに人事部 村上（内線1105）へ",
    "結果の通知：受診からおよそ4週間後、自宅に郵送",
])
