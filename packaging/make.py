#!/usr/bin/env python3
"""Makes the packages of one platform from a release binary.

    packaging/make.py BINARY TARGET OUT

TARGET is the name that Rust has for the platform, as in `x86_64-unknown-linux-gnu`. OUT gets an archive, a Python
wheel and the npm packages; for Linux also a Debian package, and an RPM where `rpmbuild` is installed; and SHA256SUMS.
The binary is run for its manual and completions, and cargo is asked for the licences, so both have to work here.
The same binary and commit give the same bytes: every time is SOURCE_DATE_EPOCH, else the time of the last commit.
Nothing but Python's own library is needed.
"""

import base64
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = "deepsearch"
PACKAGE = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["package"]
VERSION = PACKAGE["version"]
SUMMARY = "Research over your own documents, with a citation for every claim"

# For each platform: what Debian, RPM, wheels and npm call it. For Linux a wheel's name is made by `wheel_platform`.
TARGETS = {
    "x86_64-unknown-linux-gnu": ("amd64", "x86_64", None, ("linux", "x64")),
    "aarch64-unknown-linux-gnu": ("arm64", "aarch64", None, ("linux", "arm64")),
    "x86_64-apple-darwin": (None, None, "macosx_10_12_x86_64", ("darwin", "x64")),
    "aarch64-apple-darwin": (None, None, "macosx_11_0_arm64", ("darwin", "arm64")),
    "x86_64-pc-windows-msvc": (None, None, "win_amd64", ("win32", "x64")),
}
# The file of each shell's completions, and where a Unix system looks for it.
SHELLS = {
    "bash": ("deepsearch.bash", "share/bash-completion/completions/deepsearch"),
    "zsh": ("_deepsearch", "share/zsh/site-functions/_deepsearch"),
    "fish": ("deepsearch.fish", "share/fish/vendor_completions.d/deepsearch.fish"),
    "powershell": ("_deepsearch.ps1", None),
    "elvish": ("deepsearch.elv", None),
}


def main() -> None:
    if len(sys.argv) != 4 or sys.argv[2] not in TARGETS:
        known = "\n  ".join(TARGETS)
        sys.exit(f"usage: {sys.argv[0]} BINARY TARGET OUT\nTARGET is one of\n  {known}")
    binary, target, out = Path(sys.argv[1]).resolve(), sys.argv[2], Path(sys.argv[3]).resolve()
    said = run([binary, "--version"]).split()
    if said[1:2] != [VERSION]:
        sys.exit(f"{binary} is version {' '.join(said[1:])}, but Cargo.toml says {VERSION}: build it again")
    out.mkdir(parents=True, exist_ok=True)
    program = binary.read_bytes()
    files = contents(binary, target)

    archive(out, target, program, files)
    wheel(out, target, program, files)
    npm(out, target, program, files)
    if "linux" in target:
        with tempfile.TemporaryDirectory() as scratch:
            tree = system_tree(Path(scratch) / "tree", target, program, files)
            debian(out, target, tree, needed_glibc(program))
            rpm(out, target, tree, Path(scratch))
    for line in write_sums(out):
        print(line)


def run(command: list, **more) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", **more)
    if done.returncode != 0:
        sys.exit(f"`{' '.join(map(str, command))}` failed with {done.returncode}")
    return done.stdout


def epoch() -> int:
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return int(given or run(["git", "-C", ROOT, "log", "-1", "--format=%ct"]))


EPOCH = epoch()


def contents(binary: Path, target: str) -> dict[str, bytes]:
    """What every archive holds beside the program, by path."""
    files = {name: (ROOT / name).read_bytes() for name in ("LICENSE", "README.md", "CHANGELOG.md", "config.example.toml")}
    for model in ("encoder", "reader"):
        files[f"models/{model}.md"] = (ROOT / "models" / model / "README.md").read_bytes()
    files["THIRD-PARTY.txt"] = (licences(target) + licence_of_glibc(binary.read_bytes())).encode()
    for path in sorted((ROOT / "examples/simpsons").rglob("*")):
        if path.is_file():
            files[path.relative_to(ROOT).as_posix()] = path.read_bytes()
    with tempfile.TemporaryDirectory() as pages:
        run([binary, "man", "--dir", pages], stderr=subprocess.DEVNULL)
        for page in sorted(Path(pages).iterdir()):
            files[f"man/{page.name}"] = page.read_bytes()
    for shell, (name, _) in SHELLS.items():
        files[f"completions/{name}"] = run([binary, "completions", shell]).encode()
    return files


