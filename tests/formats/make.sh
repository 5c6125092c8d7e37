#!/bin/sh
# Makes the files of this folder from `source`, which holds words of our own. What is committed was made by this script on
# Debian 12 with: pandoc 2.17, LibreOffice 7.4 (writer, calc, impress), pdfTeX of TeX Live 2022 (base, recommended
# and latin modern fonts), Python 3.11, zip, tar, gzip and zstd. Programs stamp their files with the time, so a second run does not give the same
# bytes; `expected.toml` says what has to be found in them.
set -eu
cd "$(dirname "$0")"
rm -rf files archives && mkdir files archives
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export SOURCE_DATE_EPOCH=1664755200 FORCE_SOURCE_DATE=1 TZ=UTC

office() { # TO FILE NAME [FILTER]: converts FILE with LibreOffice
    soffice "-env:UserInstallation=file://$work/profile" --headless ${4:+"--infilter=$4"} --convert-to "$1" \
        --outdir "$work/out" "$2" >/dev/null 2>&1
    stem=$(basename "${2%.*}")
    mv "$work/out/$stem.${1%%:*}" "files/$3"
}

# Text documents by pandoc.
for name in lighthouse tea; do
    p() { pandoc --standalone "source/$name.md" "$@"; }
    p -o files/$name.docx
    p -o files/$name.odt
    p -o files/$name.epub
    p -o files/$name.rtf
    p -o files/$name.tex
    p -o files/$name.org
    p -o files/$name.rst
    p -t asciidoctor -o files/$name.adoc
    p -o files/$name.html
    p -t gfm -o files/$name.md
    p -t plain -o files/$name.txt
    # By LibreOffice from those.
    office docx files/$name.odt $name-office.docx
    office odt files/$name.docx $name-office.odt
    office rtf files/$name.odt $name-office.rtf
    office html files/$name.odt $name-office.html
    office txt:"Text (encoded):UTF8" files/$name.docx $name-office.txt
done
pandoc --standalone -t docbook source/tea.md -o files/tea.xml
pandoc -t epub2 source/lighthouse.md -o files/lighthouse-2.epub
pandoc --standalone --toc source/lighthouse.md -o files/lighthouse-contents.docx
office pdf files/lighthouse.odt lighthouse-office.pdf
# In other encodings.
iconv -t SHIFT_JIS source/tea.md >files/tea-shift-jis.md
pandoc -t plain source/tea.md | iconv -t EUC-JP >files/tea-euc-jp.txt
pandoc -t plain source/lighthouse.md | iconv -t UTF-16 >files/lighthouse-utf-16.txt

# PDF by LaTeX.
pandoc --standalone source/lighthouse.md -o files/lighthouse.pdf
cp source/columns.tex files/columns.tex
pdflatex -interaction=batchmode -output-directory "$work" source/columns.tex >/dev/null 2>&1
pdflatex -interaction=batchmode -output-directory "$work" source/columns.tex >/dev/null 2>&1
cp "$work/columns.pdf" files/columns.pdf

# Slides.
pandoc source/slides.md -o files/slides.pptx
office odp files/slides.pptx slides-office.odp
office pptx files/slides-office.odp slides-office.pptx
office pdf files/slides.pptx slides-office.pdf
pandoc --standalone -t beamer source/slides.md -o files/slides.tex

# Sheets.
office xlsx source/book.fods book.xlsx
office ods source/book.fods book.ods
office xlsx source/ledger.csv ledger.xlsx CSV:44,34,76,1
office ods source/ledger.csv ledger.ods CSV:44,34,76,1
cp source/ledger.csv files/ledger.csv
python3 - <<'PY'
import csv, json
rows = list(csv.reader(open("source/ledger.csv", encoding="utf-8")))
csv.writer(open("files/ledger.tsv", "w", encoding="utf-8", newline=""), delimiter="\t").writerows(rows)
csv.writer(open("files/ledger-semicolons.csv", "w", encoding="utf-8-sig", newline=""), delimiter=";").writerows(rows)
items = json.load(open("source/catalog.json", encoding="utf-8"))["items"]
with open("files/catalog.jsonl", "w", encoding="utf-8") as out:
    out.writelines(json.dumps(item, ensure_ascii=False) + "\n" for item in items)
