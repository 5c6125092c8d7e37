#!/usr/bin/env bash
# Builds the release binary for a target: `packaging/build.sh TARGET`. Its path is the last line of the output.
#
# The same commit and toolchain are to give the same bytes wherever the checkout and cargo's home lie, so their paths
# are taken out of the binary, and times are those of the commit.
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: $0 TARGET, as in x86_64-unknown-linux-gnu" >&2; exit 2; }
target="$1"
cd "$(dirname "$0")/.."
# As the compiler sees it, which is not how Git's shell on Windows writes it.
if command -v cygpath >/dev/null; then here="$(cygpath -w "$PWD")"; else here="$PWD"; fi
cargo_home="${CARGO_HOME:-${USERPROFILE:-$HOME}/.cargo}"
sysroot="$(rustc --print sysroot)"

SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
# `--version` shows it.
DEEPSEARCH_COMMIT="$(git describe --always --dirty --exclude='*' --abbrev=12)"
export SOURCE_DATE_EPOCH DEEPSEARCH_COMMIT
# A path may have a space in it, so the flags are parted by the byte that cargo takes for that.
flags=("--remap-path-prefix=$cargo_home=/cargo" "--remap-path-prefix=$here=/deepsearch" "--remap-path-prefix=$sysroot=/rust")
case "$target" in
    *-windows-msvc)
        # Without a time of its own, with the C library inside, and with the stack that other systems give.
        flags+=("-Clink-arg=/Brepro" "-Ctarget-feature=+crt-static" "-Clink-arg=/STACK:8388608") ;;
    *)
        # The C parts (SQLite, zstd, ring, simsimd) name their files too.
        export CFLAGS="${CFLAGS:-} -ffile-prefix-map=$cargo_home=/cargo -ffile-prefix-map=$here=/deepsearch" ;;
esac
case "$target" in
    *-linux-gnu)
        # With the C library inside (libc6-dev has it): the program names no shared library, and runs on every Linux.
        # It looks up names without the libraries that a system may list for that (src/net/names.rs).
        # Random bytes come from the kernel's call: where glibc is inside, getrandom does not find it at run time and
        # would read /dev/urandom, which an empty root does not have.
        flags+=("-Ctarget-feature=+crt-static" '--cfg=getrandom_backend="linux_getrandom"') ;;
esac
CARGO_ENCODED_RUSTFLAGS="$(IFS=$'\x1f'; printf '%s' "${flags[*]}")"
export CARGO_ENCODED_RUSTFLAGS CARGO_INCREMENTAL=0

cargo build --release --locked --target "$target" --bin deepsearch
case "$target" in *-windows-*) ending=.exe ;; *) ending= ;; esac
echo "${CARGO_TARGET_DIR:-target}/$target/release/deepsearch$ending"
