#!/usr/bin/env python3
"""Checks a folder with a .tlog-proof (EVIDENCE.md), a bundle or a delivered month: python3 verify.py DIR [VERIFIER-KEY [MARK...]]

Uses the standard library of Python 3 alone, and prints what it has checked. Give the verifier key that you have from elsewhere;
without it that of the bundle is used, which proves nothing about who signed. Exit status: 0 all agrees, 1 something does not."""
import base64
import hashlib
import pathlib
import re
import sys

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P

class Refused(Exception): """Something does not agree."""

def require(claim, why):
    if not claim:
        raise Refused(why)

def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()

def decode64(text, size, what):
    require(re.fullmatch(r"[A-Za-z0-9+/]+=*", text), f"{what} is not base64")
    data = base64.b64decode(text, validate=True)
    require(len(data) == size and base64.b64encode(data).decode() == text, f"{what} has not {size} bytes")
    return data

def decimal(text, what):
    require(re.fullmatch(r"0|[1-9][0-9]{0,15}", text), f"{what} is not a number")
    return int(text)

# Ed25519 (RFC 8032), points as (X, Y, Z, T) with x = X/Z, y = Y/Z, xy = T/Z
def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)

def multiply(s, p):
    q = (0, 1, 1, 0)
    while s > 0:
        q, p, s = add(q, p) if s & 1 else q, add(p, p), s >> 1
    return q

def point(data):
    sign, y = divmod(int.from_bytes(data, "little"), 2**255)
    require(y < P, "a point of the signature is not on the curve")
    xx = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(xx, (P + 3) // 8, P)
    x = x if (x * x - xx) % P == 0 else x * pow(2, (P - 1) // 4, P) % P
    require((x * x - xx) % P == 0 and not (x == 0 and sign), "a point of the signature is not on the curve")
    x = P - x if x & 1 != sign else x
    return (x, y, 1, x * y % P)

BASE = point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))

def is_signed(key, message, signature):
    s = int.from_bytes(signature[32:], "little")
    require(s < L, "the signature is not in its form")
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    a, b = multiply(s, BASE), add(point(signature[:32]), multiply(h, point(key)))
    return (a[0] * b[2] - b[0] * a[2]) % P == 0 and (a[1] * b[2] - b[1] * a[2]) % P == 0

def open_checkpoint(note, vkey):
    """Tree size and root, of a signed note (c2sp.org/signed-note, c2sp.org/tlog-checkpoint)."""
    name, key_id, key = vkey.split("+", 2)
    key = decode64(key, 33, "the verifier key")
    require(key[0] == 1, "the verifier key is not of Ed25519")
    require(sha256(name.encode(), b"\n", key)[:4].hex() == key_id, "the verifier key has another ID")
    text, blank, signatures = note.rpartition("\n\n")
    require(blank and text.count("\n") == 2, "the checkpoint has not three lines")
    origin, size, root = text.split("\n")
    require(origin == name, f"the checkpoint is of the log {origin}, the key of {name}")
    require(all(line.startswith("\u2014 ") for line in signatures.splitlines()), "a signature line is not in its form")
    signed = [line[2:].rsplit(" ", 1) for line in signatures.splitlines()]
    ours = [text64 for signer, text64 in signed if signer == name and base64.b64decode(text64)[:4].hex() == key_id]
    require(ours, "this key has not signed the checkpoint")
    sound = [is_signed(key[1:], f"{text}\n".encode(), decode64(one, 68, "the signature")[4:]) for one in ours]
    require(all(sound), "the signature does not fit the checkpoint")
    return decimal(size, "the size of the tree"), decode64(root, 32, "the root")

def root_from(leaf, index, size, path):
    """RFC 9162, 2.1.3.2: the root that a path of hashes leads to."""
    node, last = leaf, size - 1
    for sibling in path:
        require(last > 0, "the proof is too long")
        if index & 1 or index == last:
            node = sha256(b"\1", sibling, node)
            while index & 1 == 0 and index > 0:
                index, last = index >> 1, last >> 1
        else:
            node = sha256(b"\1", node, sibling)
        index, last = index >> 1, last >> 1
    require(last == 0, "the proof is too short")
    return node

def head_of(merchant, lines):
    head = sha256(b"RCN1\n", b"merchant\t", merchant.encode(), b"\n")
    for start in range(0, len(lines), 16):
        head = sha256(b"RCN1\n", head, *lines[start : start + 16])
    return head

def check_night(folder, values, marks):
    merchant, lines = values["merchant"][0], (folder / "lines.le1").read_bytes().splitlines(keepends=True)
    require(len(lines) == decimal(values["lines"][0], "lines"), "there are more or fewer lines than were logged")
    head = decode64(values["chain"][0], 32, "the head of the chain")
    require(head_of(merchant, lines) == head, "the lines are not those that were logged")
    for count, head in [mark.split(":") for mark in marks]:
        known = head_of(merchant, lines[: int(count)]).hex()
        require(int(count) <= len(lines) and known.startswith(head), f"the first {count} lines are not those of the mark")
    for name in ("findings", "coverage", "rules"):
        hashed = base64.b64encode(sha256((folder / f"{name}.txt").read_bytes())).decode()
        require(values[name][0] in (hashed, "\\N"), f"{name}.txt is not what was logged")

def verify(file, vkey, marks):
    folder = file.parent
    proof, blank, note = file.read_bytes().decode().partition("\n\n")
    size, root = open_checkpoint(note, vkey)
    form, *lines = proof.split("\n")
    inside = lines.pop(0)[6:] if lines[0].startswith("extra ") else None
    leaf = (folder / "leaf.txt").read_bytes() if inside is None else base64.b64decode(inside, validate=True)
    require(blank and form == "c2sp.org/tlog-proof@v1" and lines[0].startswith("index "), "the proof is not in its form")
    require((index := decimal(lines[0][6:], "the index")) < size, "the leaf is not in the tree")
    path = [decode64(line, 32, "a hash of the proof") for line in lines[1:]]
    require(root_from(sha256(b"\0", leaf), index, size, path) == root, "the leaf is not in the log")
    version, *records = [line.split("\t") for line in leaf.decode().removesuffix("\n").split("\n")]
    require(version == ["pointage-leaf/v1"], "the leaf is of another version")
    values = {record[0]: record[1:] for record in records}
    require(not marks or values["kind"] == ["night"], "marks are checked by the bundle of a night: it has the lines")
    if values["kind"] == ["night"]:
        check_night(folder, values, marks)
    there = [record[1:] for record in records if record[0] == "file" and (folder / record[1]).exists()]
    require(there or "file" not in values, "none of the files that were logged is here")
    for name, digest in there:
        require(sha256((folder / name).read_bytes()).hex() == digest, f"{name} is not the file that was logged")
    about = [f"{key} {values[key][0]}" for key in ("kind", "merchant", "period", "revision", "lines", "verdict") if key in values]
    print(f"OK {', '.join(about + [name for name, _ in there])}: leaf {index} of {size} in the log {vkey.split('+')[0]}")

if __name__ == "__main__":
    try:
        folder = pathlib.Path(sys.argv[1])
        vkey = (sys.argv[2] if len(sys.argv) > 2 else (folder / "log.vkey").read_text()).strip()
        require(proofs := sorted(folder.glob("*.tlog-proof*")), "there is no .tlog-proof in the folder")
        [verify(file, vkey, sys.argv[3:]) for file in proofs]
    except (Refused, LookupError, ValueError, OSError) as refusal:
        sys.exit(f"REFUSED {refusal}")
