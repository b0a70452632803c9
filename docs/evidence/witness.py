#!/usr/bin/env python3
"""Cosigns a log's checkpoint (EVIDENCE.md, "A witness"): python3 witness.py REQUEST LOG-KEY FOLDER NAME

REQUEST: a file with what `pointage evidence checkpoint --since N` printed. LOG-KEY: the log's verifier key, from elsewhere. FOLDER keeps
the witness's own key, made at first use, and of each log the last note that it signed. NAME: of the witness. Needs verify.py beside it
and the standard library of Python 3. Prints the signed note. Exit status: 0 signed, 1 refused: the log does not continue that note."""
import base64
import hashlib
import os
import pathlib
import re
import sys
import time

sys.dont_write_bytecode = True
from verify import BASE, L, P, Refused, decode64, multiply, open_checkpoint, require, sha256

def compress(point):
    x, y = (part * pow(point[2], P - 2, P) % P for part in point[:2])
    return (y | (x & 1) << 255).to_bytes(32, "little")

def sign(seed, message):
    """RFC 8032, 5.1.6: the public key, and the signature."""
    digest = hashlib.sha512(seed).digest()
    secret = int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254
    number = lambda *parts: int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % L
    public, nonce = compress(multiply(secret, BASE)), number(digest[32:], message)
    start = compress(multiply(nonce, BASE))
    return public, start + ((nonce + number(start, public, message) * secret) % L).to_bytes(32, "little")

def is_consistent(before, now, path):
    """RFC 9162, 2.1.4.2: whether the log with one size and root became the log with the other."""
    (size, root), (new_size, new_root) = before, now
    if size == new_size:
        return not path and root == new_root
    if size == 0 or size > new_size:
        return size == 0 and not path
    node, last = size - 1, new_size - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    path = [root, *path] if node == 0 else path
    if not path:
        return False
    old = new = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if node & 1 or node == last:
            old, new = sha256(b"\1", sibling, old), sha256(b"\1", sibling, new)
            while node & 1 == 0 and node > 0:
                node, last = node >> 1, last >> 1
        else:
            new = sha256(b"\1", new, sibling)
        node, last = node >> 1, last >> 1
    return last == 0 and (old, new) == (root, new_root)

def witness(request, vkey, folder, name):
    require(re.fullmatch(r"[^\s+]+", name), "the name of a witness has no spaces and no plus sign")
    proof, blank, note = request.partition("\n\n")
    lines = proof.split("\n")
    require(blank and re.fullmatch(r"old [0-9]{1,15}", lines[0]), "this is no checkpoint with its proof")
    now, path = open_checkpoint(note, vkey), [decode64(line, 32, "a hash of the proof") for line in lines[1:]]
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / f"{vkey.split('+')[1]}.checkpoint"
    if kept.exists():
        before = open_checkpoint(kept.read_text(), vkey)
        known = f"the head of {before[0]} leaves that was signed here"
        require(int(lines[0][4:]) == before[0], f"ask for the proof from {known}: --since {before[0]}")
        require(is_consistent(before, now, path), f"the log does not continue {known}: keep both notes, and ask its operator")
    secret = folder / "key"
    if not secret.exists():
        with open(os.open(secret, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(os.urandom(32))
    at = int(time.time())
    text = note[: note.rindex("\n\n") + 1]
    public, signature = sign(secret.read_bytes(), f"cosignature/v1\ntime {at}\n{text}".encode())
    key_id = sha256(name.encode(), b"\n\x04", public)[:4]
    line = base64.b64encode(key_id + at.to_bytes(8, "big") + signature).decode()
    unfinished = folder / f"{kept.name}.new"
    unfinished.write_text(f"{note}\u2014 {name} {line}\n")
    unfinished.replace(kept)
    print(f"signed by {name}+{key_id.hex()}+{base64.b64encode(bytes([4]) + public).decode()}", file=sys.stderr)
    return kept.read_text()

if __name__ == "__main__":
    try:
        source, vkey, folder, name = sys.argv[1:]
        print(witness(pathlib.Path(source).read_text(), vkey, pathlib.Path(folder), name), end="")
    except (Refused, LookupError, ValueError, OSError) as refusal:
        sys.exit(f"REFUSED {refusal}")
