// Faults of the benchmark's own, at any line: the first and the last line are as likely as every
// other, and are also faults of their own name. Some are in operations that have no lines, which no
// reading of the ledger can show.

import { netAmountOf } from '../../src/core/domain/operation.ts';
import {
  alterLine,
  atLine,
  atOperation,
  atSequence,
  type Change,
  insertAfter,
  movementsOf,
  repost,
  restate,
  shiftFrom,
} from '../../src/sandbox/faults/port/edit-books.ts';
import {
  casesOf,
  linesOfSettled,
  pick,
  slackOf,
} from '../../src/sandbox/faults/port/find-cases.ts';
import { atOne, defineFault } from '../../src/sandbox/faults/port/planting.ts';
import type { Books, Fault } from '../../src/sandbox/model/plan.ts';
import { debit, moneyOf, termsOf } from '../../src/sandbox/model/postings.ts';
import { drawFrom, drawInteger, drawUuid, type Random } from '../../src/sandbox/model/random.ts';
import type { ServedEntry, ServedOperation } from '../../src/sandbox/model/served.ts';
import { DAY, HOUR } from './draw-ledger.ts';

/** Damages the line at an index; `null`: this line cannot be damaged so. */
type Damage = (books: Books, index: number, random: Random) => Change | null;

/**
 * The kinds of line whose amount is altered. A reversal is left out, because one whose amount is
 * altered undoes too much or too little, whatever the balance does.
 */
const MONEY = /^(CASHIN|CASHOUT|ADJUSTMENT)_(CREDIT|FEE|DEBIT)$/;

const DAMAGES: Readonly<Record<string, { readonly says: string; readonly damage: Damage }>> = {
  'BALANCE_DRIFT/once': {
    says: 'the balance after one line is off; the next line is right again',
    damage: (books, index, random) =>
      alter(books, index, ({ balanceAfter }) => ({ balanceAfter: balanceAfter + offset(random) })),
  },
  'BALANCE_DRIFT/carried': {
    says: 'from one line on every balance is off, and so is the wallet',
    damage: (books, index, random) =>
      atLine(shiftFrom(books, index, { balance: drawInteger(random, { from: 1, to: 99 }) }), index),
  },
  'BALANCE_DRIFT/money': {
    says: 'the amount of one credit, debit or fee is altered; the figures are as they were',
    damage: (books, index, random) =>
      MONEY.test(books.entries[index]!.kind)
        ? alter(books, index, ({ amount }) => ({
            amount: amount + drawInteger(random, { from: 1, to: 99 }),
          }))
        : null,
  },
  'RESERVED_DRIFT/once': {
    says: 'the reserved amount after one line is off; the next line is right again',
    damage: (books, index, random) =>
      alter(books, index, ({ reservedAfter }) => ({
        reservedAfter: reservedAfter + drawInteger(random, { from: 1, to: 99 }),
      })),
  },
  'CURRENCY_MISMATCH/line': {
    says: 'one line is in another currency than the wallet',
    damage: (books, index) =>
      alter(books, index, ({ currency }) => ({ currency: currency === 'GNF' ? 'XAF' : 'GNF' })),
  },
  'ENTRY_TIME_IMPOSSIBLE/line': {
    says: 'one line is dated three years after the reading',
    damage: (books, index) =>
      alter(books, index, () => ({
        createdAt: new Date(books.asOf + 3 * 365 * DAY).toISOString(),
      })),
  },
  'KIND_DIRECTION_MISMATCH/line': {
    says: 'the direction of one line is the opposite of what its kind says; the figures follow the kind',
    damage: (books, index) => {
      const opposite = { CREDIT: 'DEBIT', DEBIT: 'CREDIT', HOLD: 'RELEASE', RELEASE: 'HOLD' }[
        books.entries[index]!.direction
      ];
      return opposite === undefined ? null : alter(books, index, () => ({ direction: opposite }));
    },
  },
  'REFERENCE_MISSING/line': {
    says: 'one line of an operation does not name it',
    damage: (books, index) =>
      books.entries[index]!.operationReference === null
        ? null
        : alter(books, index, () => ({ operationReference: null })),
  },
  'SEQUENCE_DUPLICATE/line': {
    says: 'the number of one line is given out twice, to a second line with another id and description',
    damage: (books, index, random) => {
      const copy = { ...books.entries[index]!, id: drawUuid(random), description: 'Copie' };
      return atLine({ ...books, entries: books.entries.toSpliced(index + 1, 0, copy) }, index + 1);
    },
  },
};

function alter(
  books: Books,
  index: number,
  changes: (line: ServedEntry) => Partial<ServedEntry>,
): Change {
  return atLine(alterLine(books, index, changes(books.entries[index]!)), index);
}

/** Draws an offset of either sign that is never 0. */
function offset(random: Random): number {
  return drawInteger(random, { from: 1, to: 99 }) * drawFrom(random, [1, -1]);
}

