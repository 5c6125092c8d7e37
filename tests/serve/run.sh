#!/usr/bin/env bash
# Real clients against the real binary: tests/serve/run.sh BINARY
# Needs Python with the packages mcp and openai, and for the page Chromium with npm; without them it says what it skips.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
binary="$(realpath "$1")"
python="${PYTHON:-python3}"

folder="$(mktemp -d)"
trap 'kill "${server:-}" "${slow:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
export DEEPSEARCH_DATA_DIR="$folder/data" CI=true
cd "$folder"

has() { "$python" -c "import $1" 2>/dev/null; }
. "$here/../browser.sh"
browser "$folder/npm" || true
if ! has mcp && ! has openai && [ -n "$MISSING" ]; then
    echo "skipped: clients of the server (the Python packages mcp and openai are not installed, and $MISSING)"
    exit 0
fi

"$binary" -q load "$here/../../examples/simpsons" --collection-per-dir
cp -r "$DEEPSEARCH_DATA_DIR" "$folder/slow-data"

# listens PID LOG: waits until the server listens, and says where.
listens() {
    for _ in $(seq 300); do
        url="$(sed -n 's/^listening on //p' "$2")"
        [ -n "$url" ] && break
        kill -0 "$1" || { cat "$2" >&2; exit 1; }
        read -rt 0.1 <> <(:) || true
    done
    echo "$url"
}
"$binary" --offline --set memory.enabled=on serve --listen 127.0.0.1:0 2>"$folder/log" &
server=$!
url="$(listens "$server" "$folder/log")"
token="$(cat "$DEEPSEARCH_DATA_DIR/served/token")"
# One whose runs last until they are stopped.
slowly=("$binary" --data-dir "$folder/slow-data" --set llm.provider=mock --set "llm.mock.script=$here/slow.toml")
"${slowly[@]}" serve --listen 127.0.0.1:0 2>"$folder/slow-log" &
slow=$!
slow_url="$(listens "$slow" "$folder/slow-log")"
slow_token="$(cat "$folder/slow-data/served/token")"

if has mcp; then
    echo "mcp over standard input and output"
    "$python" "$here/mcp_client.py" stdio "$binary" --offline --data-dir "$DEEPSEARCH_DATA_DIR" mcp
    echo "mcp over HTTP"
    "$python" "$here/mcp_client.py" http "$url/mcp" "$token"
    echo "mcp with tasks, over both"
    "$python" "$here/mcp_tasks.py" stdio "${slowly[@]}" mcp
    "$python" "$here/mcp_tasks.py" http "$slow_url/mcp" "$slow_token"
else
    echo "skipped: mcp_client.py and mcp_tasks.py (the Python package mcp is not installed)"
fi
if has openai; then
    echo "openai"
    "$python" "$here/openai_client.py" "$url" "$token"
else
    echo "skipped: openai_client.py (the Python package openai is not installed)"
fi
if [ -z "$MISSING" ]; then
    echo "the page in Chromium"
    node "$here/page_client.mjs" "$url" "$token" "$slow_url" "$slow_token" ${PICTURES:+"$PICTURES"}
else
    echo "skipped: page_client.mjs ($MISSING)"
fi
