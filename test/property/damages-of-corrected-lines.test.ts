// A correction settles the money that it undoes, and nothing else: every damage that breaks a line
// of a sound operation also breaks a line of a corrected operation. TEST_POLICIES=all damages every
// line of either operation.

import { describe, expect, test } from 'vitest';
import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import type { Operation } from '../../src/core/domain/operation.ts';
import { handBooks } from '../support/hand-books.ts';
import { ALL_POLICIES } from '../support/in-turn.ts';
import { auditBooks } from '../support/month-of-books.ts';
import type { DecodedBooks } from '../support/sandbox-books.ts';

/** What an operation posts wrongly, and what puts that right. */
const CORRECTED = {
  'credited twice': [
    'CI',
    ['CASHIN_CREDIT 10000', 'CASHIN_FEE 200', 'CASHIN_CREDIT 10000'],
    -10_000,
  ],
  'credited too little': ['CI', ['CASHIN_CREDIT 9300', 'CASHIN_FEE 200'], 700],
  'not charged': ['CI', ['CASHIN_CREDIT 10000'], -200],
  'charged twice': ['CI', ['CASHIN_CREDIT 10000', 'CASHIN_FEE 200', 'CASHIN_FEE 200'], 200],
  'paid out without its fee': [
    'CO',
    ['CASHOUT_HOLD 10100', 'CASHOUT_DEBIT 10000', 'CASHOUT_RELEASE 100'],
    -100,
  ],
} as const;
const SOUND = {
  CI: ['CASHIN_CREDIT 10000', 'CASHIN_FEE 200'],
  CO: ['CASHOUT_HOLD 10100', 'CASHOUT_DEBIT 10000', 'CASHOUT_FEE 100'],
} as const;
const NAMED = { reference: 'GUI-$-1', text: '- says=Reprise_GUI-$-1' } as const;

function booksOf(fault: keyof typeof CORRECTED, naming: keyof typeof NAMED): DecodedBooks {
  const [type, posts, correction] = CORRECTED[fault];
  const feesOf = (reference: string) => (reference.startsWith('GUI-CI') ? 200 : 100);
  const operation = (day: string, reference: string, lines: readonly string[]) => `
    ${lines.map((line) => `10-${day}T10:00 ${line} ${reference}`).join('\n')}
    op ${reference} SUCCEEDED 10000 fees=${feesOf(reference)} created=10-${day}T09:59 completed=10-${day}T10:00`;
  const adjustment = `ADJUSTMENT_${correction > 0 ? 'CREDIT' : 'DEBIT'} ${Math.abs(correction)} ${NAMED[naming].replace('$', type)}`;
  const books = handBooks(
    `${operation('01', 'GUI-CI-8', ['CASHIN_CREDIT 1000000', 'CASHIN_FEE 20000'])}
     ${operation('03', `GUI-${type}-1`, posts)}
     ${operation('05', `GUI-${type}-2`, SOUND[type])}
     ${operation('07', 'GUI-CI-9', SOUND.CI)}
     10-09T10:00 ${adjustment}
     ${operation('11', 'GUI-CI-7', SOUND.CI)}`,
  );
  const isCashin = type === 'CI';
  const totals = {
    totalCollected: isCashin ? 1_040_000 : 1_020_000,
    totalDisbursed: isCashin ? 0 : 20_000,
    totalFees: 20_400 + (isCashin ? 400 : 200),
  };
  return {
    ...books,
    operations: books.operations.map(asFirst),
    wallet: { ...books.wallet, ...totals },
  };
}

/** Makes the first operation larger than the others, so that there is enough money for them. */
function asFirst(operation: Operation): Operation {
  if (operation.reference !== 'GUI-CI-8') return operation;
  return { ...operation, amount: 1_000_000, fees: 20_000, netAmount: 980_000 };
}

/** Damages the line at that index of the ledger. */
type Damage = (books: DecodedBooks, at: number) => DecodedBooks;

const line =
  (change: (entry: LedgerEntry) => Partial<LedgerEntry>): Damage =>
  (books, at) => ({
    ...books,
    entries: books.entries.with(at, { ...books.entries[at]!, ...change(books.entries[at]!) }),
  });

const ofOperation =
  (change: (operation: Operation) => Partial<Operation>): Damage =>
  (books, at) => ({
    ...books,
    operations: books.operations.map((operation) =>
      operation.reference === books.entries[at]!.operationReference
        ? { ...operation, ...change(operation) }
        : operation,
    ),
  });

