#!/bin/sh
# Restores into an EMPTY database and lets nobody in before the log is verified:
#     sh deploy/restore.sh FILE.dump [FILE.keys.tar] [-- ARGUMENTS OF manage.py verify]
# DATABASE_URL names that database, as contextapp_migrator where deploy/roles.sql was run on it, or as its owner. An existing
# key is never overwritten. Give verify what you kept elsewhere, e.g. `-- --known-head FILE`: a rewound log then says so.
set -eu
umask 077

fail() {
    echo "contextapp: $1" >&2
    exit 1
}

dump=${1:-}
[ -r "$dump" ] || fail "no dump to read: sh deploy/restore.sh FILE.dump [FILE.keys.tar] [-- VERIFY ARGUMENTS]"
[ -n "${DATABASE_URL:-}" ] || fail "DATABASE_URL is not set"
unset ERASER_DATABASE_URL # it names the database that is in use; the owner of this one may erase
shift
keys=
if [ $# -gt 0 ] && [ "$1" != -- ]; then
    keys=$1
    [ -r "$keys" ] || fail "$keys can't be read"
    shift
fi
[ "${1:-}" != -- ] || shift

here=$(cd "$(dirname "$0")/.." && pwd)
data=${DATA_DIR:-$here/data}
python=${PYTHON:-$here/.venv/bin/python}
[ -x "$python" ] || python=python3
bin=${PG_BIN:+$PG_BIN/}

tables=$("${bin}psql" -XAtqc "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'" "$DATABASE_URL")
[ "$tables" = 0 ] || fail "the database has $tables tables; restore into an empty one"

if [ -n "$keys" ]; then
    mkdir -p "$data"
    tar -C "$data" --skip-old-files -xf "$keys"
fi
"${bin}pg_restore" --no-owner --no-privileges --exit-on-error --single-transaction --dbname="$DATABASE_URL" "$dump"
"$python" "$here/deploy/migrate.py"

# Erasures made after the backup was taken are made again, before anybody reads (docs/deploy.md).
if [ -n "${REDACTIONS:-}" ]; then
    "$python" "$here/manage.py" replay_redactions "$REDACTIONS"
else
    echo "contextapp: REDACTIONS names no list of later erasures; nothing is erased again" >&2
fi
"$python" "$here/manage.py" verify "$@"
