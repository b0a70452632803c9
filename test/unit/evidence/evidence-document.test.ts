// docs/EVIDENCE.md gives the bytes that others compute themselves. Its fields, lines and heads are
// those of the code.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LedgerEntry } from '../../../src/core/domain/ledger-entry.ts';
import { ENTRY_FIELDS } from '../../../src/core/domain/rows/entry-fields.ts';
import {
  BLOCK_LINES,
  beginChain,
  extendChain,
  headOf,
  LINK_LINES,
} from '../../../src/io/evidence/chain.ts';
import { type Decision, decisionsLeaf, isLeafOf } from '../../../src/io/evidence/leaf.ts';
import { lineText } from '../../../src/io/evidence/line-text.ts';
import { inclusionPath, leafHash, nodesAdded, rootOf } from '../../../src/io/evidence/merkle.ts';
import {
  openCheckpoint,
  proofText,
  signCheckpoint,
  signerOf,
  verifierKeyOf,
} from '../../../src/io/evidence/signed-note.ts';

const document = readFileSync(join(import.meta.dirname, '../../../docs/EVIDENCE.md'), 'utf8');

function fence(language: string): string {
  const found = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(document);
  return found![1]!;
}

const credit: LedgerEntry = {
  id: 'e-1',
  sequence: 1,
  direction: 'CREDIT',
  kind: 'CASHIN_CREDIT',
  amount: 5000,
  currency: 'XOF',
  balanceAfter: 5000,
  reservedAfter: 0,
  operationReference: 'CI-1',
  description: null,
  createdAt: 1791199805000,
};
const debit: LedgerEntry = {
  ...credit,
  id: 'e-2',
  sequence: 2,
  direction: 'DEBIT',
  kind: 'ADJUSTMENT_DEBIT',
  amount: 47,
  balanceAfter: 4953,
  operationReference: null,
  description: 'é\ttab \\ back\nslash',
  createdAt: 1791199806000,
};

const inTurns = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ entry: i % 2 === 0 ? credit : debit, variant: 0 }));

test('the fields of a line are those of LE1 in their order, and all that a line has', () => {
  const fields = fence('fields').trim().split(' ') as (keyof LedgerEntry)[];
  const unlike = { ...credit, balanceAfter: 5100, reservedAfter: 7, description: 'words' };
  expect(new Set(Object.values(unlike)).size).toBe(fields.length);
  const written = lineText({ entry: unlike, variant: 0 }).trimEnd().split('\t');
  expect(written).toEqual(['LE1', '0', ...fields.map((name) => String(unlike[name]))]);
  // A new field of a line needs a form LE2, because the heads of what is stored must not change.
  expect(fields.sort()).toEqual(Object.keys(ENTRY_FIELDS).sort());
});

test('the lines are written as the document shows', () => {
  expect(fence('lines')).toBe(inTurns(2).map(lineText).join(''));
});

test('the heads are those of the document', () => {
  const heads = [0, 2, 16, 17, 1024].map((count) => {
    const { state } = extendChain(beginChain('M001'), inTurns(count));
    return `${count} ${headOf(state).toString('hex')}\n`;
  });
  expect(fence('heads')).toBe(heads.join(''));
});

test('the head does not depend on the pages in which lines arrive', () => {
  const lines = inTurns(3 * BLOCK_LINES + 5).map((line, i) => ({
    ...line,
    entry: { ...line.entry, sequence: i },
  }));
  const whole = extendChain(beginChain('M001'), lines);
  expect(whole.blocks.map(({ block }) => block)).toEqual([1, 2, 3]);
  for (const size of [1, LINK_LINES - 1, LINK_LINES, 200, BLOCK_LINES, 2 * BLOCK_LINES]) {
    let state = beginChain('M001');
    const blocks = [];
    for (let from = 0; from < lines.length; from += size) {
      const page = extendChain(state, lines.slice(from, from + size));
      state = page.state;
      blocks.push(...page.blocks);
    }
    expect(headOf(state)).toEqual(headOf(whole.state));
    expect(blocks).toEqual(whole.blocks);
  }
});

