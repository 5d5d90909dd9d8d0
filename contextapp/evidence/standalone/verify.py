#!/usr/bin/env python3
"""Verifies an evidence bundle: python3 verify.py BUNDLE.zip [--key NAME+ID+BASE64] [--known-head HEX] [--json]

BUNDLE is the zip file, or the folder it was unpacked to. Needs Python 3.8 and nothing else: no database, no package.
It shares no code with the product that wrote the bundle; what it checks is described in the bundle's README.txt.

Verdicts and exit codes: verified 0, tampered 1, diverged 2, unanchored 3, unusable 64.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import os
import re
import sys
import zipfile

FORMAT = "ctx.bundle.v1"
GENESIS = bytes(32)
MOST_FILES, MOST_BYTES, MOST_RATIO = 200_000, 4 << 30, 1000
EXIT = {"verified": 0, "tampered": 1, "diverged": 2, "unanchored": 3}
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)?")


class Unusable(Exception):
    """Not a bundle at all, so nothing can be said about what it holds."""


class Tampered(Exception):
    """What the bundle holds contradicts itself."""

    def __init__(self, place, what):
        super().__init__(what)
        self.place, self.what = place, what


class Diverged(Exception):
    """The chain fits in itself and is not the one that was signed or saved."""


# ---- reading


class Folder:
    def __init__(self, path):
        self.path = path

    def names(self):
        places = [os.path.join(folder, name) for folder, _, files in os.walk(self.path) for name in files]
        return [os.path.relpath(place, self.path).replace(os.sep, "/") for place in places]

    def read(self, name):
        path = os.path.join(self.path, *name.split("/"))
        if os.path.islink(path) or not os.path.isfile(path):
            raise Tampered(name, "is not a plain file")
        with open(path, "rb") as file:
            return file.read()


class Zip:
    def __init__(self, path):
        self.zip = zipfile.ZipFile(path)
        infos = self.zip.infolist()
        if len(infos) > MOST_FILES or sum(info.file_size for info in infos) > MOST_BYTES:
            raise Unusable("the archive unpacks to more than %d files or %d bytes" % (MOST_FILES, MOST_BYTES))
        for info in infos:
            if info.file_size > MOST_RATIO * max(info.compress_size, 1024):
                raise Unusable("%r unpacks to %d times its size" % (info.filename[:80], MOST_RATIO))
        if len({info.filename for info in infos}) != len(infos):
            raise Unusable("a name stands twice in the archive")

    def names(self):
        return [info.filename for info in self.zip.infolist() if not info.is_dir()]

    def read(self, name):
        return self.zip.read(name)


def opened(path):
    try:
        return Folder(path) if os.path.isdir(path) else Zip(path)
    except (OSError, zipfile.BadZipFile) as error:
        raise Unusable(f"{path} can't be opened: {error}")


def without_twins(pairs):
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key stands twice")
    return made


def decoded(content, place):
    try:
        return json.loads(content.decode("utf-8"), object_pairs_hook=without_twins)
    except ValueError as error:
        raise Tampered(place, f"is not readable JSON: {error}")


# ---- the manifest: every file, and none beside


def check_manifest(source):
    names = source.names()
    if "manifest.json" not in names:
        raise Unusable("there is no manifest.json; this is no evidence bundle")
    manifest = decoded(source.read("manifest.json"), "manifest.json")
    if manifest.get("format") != FORMAT:
        raise Unusable("format {!r} is unknown; this verifier reads {}".format(manifest.get("format"), FORMAT))
    listed = manifest["files"]
    for name in names:
        if not NAME.fullmatch(name):
            raise Tampered(name, "has a name that no bundle has")
        if name != "manifest.json" and name not in listed:
            raise Tampered(name, "is not in the manifest")
    for name, said in listed.items():
        if name not in names:
            raise Tampered(name, "is in the manifest and not in the bundle")
        content = source.read(name)
        if len(content) != said["size"] or hashlib.sha256(content).hexdigest() != said["sha256"]:
            raise Tampered(name, "is not the file that the manifest lists")
    return manifest


# ---- the chain


def field(value):
    if value is None:
        return b"\xff\xff\xff\xff"
    value = value if isinstance(value, bytes) else str(value).encode("utf-8")
    return len(value).to_bytes(4, "big") + value


def event_hash(event, payload_commit, prev_hash):
    names = (
        "hash_version project_id session_id seq event_id type schema_version visibility occurred_at_us recorded_at_us actor "
        "api_key_id"
    ).split()
    fields = [b"ctx.event.v1", *(event[name] for name in names), payload_commit, event["payload_len"], prev_hash]
    return hashlib.sha256(b"".join(map(field, fields))).digest()


COLUMNS = set(
    "seq event_id project_id session_id type schema_version visibility occurred_at_us recorded_at_us actor api_key_id "
    "payload_commit payload_len prev_hash hash hash_version salt payload".split()
)


def check_chain(source, manifest):
    """The hash of every event by seq, and the payloads that are there. Raises Tampered at the first that does not fit."""
    hashes, payloads, missing, redactions = {0: GENESIS}, {}, [], []
    previous = 0
    for number, line in enumerate(source.read("events.jsonl").splitlines(), start=1):
        place = "events.jsonl, line %d" % number
        event = decoded(line, place)
        if set(event) != COLUMNS:
            raise Tampered(place, "has other columns than an event: {}".format(", ".join(sorted(set(event) ^ COLUMNS))))
        seq = event["seq"]
        place = f"event {seq}"
        if seq != previous + 1:
            raise Tampered(place, "follows event %d: there is a gap, or the order is not that of the log" % previous)
        if event["session_id"] != manifest["session"] or event["project_id"] != manifest["project"]:
            raise Tampered(place, "belongs to another session or project")
        if event["hash_version"] != 1:
            raise Tampered(place, "has the unknown hash version {!r}".format(event["hash_version"]))
        if bytes.fromhex(event["prev_hash"]) != hashes[previous]:
            raise Tampered(place, "prev_hash is not the hash of the event before")
        commit = bytes.fromhex(event["payload_commit"])
        made = event_hash(event, commit, hashes[previous])
        if made.hex() != event["hash"]:
            raise Tampered(place, "the hash does not match the columns")
        if event["payload"] is None:
            missing.append(seq)
        else:
            body = event["payload"].encode("ascii")
            if len(body) != event["payload_len"]:
                raise Tampered(place, "payload_len is not the length of the payload")
            if hashlib.sha256(bytes.fromhex(event["salt"]) + body).digest() != commit:
                raise Tampered(place, "the payload does not match its commitment")
            payloads[seq] = decoded(body, place)
            if event["type"] == "event.redacted":
                redactions.append((seq, payloads[seq]["first_seq"], payloads[seq]["last_seq"]))
        hashes[seq], previous = made, seq
    for seq in missing:
        if not any(first <= seq <= last and seq < at for at, first, last in redactions):
            raise Tampered("event %d" % seq, "the payload is missing and no redaction covers it")
    head = manifest["head"]
    if head["seq"] != previous or head["hash"] != hashes[previous].hex():
        raise Tampered("manifest.json", "names another head than the last event")
    return hashes, payloads, missing


# ---- artifacts and ledgers


def named_artifacts(payload):
    """SHA-256 of every artifact that a payload names."""
    places = [payload.get("artifact"), *(payload.get("media") if isinstance(payload.get("media"), list) else [])]
    return {place["sha256"] for place in places if isinstance(place, dict) and isinstance(place.get("sha256"), str)}


def check_artifacts(source, payloads, absent):
    there = {name.split("/", 1)[1] for name in source.names() if name.startswith("artifacts/")}
    for digest in there:
        if hashlib.sha256(source.read("artifacts/" + digest)).hexdigest() != digest:
            raise Tampered("artifacts/" + digest, "does not have the hash it is named by")
    for seq, payload in payloads.items():
        for digest in sorted(named_artifacts(payload) if isinstance(payload, dict) else ()):
            if digest not in there and digest not in absent:
                raise Tampered("event %d" % seq, f"names the artifact {digest}, which is not in the bundle")
    return len(there)


def check_ledgers(source, payloads, missing):
    """A built ledger names the request by hash: its blocks, where they are here, must come to that hash; and the log must have
    the event that was written before the request was handed out."""
    blocks = {name.split("/", 1)[1] for name in source.names() if name.startswith("blocks/")}
    for digest in blocks:
        if hashlib.sha256(source.read("blocks/" + digest)).hexdigest() != digest:
            raise Tampered("blocks/" + digest, "does not have the hash it is named by")
    built = {str(payload.get("requestSha256")): seq for seq, payload in payloads.items() if isinstance(payload, dict)}
    count = 0
    for number, line in enumerate(source.read("ledgers.jsonl").splitlines(), start=1):
        entry = decoded(line, "ledgers.jsonl, line %d" % number)
        ledger, request = entry["ledger"], entry["request"]
        place = "ledger of step {} ({})".format(ledger["step"], ledger["origin"])
        count += 1
        if request is not None:
            lines = [request["model"], str(request["max_output_tokens"]), *request["blocks"]]
            made = hashlib.sha256("\n".join(lines).encode("utf-8")).hexdigest()
            if made != ledger["requestSha256"]:
                raise Tampered(place, "its blocks do not come to the request hash")
        if ledger["origin"] == "built" and ledger["requestSha256"] and not entry["erased"] and not missing:
            if ledger["requestSha256"] not in built:
                raise Tampered(place, "the log has no context.built with its request hash")
    return count


# ---- checkpoint: RFC 6962 inclusion, C2SP signed note, Ed25519


def leaf_of(session, seq, digest):
    parts = (b"ctx.head.v1", session.encode(), str(seq).encode(), digest)
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def root_from(leaf, index, size, path):
    node, last = hashlib.sha256(b"\x00" + leaf).digest(), size - 1
    if not 0 <= index < size:
        return None
    for sibling in path:
        if last == 0:
            return None
        if index & 1 or index == last:
            node = hashlib.sha256(b"\x01" + sibling + node).digest()
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            node = hashlib.sha256(b"\x01" + node + sibling).digest()
        index, last = index >> 1, last >> 1
    return node if last == 0 else None


def key_of(line):
    name, _, rest = line.strip().partition("+")
    key_id, _, encoded = rest.partition("+")
    raw = base64.b64decode(encoded, validate=True)
    if raw[:1] != b"\x01" or len(raw) != 33:
        raise Unusable(f"{line[:80]!r} is no Ed25519 key of the form name+id+base64")
    made = hashlib.sha256(name.encode() + b"\n" + raw).digest()[:4]
    if made.hex() != key_id:
        raise Unusable(f"the id of key {line[:80]!r} does not belong to it")
    return name, made, raw[1:]


def check_checkpoint(source, manifest, hashes, given_key):
    """(number, signer, seq it covers), or None when the bundle has no checkpoint."""
    if "checkpoint.txt" not in source.names():
        return None
    note = source.read("checkpoint.txt").decode("utf-8")
    body, mark, rest = note.rpartition("\n\n")
    keys = [key_of(line) for line in source.read("public-keys.txt").decode("utf-8").splitlines() if line.strip()]
    if given_key:
        keys = [key_of(given_key)]
    signer = None
    for line in rest.splitlines():
        name, _, encoded = line[2:].partition(" ")
        raw = base64.b64decode(encoded)
        for known, key_id, key in keys:
            if known == name and raw[:4] == key_id:
                if not signed(key, (body + "\n").encode("utf-8"), raw[4:]):
                    raise Tampered("checkpoint.txt", f"the signature of {name} does not fit the text")
                signer = name
    if not mark or signer is None:
        raise Tampered(
            "checkpoint.txt", "is signed by no key that is %s" % ("the given one" if given_key else "in the bundle")
        )
    lines = body.split("\n")
    size, root = int(lines[1]), base64.b64decode(lines[2], validate=True)
    proof = decoded(source.read("proof.json"), "proof.json")
    seq, digest = proof["seq"], bytes.fromhex(proof["hash"])
    made = root_from(
        leaf_of(manifest["session"], seq, digest), proof["index"], size, [bytes.fromhex(one) for one in proof["path"]]
    )
    if made != root:
        raise Tampered("proof.json", "does not lead from the head of this session to the signed root")
    if hashes.get(seq) != digest:
        raise Diverged("checkpoint %s signed another event %d than the one here" % (lines[4].split(" ")[1], seq))
    return int(lines[4].split(" ")[1]), signer, seq


P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def recovered(y, sign):
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    return P - x if x & 1 != sign else x


def point(encoded):
    y = int.from_bytes(encoded, "little")
    x = recovered(y & ((1 << 255) - 1), y >> 255)
    y &= (1 << 255) - 1
    return None if x is None else (x, y, 1, x * y % P)


def added(one, other):
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c, d = 2 * one[3] * other[3] * D % P, 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiplied(scalar, base):
    made = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            made = added(made, base)
        base, scalar = added(base, base), scalar >> 1
    return made


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE = (recovered(BASE_Y, 0), BASE_Y, 1, recovered(BASE_Y, 0) * BASE_Y % P)


def is_small(one):
    """Whether eight times the point is nothing: such a key would sign every text with one signature."""
    made = multiplied(8, one)
    return made[0] % P == 0 and (made[1] - made[2]) % P == 0


def signed(key, message, signature):
    """RFC 8032, section 5.1.7, with the stricter equation (without the cofactor)."""
    if len(signature) != 64:
        return False
    public, nonce, scalar = point(key), point(signature[:32]), int.from_bytes(signature[32:], "little")
    if public is None or nonce is None or scalar >= ORDER or is_small(public):
        return False
    digest = hashlib.sha512(signature[:32] + key + message).digest()
    challenge = int.from_bytes(digest, "little") % ORDER
    left, right = multiplied(scalar, BASE), added(nonce, multiplied(challenge, public))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0


# ---- the whole


def verified(path, given_key="", known_head=""):
    """A dict with verdict, place, what and the counts."""
    source = opened(path)
    found = {"verdict": "unanchored", "place": "", "what": "", "events": 0, "erased": 0, "artifacts": 0, "ledgers": 0,
             "checkpoint": None, "signer": "", "covered_to": 0}  # fmt: skip
    try:
        manifest = check_manifest(source)
        found["session"] = manifest["session"]
        hashes, payloads, missing = check_chain(source, manifest)
        found.update(events=len(hashes) - 1, erased=len(missing), head=hashes[len(hashes) - 1].hex())
        found["artifacts"] = check_artifacts(source, payloads, set(manifest["absent_artifacts"]))
        found["ledgers"] = check_ledgers(source, payloads, missing)
        if known_head and known_head.lower() not in {digest.hex() for digest in hashes.values()}:
            raise Diverged(f"the known head {known_head[:16]} is not in this chain")
        checkpoint = check_checkpoint(source, manifest, hashes, given_key)
        if checkpoint is not None:
            found.update(verdict="verified", checkpoint=checkpoint[0], signer=checkpoint[1], covered_to=checkpoint[2])
    except Tampered as fault:
        found.update(verdict="tampered", place=fault.place, what=fault.what)
    except Diverged as fault:
        found.update(verdict="diverged", what=str(fault))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, zipfile.BadZipFile) as error:
        found.update(
            verdict="tampered", place="bundle", what=f"is not formed as a bundle is: {type(error).__name__}: {error}"
        )
    return found


def main():
    parser = argparse.ArgumentParser(description="Verify an evidence bundle.")
    parser.add_argument("bundle")
    parser.add_argument(
        "--key", default="", help="the public key you know, as name+id+base64; else the bundle's own is used"
    )
    parser.add_argument("--known-head", default="", help="a head (hex) that you saved: it must be in the chain")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    try:
        found = verified(options.bundle, options.key, options.known_head)
    except Unusable as error:
        sys.stderr.write(f"{error}\n")
        return 64
    if options.json:
        print(json.dumps(found, sort_keys=True))
    else:
        where = " at {}".format(found["place"]) if found["place"] else ""
        print("{}{}{}".format(found["verdict"], where, ": {}".format(found["what"]) if found["what"] else ""))
        print("%(events)d events (%(erased)d erased), %(artifacts)d artifacts, %(ledgers)d ledgers" % found)
        if found["checkpoint"] is not None:
            note = "" if options.key else "; the key came with the bundle: compare it with one you know"
            print(
                "checkpoint %s signed by %s covers events 1-%d%s"
                % (found["checkpoint"], found["signer"], found["covered_to"], note)
            )
    return EXIT[found["verdict"]]


if __name__ == "__main__":
    sys.exit(main())
