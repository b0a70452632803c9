// Checkpoints and proofs in the formats of C2SP: signed-note, tlog-checkpoint, tlog-proof
// (c2sp.org), with Ed25519 alone. Refuses a note whose signature by the known key does not verify;
// ignores signatures by other keys.

import {
  createPrivateKey,
  createPublicKey,
  hash,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import { leafHash, rootFrom } from './merkle.ts';

/** A key that signs, with its name in notes. */
export interface Signer {
  /** The log's name, as checkpoints show it: no spaces, no plus. */
  readonly origin: string;
  readonly privateKey: KeyObject;
}

export interface TreeHead {
  readonly size: number;
  readonly root: Buffer;
}

const ED25519 = 1;
/** The DER bytes that stand in front of the 32 bytes of a public key. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
/** The DER bytes that stand in front of the 32 bytes of a private key. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Draws a new private key: 32 random bytes, as base64. */
export function newSigningKey(): string {
  return randomBytes(32).toString('base64');
}

/**
 * Makes a signer from a private key. Returns `null` unless `seed` is 32 bytes as base64. When
 * `origin` is `null`, the signer is named after its public key: `pointage/` and 16 hexadecimal
 * digits.
 */
export function signerOf(seed: string, origin: string | null): Signer | null {
  const bytes = Buffer.from(seed, 'base64');
  if (bytes.length !== 32) return null;
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8, bytes]),
    format: 'der',
    type: 'pkcs8',
  });
  const own = hash('sha256', publicBytes(privateKey), 'hex').slice(0, 16);
  return { origin: origin ?? `pointage/${own}`, privateKey };
}

function publicBytes(key: KeyObject): Buffer {
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(SPKI.length);
}

/** The key with which others verify: `name+keyID+base64(0x01 ‖ public key)`. */
export function verifierKeyOf({ origin, privateKey }: Signer): string {
  const key = Buffer.concat([Buffer.from([ED25519]), publicBytes(privateKey)]);
  return `${origin}+${keyIdOf(origin, key).toString('hex')}+${key.toString('base64')}`;
}

function keyIdOf(name: string, key: Buffer): Buffer {
  return hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), key]), 'buffer').subarray(0, 4);
}

/**
 * Returns the signed checkpoint of a tree. Its text has three lines: origin, size and root in
 * base64.
 */
export function signCheckpoint(signer: Signer, { size, root }: TreeHead): string {
  const text = `${signer.origin}\n${size}\n${root.toString('base64')}\n`;
  const [name, id] = verifierKeyOf(signer).split('+');
  const signature = Buffer.concat([
    Buffer.from(id!, 'hex'),
    sign(null, Buffer.from(text), signer.privateKey),
  ]);
  return `${text}\n— ${name} ${signature.toString('base64')}\n`;
}

/**
 * Returns the tree that a checkpoint is about, or `null` unless the key has signed the checkpoint.
 */
export function openCheckpoint(note: string, verifierKey: string): TreeHead | null {
  const [name, id, base64] = splitVerifierKey(verifierKey);
  const end = note.lastIndexOf('\n\n');
  const text = note.slice(0, end + 1);
  const [origin, size, root, ...more] = text.split('\n');
  const key = Buffer.from(base64, 'base64');
  if (end < 0 || origin !== name || more.join('') !== '' || key[0] !== ED25519) return null;
  const publicKey = createPublicKey({
    key: Buffer.concat([SPKI, key.subarray(1)]),
    format: 'der',
    type: 'spki',
  });
  const signatures = note.slice(end + 2).split('\n');
  const ours = signatures
    .filter((line) => line.startsWith(`— ${name} `))
    .map((line) => Buffer.from(line.slice(`— ${name} `.length), 'base64'))
    .filter((bytes) => bytes.subarray(0, 4).toString('hex') === id);
  const isSigned =
    ours.length > 0 &&
    ours.every((bytes) => verify(null, Buffer.from(text), publicKey, bytes.subarray(4)));
  if (!isSigned || !/^(?:0|[1-9]\d{0,15})$/.test(size!)) return null;
  return { size: Number(size), root: Buffer.from(root!, 'base64') };
}

/** Returns the tree that a checkpoint is about. Its signatures are not checked. */
export function headIn(note: string): TreeHead & { readonly origin: string } {
  const [origin, size, root] = note.split('\n');
  return { origin: origin!, size: Number(size), root: Buffer.from(root ?? '', 'base64') };
}

/** Splits `name+keyID+base64`. A name has no plus, but the base64 may have some. */
function splitVerifierKey(verifierKey: string): readonly [name: string, id: string, key: string] {
  const [name, id, ...key] = verifierKey.split('+');
  return [name!, id!, key.join('+')];
}

/** Writes a `.tlog-proof` that leaf `index` is in the tree of the checkpoint. */
export function proofText(proof: {
  readonly index: number;
  readonly path: readonly Buffer[];
  readonly checkpoint: string;
}): string {
  const { index, path, checkpoint } = proof;
  const hashes = path.map((one) => `${one.toString('base64')}\n`).join('');
  return `c2sp.org/tlog-proof@v1\nindex ${index}\n${hashes}\n${checkpoint}`;
}

/**
 * Puts the text of the leaf into its proof, as extra data, so that one file is enough to check what
 * it proves.
 */
export function withLeafInside({
  text,
  proof,
}: {
  readonly text: string;
  readonly proof: string;
}): string {
  return proof.replace('\n', `\nextra ${Buffer.from(text).toString('base64')}\n`);
}

const PROOF =
  /^c2sp\.org\/tlog-proof@v1\n(?:extra ([\w+/=]+)\n)?index (\d{1,15})\n((?:[\w+/]+=*\n)*)\n((.+)\n(\d{1,15})\n(.+)\n\n[\s\S]+)$/;

/**
 * Checks a `.tlog-proof`. Returns the text of the leaf and the root of the log in hexadecimal, or
 * `null` when the proof does not hold. `beside` is the text of the leaf for a proof that does not
 * contain it. `keys` are verifier keys as `verifierKeyOf` writes them. `log` is the log's name, or
 * `null` when no key is that log's, so that no signature was checked.
 */
export function openProof(text: string, beside: string, keys: readonly string[]) {
  const [, inside, index, hashes, note, origin, size, root64] = (PROOF.exec(text) ??
    []) as string[];
  if (note === undefined) return null;
  const key = keys.find((one) => one.startsWith(`${origin}+`));
  const unsigned = { size: Number(size), root: Buffer.from(root64!, 'base64') };
  const head = key === undefined ? unsigned : openCheckpoint(note, key);
  const leaf = inside === undefined ? beside : Buffer.from(inside, 'base64').toString();
  const path = (hashes!.match(/.+/g) ?? []).map((one) => Buffer.from(one, 'base64'));
  const root =
    head && rootFrom(leafHash(Buffer.from(leaf)), { index: Number(index), size: head.size, path });
  if (root === null || !root.equals(head!.root)) return null;
  return { leaf, root: root.toString('hex'), log: key === undefined ? null : origin! };
}
