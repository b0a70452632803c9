// Proofs and checkpoints of our log, checked by the transparency log library of the Go project
// (golang.org/x/mod).

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  inclusionPath,
  leafHash,
  nodesAdded,
  rootOf,
  type TreeNode,
} from '../../src/io/evidence/merkle.ts';
import {
  newSigningKey,
  proofText,
  signCheckpoint,
  signerOf,
  verifierKeyOf,
} from '../../src/io/evidence/signed-note.ts';
import { buildProofChecker, hasGoLibrary } from '../support/proof-checker.ts';

const scratch = mkdtempSync(join(tmpdir(), 'pointage-log-proofs-'));
let program: string;
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const signer = signerOf(newSigningKey(), 'books.example/log')!;
const place = (name: string): string => join(scratch, name);

/** Writes the proof of a leaf in a tree of `size` leaves, which were added in several steps. */
function writeProof(index: number, size: number): void {
  const nodes = new Map<string, TreeNode>();
  const lookup = ({ level, position }: { readonly level: number; readonly position: number }) =>
    nodes.get(`${level}/${position}`)!.hash;
  for (let from = 0; from < size; ) {
    const count = Math.min(size - from, 3);
    const added = Array.from({ length: count }, (_, i) =>
      leafHash(Buffer.from(`leaf ${from + i}`)),
    );
    for (const node of nodesAdded(from, added, lookup))
      nodes.set(`${node.level}/${node.position}`, node);
    from += count;
  }
  const checkpoint = signCheckpoint(signer, { size, root: rootOf({ from: 0, to: size }, lookup) });
  const path = inclusionPath(index, size).map((range) => rootOf(range, lookup));
  writeFileSync(place('leaf'), `leaf ${index}`);
  writeFileSync(place('proof'), proofText({ index, path, checkpoint }));
  writeFileSync(place('vkey'), verifierKeyOf(signer));
}

const check = () =>
  spawnSync(program, [place('leaf'), place('proof'), place('vkey')], { encoding: 'utf8' });

describe.skipIf(!hasGoLibrary)('golang.org/x/mod', () => {
  beforeAll(() => {
    program = buildProofChecker(scratch);
  }, 300_000);

  test('accepts every leaf of trees of many sizes', () => {
    for (const size of [1, 2, 3, 4, 7, 8, 13]) {
      for (let index = 0; index < size; index += 1) {
        writeProof(index, size);
        expect(check()).toMatchObject({
          status: 0,
          stdout: `leaf ${index} of ${size} in books.example/log\n`,
        });
      }
    }
  });

  test.each<readonly [string, string, (text: string) => string]>([
    ['another leaf', 'leaf', () => 'leaf 4'],
    ['another index', 'proof', (text) => text.replace('index 5', 'index 4')],
    ['another size', 'proof', (text) => text.replace('\n13\n', '\n14\n')],
    ['a hash left out', 'proof', (text) => text.replace(/(index 5\n).+\n/, '$1')],
    ['no signature', 'proof', (text) => text.replace(/— .*\n/, '')],
    [
      'the key of another log',
      'vkey',
      () => verifierKeyOf(signerOf(newSigningKey(), signer.origin)!),
    ],
  ])('refuses a proof with %s', (_, name, change) => {
    writeProof(5, 13);
    expect(check().status).toBe(0);
    writeFileSync(place(name), change(readFileSync(place(name), 'utf8')));
    expect(check().status).toBe(1);
  });
});