def licences(target: str) -> str:
    """The licences of the crates inside the program. Most ask that their text goes with every copy."""
    common = ["--locked", "--manifest-path", ROOT / "Cargo.toml"]
    listed = run(["cargo", "tree", *common, "--target", target, "-e", "normal", "--prefix", "none", "-f", "{p}"])
    inside = {tuple(line.split()[:2]) for line in listed.splitlines() if line}
    about = json.loads(run(["cargo", "metadata", *common, "--format-version", "1"]))["packages"]
    parts, seen = ["The program contains these crates.\n"], {}
    for crate in sorted(about, key=lambda crate: (crate["name"], crate["version"])):
        if (crate["name"], f"v{crate['version']}") not in inside or crate["name"] == NAME:
            continue
        title = f"{crate['name']} {crate['version']}"
        parts.append(f"\n{'=' * 80}\n{title}: {crate['license'] or 'see below'}\n{crate['repository'] or ''}\n")
        for path in sorted(Path(crate["manifest_path"]).parent.iterdir()):
            if re.match(r"(?i)(licen[cs]e|copying|notice|unlicense)", path.name) and path.is_file():
                text = path.read_text("utf-8", errors="replace").strip()
                first = seen.setdefault(text, f"{title}, {path.name}")
                parts.append(f"\n{path.name}:\n\n{text if first == f'{title}, {path.name}' else f'as for {first}'}\n")
    return "".join(parts)


def is_static(program: bytes) -> bool:
    """Whether a program for Linux names no loader of shared libraries."""
    start, size, count = (int.from_bytes(program[at : at + length], "little") for at, length in ((32, 8), (54, 2), (56, 2)))
    interpreter = (3).to_bytes(4, "little")
    return all(program[at : at + 4] != interpreter for at in range(start, start + size * count, size))


def needed_glibc(program: bytes) -> int | None:
    """The minor version of the glibc that a program for Linux needs, or None for a static one."""
    if is_static(program):
        return None
    return max(int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", program))


def licence_of_glibc(program: bytes) -> str:
    """What the licence of glibc asks for where the program holds it: its text, and how to put another in its place."""
    if program[:4] != b"\x7fELF" or not is_static(program):
        return ""
    texts = [Path("/usr/share/doc/libc6/copyright"), Path("/usr/share/common-licenses/LGPL-2.1")]
    if missing := [str(path) for path in texts if not path.is_file()]:
        sys.exit(f"a static program holds glibc, whose licence is not here: {', '.join(missing)}")
    version = run(["ldd", "--version"]).splitlines()[0].removeprefix("ldd ")
    told = (
        f"\n{'=' * 80}\nGNU C Library {version}: LGPL-2.1-or-later\nhttps://sourceware.org/glibc/\n\n"
        "The program holds this library, unchanged, as the system that built it has it; its source is that of this\n"
        "system's package. Who changes the library links the program with it by building the program from its own\n"
        "source with packaging/build.sh.\n"
    )
    return told + "".join(f"\n{path.read_text('utf-8', errors='replace').strip()}\n" for path in texts)


def wheel_platform(program: bytes, target: str) -> str:
    """What a wheel is for. One for glibc is named after the version that it needs; a static program needs none."""
    _, processor, platform, _ = TARGETS[target]
    if platform:
        return platform
    glibc = needed_glibc(program)
    return f"manylinux_2_{glibc}_{processor}" if glibc else f"manylinux_2_17_{processor}.musllinux_1_1_{processor}"


def tar_gz(path: Path, files: dict[str, bytes], executable: str) -> None:
    with path.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=EPOCH) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for name, data in sorted(files.items()):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mtime = len(data), EPOCH
                entry.mode = 0o755 if name == executable else 0o644
                tar.addfile(entry, io.BytesIO(data))