/**
 * The kinds that damage has at the very first line: a balance that is off there has no line before
 * it.
 */
const KIND_AT_FIRST: Readonly<Record<string, string>> = {
  BALANCE_DRIFT: 'OPENING_BALANCE_UNEXPLAINED',
};

/** Every damage at a line drawn from all, at the first line and at the last. */
const LINE_FAULTS: readonly Fault[] = Object.entries(DAMAGES).flatMap(
  ([name, { says, damage }]) => {
    const [kind, form] = name.split('/') as [string, string];
    const firstKind = KIND_AT_FIRST[kind] ?? kind;
    const at = (where: (books: Books) => readonly number[]) =>
      atOne(where, (books, index, random) =>
        books.entries.length < 2 ? null : damage(books, index, random),
      );
    return [
      defineFault(name, { says, change: at(({ entries }) => [...entries.keys()]) }),
      defineFault(`${firstKind}/${form}, first line`, { says, change: at(() => [0]) }),
      defineFault(`${name}, last line`, {
        says,
        change: at(({ entries }) => [entries.length - 1]),
      }),
    ].map((fault) => asAtFirst(fault, kind));
  },
);

/**
 * Returns the fault as it is at the first line, because an opening balance belongs to no operation.
 */
function asAtFirst(fault: Fault, kind: string): Fault {
  const firstKind = KIND_AT_FIRST[kind];
  if (firstKind === undefined) return fault;
  return {
    ...fault,
    plant: (books, random) => {
      const planted = fault.plant(books, random);
      if (planted === null || planted.expected.sequence !== books.entries[0]!.sequence)
        return planted;
      return {
        ...planted,
        expected: { ...planted.expected, kind: firstKind, operationReference: null },
      };
    },
  };
}

function faultsOf(
  plantings: Readonly<Record<string, Parameters<typeof defineFault>[1]>>,
): readonly Fault[] {
  return Object.entries(plantings).map(([name, planting]) => defineFault(name, planting));
}

const AMOUNT_FAULTS = faultsOf({
  'CREDIT_AMOUNT_MISMATCH/less': {
    says: 'a collection was credited with a little less than its amount; all later figures follow',
    change: changeAmount('CASHIN_CREDIT', -1),
  },
  'DEBIT_AMOUNT_MISMATCH/more': {
    says: 'a transfer was debited with a little more than its amount; all later figures follow',
    change: changeAmount('CASHOUT_DEBIT', 1),
  },
  'FEE_AMOUNT_MISMATCH/more': {
    says: 'more commission was taken for a collection than it states; all later figures follow',
    change: changeAmount('CASHIN_FEE', 1),
  },
  'FEE_AMOUNT_MISMATCH/twice': {
    says: 'the commission of an operation was taken twice; all later figures follow',
    change: feeAgain(true),
  },
  'BALANCE_DRIFT/fee twice': {
    says: 'the commission of an operation was posted twice, and the balance moved once',
    change: feeAgain(false),
  },
  'DEBIT_DUPLICATED/unbalanced': {
    says: 'a second debit was posted for a transfer, and the balance did not move',
    change: atOne(
      (books) => linesOfSettled(books, 'CASHOUT_DEBIT'),
      (books, index, random) => {
        const { amount, operationReference } = books.entries[index]!;
        const last = books.entries.findLastIndex(
          (line) => line.operationReference === operationReference,
        );
        return insertAfter(books, random, last, [
          { ...debit('CASHOUT_DEBIT', amount), balance: 0 },
        ]);
      },
    ),
  },
  'LINES_MISSING/any': {
    says: 'one line that moves money is left out of the delivered ledger, any but the first and the last',
    change: (books, random) => {
      const { entries } = books;
      const places = [...entries.keys()]
        .slice(1, -1)
        .filter((index) => MONEY.test(entries[index]!.kind));
      const index = pick(random, places);
      return index === null
        ? null
        : atSequence({ ...books, entries: entries.toSpliced(index, 1) }, index);
    },
  },
});

/**
 * Alters the amount of a line, which moves as much more or less; a debit that consumed its hold
 * consumes what it should.
 */
function changeAmount(kind: 'CASHIN_CREDIT' | 'CASHIN_FEE' | 'CASHOUT_DEBIT', sense: 1 | -1) {
  return atOne(
    (books) => {
      const slack = slackOf(books);
      const movements = movementsOf(books);
      // A debit that consumes its own amount of the hold would consume more than there is.
      return linesOfSettled(books, kind).filter(
        (line) =>
          slack[line]! > 100 &&
          books.entries[line]!.amount > 100 &&
          movements[line]!.reserved !== -books.entries[line]!.amount,
      );
    },
    (books, index, random) => {
      const amount =
        books.entries[index]!.amount + sense * drawInteger(random, { from: 1, to: 99 });
      const { balance, reserved } = movementsOf(books)[index]!;
      const post = { kind, amount, balance: balance < 0 ? -amount : amount, reserved };
      return atLine(repost(books, index, post), index);
    },
  );
}

