#!/usr/bin/env bash
# Tries the packages of this platform that `make.py` made: `packaging/try.sh OUT`, as root.
#
# Each package is installed from its file into an empty place, the two commands of the README run there without a
# network and with an empty home, and the package is removed. A line for each says how long installing and the two
# commands took together. The script fails if a command does, if there is no report, or if a file is left behind.
# The Debian package, the RPM and the archive run by `chroot` in a root that holds nothing else but the shared
# libraries that the program names; what has no tool here (rpm, python3, npm, uv) is named as skipped.
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: $0 OUT" >&2; exit 2; }
out="$(cd "$1" && pwd)"
examples="$(cd "$(dirname "$0")/.." && pwd)/examples"
[ "$(id -u)" -eq 0 ] || { echo "chroot and unshare need root: run it by sudo" >&2; exit 2; }
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
machine="$(uname -m)"

question="How has The Simpsons changed over time?"
now() { date +%s%N; }
# Seconds since a moment, as 1.23.
since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.2f", (b - a) / 1e9 }'; }

listed() { (cd "$1" && find . \( -path ./home -o -path ./var \) -prune -o -print | LC_ALL=C sort); }

one() { # the only file that matches, or nothing
    local found
    found="$(find "$out" -maxdepth 1 -name "$1" | head -n 1)"
    [ -n "$found" ] && printf '%s' "$found"
}

check_report() { # NAME REPORT
    # A numbered line is a source.
    [ "$(grep -c '^[0-9]*\. ' "$2")" -ge 3 ] || { echo "$1: the report names no sources" >&2; exit 1; }
}

done_with() { # NAME ROOT SECONDS, where the list of files before stands in ROOT.before
    local left
    left="$(listed "$2" | LC_ALL=C comm -13 "$2.before" -)"
    [ -z "$left" ] || { printf '%s: this was left behind\n%s\n' "$1" "$left" >&2; exit 1; }
    printf '%-8s %8s s   nothing left behind\n' "$1" "$3"
}

# A root with the folders that every system has, the examples, and the libraries of a program.
empty_root() { # ROOT PROGRAM
    mkdir -p "$1"/{home,tmp,usr/bin,usr/share/man/man1,usr/share/doc,var/lib/dpkg/info,var/lib/dpkg/updates}
    touch "$1/var/lib/dpkg/status"
    cp -r "$examples" "$1/examples"
    local library
    for library in $(ldd "$2" 2>/dev/null | grep -o '/[^ ]*' || true); do
        mkdir -p "$1$(dirname "$library")"
        cp -L "$library" "$1$library"
    done
    listed "$1" > "$1.before"
}

in_root() { # NAME ROOT PROGRAM
    local alone=(env -i HOME=/home PATH=/usr/sbin:/usr/bin:/sbin:/bin unshare -n chroot "$2" "$3")
    "${alone[@]}" -q load examples/simpsons > /dev/null
    "${alone[@]}" -q query "$question" > "$scratch/report.md"
    check_report "$1" "$scratch/report.md"
}

on_host() { # NAME HOME PATH: the command is found in PATH
    local alone=(env -i HOME="$2" PATH="$3" unshare -n deepsearch)
    (cd "$(dirname "$examples")" && "${alone[@]}" -q load examples/simpsons > /dev/null)
    "${alone[@]}" -q query "$question" > "$scratch/report.md"
    check_report "$1" "$scratch/report.md"
}

archive="$(one "deepsearch-*-$machine-unknown-linux-*.tar.gz")" || { echo "no archive for $machine in $out" >&2; exit 1; }
mkdir "$scratch/unpacked"
tar -xzf "$archive" -C "$scratch/unpacked" --strip-components=1
program="$scratch/unpacked/deepsearch"

root="$scratch/archive"
empty_root "$root" "$program"
begun="$(now)"
mkdir "$root/opt"
tar -xzf "$archive" -C "$root/opt"
in_root archive "$root" "/opt/$(basename "$archive" .tar.gz)/deepsearch"
took="$(since "$begun")"
rm -r "$root/opt"
done_with archive "$root" "$took"