/**
 * Moves the recorded figures of so many lines from the damaged one on, and the wallet's too where
 * these are all lines.
 */
const drift =
  (by: number, lines: number, side: 'balanceAfter' | 'reservedAfter' = 'balanceAfter'): Damage =>
  (books, at) => {
    const entries = books.entries.map((entry, i) =>
      i >= at && i < at + lines ? { ...entry, [side]: entry[side] + by } : entry,
    );
    const { balance, reserved } = {
      balance: entries.at(-1)!.balanceAfter,
      reserved: entries.at(-1)!.reservedAfter,
    };
    return {
      ...books,
      entries,
      wallet: { ...books.wallet, balance, reserved, available: balance - reserved },
    };
  };

const DAMAGES: Readonly<Record<string, Damage>> = {
  'another amount': line(({ amount }) => ({ amount: amount + 90 })),
  'a smaller amount': line(({ amount }) => ({ amount: amount - 90 })),
  'no amount': line(() => ({ amount: 0 })),
  'a date of next year': line(({ createdAt }) => ({ createdAt: createdAt + 365 * 86_400_000 })),
  'a date of last year': line(({ createdAt }) => ({ createdAt: createdAt - 365 * 86_400_000 })),
  'a drift to the end': drift(47, 1_000),
  'a drift that is back with the next line': drift(47, 1),
  'a drift that is back later': drift(-47, 3),
  'a drift of what is reserved': drift(30, 1, 'reservedAfter'),
  'no reference': line(() => ({ operationReference: null })),
  'an unknown reference': line(({ operationReference }) => ({
    operationReference: `${operationReference}X`,
  })),
  "another operation's reference": line(() => ({ operationReference: 'GUI-CI-9' })),
  'the id of another line': (books, at) => line(() => ({ id: books.entries[0]!.id }))(books, at),
  'the number of the line before': (books, at) =>
    line(({ sequence }) => ({ sequence: sequence - 1 }))(books, at),
  'the other direction': line(({ direction }) => ({
    direction: direction === 'CREDIT' ? 'DEBIT' : 'CREDIT',
  })),
  'another kind': line(({ kind }) => ({
    kind: kind.startsWith('CASHIN') ? 'CASHOUT_FEE' : 'CASHIN_FEE',
  })),
  'another currency': line(() => ({ currency: 'XAF' })),
  'a line that is not served': (books, at) => ({
    ...books,
    entries: books.entries.toSpliced(at, 1),
  }),
  'an operation that is not served': (books, at) => ({
    ...books,
    operations: books.operations.filter(
      ({ reference }) => reference !== books.entries[at]!.operationReference,
    ),
  }),
  'an operation of another currency': ofOperation(() => ({ currency: 'XAF' })),
  'an operation of another country': ofOperation(() => ({ country: 'CM' })),
  'an operation of another net amount': ofOperation(({ netAmount }) => ({
    netAmount: netAmount + 7,
  })),
  'an operation that has failed': ofOperation(() => ({ status: 'FAILED' })),
  'an operation that was reversed': ofOperation(() => ({ status: 'REVERSED' })),
  'an operation of a larger amount': ofOperation(({ amount, netAmount }) => ({
    amount: amount + 60,
    netAmount: netAmount + 60,
  })),
};

describe.each(Object.entries(DAMAGES))('%s', (_, damage) => {
  test.each(Object.keys(CORRECTED) as (keyof typeof CORRECTED)[])(
    'breaks an operation that was %s and corrected',
    (fault) => {
      const failed: string[] = [];
      let tried = 0;
      for (const naming of Object.keys(NAMED) as (keyof typeof NAMED)[]) {
        const books = booksOf(fault, naming);
        expect(auditBooks(books).verdict, 'before the damage').toBe('clean');
        const linesOf = (end: string) =>
          books.entries.flatMap(({ operationReference, kind }, at) =>
            operationReference?.endsWith(end) === true && !kind.startsWith('ADJUSTMENT')
              ? [at]
              : [],
          );
        const breaks = linesOf('-2').some(
          (at) => auditBooks(damage(books, at)).verdict === 'broken',
        );
        if (!breaks) continue;
        const lines = linesOf('-1');
        for (const at of ALL_POLICIES ? lines : [lines[0]!, lines.at(-1)!]) {
          tried += 1;
          const { verdict } = auditBooks(damage(books, at));
          if (verdict === 'clean') failed.push(`${naming}, ${books.entries[at]!.kind}`);
        }
      }
      expect(failed, `${tried - failed.length} of ${tried} hold`).toEqual([]);
    },
  );
});
