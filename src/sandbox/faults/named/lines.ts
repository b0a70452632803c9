// Faults in single lines: which lines the ledger has and under which numbers, running figures that
// do not follow from the line before, and fields of a line.

import type { Amount } from '../../../core/domain/amount.ts';
import { formatInstant, HOUR, SECOND } from '../../../core/domain/instant.ts';
import type { Books } from '../../model/plan.ts';
import { credit } from '../../model/postings.ts';
import { drawInteger, drawUuid, type Random } from '../../model/random.ts';
import type { ServedEntry } from '../../model/served.ts';
import {
  alterLine,
  atLine,
  atSequence,
  type Change,
  insertBefore,
  movementsOf,
  shiftFrom,
} from '../port/edit-books.ts';
import { drawFew, inner, pick, roomy } from '../port/find-cases.ts';
import { atOne, defineFaults } from '../port/planting.ts';

const ROOMY = roomy('CASHIN_CREDIT', 'CASHIN_FEE');

const SEQUENCE_FAULTS = defineFaults({
  LINES_MISSING: atOne(inner('CASHIN_CREDIT'), (books, index) => leaveOut(books, index, 1)),
  'LINES_MISSING/run': (books, random) => {
    const { entries } = books;
    const count = drawInteger(random, { from: 3, to: 8 });
    const starts = [...entries.keys()].slice(1, -count - 1).filter((start) => {
      const [before, last] = [entries[start - 1]!, entries[start + count - 1]!];
      return (
        before.balanceAfter !== last.balanceAfter && before.reservedAfter === last.reservedAfter
      );
    });
    const start = pick(random, starts);
    return start === null ? null : leaveOut(books, start, count);
  },
  SEQUENCE_GAP: atOne(
    ({ entries }) => [...entries.keys()].slice(1),
    (books, index, random) =>
      atSequence(shiftFrom(books, index, { step: drawInteger(random, { from: 1, to: 5 }) }), index),
  ),
  SEQUENCE_DUPLICATE: atOne(inner('CASHIN_CREDIT', 'CASHIN_FEE'), (books, index, random) => {
    const line = books.entries[index]!;
    const createdAt = formatInstant(Date.parse(line.createdAt) + SECOND);
    const copy = { ...line, id: drawUuid(random), description: 'Reprise', createdAt };
    return atLine({ ...books, entries: books.entries.toSpliced(index + 1, 0, copy) }, index + 1);
  }),
  'SEQUENCE_DUPLICATE/renumbered': atOne(
    (books) => {
      const movements = movementsOf(books);
      return inner(
        'CASHIN_CREDIT',
        'CASHIN_FEE',
      )(books).filter((index) => movements[index]!.step === 1);
    },
    (books, index) => {
      const shared = shiftFrom(books, index, { step: -1 });
      const [before, line] = [books.entries[index - 1]!, books.entries[index]!];
      return before.operationReference === line.operationReference
        ? atLine(shared, index)
        : atSequence(shared, index);
    },
  ),
  ENTRY_ID_REUSED: alterOne(
    inner('CASHIN_CREDIT', 'CASHIN_FEE', 'CASHOUT_DEBIT'),
    (line, { entries }, random) => ({
      id: entries[drawInteger(random, { from: 0, to: entries.indexOf(line) - 1 })]!.id,
    }),
  ),
});

function leaveOut(books: Books, index: number, count: number): Change {
  return atSequence({ ...books, entries: books.entries.toSpliced(index, count) }, index);
}

/**
 * Changes fields of one line. Its running figures, later lines and the wallet stay unless they are
 * among the fields.
 */
function alterOne(
  find: (books: Books) => readonly number[],
  changes: (line: ServedEntry, books: Books, random: Random) => Partial<ServedEntry>,
) {
  return atOne(find, (books, index, random) =>
    atLine(alterLine(books, index, changes(books.entries[index]!, books, random)), index),
  );
}

export const MISPLACED_LINE_FAULTS = defineFaults({
  'LINES_MISSING/moved': atOne(creditsInRow, (books, index) =>
    renumber(books, index, books.entries.at(-1)!.sequence + 1),
  ),
  'LINES_MISSING/taken': atOne(creditsInRow, (books, index, random) => {
    const later = pick(random, books.entries.slice(index + 3, -1));
    return later === null ? null : renumber(books, index, later.sequence);
  }),
  'BALANCE_DRIFT/exchanged': atOne(creditsInRow, (books, one, random) => {
    const other = pick(
      random,
      creditsInRow(books).filter((index) => Math.abs(index - one) > 2),
    );
    if (other === null) return null;
    const { entries } = books;
    const exchanged = entries
      .with(one, { ...entries[other]!, sequence: entries[one]!.sequence })
      .with(other, { ...entries[one]!, sequence: entries[other]!.sequence });
    return atLine({ ...books, entries: exchanged }, Math.min(one, other));
  }),
});

/** Gives one credit another number. The place is the line after the hole. */
function renumber(books: Books, index: number, sequence: number): Change {
  const moved = { ...books.entries[index]!, sequence };
  const rest = books.entries.toSpliced(index, 1);
  const behind = rest.findIndex((entry) => entry.sequence > sequence);
  return atSequence(
    { ...books, entries: rest.toSpliced(behind < 0 ? rest.length : behind, 0, moved) },
    index,
  );
}

