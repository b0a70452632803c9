// What each reader says of rows that it cannot read exactly: every reason that there is, each from
// the code that gives it.

import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Refused } from '../../src/core/domain/refusal.ts';
import type { Decoded } from '../../src/core/domain/rows/decode-object.ts';
import { decodeEntry } from '../../src/core/domain/rows/entry-fields.ts';
import { decodeMerchant } from '../../src/core/domain/rows/merchant-fields.ts';
import { decodeOperation } from '../../src/core/domain/rows/operation-fields.ts';
import { decodePayment } from '../../src/io/sources/decode/decode-payment.ts';
import {
  decodeBalance,
  decodeDailyFlow,
  decodeSettlement,
} from '../../src/io/sources/decode/decode-payouts.ts';
import { refuseOther, splitItems } from '../../src/io/sources/decode/decode-row.ts';
import { decodeServiceReport } from '../../src/io/sources/decode/decode-service-report.ts';
import { parseStrictJson, parseStrictJsonText } from '../../src/io/sources/decode/strict-json.ts';
import { openFileSource } from '../../src/io/sources/file/open-file-source.ts';
import { rawEntry, rawMerchant, rawOperation } from '../contract/source-rows.ts';
import { rawPayment, rawReport } from './dashboard-rows.ts';
import { readInOrder } from './read-in-order.ts';

/**
 * Returns lines of a ledger, none of which can be read. Those that have a sequence count on from
 * `first`.
 */
export function badLines(first: number): readonly (string | Buffer)[] {
  let sequence = first - 1;
  const entry = (change: Readonly<Record<string, unknown>>): string => {
    sequence += 1;
    return JSON.stringify(rawEntry({ sequence, ...change }));
  };
  return [
    '17',
    '[]',
    'null',
    entry({ id: undefined }),
    entry({ amount: 12.5 }),
    entry({ amount: [] }),
    entry({ amount: {} }),
    entry({}).replace('"amount":1000', '"amount":9007199254740993'),
    entry({ currency: 1 }),
    entry({ description: 'a\u0000b' }),
    entry({ description: 'x'.repeat(10_001) }),
    entry({ id: '' }),
    entry({ createdAt: 'hier' }),
    Buffer.from([0x22, 0xff, 0x22]),
    entry({}).replace('GUI-CI-000001', '\\ud800'),
    `${'['.repeat(65)}${']'.repeat(65)}`,
    entry({}).replace('{', '{"amount":1,'),
    `"${'x'.repeat(1_048_576)}"`,
    `${entry({})} x`,
    '{1:2}',
    '{"a" 1}',
    '{"a":1 2}',
    '[1 2]',
    'hello',
    '"a\tb"',
    entry({}).slice(0, -1),
    '"ouvert',
    '"\\uZZZZ"',
    '"\\x"',
  ];
}

function refusalOf(decoded: Decoded<unknown>): Refused {
  if (decoded.ok) throw new Error('it was read');
  return decoded;
}