def zipped(path: Path, files: dict[str, bytes], executable: str) -> None:
    """In the order given, since the last file of a wheel lists the others."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, time.gmtime(EPOCH)[:6])
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if name == executable else 0o100644) << 16
            packed.writestr(entry, data)


def executable_name(target: str) -> str:
    return f"{NAME}.exe" if "windows" in target else NAME


def archive(out: Path, target: str, program: bytes, files: dict[str, bytes]) -> None:
    folder = f"{NAME}-{VERSION}-{target}"
    executable = f"{folder}/{executable_name(target)}"
    inside = {executable: program} | {f"{folder}/{name}": data for name, data in files.items()}
    if "windows" in target:
        zipped(out / f"{folder}.zip", inside, executable)
    else:
        tar_gz(out / f"{folder}.tar.gz", inside, executable)


def wheel(out: Path, target: str, program: bytes, files: dict[str, bytes]) -> None:
    platform = wheel_platform(program, target)
    tags = "".join(f"Tag: py3-none-{one}\n" for one in platform.split("."))
    info = f"{NAME}-{VERSION}.dist-info"
    executable = f"{NAME}-{VERSION}.data/scripts/{executable_name(target)}"
    metadata = (
        f"Metadata-Version: 2.4\nName: {NAME}\nVersion: {VERSION}\nSummary: {SUMMARY}\n"
        f"License-Expression: {PACKAGE['license']}\nLicense-File: LICENSE\nLicense-File: THIRD-PARTY.txt\n"
        f"License-File: encoder.md\nLicense-File: reader.md\n"
        f"Keywords: {','.join(PACKAGE['keywords'])}\nRequires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n"
    )
    inside = {
        executable: program,
        f"{info}/METADATA": metadata.encode() + files["README.md"],
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: make.py\nRoot-Is-Purelib: false\n{tags}".encode(),
    }
    for name in ("LICENSE", "THIRD-PARTY.txt", "models/encoder.md", "models/reader.md"):
        inside[f"{info}/licenses/{name.rsplit('/', 1)[-1]}"] = files[name]
    lines = []
    for name, data in inside.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    inside[f"{info}/RECORD"] = "".join([*lines, f"{info}/RECORD,,\n"]).encode()
    zipped(out / f"{NAME}-{VERSION}-py3-none-{platform}.whl", inside, executable)


def npm(out: Path, target: str, program: bytes, files: dict[str, bytes]) -> None:
    """A package with the program for this platform, and the one that people install, which is the same for all."""
    common = {"version": VERSION, "description": SUMMARY, "license": PACKAGE["license"], "keywords": PACKAGE["keywords"]}
    texts = {f"package/{name}": files[name] for name in ("LICENSE", "README.md")}

    def write(name: str, more: dict, inside: dict[str, bytes], executable: str) -> None:
        manifest = json.dumps({"name": name} | common | more, indent=2) + "\n"
        inside = texts | inside | {"package/package.json": manifest.encode()}
        tar_gz(out / f"{name}-{VERSION}.tgz", inside, executable)

    system, processor = TARGETS[target][3]
    libc = {"libc": ["glibc"]} if system == "linux" and needed_glibc(program) else {}
    executable = f"package/bin/{executable_name(target)}"
    notices = {f"package/{name}": files[name] for name in ("THIRD-PARTY.txt", "models/encoder.md", "models/reader.md")}
    own = {"os": [system], "cpu": [processor], "preferUnplugged": True} | libc
    write(f"{NAME}-{system}-{processor}", own, notices | {executable: program}, executable)

    launcher = "package/bin/deepsearch.js"
    platforms = sorted({"-".join(target[3]) for target in TARGETS.values()})
    front = {
        "bin": {NAME: "bin/deepsearch.js"},
        "engines": {"node": ">=18"},
        "optionalDependencies": {f"{NAME}-{platform}": VERSION for platform in platforms},
    }
    write(NAME, front, {launcher: (ROOT / "packaging/deepsearch.js").read_bytes()}, launcher)


def system_tree(tree: Path, target: str, program: bytes, files: dict[str, bytes]) -> Path:
    """The files where a Linux distribution wants them."""
    doc = f"share/doc/{NAME}"
    places = {f"bin/{NAME}": program}
    for name, data in files.items():
        if name.startswith("man/"):
            places[f"share/man/man1/{name[4:]}.gz"] = gzip.compress(data, 9, mtime=EPOCH)
        elif not name.startswith("completions/"):
            places[f"{doc}/{'copyright' if name == 'LICENSE' else name}"] = data
    for name, place in SHELLS.values():
        if place:
            places[place] = files[f"completions/{name}"]
    for place, data in places.items():
        path = tree / "usr" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(0o755 if place == f"bin/{NAME}" else 0o644)
    for folder in [tree, *(path for path in tree.rglob("*") if path.is_dir())]:
        folder.chmod(0o755)
    return tree


def debian(out: Path, target: str, tree: Path, glibc: int | None) -> None:
    architecture = TARGETS[target][0]
    control = tree / "DEBIAN"
    control.mkdir()
    installed = sorted(path for path in tree.rglob("*") if path.is_file())
    size = sum(path.stat().st_size for path in installed) // 1024
    needs = f"Depends: libc6 (>= 2.{glibc}), libgcc-s1\n" if glibc else ""
    (control / "control").write_text(
        f"Package: {NAME}\nVersion: {VERSION}\nArchitecture: {architecture}\nInstalled-Size: {size}\n{needs}"
        f"Section: text\nPriority: optional\nMaintainer: The {NAME} project <noreply@invalid>\n"
        f"Description: {SUMMARY}\n {NAME} reads files into collections and answers questions over them with a report.\n"
        " It needs neither a key nor a network; with a key, a language model plans and writes.\n"
    )
    sums = (f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(tree)}\n" for path in installed)
    (control / "md5sums").write_text("".join(sums))
    file = out / f"{NAME}_{VERSION}_{architecture}.deb"
    # Blocks of threads would change the bytes with the number of processors.
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(EPOCH)}
    options = ["--root-owner-group", "--uniform-compression", "-Zxz", "--threads-max=1"]
    run(["dpkg-deb", *options, "--build", tree, file], env=environment, stderr=subprocess.DEVNULL)
    shutil.rmtree(control)


def rpm(out: Path, target: str, tree: Path, scratch: Path) -> None:
    if not shutil.which("rpmbuild"):
        print("no RPM: `rpmbuild` is not installed", file=sys.stderr)
        return
    shared = [str(Path("/usr", place).parent) for _, place in SHELLS.values() if place]
    owned = [f"%dir {folder}" for place in shared for folder in (str(Path(place).parent), place)]
    owned += [f"%dir /{path.relative_to(tree)}" for path in sorted((tree / f"usr/share/doc/{NAME}").rglob("*")) if path.is_dir()]
    owned += [f"%dir /usr/share/doc/{NAME}"]
    listed = sorted(f"/{path.relative_to(tree)}" for path in tree.rglob("*") if path.is_file())
    spec = scratch / f"{NAME}.spec"
    spec.write_text(
        # The program is finished: nothing is stripped or compressed again.
        "%global __os_install_post %{nil}\n%global debug_package %{nil}\n%global _build_id_links none\n"
        "%global _buildhost localhost\n%global use_source_date_epoch_as_buildtime 1\n"
        "%global clamp_mtime_to_source_date_epoch 1\n%global source_date_epoch_from_changelog 0\n"
        "%global _binary_payload w19.zstdio\n"
        f"Name: {NAME}\nVersion: {VERSION}\nRelease: 1\nSummary: {SUMMARY}\nLicense: {PACKAGE['license']}\n"
        f"%description\n{NAME} reads files into collections and answers questions over them with a report.\n"
        "It needs neither a key nor a network; with a key, a language model plans and writes.\n"
        f"%install\nmkdir -p %{{buildroot}}\ncp -a '{tree}/.' %{{buildroot}}/\n"
        "%files\n%defattr(-,root,root)\n" + "\n".join([*owned, *listed]) + "\n"
    )
    architecture = TARGETS[target][1]
    # rpmbuild lowers times to the epoch, but never raises them.
    for path in tree.rglob("*"):
        os.utime(path, (EPOCH, EPOCH))
    command = ["rpmbuild", "-bb", "--quiet", "--target", architecture, "--define", f"_topdir {scratch}/rpm", spec]
    run(command, env=os.environ | {"SOURCE_DATE_EPOCH": str(EPOCH)})
    for made in (scratch / "rpm/RPMS").rglob("*.rpm"):
        shutil.copyfile(made, out / made.name)


def write_sums(out: Path) -> list[str]:
    """SHA256SUMS over everything in the folder; what was made, with sizes in MB."""
    made = sorted(path for path in out.iterdir() if path.is_file() and path.name != "SHA256SUMS")
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in made]
    (out / "SHA256SUMS").write_bytes("".join(sums).encode())
    return [f"{path.stat().st_size / 1e6:7.1f} MB  {path.name}" for path in made]


if __name__ == "__main__":
    main()