with open("files/catalog.yaml", "w", encoding="utf-8") as out:
    out.write("catalog: Harbour museum\nitems:\n")
    for item in items:
        out.writelines(f"{'  - ' if key == 'id' else '    '}{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in item.items())
with open("files/catalog.toml", "w", encoding="utf-8") as out:
    out.write('catalog = "Harbour museum"\n')
    for item in items:
        out.write("\n[[items]]\n")
        out.writelines(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in item.items())

from email.message import EmailMessage
def message(subject, body, number):
    mail = EmailMessage()
    mail["From"] = "Élise Faßbinder <elise@example.org>"
    mail["To"] = "jon@example.org"
    mail["Date"] = f"Tue, 0{number} May 2021 10:00:00 +0200"
    mail["Subject"] = subject
    mail["Message-ID"] = f"<{number}@example.org>"
    mail.set_content(body)
    return mail
plain = message("Oil for the harbour light", "Dear Jón,\n\nplease send forty litres of oil before the ice closes the sound.\n\nÉlise\n", 4)
open("files/mail.eml", "wb").write(bytes(plain))
rich = message("燈台の見学について", "The tour of the tower begins at noon.\n", 5)
rich.add_alternative("<html><body><h1>Tour</h1><p>The tour of the tower begins at <b>noon</b>.</p></body></html>", subtype="html")
rich.add_attachment(open("source/crew.csv", "rb").read(), maintype="text", subtype="csv", filename="crew.csv")
open("files/mail-parts.eml", "wb").write(bytes(rich))
with open("archives/mail.mbox", "wb") as out:
    for mail in (plain, rich):
        out.write(b"From elise@example.org Tue May  4 10:00:00 2021\n" + bytes(mail).replace(b"\nFrom ", b"\n>From ") + b"\n")
PY
cp source/catalog.json files/catalog.json
cat >files/catalog.xml <<'XML'
<?xml version="1.0" encoding="UTF-8"?>
<catalog name="Harbour museum">
  <item id="1"><name>First-order lens</name><note>The lens has 1,024 prisms, of which nine are cracked.</note></item>
  <item id="2"><name>Keeper's log</name><note>The log was bought at an auction in Tórshavn.</note></item>
  <item id="3"><name>茶碗</name><note>A tea bowl that a sailor left as a pledge.</note></item>
</catalog>
XML

# Notebooks, subtitles, code.
pandoc source/notebook.md -o files/notebook.ipynb
cp source/talk.srt files/talk.srt
{ printf 'WEBVTT\n\n'; sed 's/\(:[0-9][0-9]\),/\1./g' source/talk.srt; } >files/talk.vtt
cp source/beacon.py files/beacon.py
cat >files/beacon.rs <<'RS'
//! Computes how far a light can be seen.

/// Distance to the horizon in nautical miles, for a height in metres.
pub fn horizon(height: f64) -> f64 {
    2.08 * height.sqrt()
}
RS

# Archives of some of them.
(cd files && zip -q ../archives/some.zip lighthouse.md tea.txt ledger.csv slides.pptx)
(cd files && tar --owner=0 --group=0 --mtime=@1664755200 -cf ../archives/some.tar lighthouse.md tea.txt ledger.csv)
gzip -nk9 <archives/some.tar >archives/some.tar.gz
zstd -q19 <archives/some.tar >archives/some.tar.zst
gzip -nk9 <files/lighthouse.txt >archives/lighthouse.txt.gz
zstd -q19 <files/tea.txt >archives/tea.txt.zst