case "$machine" in x86_64) debian=amd64 npm=x64 ;; aarch64) debian=arm64 npm=arm64 ;; *) debian=$machine npm=$machine ;; esac

if command -v dpkg >/dev/null && deb="$(one "deepsearch_*_$debian.deb")"; then
    root="$scratch/deb"
    empty_root "$root" "$program"
    begun="$(now)"
    # What it depends on lies there, but no package says so.
    dpkg --root="$root" --force-depends --force-not-root --log=/dev/null -i "$deb" > "$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
    in_root deb "$root" /usr/bin/deepsearch
    took="$(since "$begun")"
    dpkg --root="$root" --log=/dev/null --purge deepsearch > "$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
    done_with deb "$root" "$took"
else
    echo "deb      skipped: no dpkg, or no package"
fi

if command -v rpm >/dev/null && rpm="$(one "deepsearch-*.$machine.rpm")"; then
    root="$scratch/rpm"
    empty_root "$root" "$program"
    # Debian's rpm asks for its own word before it installs anything.
    tool=(rpm --root "$root" --dbpath /var/lib/rpm)
    [ ! -e /etc/debian_version ] || tool+=(--force-debian)
    begun="$(now)"
    "${tool[@]}" -i --nodeps "$rpm"
    in_root rpm "$root" /usr/bin/deepsearch
    took="$(since "$begun")"
    "${tool[@]}" -e deepsearch
    done_with rpm "$root" "$took"
else
    echo "rpm      skipped: no rpm, or no package"
fi

wheel="$(one "deepsearch-*_$machine*.whl")" || true
if command -v python3 >/dev/null && [ -n "$wheel" ]; then
    root="$scratch/wheel"
    python3 -m venv "$root"
    mkdir "$root/home"
    listed "$root" > "$root.before"
    begun="$(now)"
    "$root/bin/pip" -q --disable-pip-version-check install --no-index --no-cache-dir "$wheel"
    on_host wheel "$root/home" "$root/bin:/usr/bin:/bin"
    took="$(since "$begun")"
    "$root/bin/pip" -q --disable-pip-version-check uninstall -y deepsearch
    done_with wheel "$root" "$took"
else
    echo "wheel    skipped: no python3, or no package"
fi

if command -v uv >/dev/null && [ -n "$wheel" ]; then
    mkdir -p "$scratch/uv/home"
    alone=(env -i HOME="$scratch/uv/home" PATH="$(dirname "$(command -v uv)"):/usr/bin:/bin" unshare -n)
    alone+=(uv tool run --offline --from "$wheel" deepsearch -q)
    begun="$(now)"
    (cd "$(dirname "$examples")" && "${alone[@]}" load examples/simpsons > /dev/null 2>&1)
    "${alone[@]}" query "$question" > "$scratch/report.md" 2>/dev/null
    check_report uvx "$scratch/report.md"
    printf '%-8s %8s s   left in the cache of uv\n' uvx "$(since "$begun")"
else
    echo "uvx      skipped: no uv, or no package"
fi

if command -v npm >/dev/null && package="$(one "deepsearch-linux-$npm-*.tgz")"; then
    root="$scratch/npm"
    front="$(one 'deepsearch-[0-9]*.tgz')"
    mkdir -p "$root"/{home,lib/node_modules,bin}
    listed "$root" > "$root.before"
    tool=(env HOME="$scratch" npm --prefix "$root" --cache "$scratch/npm-cache" --loglevel error --no-fund --no-audit --no-update-notifier)
    begun="$(now)"
    "${tool[@]}" install -g --offline "$front" "$package" > "$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
    on_host npm "$root/home" "$root/bin:$(dirname "$(command -v node)"):/usr/bin:/bin"
    took="$(since "$begun")"
    "${tool[@]}" uninstall -g deepsearch "deepsearch-linux-$npm" > "$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
    done_with npm "$root" "$took"
else
    echo "npm      skipped: no npm, or no package"
fi
