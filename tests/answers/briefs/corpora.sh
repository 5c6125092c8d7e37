#!/bin/sh
# Fetches the two corpora of the set that are not in the repository, from Debian's packages:
# corpora.sh [FOLDER], by default target/answers-corpora.
#
# debian-policy        Debian Policy Manual, English, GPL-2+
# debian-reference-ja  Debian Reference, Japanese, GPL-2+
set -eu
to=${1:-$(dirname "$0")/../../../target/answers-corpora}
mkdir -p "$to"
to=$(cd "$to" && pwd)
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
cd "$temp"
apt-get download debian-policy debian-reference-ja
for package in *.deb; do
    dpkg-deb -x "$package" .
done
rm -rf "$to/debian-policy" "$to/debian-reference-ja"
mkdir "$to/debian-policy" "$to/debian-reference-ja"
cp usr/share/doc/debian-policy/policy.html/*.html "$to/debian-policy"
rm -f "$to"/debian-policy/genindex.html "$to"/debian-policy/search.html "$to"/debian-policy/index.html
cp usr/share/debian-reference/ch*.ja.html "$to/debian-reference-ja"
