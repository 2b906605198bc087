#!/usr/bin/env bash
# Builds the wheel, installs it into a bare environment and runs the program from there, in another folder.
# usage: tools/check-wheel.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/uv.sh
uv=$(find_uv)
share_package_index
say() { printf 'check-wheel: %s\n' "$*"; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$uv" build --quiet --wheel --out-dir "$work/wheel" .
wheel=$(echo "$work"/wheel/*.whl)

say "$(basename "$wheel"), $(($(stat -c %s "$wheel") / 1024)) KiB"
"$python" - "$wheel" <<'EOF'
"""Check what the wheel holds: everything the program needs, and nothing that only readers need."""
import pathlib, sys, zipfile

held = set(zipfile.ZipFile(sys.argv[1]).namelist())
files = [path for path in pathlib.Path("assets").rglob("*") if path.is_file()]
needed = {f"wayfront_gui/{path}" for path in files if "screenshots" not in path.parts}
for folder, root in (("engine", "wayfront"), ("gui", "wayfront_gui")):
    needed |= {str(path.relative_to(folder)) for path in pathlib.Path(folder, root).rglob("*.py")}
    needed.add(f"{root}/py.typed")
missing = sorted(needed - held)
surplus = sorted(name for name in held if "screenshots" in name or name.startswith(("docs/", "tests/")))
if missing or surplus:
    sys.exit(f"check-wheel: the wheel lacks {missing} and should not hold {surplus}")
EOF

# Neither the checkout nor its environment may help.
unset PYTHONPATH VIRTUAL_ENV UV_PROJECT_ENVIRONMENT
export WAYFRONT_CACHE="$work/cache" WAYFRONT_DATA="$work/data"
"$uv" venv --quiet --python "$python" "$work/venv"
"$uv" pip install --quiet --python "$work/venv/bin/python" "$wheel"
mkdir "$work/elsewhere"
cd "$work/elsewhere"
wayfront="$work/venv/bin/wayfront"
city=$("$work/venv/bin/python" -c 'from wayfront_gui.resources import asset; print(asset("city.wayfront"))')
case $city in "$work"/*) ;; *) say "the city comes from $city, which is not the installed program"; exit 1 ;; esac

"$wayfront" --version
"$wayfront" list >list.txt
grep -q dijkstra list.txt
"$wayfront" solve "$city" --source 1 --verify --json >solved.json
grep -q '"verified": true' solved.json
# What first-light writes, the tests look at; it would compile every search that it times anew here.
"$wayfront" render "$city" --source 1 --tree -o tree.png >/dev/null
[ -s tree.png ] || { say "render did not write tree.png"; exit 1; }
say "--version, list, solve and render run from a bare environment"
