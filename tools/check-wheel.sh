#!/usr/bin/env bash
# Builds both wheels and tries them in a bare environment, in another folder: first the engine and the command line, as
# on a server without Qt, then the window on top.
# usage: tools/check-wheel.sh [release]
#   release   fail where the wheel lacks what pages bring, as at every commit that has a version's tag; elsewhere a machine
#             without Node.js tries the rest of it
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/uv.sh
uv=$(find_uv)
share_package_index
say() { printf 'check-wheel: %s\n' "$*"; }
fail() { say "$@"; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for project in . installers/wayfront; do "$uv" build --quiet --wheel --out-dir "$work/wheel" "$project"; done
engine=$(echo "$work"/wheel/wayfront_engine-*.whl)
window=$(echo "$work"/wheel/wayfront-*.whl)

say "$(basename "$engine"), $(($(stat -c %s "$engine") / 1024)) KiB, and $(basename "$window")"
purpose=${1:-}
! git describe --exact-match --tags --match 'v[0-9]*' >/dev/null 2>&1 || purpose=release
"$python" - "$engine" "$window" "$purpose" <<'EOF'
"""Check what the wheels hold: everything the program needs, nothing that only readers need, and no link that is dead."""
import email, pathlib, re, sys, zipfile

engine, window = (zipfile.ZipFile(path) for path in sys.argv[1:3])
held = set(engine.namelist())
files = [path for path in pathlib.Path("assets").rglob("*") if path.is_file()]
needed = {f"wayfront_gui/{path}" for path in files if "screenshots" not in path.parts}
built = [path for path in pathlib.Path("gui/wayfront_gui/assets").rglob("*") if path.is_file()]
needed |= {str(path.relative_to("gui")) for path in built}
if missing := {"page.js", "page.css"} - {path.name for path in built}:
    if sys.argv[3] == "release":
        sys.exit("check-wheel: a released wheel has what pages bring: install Node.js 20 or later, and run make page")
    print(f"check-wheel: without {', '.join(sorted(missing))} of pages, which could not be built here; no wheel to release")
for folder, root in (("engine", "wayfront"), ("gui", "wayfront_gui")):
    needed |= {str(path.relative_to(folder)) for path in pathlib.Path(folder, root).rglob("*.py")}
    needed.add(f"{root}/py.typed")
missing = sorted(needed - held)
surplus = sorted(name for name in held if "screenshots" in name or name.startswith(("docs/", "tests/", "installers/")))
surplus += [name for name in window.namelist() if ".dist-info/" not in name]
if missing or surplus:
    sys.exit(f"check-wheel: the wheels lack {missing} and should not hold {surplus}")
extras = []
for wheel in (engine, window):
    (path,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    metadata = email.message_from_bytes(wheel.read(path))
    if dead := re.findall(r"\]\((?!https?:)[^)]*\)", metadata.get_payload()):
        sys.exit(f"check-wheel: where packages are listed, these links of the README lead nowhere: {dead}")
    extras.append(set(metadata.get_all("Provides-Extra")))
if extras[0] - extras[1] != {"window"}:
    sys.exit(f"check-wheel: wayfront offers the extras {sorted(extras[1])}, and its engine {sorted(extras[0])}")
EOF

# Neither the checkout nor its environment may help.
unset PYTHONPATH VIRTUAL_ENV UV_PROJECT_ENVIRONMENT
export WAYFRONT_CACHE="$work/cache" WAYFRONT_DATA="$work/data"
"$uv" venv --quiet --python "$python" "$work/venv"
"$uv" pip install --quiet --python "$work/venv/bin/python" "$engine"
mkdir "$work/elsewhere"
cd "$work/elsewhere"
wayfront="$work/venv/bin/wayfront"
city=$("$work/venv/bin/python" -c 'from wayfront_gui.resources import asset; print(asset("city.wayfront"))')
case $city in "$work"/*) ;; *) fail "the city comes from $city, which is not the installed program" ;; esac
! "$work/venv/bin/python" -c 'import PySide6' 2>/dev/null || fail "wayfront-engine brings Qt"

"$work/venv/bin/python" -m wayfront --version
"$wayfront" list >list.txt
grep -q dijkstra list.txt
"$wayfront" solve "$city" --source 1 --verify --json >solved.json
grep -q '"verified": true' solved.json
"$wayfront" compare "$city" --source 1 --algorithms dijkstra --runs 1 -o times.csv -o times.md >/dev/null
[ -s times.csv ] && [ -s times.md ] || fail "compare did not write its tables"
! "$wayfront" render "$city" --source 1 -o tree.png 2>refused.txt || fail "render needs no Qt"
grep -q 'pip install wayfront$' refused.txt || fail "render is not refused in a sentence: $(cat refused.txt)"

"$uv" pip install --quiet --python "$work/venv/bin/python" --find-links "$work/wheel" "$window"
# What first-light writes, the tests look at; it would compile every search that it times anew here.
"$work/venv/bin/wayfront-window" render "$city" --source 1 --tree -o tree.png >/dev/null
[ -s tree.png ] || fail "render did not write tree.png"
say "--version, list, solve and compare run without Qt; with the window's wheel render does"
