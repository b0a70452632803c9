// Faults that one reading cannot show: the service serves old rows otherwise than it did the night
// before. The first reading is sound; the second and the third have the change, and a day more
// each.

import {
  alterLine,
  alterOperation,
  atLine,
  atOperation,
  type Change,
  insertLines,
  movementsOf,
  shiftFrom,
  unpost,
  withMovements,
} from '../../src/sandbox/faults/port/edit-books.ts';
import { pick } from '../../src/sandbox/faults/port/find-cases.ts';
import type { Books } from '../../src/sandbox/model/plan.ts';
import { credit } from '../../src/sandbox/model/postings.ts';
import { drawInteger, drawUuid, type Random } from '../../src/sandbox/model/random.ts';

export interface Tampering {
  /** The kind, and after a slash the form. */
  readonly name: string;
  readonly says: string;
  /** Draws a place among what the first reading has shown; null: it offers none. */
  readonly find: (first: Books, random: Random) => string | null;
  /**
   * Makes the same change to a later reading. The place of the change is the first row that is not
   * as it was.
   */
  readonly tamper: (later: Books, place: string, random: Random) => Change;
}

const anyLine = ({ entries }: Books, random: Random): string | null =>
  pick(random, entries)?.id ?? null;

/**
 * Draws an adjustment. No operation depends on one, so that what is done to it shows nowhere else.
 */
const anyAdjustment = ({ entries }: Books, random: Random): string | null =>
  pick(
    random,
    entries.slice(0, -1).filter(({ kind }) => kind === 'ADJUSTMENT_CREDIT'),
  )?.id ?? null;

const failed = ({ operations, asOf }: Books, random: Random): string | null => {
  const old = operations.filter(({ type, status, updatedAt }) => {
    return type === 'CASHIN' && status === 'FAILED' && Date.parse(updatedAt) < asOf - 3_600_000;
  });
  return pick(random, old)?.reference ?? null;
};

const settled = ({ operations }: Books, random: Random): string | null =>
  pick(
    random,
    operations.filter(({ status, country }) => status === 'SUCCEEDED' && country !== 'GN'),
  )?.reference ?? null;

export const TAMPERINGS: readonly Tampering[] = [
  {
    name: 'ENTRY_REWRITTEN/description',
    says: 'the description of an old line is another',
    find: anyLine,
    tamper: (later, id) =>
      inPlace(later, id, () => ({ description: 'Libellé corrigé après coup' })),
  },
  {
    name: 'ENTRY_REWRITTEN/id',
    says: 'the id of an old line is another',
    find: anyLine,
    tamper: (later, id, random) => inPlace(later, id, () => ({ id: drawUuid(random) })),
  },
  {
    name: 'ENTRY_REWRITTEN/time',
    says: 'an old line is dated a second later',
    find: anyLine,
    tamper: (later, id) =>
      inPlace(later, id, ({ createdAt }) => ({
        createdAt: new Date(Date.parse(createdAt) + 1_000).toISOString(),
      })),
  },
  {
    name: 'ENTRY_REWRITTEN/carried',
    says: 'the amount of an old adjustment is another, and all later figures and the wallet follow',
    find: anyAdjustment,
    tamper: (later, id, random) => {
      const index = indexOf(later, id);
      const more = drawInteger(random, { from: 1, to: 99 });
      const altered = alterLine(later, index, { amount: later.entries[index]!.amount + more });
      return atLine(shiftFrom(altered, index, { balance: more }), index);
    },
  },
  {
    name: 'ENTRY_DELETED/gap',
    says: 'an old adjustment is served no more; its number is skipped, and all later figures and the wallet follow',
    find: anyAdjustment,
    tamper: (later, id) => {
      const index = indexOf(later, id);
      const movements = movementsOf(later);
      const { step } = movements[index]!;
      const next = { ...movements[index + 1]!, step: movements[index + 1]!.step + step };
      const { sequence, operationReference } = later.entries[index]!;
      const books = withMovements(later, movements.with(index + 1, next).toSpliced(index, 1));
      return { books, sequence, operationReference };
    },
  },
  {
    name: 'ENTRY_DELETED/renumbered',
    says: 'an old adjustment is served no more; all later numbers and figures and the wallet follow',
    find: anyAdjustment,
    tamper: (later, id) => {
      const index = indexOf(later, id);
      const { sequence, operationReference } = later.entries[index]!;
      return { books: unpost(later, index), sequence, operationReference };
    },
  },
  {
    name: 'ENTRY_INSERTED_LATE/renumbered',
    says: 'an adjustment is put in before an old line; all later numbers and figures and the wallet follow',
    find: anyLine,
    tamper: (later, id, random) => {
      const index = indexOf(later, id);
      const like = {
        ...later.entries[index]!,
        operationReference: null,
        description: 'Geste commercial',
      };
      const posts = [credit('ADJUSTMENT_CREDIT', drawInteger(random, { from: 100, to: 900 }))];
      return atLine(insertLines(later, random, { index, posts, like }), index);
    },
  },
  {
    name: 'OPERATION_FIELD_CHANGED/operator',
    says: 'an old operation that succeeded is stated with another operator',
    find: settled,
    tamper: (later, reference) => {
      const { operator } = later.operations.find((one) => one.reference === reference)!;
      return atOperation(
        alterOperation(later, reference, { operator: operator === 'MTN' ? 'MOOV' : 'MTN' }),
        reference,
      );
    },
  },
  {
    name: 'STATUS_REGRESSION/expired',
    says: 'a collection that had failed is stated as expired',
    find: failed,
    tamper: (later, reference) => {
      const { expiresAt } = later.operations.find((one) => one.reference === reference)!;
      const updatedAt = new Date(later.asOf - 1).toISOString();
      const changes = {
        status: 'EXPIRED',
        failure: null,
        updatedAt,
        completedAt: expiresAt,
      } as const;
      return atOperation(alterOperation(later, reference, changes), reference);
    },
  },
  {
    name: 'OPERATION_VANISHED/failed',
    says: 'a failed collection, which has no lines, is served no more',
    find: failed,
    tamper: (later, reference) => {
      const operations = later.operations.filter((one) => one.reference !== reference);
      return atOperation({ ...later, operations }, reference);
    },
  },
];

function indexOf({ entries }: Books, id: string): number {
  return entries.findIndex((line) => line.id === id);
}

function inPlace(
  later: Books,
  id: string,
  changes: (line: Books['entries'][number]) => Partial<Books['entries'][number]>,
): Change {
  const index = indexOf(later, id);
  return atLine(alterLine(later, index, changes(later.entries[index]!)), index);
}
