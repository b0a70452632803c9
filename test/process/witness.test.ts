// A witness signs another installation's log as long as the log continues what was signed before,
// and nothing else. The witness is docs/evidence/witness.py, which needs Python alone.

import { spawnSync } from 'node:child_process';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  consistencyPath,
  leafHash,
  nodesAdded,
  rootOf,
  type TreeNode,
} from '../../src/io/evidence/merkle.ts';
import {
  newSigningKey,
  openCheckpoint,
  signCheckpoint,
  signerOf,
  verifierKeyOf,
} from '../../src/io/evidence/signed-note.ts';
import { appendLeaves, openLog, signLog } from '../../src/io/storage/evidence/log.ts';
import { pointage } from '../support/command.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { areInstalled } from '../support/installed.ts';

const NOW = Date.UTC(2026, 10, 2, 3);
const key = newSigningKey();
const signer = signerOf(key, 'books.example/log')!;
const vkey = verifierKeyOf(signer);
const PROGRAMS = join(import.meta.dirname, '../../docs/evidence');
const scratch = mkdtempSync(join(tmpdir(), 'pointage-witness-'));
const folder = join(scratch, 'witness');
let opened: TestStore;

beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(async () => {
  await opened.close();
  rmSync(scratch, { recursive: true, force: true });
});

/** Adds so many leaves to the log, and a new head. */
async function grow(...names: readonly string[]): Promise<void> {
  const log = await openLog(opened.store, { key, origin: signer.origin }, 0);
  const leaves = names.map((name) => ({ subject: name, merchant: 'M001', text: name }));
  await appendLeaves(opened.store, log, { leaves });
  await signLog(opened.store, log, { lastSeen: null, at: NOW });
}

async function checkpoint(since: number): Promise<string> {
  const file = join(scratch, 'pointage.config.json');
  writeFileSync(
    file,
    JSON.stringify({
      databaseUrl: opened.databaseUrl,
      evidence: { key, origin: signer.origin, lastSigned: join(scratch, 'last') },
    }),
  );
  const said = await pointage([
    'evidence',
    'checkpoint',
    '--since',
    String(since),
    '--config',
    file,
  ]);
  expect(said).toMatchObject({ status: 0, err: '' });
  return said.out;
}

function witness(request: string, log = vkey) {
  const file = join(scratch, 'checkpoint.txt');
  writeFileSync(file, request);
  const words = [join(PROGRAMS, 'witness.py'), file, log, folder, 'witness.example/w1'];
  const { status, stdout: out, stderr: err } = spawnSync('python3', words, { encoding: 'utf8' });
  return { status, out, err };
}

/**
 * Returns the time of a cosignature, read by the specification alone (c2sp.org/tlog-cosignature).
 */
function timeOfCosignature(note: string, witnessKey: string): number {
  const [name, id, ...base64] = witnessKey.split('+');
  const publicKey = Buffer.from(base64.join('+'), 'base64');
  const keyId = createHash('sha256')
    .update(`${name}\n`)
    .update(publicKey)
    .digest('hex')
    .slice(0, 8);
  expect([publicKey[0], publicKey.length, keyId]).toEqual([4, 33, id]);
  const line = note.split('\n').find((one) => one.startsWith(`— ${name} `))!;
  const bytes = Buffer.from(line.split(' ')[2]!, 'base64');
  expect([bytes.length, bytes.subarray(0, 4).toString('hex')]).toEqual([76, id]);
  const time = Number(bytes.readBigUInt64BE(4));
  const spki = Buffer.concat([
    Buffer.from('302a300506032b6570032100', 'hex'),
    publicKey.subarray(1),
  ]);
  const body = note.slice(0, note.indexOf('\n\n') + 1);
  const message = Buffer.from(`cosignature/v1\ntime ${time}\n${body}`);
  expect(
    verify(
      null,
      message,
      createPublicKey({ key: spki, format: 'der', type: 'spki' }),
      bytes.subarray(12),
    ),
  ).toBe(true);
  return time;
}

const witnessKeyIn = (err: string): string => /^signed by (\S+)$/m.exec(err)![1]!;