test('a lone surrogate is refused, and no text is normalised', () => {
  const one = (description: string) => lineText({ entry: { ...credit, description }, variant: 0 });
  expect(() => one('\ud800')).toThrow(/lone surrogate/);
  expect(one('é')).not.toBe(one('é'.normalize('NFD')));
  expect(one('\\N')).not.toBe(lineText({ entry: credit, variant: 0 }));
});

test('a day of decisions is written as the document shows, in whatever order they come', () => {
  const settled: Decision = {
    ...{
      at: 1_795_000_000_000,
      act: 'settle',
      about: 'c7dd4ef1212bd192',
      number: 1,
      person: 'awa',
    },
    ...{ reason: 'by line 843', before: 'open', after: 'settled' },
    terms: {
      ...{
        balance: '47',
        reserved: '0',
        difference: '47',
        evidence: ['line 812'],
        limit: null,
        until: null,
      },
      lines: [
        {
          sequence: '843',
          kind: 'ADJUSTMENT_DEBIT',
          direction: 'DEBIT',
          amount: '47',
          at: '2026-11-18T08:00:00.000Z',
        },
      ],
    },
  };
  const released: Decision = {
    ...{ at: 1_795_000_001_000, act: 'release', about: '2026-10', number: 1, person: 'awa' },
    ...{ reason: null, before: null, after: null, terms: null },
  };
  const day = { merchant: 'M001', day: '2026-11-18', decisions: [released, settled] };
  const salted = (leaf: string) => leaf.replace(/(?<=\nsalt\t).*/, 'AAAAAAAAAAAAAAAAAAAAAA==');
  expect(salted(decisionsLeaf(day))).toBe(fence('decisions'));
  expect(isLeafOf(fence('decisions'), day)).toBe(true);
  for (const edited of [
    { person: 'other' },
    { reason: 'x' },
    { at: settled.at + 1 },
    { terms: null },
    { about: 'f' },
  ])
    expect(
      isLeafOf(fence('decisions'), { ...day, decisions: [released, { ...settled, ...edited }] }),
    ).toBe(false);
  expect(isLeafOf(fence('decisions'), { ...day, decisions: [released] })).toBe(false);
});

test('the verifier key, the checkpoint and the proof are those of the document', () => {
  const signer = signerOf(Buffer.alloc(32, 7).toString('base64'), 'books.example/log')!;
  expect(document).toContain(`\`${Buffer.alloc(32, 7).toString('base64')}\``);
  expect(fence('vkey')).toBe(`${verifierKeyOf(signer)}\n`);
  const leaves = ['a', 'b', 'c'].map((kind) =>
    leafHash(Buffer.from(`pointage-leaf/v1\nkind\t${kind}\n`)),
  );
  const nodes = nodesAdded(0, leaves, () => leaves[0]!);
  const lookup = (at: { readonly level: number; readonly position: number }) =>
    nodes.find(({ level, position }) => level === at.level && position === at.position)!.hash;
  const checkpoint = signCheckpoint(signer, { size: 3, root: rootOf({ from: 0, to: 3 }, lookup) });
  const path = inclusionPath(1, 3).map((range) => rootOf(range, lookup));
  expect(fence('proof')).toBe(proofText({ index: 1, path, checkpoint }));
});

test('a checkpoint is opened beside signatures of others, and with one digit changed it is not', () => {
  const signer = signerOf(Buffer.alloc(32, 9).toString('base64'), null)!;
  const note = signCheckpoint(signer, { size: 2, root: Buffer.alloc(32, 1) });
  expect(signer.origin).toMatch(/^pointage\/[0-9a-f]{16}$/);
  expect(openCheckpoint(note, verifierKeyOf(signer))).toEqual({
    size: 2,
    root: Buffer.alloc(32, 1),
  });
  expect(openCheckpoint(note.replace('\n2\n', '\n3\n'), verifierKeyOf(signer))).toBeNull();
  const cosigned = `${note}— witness.example AAAA\n`;
  expect(openCheckpoint(cosigned, verifierKeyOf(signer))).not.toBeNull();
  expect(signerOf('too short', null)).toBeNull();
});
