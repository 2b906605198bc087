#!/usr/bin/env bash
# Makes a bare machine ready for wayfront: uv, the system libraries that Qt lacks, and the Python packages in .venv.
# usage: tools/setup.sh [run|test|without-cuda|mutants|docs|app]
#   test           adds the tools of developers, a virtual screen, and on Debian a browser for the tests of pages
#   docs           builds the documentation, in .venv-docs
#   app            what the frozen application holds, and PyInstaller, in .venv-app
#   mutants        as test, and mutmut, in .venv-mutants, without wayfront itself
#   without-cuda   as test, in .venv-without-cuda, which lacks numba-cuda and NVIDIA's packages, as on macOS
set -euo pipefail
cd "$(dirname "$0")/.."
purpose=${1:-run}

# Shared library and the Debian or Ubuntu package that holds it: first what every picture needs, then what a window does.
QT_LIBRARIES="
libglib-2.0.so.0      libglib2.0-0
libGL.so.1            libgl1
libEGL.so.1           libegl1
libxkbcommon.so.0     libxkbcommon0
libdbus-1.so.3        libdbus-1-3
libfontconfig.so.1    libfontconfig1
libxkbcommon-x11.so.0 libxkbcommon-x11-0
libxcb-cursor.so.0    libxcb-cursor0
libxcb-icccm.so.4     libxcb-icccm4
libxcb-keysyms.so.1   libxcb-keysyms1
libxcb-shape.so.0     libxcb-shape0
"

say() { printf 'setup: %s\n' "$*" >&2; }
. tools/uv.sh

missing_packages() {
    local known library package
    known=$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p)
    while read -r library package; do
        [ -z "$library" ] || grep -qF "$library " <<<"$known" || echo "$package"
    done <<<"$QT_LIBRARIES"
    # Without any font, Qt writes nothing at all.
    [ -n "$(find /usr/share/fonts /usr/local/share/fonts ~/.fonts ~/.local/share/fonts \
        \( -name '*.ttf' -o -name '*.otf' -o -name '*.ttc' \) -print -quit 2>/dev/null)" ] || echo fonts-dejavu-core
    if [ "$purpose" = test ] || [ "$purpose" = without-cuda ]; then
        command -v Xvfb >/dev/null || echo xvfb
        command -v xdotool >/dev/null || echo xdotool
    fi
}

# A browser and what leads it, 120 MB. Elsewhere a package of that name may be an empty one.
missing_browser() {
    [ "$purpose" = test ] && grep -q '^ID=debian$' /etc/os-release || return 0
    command -v chromium >/dev/null || echo chromium
    command -v chromedriver >/dev/null || echo chromium-driver
}

install_system_libraries() {
    command -v apt-get >/dev/null && command -v dpkg >/dev/null || return 0
    install_packages "$(missing_packages | xargs)" "what Qt lacks here" "without them the window may not open"
    install_packages "$(missing_browser | xargs)" "a browser" "without it the tests of pages are skipped"
}

install_packages() {
    local packages=$1 what=$2 without=$3 as_root=()
    [ -n "$packages" ] || return 0
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || { say "please have an administrator install: $packages"; return 0; }
        as_root=(sudo)
    fi
    say "installing $what: $packages"
    # The packages are separate words on purpose.
    # shellcheck disable=SC2086
    { "${as_root[@]}" apt-get update -qq &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >&2; } ||
        say "that did not work; $without"
}

# The CUDA libraries that the machine's NVIDIA driver can run, if there is one.
cuda_extra() {
    local folder report=
    # Where drivers put it; a program of that name elsewhere on the search path, or here, is somebody else's.
    for folder in /usr/bin /usr/local/bin /opt/bin /usr/lib/wsl/lib /run/current-system/sw/bin; do
        [ -x "$folder/nvidia-smi" ] || continue
        report=$(timeout 20 "$folder/nvidia-smi" 2>/dev/null) || return 0
        break
    done
    case $report in
        *"CUDA Version: 12."*) echo cuda12 ;;
        *"CUDA Version: "*) echo cuda ;;
    esac
}

[ "$purpose" = docs ] || install_system_libraries
uv=$(find_uv)
share_package_index
arguments=(sync --quiet)
environment=.venv
case $purpose in
    run) arguments+=(--extra window --extra places --extra film --no-dev) ;;
    docs) arguments+=(--no-dev --group docs) environment=.venv-docs ;;
    app)
        # As it is installed, not as a checkout; and without CUDA's libraries, which are larger than all the rest.
        arguments+=(--extra window --extra places --no-dev --group app --no-editable --reinstall-package wayfront-engine)
        environment=.venv-app
        ;;
    mutants) arguments+=(--extra places --group mutants --no-install-project) environment=.venv-mutants ;;
    *) arguments+=(--extra places) ;;
esac
if [ "$purpose" = without-cuda ]; then
    environment=.venv-without-cuda
    for package in numba-cuda cuda-bindings cuda-core cuda-pathfinder; do
        arguments+=(--no-install-package "$package")
    done
elif [ "$environment" = .venv ]; then
    extra=$(cuda_extra)
    [ -z "$extra" ] || arguments+=(--extra "$extra")
fi
export UV_PROJECT_ENVIRONMENT=$environment
if [ ! -x "$environment/bin/python" ]; then
    say "installing the Python packages into $environment"
    arguments+=(--compile-bytecode)  # or the first start would, for seconds
fi
"$uv" "${arguments[@]}"
case $purpose in run | test | without-cuda | app) tools/page.sh quietly ;; esac