function inOneRow(): readonly Refused[] {
  const split = [
    splitItems(Buffer.from('[1')),
    splitItems(Buffer.from('7')),
    splitItems(Buffer.from('[1,,2]')),
  ];
  const report = (change: Readonly<Record<string, unknown>>): Refused =>
    refusalOf(decodeServiceReport(rawReport(change)));
  let deep: unknown = 1;
  for (let level = 0; level < 9; level += 1) deep = { a: deep };
  return [
    ...split.map((items) => refusalOf(items.ok ? { ok: true, value: null } : items)),
    refusalOf(parseStrictJsonText('"\ud800"')),
    refusalOf(decodePayment(rawPayment({ reference: 'X1' }))),
    refusalOf(decodePayment(rawPayment({ amount: -1 }))),
    refusalOf(decodeBalance('12,5')),
    refusalOf(decodeSettlement({ mode: 'T0', time: '6h' })),
    refusalOf(decodeDailyFlow({ date: '5 octobre', count: 1, amount: 1 })),
    refusalOf(decodeMerchant(rawMerchant({ allowedCountries: 'CI' }))),
    refusalOf(decodeMerchant(rawMerchant({ pricing: 5 }))),
    report({ period: '2026-13' }),
    report({ periodStart: '2026-01-01T00:00:00Z' }),
    report({ summary: Array.from({ length: 3 }) }),
    report({ summary: { a: Array.from({ length: 5_001 }).fill(1) } }),
    report({ summary: deep }),
    report({ summary: { ['k'.repeat(201)]: 1 } }),
    report({ summary: { a: 'x'.repeat(10_001) } }),
    report({ summary: { a: '\u0000' } }),
    report({ summary: { a: Number.POSITIVE_INFINITY } }),
    refusalOf(decodeOperation(rawOperation({ status: 'PERDU' }))),
    refuseOther('M002', 'M001'),
    // Refusals of tables and of the API. Tests of their own show that these say so.
    {
      reason: 'description is not valid UTF-8',
      refusal: { code: 'FIELD_NOT_UTF8', field: 'description' },
    },
    {
      reason: 'there is none (NOT_FOUND): check http.paths.wallet',
      refusal: { code: 'NONE_THERE', answered: 'NOT_FOUND' },
    },
    {
      reason: 'reference "PAY1" is given 2 times with contents that exclude each other',
      refusal: { code: 'CONTENTS_EXCLUDE', reference: '"PAY1"', times: 2 },
    },
    {
      reason: 'ledger.jsonl is UTF-16; write it as UTF-8',
      refusal: { code: 'CONTAINER_OTHER', file: 'ledger.jsonl', found: 'UTF16' },
    },
    {
      reason: 'requiresPayerAction is 1, not true or false',
      refusal: {
        code: 'FIELD_OTHER',
        field: 'requiresPayerAction',
        found: '1',
        wanted: 'flag',
        of: null,
      },
    },
  ];
}

/** Returns the refusals of a folder whose files are refused whole, each in another way. */
async function inFiles(): Promise<readonly Refused[]> {
  const folder = await mkdtemp(join(tmpdir(), 'pointage-refused-'));
  try {
    await mkdir(join(folder, 'merchant.json'));
    symlinkSync('wallet.json', join(folder, 'wallet.json'));
    writeFileSync(
      join(folder, 'ledger.jsonl.gz'),
      gzipSync(JSON.stringify(rawEntry({})).repeat(50)),
    );
    truncateSync(join(folder, 'ledger.jsonl.gz'), 60);
    const operation = rawOperation({});
    writeFileSync(
      join(folder, 'operations.jsonl'),
      `${JSON.stringify(operation)}\n${JSON.stringify({ ...operation, amount: 5 })}\n`,
    );
    writeFileSync(join(folder, 'operations.jsonl.gz'), gzipSync(''));
    const source = openFileSource(folder);
    const [merchant] = await source.merchants();
    const snapshot = await source.open(merchant!, null);
    const refused = await readInOrder(async () => {
      const batches = [
        ...(await Array.fromAsync(snapshot.entries())),
        ...(await Array.fromAsync(snapshot.operations())),
      ];
      return [snapshot, ...batches].flatMap(({ rejected }) => rejected);
    });
    await snapshot.close();
    await source.close();
    return refused.map(({ reason, refusal }) => ({ reason, refusal: refusal! }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns every refusal that there is, at least once. */
export async function everyRefusal(): Promise<readonly Refused[]> {
  const lines = badLines(2).map((line) => {
    const parsed = parseStrictJson(Buffer.from(line));
    return parsed.ok ? decodeEntry(parsed.value) : parsed;
  });
  const inLines = lines.flatMap((decoded) => (decoded.ok ? [] : [decoded]));
  const tooLarge = (['line', 'file'] as const).map((of): Refused => {
    const more = of === 'line' ? 'longer' : 'larger';
    return { reason: `the ${of} is ${more} than 1 MiB`, refusal: { code: 'TOO_LARGE', of } };
  });
  return [...inLines, ...inOneRow(), ...tooLarge, ...(await inFiles())];
}
