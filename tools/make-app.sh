#!/usr/bin/env bash
# Freezes the program for this system with PyInstaller, in out/app and as an archive, and tries what came out.
# usage: tools/make-app.sh
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh app
python=.venv-app/bin/python
"$python" -m PyInstaller --noconfirm --log-level ERROR --distpath out/app --workpath out/app-build installers/app/wayfront.spec
# What lies there as sources would be compiled anew at every start where the folder cannot be written.
"$python" -m compileall -q --invalidation-mode unchecked-hash out/app/wayfront/_internal/{wayfront,wayfront_gui,numba,numba_cuda}
name=wayfront-$(out/app/wayfront/wayfront --version | cut -d' ' -f2)-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)
tar --create --gzip --file "out/$name.tar.gz" --directory out/app wayfront
echo "make-app: out/$name.tar.gz, $(($(stat -c %s "out/$name.tar.gz") >> 20)) MiB; now it is tried"
WAYFRONT_APP=$PWD/out/app/wayfront/wayfront .venv/bin/python -m pytest -q tests/test_frozen_app.py tests/gui/app/test_smoke_xvfb.py
