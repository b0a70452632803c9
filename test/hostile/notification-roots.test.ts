// What one fault in a notification leaves: one root, certain as soon as nothing can explain it, and what follows from it.

import { describe, expect, test } from 'vitest';
import type { MerchantReport } from '../../src/domain/finding.ts';
import type { Raw } from '../contract/source-rows.ts';
import { toLines } from './book-folder.ts';
import { ALL, judge, told } from './notified-books.ts';

/** Kind and operation of each finding, `status` where it is not confirmed, and the kind and operation of its root. */
function shown({ findings }: MerchantReport): readonly string[] {
  const named = (fingerprint: string) => findings.find((one) => one.fingerprint === fingerprint)!;
  const place = ({ kind, operationReference }: { kind: string; operationReference: string | null }) =>
    operationReference === null ? kind : `${kind} ${operationReference}`;
  return findings
    .filter(({ kind }) => /^(EVENT|INPUT|ADJUSTMENT)_/.test(kind))
    .map((one) => {
      const status = one.status === 'confirmed' ? '' : ` (${one.status})`;
      return `${place(one)}${status}${one.causedBy === null ? '' : ` < ${place(named(one.causedBy))}`}`;
    })
    .sort();
}

const withBody = (name: string, frame: Raw, change: Raw): string => JSON.stringify(told(name, frame, change));

describe('a type that does not fit', () => {
  const CONTRADICTS = 'EVENT_CONTRADICTS_OPERATION GUI-CI-A';
  const BOTH = [CONTRADICTS, `EVENT_TYPE_MISMATCH GUI-CI-A < ${CONTRADICTS}`];
  const CASES: readonly (readonly [string, Raw, Raw, readonly string[]])[] = [
    ['with the body right, is told alone', { type: 'cashin.failed' }, {}, ['EVENT_TYPE_MISMATCH GUI-CI-A']],
    ['does not hide another amount', { type: 'cashin.failed' }, { amount: 9_999 }, BOTH],
    ['follows from a body of another state', {}, { status: 'FAILED' }, BOTH],
    ['is told alone where the body is old', {}, { status: 'PENDING' }, ['EVENT_TYPE_MISMATCH GUI-CI-A']],
    ['follows from a body of the other side and another amount', {}, { type: 'CASHOUT', amount: 7 }, BOTH],
  ];

  test.each(CASES)('%s', async (_, frame, change, expected) => {
    expect(shown(await judge(toLines([withBody('A', frame, change), ALL[1]!, ALL[2]!])))).toEqual(expected);
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
    expect(await among([...ALL, contradicting({ type: 'cashin.failed' }, { status: 'FAILED' })])).toEqual(certain);
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
    expect(await among([reversed, ALL[1]!, ALL[2]!])).toEqual([provisional, 'EVENT_MISSING GUI-CI-A']);
    const asFailed = contradicting({ type: 'cashin.failed' }, { status: 'REVERSED' });
    expect(await among([asFailed, ALL[1]!, ALL[2]!])).toEqual([
      provisional,
      'EVENT_MISSING GUI-CI-A < EVENT_TYPE_MISMATCH GUI-CI-A',
      'EVENT_TYPE_MISMATCH GUI-CI-A',
    ]);
  });

  test('is certain as soon as one notification shows it for certain', async () => {
    const reversed = contradicting({ type: 'operation.reversed' }, { status: 'REVERSED' });
    const other = contradicting({ id: 'evt_later', createdAt: '2026-01-19T01:00:00.000Z' }, { amount: 1 });
    expect(await among([...ALL, reversed, other])).toEqual(['EVENT_CONTRADICTS_OPERATION GUI-CI-A']);
  });
});
