#!/usr/bin/env bash
# Pages of reports in a real browser: tests/form/run.sh BINARY [FOLDER FOR SNAPSHOTS]
# Needs Chromium, Node, and the packages playwright-core and axe-core, installed here or in the folder that NODE_MODULES
# names (`npm install playwright-core axe-core`); without them it says what it skips.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
binary="$(realpath "$1")"
snapshots="${2:+$(mkdir -p "$2" && realpath "$2")}"

browser="$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)"
modules="${NODE_MODULES:-$here/node_modules}"
for needed in "${browser:-a Chromium}" "$(command -v node || echo node)" "$modules/playwright-core" "$modules/axe-core"; do
    if [ ! -e "$needed" ]; then
        echo "skipped: pages of reports in a browser ($needed is not installed)"
        exit 0
    fi
done

folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
export DEEPSEARCH_DATA_DIR="$folder/data" CI=true
cd "$folder"
cp -r "$here/../../examples" "$here"/*.md .
"$binary" -q load examples/simpsons
"$binary" -q query "How has The Simpsons changed over time?" -o english.md
for report in english japanese arabic hostile; do
    "$binary" export "$report.md" -o "$report.html"
done
node "$here/page.mjs" "$modules" "$browser" "$folder" "$snapshots"
