// Notifications in files that nobody should send: each is named by its place and nothing else is
// lost. Whatever order they come in, and however often, the same is said of them.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AuditReport } from '../../src/core/domain/finding.ts';
import { DAY, HOUR } from '../../src/core/domain/instant.ts';
import { auditSnapshot } from '../../src/service/workflows/audit/audit-snapshot.ts';
import { judgeServed } from '../../src/service/workflows/notifications/judge-served.ts';
import type { Raw } from '../contract/source-rows.ts';
import { assertProperty } from '../support/assert-property.ts';
import { openFiles, toLines } from './book-folder.ts';
import { ALL, AS_OF, judge, notified, operations, SOUND } from './notified-books.ts';

/** Returns what is said of notifications, place by place. */
function said({ findings }: AuditReport): readonly (readonly [string, string | null])[] {
  return findings
    .filter(({ kind }) => kind.startsWith('EVENT_') || kind === 'INPUT_REJECTED')
    .map(({ kind, operationReference, message }) => {
      return [
        kind,
        kind === 'INPUT_REJECTED' ? message.split(': ').slice(1).join(': ') : operationReference,
      ] as const;
    });
}

describe('a notification that cannot be read', () => {
  const text = JSON.stringify(notified('D'));
  const ODD: readonly (readonly [string, string | Buffer, RegExp])[] = [
    [
      'bad UTF-8',
      Buffer.concat([Buffer.from(text.slice(0, -2)), Buffer.from([0xff, 0x7d, 0x7d])]),
      /UTF-8/,
    ],
    [
      'a key given twice',
      text.replace('"amount"', '"status":"FAILED","amount"'),
      /"status" is given twice/,
    ],
    ['a lone surrogate', text.replace('"ORANGE"', '"\\ud800"'), /lone surrogate/],
    [
      'a line over 1 MiB',
      text.replace('"ORANGE"', `"${'x'.repeat(1_048_576)}"`),
      /longer than 1 MiB/,
    ],
    [
      'an amount past 2^53',
      text.replace('"amount":1000', '"amount":9007199254740993'),
      /^data\.operation\.amount is 9007/,
    ],
    [
      'an amount with a fraction',
      text.replace('"amount":1000', '"amount":10.5'),
      /^data\.operation\.amount is 10\.5, not/,
    ],
    [
      'an amount as text',
      text.replace('"amount":1000', '"amount":"1000"'),
      /amount is "1000", not a whole number/,
    ],
    [
      'fees with a fraction',
      text.replace('"fees":0', '"fees":0.5'),
      /^data\.operation\.fees is 0\.5, not a whole/,
    ],
    [
      'a currency as a number',
      text.replace('"XOF"', '7'),
      /^data\.operation\.currency is 7, not text/,
    ],
    [
      'an unknown state',
      text.replace('"SUCCEEDED"', '"DONE"'),
      /^data\.operation\.status is "DONE"/,
    ],
    ['no operation', JSON.stringify({ ...notified('D'), data: {} }), /^data\.operation is missing/],
    ['no data', JSON.stringify({ ...notified('D'), data: null }), /^data is null, not an object/],
    [
      'a list for an operation',
      JSON.stringify({ ...notified('D'), data: { operation: [] } }),
      /is a list, not an object/,
    ],
    [
      'another merchant’s',
      JSON.stringify(notified('D', { merchantReference: 'M002' })),
      /merchantReference is "M002"/,
    ],
    ['no type', JSON.stringify(notified('D', { type: undefined })), /^type is missing/],
    ['a line cut off', text.slice(0, -20), /^not JSON/],
  ];

  test.each(ODD)('%s is named, and its neighbours are judged', async (_, line, reason) => {
    const rest = toLines([ALL[1]!, ALL[2]!]);
    const report = await judge(
      Buffer.concat([Buffer.from(`${ALL[0]}\n`), Buffer.from(line), Buffer.from(`\n${rest}`)]),
    );
    const [only, ...others] = said(report);
    expect(only?.[0]).toBe('INPUT_REJECTED');
    expect(only?.[1]).toMatch(reason);
    expect(others).toEqual([]);
    expect(report.verdict).not.toBe('clean');
  });

  test('may be the very one that is missing: then no other is missing', async () => {
    const report = await judge(
      toLines([ALL[0]!, ALL[1]!, ALL[2]!.replace('"amount":1000', '"amount":1.5')]),
    );
    expect(said(report).map(([kind]) => kind)).toEqual(['INPUT_REJECTED']);
  });
});