/**
 * Returns credits whose numbers follow the line before and are followed by the line after without a
 * gap.
 */
function creditsInRow(books: Books): readonly number[] {
  const { entries } = books;
  const follows = (index: number): boolean =>
    entries[index]?.sequence === (entries[index - 1]?.sequence ?? 0) + 1;
  return inner('CASHIN_CREDIT')(books).filter((index) => follows(index) && follows(index + 1));
}

const RUNNING_FIGURE_FAULTS = defineFaults({
  BALANCE_DRIFT: alterOne(ROOMY, ({ balanceAfter }, _, random) => ({
    balanceAfter: balanceAfter + drawOffset(random),
  })),
  'BALANCE_DRIFT/amount': alterOne(inner('CASHIN_CREDIT'), ({ amount }, _, random) => ({
    amount: amount + drawFew(random),
  })),
  'BALANCE_DRIFT/persistent': atOne(ROOMY, (books, index, random) =>
    atLine(shiftFrom(books, index, { balance: drawOffset(random) }), index),
  ),
  RESERVED_DRIFT: alterOne(ROOMY, ({ reservedAfter }, _, random) => ({
    reservedAfter: reservedAfter + drawFew(random),
  })),
  'RESERVED_DRIFT/persistent': atOne(ROOMY, (books, index, random) =>
    atLine(shiftFrom(books, index, { reserved: drawFew(random) }), index),
  ),
  OPENING_BALANCE_UNEXPLAINED: (books, random) => {
    if (books.entries.length === 0) return null;
    const balance = drawInteger(random, { from: 1_000, to: 90_000 });
    return atSequence(shiftFrom(books, 0, { balance }), 0);
  },
});

/** Draws an offset of either sign, never 0. */
function drawOffset(random: Random): Amount {
  const size = drawFew(random);
  return drawInteger(random, { from: 0, to: 1 }) === 0 ? size : -size;
}

const WITH_OPERATION = inner(
  'CASHIN_CREDIT',
  'CASHIN_FEE',
  'CASHOUT_DEBIT',
  'CASHOUT_FEE',
  'CASHOUT_HOLD',
);
const FIVE_YEARS = 5 * 365 * 24 * HOUR;

const LINE_FIELD_FAULTS = defineFaults({
  AMOUNT_NOT_POSITIVE: alterOne(inner('CASHIN_CREDIT'), () => ({ amount: 0 })),
  'AMOUNT_NOT_POSITIVE/negative': alterOne(inner('CASHOUT_DEBIT'), ({ amount }) => ({
    amount: -amount,
  })),
  'AMOUNT_NOT_POSITIVE/inserted': adjustOne('Régularisation nulle', () => 0),
  KIND_DIRECTION_MISMATCH: alterOne(inner('CASHOUT_DEBIT', 'CASHIN_FEE'), () => ({
    direction: 'CREDIT',
  })),
  UNKNOWN_KIND: adjustOne('Bonus', (random) => drawInteger(random, { from: 100, to: 900 }), {
    kind: 'PROMOTION_CREDIT',
  }),
  'UNKNOWN_KIND/direction': alterOne(inner('CASHOUT_HOLD'), () => ({ direction: 'BLOCK' })),
  CURRENCY_MISMATCH: alterOne(WITH_OPERATION, ({ currency }) => ({
    currency: currency === 'XOF' ? 'XAF' : 'XOF',
  })),
  ENTRY_TIME_IMPOSSIBLE: alterOne(WITH_OPERATION, (_, { asOf }) => ({
    createdAt: formatInstant(asOf + FIVE_YEARS),
  })),
  'ENTRY_TIME_IMPOSSIBLE/early': alterOne(WITH_OPERATION, (_, { merchant }) => ({
    createdAt: formatInstant(Date.parse(merchant.createdAt) - FIVE_YEARS),
  })),
  REFERENCE_MISSING: alterOne(inner('CASHIN_CREDIT', 'CASHOUT_DEBIT'), () => ({
    operationReference: null,
  })),
  ADJUSTMENT_UNEXPLAINED: adjustOne(null, (random) =>
    drawInteger(random, { from: 100, to: 9_000 }),
  ),
  ENTRY_BEFORE_OPERATION: atOne(WITH_OPERATION, (books, index) => {
    const { operationReference } = books.entries[index]!;
    const operation = books.operations.find(({ reference }) => reference === operationReference);
    if (operation === undefined) return null;
    const createdAt = formatInstant(Date.parse(operation.createdAt) - HOUR);
    return atLine(alterLine(books, index, { createdAt }), index);
  }),
});

/**
 * Posts an adjustment in the wallet's favour before one credit, and then changes the adjustment's
 * line.
 */
function adjustOne(
  description: string | null,
  drawAmount: (random: Random) => Amount,
  changes: Partial<ServedEntry> = {},
) {
  return atOne(inner('CASHIN_CREDIT'), (books, index, random) => {
    const posts = [credit('ADJUSTMENT_CREDIT', drawAmount(random))];
    const { books: longer } = insertBefore(books, random, index, posts, {
      operationReference: null,
      description,
    });
    return atLine(alterLine(longer, index, changes), index);
  });
}

export const LINE_FAULTS = [
  ...SEQUENCE_FAULTS,
  ...MISPLACED_LINE_FAULTS,
  ...RUNNING_FIGURE_FAULTS,
  ...LINE_FIELD_FAULTS,
];
