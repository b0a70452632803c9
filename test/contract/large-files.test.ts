// Files above 16 MiB are scanned on a second thread. They give what their lines give one by one,
// odd lines among them included, and disorder is noticed as in small files.

import { beforeAll, describe, expect, test } from 'vitest';
import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import type { Operation } from '../../src/core/domain/operation.ts';
import { decodeEntry } from '../../src/core/domain/rows/entry-fields.ts';
import { decodeOperation } from '../../src/core/domain/rows/operation-fields.ts';
import { openFiles, toLines } from '../hostile/book-folder.ts';
import { drain } from './source-contract.ts';
import { type Raw, rawEntry, rawOperation } from './source-rows.ts';

const LARGE = 16 * 1_048_576;
const LINES = 24_000;
/** So many lines are so short that a batch is full of lines before it is full of bytes. */
const SHORT = 9_000;
const OPERATIONS = 13_000;

function at(seconds: number): string {
  return new Date(Date.UTC(2026, 0, 5) + seconds * 1_000).toISOString();
}

/** Texts that the quick path has to look at twice, or hand to the strict parser. */
const LONG = 'x'.repeat(900);
const DESCRIPTIONS = [
  'Encaissement',
  'Étal nº 5',
  'say "yes"\n',
  '\u{1f600}',
  '',
  null,
  '\\',
  LONG,
];

function entry(n: number): Raw {
  if (n <= SHORT)
    return rawEntry({ sequence: n, id: `e${n}`, operationReference: null, createdAt: at(n) });
  const description = n % 9 === 0 ? DESCRIPTIONS[n % DESCRIPTIONS.length] : LONG;
  return rawEntry({
    sequence: n,
    operationReference: `GUI-CI-${n >> 1}`,
    description,
    createdAt: at(n),
  });
}

function operation(n: number, change: Raw = {}): Raw {
  // A key with an escape must be read by the strict parser.
  const key = n % 50 === 0 ? 'a"b' : 'note';
  const described = {
    externalReference: `order-${n}`,
    metadata: { shop: `nº ${n}`, items: [LONG, { [key]: null }] },
  };
  const times = {
    createdAt: at(n),
    updatedAt: at(n + 60),
    completedAt: at(n + 60),
    expiresAt: at(n + 1_800),
  };
  return rawOperation({ reference: `GUI-CI-${n}`, ...described, ...times, ...change });
}

function entryOf(raw: Raw): LedgerEntry {
  const decoded = decodeEntry(raw);
  if (!decoded.ok) throw new Error(decoded.reason);
  return decoded.value;
}

function operationOf(raw: Raw): Operation {
  const decoded = decodeOperation(raw);
  if (!decoded.ok) throw new Error(decoded.reason);
  return decoded.value;
}

/** Compares as `toEqual` does, which takes seconds for so many rows. */
function expectSame(found: readonly object[], expected: readonly object[]): void {
  expect(found.length).toBe(expected.length);
  const differing = found.findIndex(
    (row, i) => JSON.stringify(row) !== JSON.stringify(expected[i]),
  );
  expect(found[differing]).toEqual(expected[differing]);
}

const numbers = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => i + 1);

describe('a ledger above 16 MiB', () => {
  const odd = new Map<number, string>([
    [2, 'hello'],
    [513, JSON.stringify({ ...entry(513), amount: '5' })],
    [12_000, JSON.stringify({ ...entry(12_000), description: 'x'.repeat(1_200_000) })],
    [12_001, ''],
    [LINES, JSON.stringify({ ...entry(LINES), sequence: 1.5 })],
  ]);
  const sound = numbers(LINES).filter((n) => !odd.has(n));
  let text = '';

  beforeAll(() => {
    // Some lines as another program would write them: with spaces, or with their keys in another
    // order.
    const write = (n: number): string => {
      if (n % 1_000 === 7) return `${JSON.stringify(entry(n), null, 1).replaceAll('\n', '')}\r`;
      if (n % 1_000 === 8)
        return JSON.stringify(Object.fromEntries(Object.entries(entry(n)).reverse()));
      return JSON.stringify(entry(n));
    };
    text = numbers(LINES)
      .map((n) => odd.get(n) ?? write(n))
      .join('\n');
    expect(text.length).toBeGreaterThan(LARGE);
  });

  test('gives every sound line unchanged, and names the others by their numbers', async () => {
    const snapshot = await openFiles({ 'ledger.jsonl': text });
    const { rows, rejected } = await drain(() => snapshot.entries());
    expect(rejected.map(({ place }) => place)).toEqual(
      [2, 513, 12_000, LINES].map((n) => `ledger.jsonl:${n}`),
    );
    expect(rows.length).toBe(sound.length);
    expectSame(
      rows,
      sound.map((n) => entryOf(entry(n))),
    );
  });

  test('is put in order when its first line is at its end', async () => {
    const lines = text.split('\n');
    const snapshot = await openFiles({ 'ledger.jsonl': [...lines.slice(1), lines[0]].join('\n') });
    const { rows } = await drain(() => snapshot.entries());
    expect(rows.map(({ sequence }) => sequence)).toEqual(sound);
  });

  test('may be left before its end, and read again from its first line', async () => {
    const snapshot = await openFiles({ 'ledger.jsonl': text });
    for await (const { rows } of snapshot.entries()) {
      expect(rows[0]!.sequence).toBe(1);
      break;
    }
    for await (const { rows } of snapshot.entries()) {
      expect(rows[0]!.sequence).toBe(1);
      break;
    }
    await snapshot.close();
  });
});

describe('operations above 16 MiB', () => {
  const rows = numbers(OPERATIONS).map((n) => operation(n));
  const given = async (raw: readonly Raw[]) => {
    const text = toLines(raw);
    expect(text.length).toBeGreaterThan(LARGE);
    const snapshot = await openFiles({ 'operations.jsonl': text });
    const { rows: found, rejected } = await drain(() => snapshot.operations());
    return { snapshot, rejected, operations: found.map((version) => version.operation) };
  };
  const expected = rows.map(operationOf);

  test('come unchanged, and any of them is found again', async () => {
    const { snapshot, operations, rejected } = await given(rows);
    expect(rejected).toEqual([]);
    expectSame(operations, expected);
    const recalled = await snapshot.recall({
      references: new Set(['GUI-CI-12999']),
      entryIds: new Set(),
      externalReferences: new Set(['order-17']),
    });
    expect(recalled.operations.map((version) => version.operation.reference).sort()).toEqual([
      'GUI-CI-12999',
      'GUI-CI-17',
    ]);
  });

  test('come each once and in its newest version, wherever the older one is', async () => {
    const older = operation(5, { status: 'PENDING', updatedAt: at(5), completedAt: null });
    const { operations, rejected } = await given([...rows, older, rows[9]!]);
    expect(rejected).toEqual([]);
    expectSame(operations, expected);
  });
});
