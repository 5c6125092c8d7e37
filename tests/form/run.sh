#!/usr/bin/env bash
# Pages of reports in a real browser: tests/form/run.sh BINARY [FOLDER FOR SNAPSHOTS]
# Needs Chromium, node and npm (tests/browser.sh); without them it says what it skips.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
binary="$(realpath "$1")"
snapshots="${2:+$(mkdir -p "$2" && realpath "$2")}"

folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
. "$here/../browser.sh"
if ! browser "$folder/npm"; then
    echo "skipped: pages of reports in a browser ($MISSING)"
    exit 0
fi

export DEEPSEARCH_DATA_DIR="$folder/data" CI=true
cd "$folder"
cp -r "$here/../../examples" "$here"/*.md .
"$binary" -q load examples/simpsons
"$binary" -q query "How has The Simpsons changed over time?" -o english.md
for report in english japanese arabic hostile; do
    "$binary" export "$report.md" -o "$report.html"
done
node "$here/page.mjs" "$folder" "$snapshots"
