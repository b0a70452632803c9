// What one fault in a notification leaves: one root, which is certain as soon as nothing else can
// explain the fault, and findings that follow from it.

import { describe, expect, test } from 'vitest';
import type { AuditReport } from '../../src/core/domain/finding.ts';
import { MINUTE } from '../../src/core/domain/instant.ts';
import { type Raw, rawEntry, rawMerchant, rawOperation } from '../contract/source-rows.ts';
import { toLines } from './book-folder.ts';
import { ALL, judge, notified, SOUND } from './notified-books.ts';

/**
 * Returns kind and operation of each finding, `status` where it is not confirmed, and kind and
 * operation of its root.
 */
function shown({ findings }: AuditReport): readonly string[] {
  const named = (fingerprint: string) => findings.find((one) => one.fingerprint === fingerprint)!;
  const place = ({
    kind,
    operationReference,
  }: {
    kind: string;
    operationReference: string | null;
  }) => (operationReference === null ? kind : `${kind} ${operationReference}`);
  return findings
    .filter(({ kind }) => /^(EVENT|INPUT|ADJUSTMENT)_/.test(kind))
    .map((one) => {
      const status = one.status === 'confirmed' ? '' : ` (${one.status})`;
      return `${place(one)}${status}${one.causedBy === null ? '' : ` < ${place(named(one.causedBy))}`}`;
    })
    .sort();
}

const withBody = (name: string, frame: Raw, change: Raw): string =>
  JSON.stringify(notified(name, frame, change));

describe('a type that does not fit', () => {
  const CONTRADICTS = 'EVENT_CONTRADICTS_OPERATION GUI-CI-A';
  const BOTH = [CONTRADICTS, `EVENT_TYPE_MISMATCH GUI-CI-A < ${CONTRADICTS}`];
  const CASES: readonly (readonly [string, Raw, Raw, readonly string[]])[] = [
    [
      'with the body right, is reported alone',
      { type: 'cashin.failed' },
      {},
      ['EVENT_TYPE_MISMATCH GUI-CI-A'],
    ],
    ['does not hide another amount', { type: 'cashin.failed' }, { amount: 9_999 }, BOTH],
    ['follows from a body of another state', {}, { status: 'FAILED' }, BOTH],
    [
      'is reported alone where the body is old',
      {},
      { status: 'PENDING' },
      ['EVENT_TYPE_MISMATCH GUI-CI-A'],
    ],
    [
      'follows from a body of the other side and another amount',
      {},
      { type: 'CASHOUT', amount: 7 },
      BOTH,
    ],
  ];

  test.each(CASES)('%s', async (_, frame, change, expected) => {
    expect(shown(await judge(toLines([withBody('A', frame, change), ALL[1]!, ALL[2]!])))).toEqual(
      expected,
    );
  });
});

describe('a contradiction newer than all the books', () => {
  const late = '2026-01-19T00:00:00.000Z';
  const contradicting = (frame: Raw, change: Raw): string =>
    withBody('A', { id: 'evt_late', createdAt: late, ...frame }, { updatedAt: late, ...change });
  const among = async (rows: readonly string[]) => shown(await judge(toLines(rows)));

  test('is certain where no later reading can explain it', async () => {
    const certain = ['EVENT_CONTRADICTS_OPERATION GUI-CI-A'];
    expect(await among([...ALL, contradicting({}, { amount: 1 })])).toEqual(certain);
    expect(
      await among([...ALL, contradicting({ type: 'cashin.failed' }, { status: 'FAILED' })]),
    ).toEqual(certain);
    const failed = contradicting({ type: 'cashin.failed' }, { status: 'FAILED' });
    expect(await among([failed, ALL[1]!, ALL[2]!])).toEqual([
      ...certain,
      'EVENT_MISSING GUI-CI-A < EVENT_CONTRADICTS_OPERATION GUI-CI-A',
    ]);
  });

  test('is provisional where the operation may have come to that state, and what is certain does not hang on it', async () => {
    const reversed = contradicting({ type: 'operation.reversed' }, { status: 'REVERSED' });
    const provisional = 'EVENT_CONTRADICTS_OPERATION GUI-CI-A (provisional)';
    expect(await among([...ALL, reversed])).toEqual([provisional]);
    expect(await among([reversed, ALL[1]!, ALL[2]!])).toEqual([
      provisional,
      'EVENT_MISSING GUI-CI-A',
    ]);
    const asFailed = contradicting({ type: 'cashin.failed' }, { status: 'REVERSED' });
    expect(await among([asFailed, ALL[1]!, ALL[2]!])).toEqual([
      provisional,
      'EVENT_MISSING GUI-CI-A < EVENT_TYPE_MISMATCH GUI-CI-A',
      'EVENT_TYPE_MISMATCH GUI-CI-A',
    ]);
  });

  test('is certain as soon as one notification shows it for certain', async () => {
    const reversed = contradicting({ type: 'operation.reversed' }, { status: 'REVERSED' });
    const other = contradicting(
      { id: 'evt_later', createdAt: '2026-01-19T01:00:00.000Z' },
      { amount: 1 },
    );
    expect(await among([...ALL, reversed, other])).toEqual([
      'EVENT_CONTRADICTS_OPERATION GUI-CI-A',
    ]);
  });
});

