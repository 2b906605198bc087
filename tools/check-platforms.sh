#!/usr/bin/env bash
# Checks that the packages wayfront depends on can be installed, from wheels alone, on every platform and every Python
# that it supports, with the extras that belong there. Says so in one line where the package index cannot be reached.
# usage: tools/check-platforms.sh [--verbose]     (--verbose lists the versions of the packages with binary wheels)
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/uv.sh
uv=$(find_uv)
share_package_index
verbose=${1:-}

# Platform as uv names it, and the extras that belong on it. The Linux ones are the oldest C libraries for which all
# packages have wheels; PySide6 for Linux on ARM is 6.8 there and newer from manylinux_2_39 on. numba 0.62 is the last with
# wheels for Intel Macs, and knows Python up to 3.13.
COMBINATIONS="
aarch64-apple-darwin     window,places,interop,film
x86_64-apple-darwin      window,places,interop,film
x86_64-pc-windows-msvc   window,places,interop,film
x86_64-pc-windows-msvc   window,places,interop,film,cuda
x86_64-pc-windows-msvc   window,places,interop,film,cuda12
x86_64-manylinux_2_28    window,places,interop,film
x86_64-manylinux_2_28    window,places,interop,film,cuda
x86_64-manylinux_2_28    window,places,interop,film,cuda12
aarch64-manylinux_2_31   window,places,interop,film
aarch64-manylinux_2_31   window,places,interop,film,cuda
aarch64-manylinux_2_31   window,places,interop,film,cuda12
"
pythons_of() {
    case $1 in x86_64-apple-darwin) echo 3.11 3.12 3.13 ;; *) echo 3.11 3.12 3.13 3.14 ;; esac
}
# Any Python may resolve for the others; without this uv would download each one it lacks.
export UV_PYTHON_DOWNLOADS=never
# Wheels of pyproj, which OSMnx needs, are for macOS 14 and later on Python 3.13 and 3.14.
export MACOSX_DEPLOYMENT_TARGET=14.0
BINARY="av|contourpy|numba|numba-cuda|numpy|osmium|psutil|pyside6-essentials"

if ! echo packaging | "$uv" pip compile --prerelease disallow --quiet --no-cache --no-deps - >/dev/null 2>&1; then
    echo "check-platforms: the package index cannot be reached, so nothing was checked"
    exit 0
fi

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

resolve() {
    local platform=$1 extras=$2 version=$3 arguments=() extra
    for extra in ${extras//,/ }; do arguments+=(--extra "$extra"); done
    local base="$results/$platform.$version.$extras"
    "$uv" pip compile --prerelease disallow --quiet --no-header --no-annotate --only-binary :all: --python "$python" "${arguments[@]}" \
        --python-platform "$platform" --python-version "$version" pyproject.toml >"$base.packages" 2>"$base.error" ||
        touch "$base.failed"
}

while read -r platform extras; do
    [ -n "$platform" ] || continue
    for version in $(pythons_of "$platform"); do resolve "$platform" "$extras" "$version" & done
    wait
done <<<"$COMBINATIONS"

count=0 failed=0
while read -r platform extras; do
    [ -n "$platform" ] || continue
    for version in $(pythons_of "$platform"); do
        base="$results/$platform.$version.$extras"
        count=$((count + 1))
        if [ -e "$base.failed" ]; then
            failed=$((failed + 1))
            echo "check-platforms: Python $version on $platform with $extras cannot be installed:" >&2
            sed 's/^/    /' "$base.error" >&2
        elif [ "$verbose" = --verbose ]; then
            echo "Python $version $platform $extras: $(grep -E "^($BINARY)==" "$base.packages" | xargs)"
        fi
    done
done <<<"$COMBINATIONS"
echo "check-platforms: $((count - failed)) of $count combinations of platform, Python and extras resolve to wheels"
[ "$failed" = 0 ]