describe('notifications that are odd and can be read', () => {
  test('types outside the document are named, and not judged; wallet.adjusted and ping carry anything', async () => {
    const report = await judge(
      toLines([
        ...ALL,
        JSON.stringify(notified('X', { type: 'cashin.refunded', data: { operation: 7 } })),
        JSON.stringify({ ...notified('P'), type: 'ping', data: 'pong' }),
        JSON.stringify({ ...notified('W'), type: 'wallet.adjusted', data: [1.5] }),
      ]),
    );
    expect(said(report)).toEqual([]);
    const why = 'the document does not know cashin.refunded';
    expect(report.notChecked).toContainEqual(
      expect.objectContaining({ what: 'notifications of other types', why, incomplete: false }),
    );
  });

  test('the same content under the same id is lawful, however it is written; what a receiver added is its own', async () => {
    const other = JSON.stringify({
      ...Object.fromEntries(Object.entries(notified('A')).reverse()),
      receivedAt: 'now',
    });
    const escaped = ALL[0]!
      .replace('"ORANGE"', '"\\u004fRANGE"')
      .replace('"amount":1000', '"amount" : 1000.0');
    expect(said(await judge(toLines([...ALL, other, escaped, ALL[0]!])))).toEqual([]);
  });

  test('two ids reused on one operation are one finding that names both', async () => {
    const again = ['1', '2'].flatMap((n) => {
      const twice = [{ metadata: { n } }, { metadata: { n, more: true } }];
      return twice.map((change) => JSON.stringify(notified('A', { id: `evt_${n}` }, change)));
    });
    const report = await judge(toLines([...ALL, ...again]));
    expect(said(report)).toEqual([['EVENT_ID_REUSED', 'GUI-CI-A']]);
    const [{ evidence }] = report.findings.filter(({ kind }) => kind === 'EVENT_ID_REUSED') as [
      (typeof report.findings)[0],
    ];
    expect(new Set(evidence.map(({ reference }) => reference))).toEqual(
      new Set(['evt_1', 'evt_2']),
    );
  });

  test('an id without an operation that is reused has a place of its own', async () => {
    const pings = [1, 2].map((n) =>
      JSON.stringify({ ...notified('P'), id: 'evt_p', type: 'ping', data: { n } }),
    );
    expect(said(await judge(toLines([...ALL, ...pings])))).toEqual([['EVENT_ID_REUSED', null]]);
  });

  test('without a file of operations nothing but ids is judged', async () => {
    const snapshot = await openFiles({
      ...SOUND,
      'operations.jsonl': null,
      'events.jsonl': toLines(ALL),
    });
    const judging = {
      asOf: AS_OF,
      grace: 0,
      clockTolerance: 0,
      pinned: {},
      opening: null,
      onProgress: () => {},
    };
    expect(said(await auditSnapshot(snapshot, { ...judging, judgeNotified: judgeServed }))).toEqual(
      [],
    );
  });

  test('an operation whose row could not be read is not unknown', async () => {
    const broken = operations.replace('"amount":1000', '"amount":"1000"');
    const snapshot = await openFiles({
      ...SOUND,
      'operations.jsonl': broken,
      'events.jsonl': toLines(ALL),
    });
    const judging = {
      asOf: AS_OF,
      grace: 0,
      clockTolerance: 0,
      pinned: {},
      opening: null,
      onProgress: () => {},
    };
    const report = await auditSnapshot(snapshot, { ...judging, judgeNotified: judgeServed });
    const root = report.findings.find(({ kind }) => kind === 'INPUT_REJECTED')!;
    const unknown = report.findings.find(({ kind }) => kind === 'EVENT_UNKNOWN_OPERATION')!;
    expect(unknown.causedBy).toBe(root.fingerprint);
  });
});