describe('a notification that could not be read, and names no operation', () => {
  const [MISSING, REJECTED] = ['EVENT_MISSING GUI-CI-B', 'INPUT_REJECTED'];
  const among = async (row: string) => shown(await judge(toLines([ALL[0]!, row, ALL[2]!])));

  test('may be the one that is missing', async () => {
    expect(await among('garbage')).toEqual([`${MISSING} < ${REJECTED}`, REJECTED]);
    expect(await among(`{"pad":"${'x'.repeat(1_048_576)}",${ALL[1]!.slice(1)}`)).toEqual([
      `${MISSING} < ${REJECTED}`,
      REJECTED,
    ]);
  });

  test('is not, where it names another operation or is of another type', async () => {
    expect(await among(ALL[0]!.slice(0, -20))).toEqual([MISSING, REJECTED]);
    expect(await among('{"id":"evt_w","type":"wallet.adjusted"}')).toEqual([MISSING, REJECTED]);
  });

  test('explains what is missing once: of two such rows each is a root, and the money of an operation none’s', async () => {
    const report = await judge(toLines(['one', 'two', ALL[0]!]), undefined, {
      'ledger.jsonl': toLines([rawEntry({ sequence: 1, operationReference: 'GUI-CI-A' })]),
    });
    const causes = report.findings.filter(({ kind }) => /^(EVENT|INPUT|CREDIT)_/.test(kind));
    const kindOf = new Map(report.findings.map(({ fingerprint, kind }) => [fingerprint, kind]));
    expect(
      causes
        .map(({ kind, causedBy }) => [kind, causedBy === null ? null : kindOf.get(causedBy)])
        .sort(),
    ).toEqual([
      ['CREDIT_MISSING', null],
      ['CREDIT_MISSING', null],
      ['EVENT_MISSING', 'CREDIT_MISSING'],
      ['EVENT_MISSING', 'CREDIT_MISSING'],
      ['INPUT_REJECTED', null],
      ['INPUT_REJECTED', null],
    ]);
  });

  test('a damaged file explains all that it lacks', async () => {
    const report = await judge('', undefined, {
      'events.jsonl': null,
      'events.jsonl.gz': 'not gzip',
    });
    expect(shown(report)).toEqual([
      'EVENT_MISSING GUI-CI-A < INPUT_REJECTED',
      'EVENT_MISSING GUI-CI-B < INPUT_REJECTED',
      'EVENT_MISSING GUI-CI-C < INPUT_REJECTED',
      'INPUT_REJECTED',
    ]);
  });

  test('may be the one that explains an adjustment', async () => {
    const adjustment = {
      kind: 'ADJUSTMENT_CREDIT',
      operationReference: null,
      sequence: 4,
      amount: 5,
    };
    const files = {
      'ledger.jsonl': `${SOUND['ledger.jsonl']}${toLines([rawEntry({ ...adjustment, balanceAfter: 3_005 })])}`,
    };
    const garbled = '{"id":"evt_w","type":"wallet.adjusted","createdAt":"soon"}';
    expect(shown(await judge(toLines([...ALL, garbled]), undefined, files))).toEqual([
      'ADJUSTMENT_UNEXPLAINED < INPUT_REJECTED',
      'INPUT_REJECTED',
    ]);
    expect(
      shown(await judge(toLines([...ALL, '{"type":"cashin.failed"}']), undefined, files)),
    ).toEqual(['ADJUSTMENT_UNEXPLAINED', 'INPUT_REJECTED']);
  });
});

