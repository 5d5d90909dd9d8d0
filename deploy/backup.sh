#!/bin/sh
# One backup: `sh deploy/backup.sh FOLDER` writes FOLDER/contextapp-TIME.dump and, apart from it, contextapp-TIME.keys.tar.
# Events, artifacts and ledgers are all in the database; the keys are in DATA_DIR and belong in another place than the dump.
# DATABASE_URL is a role that reads everything: contextapp_migrator, or the one that owns all.
set -eu
umask 077

fail() {
    echo "contextapp: $1" >&2
    exit 1
}

folder=${1:-}
[ -n "$folder" ] || fail "say where to: sh deploy/backup.sh FOLDER"
[ -n "${DATABASE_URL:-}" ] || fail "DATABASE_URL is not set"
mkdir -p "$folder"
data=${DATA_DIR:-$(cd "$(dirname "$0")/.." && pwd)/data}
name=contextapp-$(date -u +%Y%m%dT%H%M%SZ)
program=${PG_BIN:+$PG_BIN/}pg_dump

# Under a draft's name until it is whole: what has the final name can be restored.
draft=$folder/.$name.dump
trap 'rm -f "$draft"' EXIT
"$program" --format=custom --no-owner --no-privileges --file="$draft" "$DATABASE_URL"
mv "$draft" "$folder/$name.dump"
echo "$folder/$name.dump"

if [ -d "$data" ]; then
    keys=$(cd "$data" && find . -maxdepth 2 -type f \( -name 'secret_key' -o -name '*.key' -o -name '*.pem' \
        -o -name 'checkpoint_keys.txt' -o -name 'checkpoints.txt' \) ! -path './postgres/*')
    if [ -n "$keys" ]; then
        # No name of a key file holds a space: they are ours.
        # shellcheck disable=SC2086
        tar -C "$data" -cf "$folder/$name.keys.tar" $keys
        echo "$folder/$name.keys.tar"
    fi
fi