describe('the time of a notification', () => {
  const at = (name: string, createdAt: string, change: Raw = {}): string =>
    JSON.stringify(
      notified(
        name,
        { createdAt, id: `evt_${name}_${createdAt}` },
        { updatedAt: undefined, ...change },
      ),
    );

  test('younger than the delivery window, nothing is missing', async () => {
    const ends = Date.parse('2026-01-05T08:01:00.000Z');
    expect(said(await judge(toLines(ALL.slice(1)), ends + 31.4 * HOUR))).toEqual([]);
    expect(said(await judge(toLines(ALL.slice(1)), ends + 31.6 * HOUR))).toEqual([
      ['EVENT_MISSING', 'GUI-CI-A'],
    ]);
  });

  test('after everything in the books it is provisional, and after the watermark left for the next time', async () => {
    const unknown = at('NEW', '2026-01-19T00:00:00.000Z');
    const younger = await judge(toLines([...ALL, unknown]));
    expect(said(younger)).toEqual([['EVENT_UNKNOWN_OPERATION', 'GUI-CI-NEW']]);
    expect(younger.findings.find(({ kind }) => kind === 'EVENT_UNKNOWN_OPERATION')!.status).toBe(
      'provisional',
    );
    const older = await judge(toLines([...ALL, at('NEW', '2026-01-10T00:00:00.000Z')]));
    expect(older.findings.find(({ kind }) => kind === 'EVENT_UNKNOWN_OPERATION')!.status).toBe(
      'confirmed',
    );
    const later = await judge(toLines([...ALL, unknown]), AS_OF - 2 * DAY);
    expect(said(later)).toEqual([]);
    const why = '1 is newer than the watermark and is judged next time';
    expect(later.notChecked).toContainEqual(
      expect.objectContaining({ what: 'recent notifications', why, incomplete: false }),
    );
  });

  test('a state notified after the operation had left it contradicts, one notified a little late does not', async () => {
    const waits = (createdAt: string) =>
      at('A', createdAt, { status: 'AWAITING_PAYER' }).replace(
        'cashin.succeeded',
        'cashin.awaiting_payer',
      );
    expect(said(await judge(toLines([...ALL, waits('2026-01-05T08:04:00.000Z')])))).toEqual([]);
    expect(said(await judge(toLines([...ALL, waits('2026-01-05T09:00:00.000Z')])))).toEqual([
      ['EVENT_CONTRADICTS_OPERATION', 'GUI-CI-A'],
    ]);
  });
});

test('shuffled and repeated, notifications say the same', async () => {
  const faulty = [
    ALL[0]!,
    JSON.stringify(notified('B', {}, { amount: 900 })),
    JSON.stringify(notified('B', { id: 'evt_B2' }, { amount: 800 })),
    JSON.stringify(notified('A', { id: 'evt_A2', type: 'cashout.succeeded' })),
    JSON.stringify(notified('Q', { id: 'evt_Q' })),
    JSON.stringify(notified('A', { id: 'evt_1' }, { metadata: { a: 1 } })),
    JSON.stringify(notified('A', { id: 'evt_1' }, { metadata: { a: 2 } })),
    JSON.stringify(notified('A', { id: 'evt_X', type: 'one.more' })),
  ];
  const expected = await judge(toLines(faulty));
  expect(new Set(said(expected).map(([kind]) => kind)).size).toBe(5);
  const orders = fc.shuffledSubarray(faulty, { minLength: faulty.length });
  const repeats = fc.array(fc.constantFrom(...faulty), { maxLength: 6 });
  await assertProperty(
    fc.asyncProperty(orders, repeats, async (order, more) => {
      expect(await judge(toLines([...order, ...more]))).toEqual(expected);
    }),
    { runs: 3 },
  );
});