describe.skipIf(!areInstalled('python3'))('a witness', () => {
  test('signs the first head, and then each that continues the one before', async () => {
    await grow('a', 'b', 'c');
    const began = Math.floor(Date.now() / 1_000);
    const first = witness(await checkpoint(0));
    expect(first.status, first.err).toBe(0);
    const witnessKey = witnessKeyIn(first.err);
    expect(timeOfCosignature(first.out, witnessKey)).toBeGreaterThanOrEqual(began);
    expect(openCheckpoint(first.out, vkey)).toMatchObject({ size: 3 });
    expect(statSync(join(folder, 'key')).mode & 0o777).toBe(0o600);
    await grow('d', 'e', 'f', 'g');
    const second = witness(await checkpoint(3));
    expect(second.status, second.err).toBe(0);
    expect(witnessKeyIn(second.err)).toBe(witnessKey);
    expect(openCheckpoint(second.out, vkey)).toMatchObject({ size: 7 });
    expect(timeOfCosignature(second.out, witnessKey)).toBeGreaterThanOrEqual(began);
    expect(witness(await checkpoint(7))).toMatchObject({ status: 0 });
  });

  test('refuses a head that does not continue it, an older one, another proof and another key, and keeps what it had', async () => {
    const kept = join(folder, `${vkey.split('+')[1]}.checkpoint`);
    const before = readFileSync(kept, 'utf8');
    await grow('h');
    const request = await checkpoint(7);
    const other = signCheckpoint(signer, { size: 9, root: Buffer.alloc(32, 1) });
    const [proof] = request.split('\n\n');
    const refusals: readonly (readonly [string, string, string?])[] = [
      [`${proof}\n\n${other}`, 'does not continue'],
      [
        `old 7\n\n${signCheckpoint(signer, { size: 5, root: Buffer.alloc(32, 1) })}`,
        'does not continue',
      ],
      [
        request
          .replace(/^(old 7\n)./, '$1A')
          .replace(/^(old 7\n)A(.)/, (_, a, b) => `${a}A${b === 'B' ? 'C' : 'B'}`),
        'does not continue',
      ],
      [await checkpoint(3), '--since 7'],
      [request.replace('\n8\n', '\n9\n'), 'does not fit the checkpoint'],
      ['hello', 'no checkpoint with its proof'],
      [
        request,
        'has not signed the checkpoint',
        verifierKeyOf(signerOf(newSigningKey(), signer.origin)!),
      ],
    ];
    for (const [tried, why, log] of refusals) {
      const said = witness(tried, log);
      expect([said.status, said.out], why).toEqual([1, '']);
      expect(said.err).toContain(why);
    }
    expect(readFileSync(kept, 'utf8')).toBe(before);
    expect(witness(request)).toMatchObject({ status: 0 });
  });

  test('follows every earlier head of every small log, and no other', () => {
    const MOST = 24;
    const leaves = Array.from({ length: MOST }, (_, i) => leafHash(Buffer.from(`leaf ${i}`)));
    const nodes = new Map(
      nodesAdded(0, leaves, () => leaves[0]!).map((node: TreeNode) => [
        `${node.level}/${node.position}`,
        node.hash,
      ]),
    );
    const root = (from: number, to: number) =>
      rootOf({ from, to }, ({ level, position }) => nodes.get(`${level}/${position}`)!).toString(
        'hex',
      );
    const cases = leaves.flatMap((_, i) =>
      leaves.slice(0, i + 1).map((__, j) => {
        const [from, size] = [j + 1, i + 1];
        const path = consistencyPath(from, size).map((range) => root(range.from, range.to));
        return [[from, root(0, from)], [size, root(0, size)], path];
      }),
    );
    const program = `
import json, sys
sys.path.insert(0, ${JSON.stringify(PROGRAMS)})
sys.dont_write_bytecode = True
from witness import is_consistent
raw = bytes.fromhex
for before, now, path in json.load(sys.stdin):
    (size, root), (new, new_root) = (before[0], raw(before[1])), (now[0], raw(now[1]))
    hashes = [raw(one) for one in path]
    say = lambda root, path: is_consistent((size, root), (new, new_root), path)
    assert say(root, hashes), (size, new)
    assert not say(bytes(32), hashes) and not say(root, [*hashes, bytes(32)]), (size, new)
    assert not hashes or not (say(root, hashes[1:]) or say(root, [bytes(32), *hashes[1:]])), (size, new)
print("all")`;
    const said = spawnSync('python3', ['-c', program], {
      input: JSON.stringify(cases),
      encoding: 'utf8',
    });
    expect(said.stderr).toBe('');
    expect(said.stdout).toBe('all\n');
    expect(cases).toHaveLength((MOST * (MOST + 1)) / 2);
  });
});
