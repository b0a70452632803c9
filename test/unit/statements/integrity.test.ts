// The hashes can be computed again from the JSON form, and a JSON form that was changed does not
// have them.

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { EVERY_INTERPRETATION } from '../../../src/core/domain/assumptions.ts';
import { parsePeriod } from '../../../src/core/domain/period.ts';
import { openZone } from '../../../src/core/domain/zone.ts';
import {
  beginChain,
  canonicalContent,
  chainLine,
  type StatementContent,
} from '../../../src/core/statements/integrity.ts';
import { DEFAULT_JOURNAL } from '../../../src/core/statements/journal.ts';
import type { Statement } from '../../../src/core/statements/statement.ts';
import type { StatementLine } from '../../../src/core/statements/statement-line.ts';
import { jsonFormat } from '../../../src/io/formats/text/json.ts';
import { sealDocument } from '../../../src/service/workflows/month/open-month.ts';
import { handBooks } from '../../support/hand-books.ts';
import { documentOf, stateBooks } from '../../support/month-of-books.ts';
import { sampleDocument } from '../../support/sample-statement.ts';
import { bytesOf } from '../../support/written-document.ts';

/**
 * Returns the content of a statement that is there already, also of one read back from its JSON
 * form.
 */
function contentOf(statement: Statement): StatementContent {
  const {
    integrity: _a,
    revision: _b,
    generatedAt: _c,
    engine: _d,
    summary,
    ...tables
  } = statement;
  const { revision: _e, ...figures } = summary;
  return { ...tables, summary: figures };
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

const books = handBooks(`
  10-05T10:00 CASHIN_CREDIT 500 GUI-CI-1 says=de_+2250712345645
  10-05T10:00 CASHIN_FEE 10 GUI-CI-1
  10-31T10:00 CASHOUT_HOLD 100 GUI-CO-2
  11-02T10:00 CASHOUT_RELEASE 100 GUI-CO-2
  op GUI-CI-1 SUCCEEDED 500 fees=10 created=10-05T09:58 completed=10-05T10:00
  op GUI-CO-2 EXPIRED 100 created=10-31T10:00 completed=11-02T10:00`);

async function readBack(): Promise<{
  readonly statement: Statement;
  readonly lines: readonly StatementLine[];
}> {
  const document = documentOf(await stateBooks(books, { period: '2026-10' }));
  return JSON.parse((await bytesOf(jsonFormat, document)).toString('utf8')) as Awaited<
    ReturnType<typeof readBack>
  >;
}

function chainOf({ statement, lines }: Awaited<ReturnType<typeof readBack>>): string {
  const { merchant, currency, period } = statement;
  const start = beginChain({
    merchant: merchant.reference,
    currency,
    period: parsePeriod(period.period)!,
    zone: openZone(period.zone)!,
    bounds: { start: period.start, end: period.end },
    boundsFrom: period.boundsFrom,
    cut: null,
    before: null,
    opening: null,
    closed: [],
    moved: new Map(),
    hasOperations: true,
    standing: EVERY_INTERPRETATION,
    profiles: [],
    journal: DEFAULT_JOURNAL,
    phoneNumbers: 'masked',
    parties: { issuer: null, holder: null },
    hash,
  });
  return lines.reduce((link, line) => {
    const recorded = {
      ...line,
      balanceAfter: line.recordedBalance,
      reservedAfter: line.recordedReserved,
    };
    return chainLine(link, recorded, hash);
  }, start);
}

test('both hashes follow from the JSON form, masked as it is', async () => {
  const read = await readBack();
  expect(read.lines.length).toBe(3);
  expect(JSON.stringify(read)).not.toContain('0712345645');
  expect(chainOf(read)).toBe(read.statement.integrity.chainHead);
  expect(hash(canonicalContent(contentOf(read.statement)))).toBe(
    read.statement.integrity.contentHash,
  );
  expect(read.statement.summary.chainHead).toBe(read.statement.integrity.chainHead);
});

/**
 * Returns every text, number and boolean in a value by its path, each with a function that changes
 * only that one.
 */
function changesOf(value: unknown): readonly (readonly [path: string, changed: () => unknown])[] {
  if (value === null) return [['', () => 'another']];
  if (typeof value === 'boolean') return [['', () => !value]];
  if (typeof value !== 'object') return [['', () => `${value}.`]];
  return Object.entries(value).flatMap(([key, inner]) =>
    changesOf(inner).map(([path, changed]) => [
      `${key}.${path}`,
      () =>
        Array.isArray(value) ? value.with(Number(key), changed()) : { ...value, [key]: changed() },
    ]),
  );
}

test('whatever a document shows is in its hash: each text, figure and claim of its statement, lines and operations', async () => {
  const document = sampleDocument({ lines: 3, links: true });
  const hashOf = async (changed: object): Promise<string> =>
    (await sealDocument({ ...document, ...changed })).statement.integrity.documentHash;
  const all = async <Row>(stream: () => AsyncIterable<readonly Row[]>): Promise<Row[]> =>
    (await Array.fromAsync(stream())).flat();
  const { documentHash: _, ...integrity } = document.statement.integrity;
  const statement = { ...document.statement, integrity };
  const [lines, operations] = [await all(document.lines), await all(document.operations)];
  const hashes = new Map([[await hashOf({}), 'as it is']]);
  const streamed = (rows: unknown) =>
    async function* () {
      yield rows;
    };
  const documents = [
    ...changesOf(statement).map(([path, changed]) => [path, { statement: changed() }] as const),
    ...changesOf(lines).map(
      ([path, changed]) => [`lines.${path}`, { lines: streamed(changed()) }] as const,
    ),
    ...changesOf(operations).map(
      ([path, changed]) => [`operations.${path}`, { operations: streamed(changed()) }] as const,
    ),
  ];
  expect(documents.length).toBeGreaterThan(700);
  for (const [path, changed] of documents) {
    const found = await hashOf(changed);
    expect(hashes.get(found), path).toBeUndefined();
    hashes.set(found, path);
  }
  // A source may cut batches anywhere.
  const single = async function* () {
    for (const line of lines) yield [line];
  };
  expect(await hashOf({ lines: single })).toBe(await hashOf({}));
});

test('a line taken off the end, or two that change places, break the chain', async () => {
  const read = await readBack();
  const { chainHead } = read.statement.integrity;
  expect(chainOf({ ...read, lines: read.lines.slice(0, -1) })).not.toBe(chainHead);
  expect(chainOf({ ...read, lines: [read.lines[1]!, read.lines[0]!, read.lines[2]!] })).not.toBe(
    chainHead,
  );
  expect(chainOf({ ...read, lines: [] })).not.toBe(chainHead);
});

test('any table that is changed changes the content', async () => {
  const { statement } = await readBack();
  const { contentHash } = statement.integrity;
  const changed = (part: Partial<Statement>): string =>
    hash(canonicalContent(contentOf({ ...statement, ...part })));
  const { summary, days, journal, openHolds, commissions, reconciliation, movements } = statement;
  const parts: readonly Partial<Statement>[] = [
    { currency: 'XAF' },
    { period: { ...statement.period, zone: 'Africa/Douala' } },
    { period: { ...statement.period, end: statement.period.end + 1 } },
    { summary: { ...summary, closingBalance: summary.closingBalance + 1 } },
    { days: days.slice(1) },
    { movements: movements.with(0, { ...movements[0]!, count: 9 }) },
    { journal: { ...journal, debit: 1 } },
    { openHolds: { ...openHolds, count: 0 } },
    { commissions: { ...commissions, differenceCount: 1 } },
    { reconciliation: { ...reconciliation, balance: { ...reconciliation.balance, remainder: 1 } } },
  ];
  for (const part of parts) expect(changed(part), JSON.stringify(part)).not.toBe(contentHash);
  const merchant = { ...statement.merchant, name: 'Another name' };
  expect(changed({ merchant, generatedAt: 0, engine: 'pointage 9' })).toBe(contentHash);
});

test('how many findings lie outside the month changes nothing of its content', async () => {
  const { statement } = await readBack();
  const one = { total: 1, roots: 1, critical: 1, error: 0, warning: 0, info: 0 };
  const findings = { ...statement.findings, earlier: one, standing: one };
  expect(canonicalContent(contentOf({ ...statement, findings }))).toBe(
    canonicalContent(contentOf(statement)),
  );
});
