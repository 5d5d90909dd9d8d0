#!/bin/sh
# Writes both locks: every platform, every hash, no address of a package host. ARGS=--upgrade moves to the newest versions.
set -eu
cd "$(dirname "$0")/.."

for folder in $(echo "$PATH" | tr ':' ' ') .uv/bin; do
    if "$folder/uv" --version >/dev/null 2>&1; then
        uv=$folder/uv
        break
    fi
done
compile() {
    "${uv:?uv is needed; make env installs it}" pip compile -q --universal --generate-hashes --no-header --no-emit-index-url \
        --python-version 3.12 --extra embedded "$@" pyproject.toml
}
compile "$@" -o requirements.lock
compile "$@" --group dev -o requirements-dev.lock
compile "$@" --group peers -o requirements-peers.lock