describe('a notification under another reference', () => {
  const EIGHT = Date.UTC(2026, 0, 5, 8);
  const at = (name: string) => {
    const minute = { A: 28, B: 29, C: 30 }[name]!;
    const [createdAt, expiresAt] = [minute - 30, minute].map((past) =>
      new Date(EIGHT + past * MINUTE).toISOString(),
    );
    return { createdAt, expiresAt, amount: name === 'B' ? 700 : 1_000 };
  };
  const balances = { A: 1_000, B: 1_700, C: 2_700 };
  const books = {
    'ledger.jsonl': toLines(
      Object.entries(balances).map(([name, balanceAfter], i) => {
        const { amount } = at(name);
        return rawEntry({
          sequence: i + 1,
          operationReference: `GUI-CI-${name}`,
          amount,
          balanceAfter,
        });
      }),
    ),
    'operations.jsonl': toLines(
      ['A', 'B', 'C'].map((name) => {
        const { amount, ...times } = at(name);
        return rawOperation({
          reference: `GUI-CI-${name}`,
          amount,
          netAmount: amount,
          fees: 0,
          ...times,
        });
      }),
    ),
  };
  const under = (reference: string, name: string, change: Raw = {}): string =>
    withBody(name, {}, { ...at(name), reference, ...change });
  const among = async (...rows: readonly string[]) =>
    shown(await judge(toLines(rows), undefined, books)).filter((line) => line.startsWith('EVENT_'));

  test('is recognized by all else that its body says', async () => {
    expect(
      await among(under('GUI-CI-A', 'A'), under('GUI-CI-X', 'B'), under('GUI-CI-C', 'C')),
    ).toEqual([
      'EVENT_MISSING GUI-CI-B < EVENT_UNKNOWN_OPERATION GUI-CI-X',
      'EVENT_UNKNOWN_OPERATION GUI-CI-X',
    ]);
    expect(
      await among(under('GUI-CI-A', 'A'), under('GUI-CI-A', 'B'), under('GUI-CI-C', 'C')),
    ).toEqual([
      'EVENT_CONTRADICTS_OPERATION GUI-CI-A',
      'EVENT_MISSING GUI-CI-B < EVENT_CONTRADICTS_OPERATION GUI-CI-A',
    ]);
  });

  test('is not, where its body says anything else, or does not say enough', async () => {
    const others = [
      { amount: 701 },
      { createdAt: '2026-01-05T07:59:00.001Z' },
      { createdAt: null },
      { type: 'CASHOUT' },
    ];
    for (const change of others) {
      expect(
        await among(under('GUI-CI-A', 'A'), under('GUI-CI-X', 'B', change), under('GUI-CI-C', 'C')),
      ).toEqual(['EVENT_MISSING GUI-CI-B', 'EVENT_UNKNOWN_OPERATION GUI-CI-X']);
    }
  });

  test('is not, where two operations fit', async () => {
    const alike = toLines(
      ['A', 'B', 'C'].map((name) =>
        rawOperation({ reference: `GUI-CI-${name}`, netAmount: 1_000, fees: 0 }),
      ),
    );
    const report = await judge(toLines([ALL[0]!, withBody('X', {}, {})]), undefined, {
      'operations.jsonl': alike,
    });
    expect(shown(report)).toEqual([
      'EVENT_MISSING GUI-CI-B',
      'EVENT_MISSING GUI-CI-C',
      'EVENT_UNKNOWN_OPERATION GUI-CI-X',
    ]);
  });

  test('explains nothing while it is not certain itself', async () => {
    const late = '2026-01-19T00:00:00.000Z';
    const row = withBody('B', { createdAt: late }, { ...at('B'), reference: 'GUI-CI-X' });
    expect(await among(under('GUI-CI-A', 'A'), row, under('GUI-CI-C', 'C'))).toEqual([
      'EVENT_MISSING GUI-CI-B',
      'EVENT_UNKNOWN_OPERATION GUI-CI-X (provisional)',
    ]);
  });
});

describe('without a webhookUrl', () => {
  const files = { 'merchant.json': JSON.stringify(rawMerchant({ webhookUrl: null })) };
  const why = 'the profile has no webhookUrl, and no operation is notified';
  const note = expect.objectContaining({ what: 'missing notifications', why, incomplete: false });

  test('nothing is missing where no operation is notified, with a note', async () => {
    const report = await judge('', undefined, files);
    expect(shown(report)).toEqual([]);
    expect(report.notChecked).toContainEqual(note);
    const unknown = { 'merchant.json': JSON.stringify(rawMerchant({ webhookUrl: undefined })) };
    const sound = await judge('', undefined, unknown);
    expect(shown(sound)).toHaveLength(3);
    expect(sound.notChecked).not.toContainEqual(note);
  });

  test('what is there is judged, and what lacks beside it is missing', async () => {
    const report = await judge(toLines([withBody('A', {}, { amount: 1 })]), undefined, files);
    const missing = shown(report).filter((one) => one.startsWith('EVENT_MISSING'));
    expect(missing).toHaveLength(2);
    expect(shown(report)).toContain('EVENT_CONTRADICTS_OPERATION GUI-CI-A');
    expect(report.notChecked).not.toContainEqual(note);
  });
});

test('a type of no or of odd text is quoted', async () => {
  const odd = ['', 'cashin.succeeded ', 'one.more'].map((type) =>
    withBody('A', { id: `evt_${type}`, type }, {}),
  );
  const { notChecked } = await judge(toLines([...ALL, ...odd]));
  const why = 'the document does not know "", "cashin.succeeded ", one.more';
  expect(notChecked).toContainEqual(
    expect.objectContaining({ what: 'notifications of other types', why, incomplete: false }),
  );
});