function feeAgain(isCarried: boolean) {
  return atOne(
    (books) => {
      const slack = slackOf(books);
      return linesOfSettled(books, 'CASHIN_FEE').filter(
        (line) => slack[line]! > books.entries[line]!.amount,
      );
    },
    (books, index, random) => {
      const post = debit('CASHIN_FEE', books.entries[index]!.amount);
      return insertAfter(books, random, index, [isCarried ? post : { ...post, balance: 0 }]);
    },
  );
}

/** Faults of collections that lapsed, which have no line and never had one. */
const SILENT_FAULTS = faultsOf({
  'CREDIT_MISSING/no lines': {
    says: 'a collection that had failed is stated as succeeded, and its money never came',
    change: silent('FAILED', ({ updatedAt, createdAt }) => {
      const completedAt = new Date(
        Math.min(Date.parse(updatedAt), Date.parse(createdAt) + HOUR / 4),
      ).toISOString();
      return { status: 'SUCCEEDED', failure: null, completedAt, updatedAt: completedAt };
    }),
  },
  'NET_AMOUNT_INCONSISTENT/no lines': {
    says: 'the net amount of a collection without lines is not its amount less its fees',
    change: silent('FAILED', ({ netAmount }, random) => ({
      netAmount: netAmount + offset(random),
    })),
  },
  'FEE_NOT_AS_PRICED/no lines': {
    says: 'a collection without lines states a commission that no price gives',
    change: silent('FAILED', (operation, random) => {
      const fees = operation.fees + drawInteger(random, { from: 7, to: 60 });
      return { fees, netAmount: netAmountOf({ ...operation, fees }) };
    }),
  },
  'COUNTRY_CURRENCY_MISMATCH/no lines': {
    says: 'a collection without lines states a currency that is neither its country’s nor the wallet’s',
    change: silent('FAILED', ({ currency }) => ({ currency: currency === 'GNF' ? 'XAF' : 'GNF' })),
  },
  'EXPIRY_WINDOW_WRONG/no lines': {
    says: 'a collection without lines expires six minutes later than it should',
    change: silent('FAILED', ({ expiresAt }) => ({
      expiresAt: new Date(Date.parse(expiresAt!) + HOUR / 10).toISOString(),
    })),
  },
  'COMPLETION_TIME_INCONSISTENT/no lines': {
    says: 'a collection without lines has failed and has no time of completion',
    change: silent('FAILED', () => ({ completedAt: null })),
  },
  'COUNTRY_NOT_ALLOWED/no lines': {
    says: 'a collection without lines took place in a country that the service does not serve',
    change: silent('FAILED', () => ({ country: 'ZZ' as ServedOperation['country'] })),
  },
  'REFERENCE_TYPE_MISMATCH/no lines': {
    says: 'a collection without lines bears the reference of a transfer',
    change: silent('FAILED', ({ reference }) => ({
      reference: reference.replace('GUI-CI-', 'GUI-CO-'),
    })),
  },
  'PAYER_ACTION_INCONSISTENT/no lines': {
    says: 'a collection that has failed still requires its payer to act',
    change: silent('FAILED', () => ({
      payerActionUrl: 'https://pay.example/late',
      requiresPayerAction: true,
    })),
  },
  'AMOUNT_OUT_OF_BOUNDS/less': {
    says: 'a collection without lines was for less than the smallest amount allowed',
    change: silent('FAILED', ({ type }, _, books) => {
      const amount = books.merchant.limits.minCashinAmount - 1;
      return moneyOf({ type, amount }, termsOf(books.merchant, books.policy));
    }),
  },
  'OPERATION_UNKNOWN/of a transfer': {
    says: 'a transfer that has lines is not served',
    change: atOne(
      (books) => casesOf(books, 'CASHOUT').filter(({ lines }) => lines.length > 0),
      (books, { operation, lines }) => {
        const operations = books.operations.filter((one) => one !== operation);
        return atLine({ ...books, operations }, lines[0]!);
      },
    ),
  },
});

function silent(
  status: 'FAILED',
  changes: (operation: ServedOperation, random: Random, books: Books) => Partial<ServedOperation>,
) {
  return (books: Books, random: Random): Change | null => {
    const uses = Map.groupBy(books.operations, ({ externalReference }) => externalReference);
    const lapsed = casesOf(books, 'CASHIN', [status]).filter(
      ({ operation: { externalReference } }) => {
        return externalReference === null || uses.get(externalReference)!.length === 1;
      },
    );
    const one = pick(random, lapsed);
    if (one === null) return null;
    const changed = changes(one.operation, random, books);
    const { books: altered } = restate(books, one.operation, changed);
    // The totals of the wallet follow what the operation states, as if it had always been so.
    return atOperation(altered, changed.reference ?? one.operation.reference);
  };
}

export const OWN_FAULTS: readonly Fault[] = [...LINE_FAULTS, ...AMOUNT_FAULTS, ...SILENT_FAULTS];
