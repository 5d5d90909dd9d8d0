#!/bin/sh
# Makes .venv from the lock with nothing but Python on the machine: `sh deploy/environment.sh runtime|dev`; with `peers` the
# .venv-peers that benchmarks compare with, and with `version 3.12` a .venv-3.12 of that Python.
# uv is taken from the PATH if one there works, else installed into .uv/. No other file of the machine is touched.
set -eu
cd "$(dirname "$0")/.."

fail() {
    echo "contextapp: $1" >&2
    exit 1
}

# A version manager's shim named uv may stand first on the PATH and refuse to run; ask each one.
find_uv() {
    old_ifs=$IFS
    IFS=:
    for folder in $PATH "$PWD/.uv/bin"; do
        if "$folder/uv" --version >/dev/null 2>&1; then
            IFS=$old_ifs
            echo "$folder/uv"
            return
        fi
    done
    IFS=$old_ifs
}

find_system_python() {
    for name in python3 python3.14 python3.13 python3.12 python; do
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 8))' >/dev/null 2>&1; then
            echo "$name"
            return
        fi
    done
    fail "no Python 3 on the PATH."
}

install_uv() {
    python=$(find_system_python)
    echo "installing uv into .uv" >&2
    rm -rf .uv
    if "$python" -m venv .uv >/dev/null 2>&1 && .uv/bin/pip install -q --disable-pip-version-check uv >&2; then
        return
    fi
    rm -rf .uv # a Python without venv, as Debian ships it, may still have pip
    "$python" -m pip install -q --disable-pip-version-check --target .uv uv >&2 ||
        fail "uv can't be installed: $python has neither venv nor pip. Install python3-venv, or uv itself."
}

# What the project is developed on first; then any that is new enough; then one that uv downloads.
find_python() {
    for wanted in "$(cat .python-version)" 3.14 3.12 '>=3.12'; do
        if "$uv" python find --no-python-downloads "$wanted" 2>/dev/null; then
            return
        fi
    done
    "$uv" python install -q "$(cat .python-version)" >/dev/null 2>&1 && "$uv" python find "$(cat .python-version)" && return
    fail "Python 3.12 or newer is needed and uv finds none. Install one (uv python install 3.13, pyenv, or the system's packages)."
}

# A version manager's shim may refuse to run a version that is installed; then it is called by its place.
find_version() {
    "$uv" python find --no-python-downloads "$1" 2>/dev/null && return
    for found in "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python; do
        if "$found" --version >/dev/null 2>&1; then
            echo "$found"
            return
        fi
    done
    fail "no Python $1 on this machine: install one (uv python install $1, pyenv, or the system's packages)."
}

kind=${1:-runtime}
if [ "$kind" = runtime ] && [ -e .venv/.dev ]; then
    kind=dev # keeps the tools of a developer who says `make up`
fi
venv=.venv
case $kind in
runtime) lock=requirements.lock ;;
dev) lock=requirements-dev.lock ;;
peers) lock=requirements-peers.lock venv=.venv-peers ;;
version) lock=requirements.lock venv=.venv-${2:?which Python, such as 3.12} ;;
*) fail "'$kind' is neither runtime, dev, peers nor version" ;;
esac

uv=$(find_uv)
if [ -z "$uv" ]; then
    install_uv
    uv=$(find_uv)
fi
if ! "$venv/bin/python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' >/dev/null 2>&1; then
    if [ "$kind" = version ]; then
        python=$(find_version "$2")
    else
        python=$(find_python)
    fi
    echo "making $venv with $python" >&2
    "$uv" venv -q --clear --python "$python" "$venv"
fi
echo "installing $lock into $venv" >&2
install() {
    "$uv" pip sync -q --python "$venv/bin/python" --require-hashes "$lock"
}
# A network with a certificate authority of its own: what the system trusts, uv may trust.
install || UV_SYSTEM_CERTS=1 install
case $kind in
peers) touch .venv-peers/.peers ;;
version) ;;
*) touch .venv/.runtime ;;
esac
if [ "$kind" = dev ]; then
    touch .venv/.dev
fi
