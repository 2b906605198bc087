# Sourced by the other scripts here, from the repository's root: finds uv, or gets it.
# shellcheck shell=bash
python=${PYTHON:-python3}

find_uv() {
    if command -v uv >/dev/null; then
        command -v uv
        return
    fi
    if [ ! -x .tools/bin/uv ]; then
        echo "getting uv into .tools" >&2
        # --target leaves the system's own Python alone, also where it refuses other installations (PEP 668).
        "$python" -m pip install --quiet --target .tools uv >&2
    fi
    echo "$PWD/.tools/bin/uv"
}

# Where a package index is configured for pip but not for uv, use pip's.
share_package_index() {
    [ -z "${UV_DEFAULT_INDEX:-}${UV_INDEX_URL:-}${UV_CONFIG_FILE:-}" ] || return 0
    [ ! -e "${XDG_CONFIG_HOME:-$HOME/.config}/uv/uv.toml" ] && [ ! -e /etc/uv/uv.toml ] || return 0
    local index=${PIP_INDEX_URL:-}
    [ -n "$index" ] || index=$("$python" -m pip config get global.index-url 2>/dev/null || true)
    [ -z "$index" ] || export UV_DEFAULT_INDEX="$index"
}
