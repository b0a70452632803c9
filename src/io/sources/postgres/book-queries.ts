// The queries on the operator's tables: which rows of a merchant, and in which order. Every query
// names the merchant.

import type { Bounds } from '../../../core/domain/period.ts';
import type { Marks, Since } from '../port/source.ts';
import { columnFor, type TableColumn, type TableOfPart } from './postgres-settings.ts';
import { literal, literals } from './table-part.ts';

/**
 * How many sequences below the last known line a later reading begins. It thereby finds lines whose
 * sequence was given out early and committed after the last reading.
 */
const SEQUENCE_OVERLAP = 1_000;
/**
 * How many milliseconds before the newest known operation a later reading begins. It thereby finds
 * operations whose time was taken at the start of a long transaction.
 */
const UPDATE_OVERLAP = 3_600_000;

export function ofMerchant(table: TableOfPart, merchant: string): string {
  return `${table.merchant} = ${literal(merchant)}`;
}

/**
 * Selects lines in ascending sequence, and by id within one sequence. Lines without a sequence,
 * which will be refused, come last.
 */
export function entriesTail(
  table: TableOfPart,
  asked: { readonly merchant: string; readonly since: Since | null },
): string {
  const sequence = columnFor(table, 'sequence').value;
  const from =
    asked.since === null ? '' : ` and ${sequence} > ${asked.since.lastSequence - SEQUENCE_OVERLAP}`;
  return `from ${table.from} where ${ofMerchant(table, asked.merchant)}${from} order by ${sequence}, ${columnFor(table, 'id').value}`;
}

/** Selects the lines without a sequence, which no comparison of sequences finds. */
export function unnumberedEntriesTail(table: TableOfPart, merchant: string): string {
  return `from ${table.from} where ${ofMerchant(table, merchant)} and ${columnFor(table, 'sequence').value} is null`;
}

/**
 * Selects operations in ascending createdAt, the versions of one operation from the oldest to the
 * newest. Operations without createdAt, which will be refused, come last. A later reading selects
 * what was updated or created since, what was open, and what has no time.
 */
export function operationsTail(
  table: TableOfPart,
  asked: {
    readonly merchant: string;
    readonly since: Since | null;
    readonly within?: Bounds | undefined;
  },
): string {
  const created = columnFor(table, 'createdAt').value;
  const reference = columnFor(table, 'reference');
  const order = `order by ${created}, ${reference.value}, ${columnFor(table, 'updatedAt').value}`;
  const all = `from ${table.from} where ${ofMerchant(table, asked.merchant)}`;
  const { since, within } = asked;
  if (within !== undefined) {
    const [start, end] = [timestamp(within.start), timestamp(within.end)];
    return `${all} and ${created} >= ${start} and ${created} < ${end} ${order}`;
  }
  if (since === null || servedAfter(table, since) === Number.NEGATIVE_INFINITY)
    return `${all} ${order}`;
  const named = since.open.map((one) => one.reference);
  return `${all} and (${isAsked(table, since)} or ${isAny(reference, named)}) ${order}`;
}

/**
 * SQL condition of the operations that a later reading selects, apart from those known to be open.
 * The marks may be SQL expressions.
 */
export function isAsked(
  table: TableOfPart,
  marks: Readonly<Record<keyof Marks, number | string>>,
): string {
  const [created, updated] = [
    columnFor(table, 'createdAt').value,
    columnFor(table, 'updatedAt').value,
  ];
  const from = (mark: number | string) => timestamp(`${mark} - ${UPDATE_OVERLAP}`);
  return `${updated} >= ${from(marks.newestOperationUpdatedAt)} or ${created} >= ${from(marks.newestOperationCreatedAt)}
    or ${updated} is null or ${created} is null`;
}

/**
 * Returns the instant after whose creation every operation is selected. It is −Infinity when all
 * are, also when times are stored as text, because those cannot be compared.
 */
export function servedAfter(table: TableOfPart, since: Marks | null): number {
  const isWhole = since === null || columnFor(table, 'updatedAt').form !== 'microseconds';
  return isWhole ? Number.NEGATIVE_INFINITY : since.newestOperationCreatedAt - UPDATE_OVERLAP - 1;
}

/** Selects the versions of the operations asked for, in the order of `operationsTail`. */
export function recallOperationsTail(
  table: TableOfPart,
  asked: {
    readonly merchant: string;
    readonly references: Iterable<string>;
    readonly externalReferences: Iterable<string>;
  },
): string {
  const created = columnFor(table, 'createdAt').value;
  const reference = columnFor(table, 'reference');
  const conditions = [
    isAny(reference, asked.references),
    isAny(columnFor(table, 'externalReference'), asked.externalReferences),
  ];
  return `from ${table.from} where ${ofMerchant(table, asked.merchant)} and (${conditions.join(' or ')}) order by ${created}, ${reference.value}, ${columnFor(table, 'updatedAt').value}`;
}

/**
 * Selects the lines asked for, by sequence, each beside the line before it: the last line of a
 * lower sequence, or nulls. Returns the columns of the table twice.
 */
export function recallEntriesSelect(
  table: TableOfPart,
  asked: {
    readonly merchant: string;
    readonly references: Iterable<string>;
    readonly entryIds: Iterable<string>;
  },
): string {
  const sequence = columnFor(table, 'sequence').value;
  const id = columnFor(table, 'id');
  const conditions = [
    isAny(columnFor(table, 'operationReference'), asked.references),
    isAny(id, asked.entryIds),
  ];
  const columns = table.columns
    .map(({ selected }, index) => `${selected} as field_${index}`)
    .join(', ');
  const fields = (alias: string): string =>
    table.columns.map((_, index) => `${alias}.field_${index}`).join(', ');
  const mine = ofMerchant(table, asked.merchant);
  const wanted = `select ${columns}, ${sequence} as place, ${id.value} as name from ${table.from} where ${mine} and (${conditions.join(' or ')})`;
  const before = `select ${columns} from ${table.from} where ${mine} and ${sequence} < wanted.place order by ${sequence} desc, ${id.value} desc limit 1`;
  return `select ${fields('wanted')}, ${fields('before')} from (${wanted}) as wanted left join lateral (${before}) as before on true order by wanted.place, wanted.name`;
}

function isAny(column: TableColumn, texts: Iterable<string>): string {
  // PostgreSQL has no text with U+0000, and refuses a query that contains one.
  const possible = [...texts].filter((text) => !text.includes('\0') && text.isWellFormed());
  if (possible.length === 0 || column.value === 'null') return 'false';
  return `${column.isText ? column.value : `${column.value}::text`} = any(${literals(possible)})`;
}

/** SQL of the exact instant `milliseconds` after the start of 1970. */
function timestamp(milliseconds: number | string): string {
  return `(timestamptz '1970-01-01 00:00:00+00' + floor(${milliseconds}) * interval '1 millisecond')`;
}
