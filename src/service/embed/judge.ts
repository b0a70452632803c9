// Judges the books of one merchant for a program that has their rows at hand:
//   import { judge } from 'pointage';
// Opens nothing, asks no clock and keeps nothing. A row that cannot be read exactly is a finding of
// the report, as in any audit; only a call that makes no sense throws.

import { inspect } from 'node:util';
import type { Standing } from '../../core/domain/assumptions.ts';
import type { AuditReport } from '../../core/domain/finding.ts';
import { type Instant, MINUTE, parseInstant } from '../../core/domain/instant.ts';
import type { LedgerEntry } from '../../core/domain/ledger-entry.ts';
import type { DeclaredOpening, Wallet } from '../../core/domain/merchant.ts';
import type { Operation } from '../../core/domain/operation.ts';
import type { Refused } from '../../core/domain/refusal.ts';
import type { Decoded } from '../../core/domain/rows/decode-object.ts';
import { decodeEntry } from '../../core/domain/rows/entry-fields.ts';
import { decodeMerchant } from '../../core/domain/rows/merchant-fields.ts';
import { decodeOperation, decodeWallet } from '../../core/domain/rows/operation-fields.ts';
import type {
  Batch,
  BookPart,
  NotChecked,
  OperationVersion,
  Recall,
  RejectedRow,
  Snapshot,
} from '../../core/domain/snapshot.ts';
import { reconcileInMemory } from '../../core/kernel/reconcile-in-memory.ts';
import { rejectRow } from '../../io/sources/decode/decode-row.ts';
import { recallEntries } from '../../io/sources/port/recall-entries.ts';
import { hashOf } from '../../io/threads/hash-key.ts';
import { type AuditOptions, auditSnapshot, taskFor } from '../workflows/audit/audit-snapshot.ts';

/** How books are judged. */
export interface JudgeTerms {
  /** Instant up to which the books are known: `2026-11-15T12:00:00Z`, or milliseconds since 1970. */
  readonly asOf: string | Instant;
  /** Milliseconds before `asOf`: a finding whose evidence is younger is provisional. Default 0. */
  readonly grace?: number;
  /** Milliseconds that dates may lie after `asOf`. Default five minutes. */
  readonly clockTolerance?: number;
  /**
   * Answers to questions that the documents leave open (docs/ASSUMPTIONS.md). For an answer not
   * given, the books decide.
   */
  readonly assumptions?: Partial<Standing>;
  /** The figures before the first given line, when that is not the first line of the ledger. */
  readonly opening?: DeclaredOpening;
}

interface Stated {
  /** The merchant's reference. */
  readonly merchant: string;
  /** The answer of `GET /wallet`. Absent: the report says what was not checked. */
  readonly wallet?: unknown;
  /** The answer of `GET /merchant`. Absent: the report says what was not checked. */
  readonly profile?: unknown;
}

export interface BooksInMemory extends Stated {
  /** Lines as the service's API gives them, in any order. */
  readonly lines: readonly unknown[];
  /** Operations as the service's API gives them, in any order. */
  readonly operations?: readonly unknown[];
}

type Rows = Iterable<unknown> | AsyncIterable<unknown>;

export interface BooksInStreams extends Stated {
  /** Returns the lines, ascending by sequence. Each call must begin with the first one. */
  readonly lines: () => Rows;
  /**
   * Returns the operations, ascending by `createdAt`, each once. Each call must begin with the
   * first one.
   */
  readonly operations?: () => Rows;
}

/** Returns the report that `pointage audit` gives. Throws `TypeError` when `asOf` is no instant. */
export function judge(books: BooksInMemory, terms: JudgeTerms): AuditReport {
  const stated = readStated(books, books.operations !== undefined);
  const options = optionsOf(terms);
  const entries = readRows(LINES, books.lines);
  const operations = readRows(OPERATIONS, books.operations ?? []);
  const small = {
    entries: entries.rows,
    operations: operations.rows,
    wallet: stated.wallet,
    rejected: [...stated.rejected, ...entries.rejected, ...operations.rejected],
    absent: stated.absent,
  };
  const { settings } = taskFor(snapshotOf(books, stated, NO_ROWS), options);
  return reconcileInMemory(small, settings, hashOf);
}

/**
 * Judges rows that are streamed, so that only open operations are held in memory. Throws
 * `TypeError` when `asOf` is no instant, and `RangeError` when rows are out of order.
 */
export async function judgeStreams(books: BooksInStreams, terms: JudgeTerms): Promise<AuditReport> {
  const stated = readStated(books, books.operations !== undefined);
  const options = optionsOf(terms);
  const streams = {
    entries: () => inBatches(LINES, books.lines()),
    operations: () => versions(inBatches(OPERATIONS, books.operations?.() ?? [])),
  };
  return auditSnapshot(snapshotOf(books, stated, streams), options);
}

/** A part of the books: how its rows are decoded, and the field by which they must ascend. */
interface Part<Row> {
  readonly part: BookPart;
  readonly decode: (value: unknown) => Decoded<Row>;
  readonly by: keyof Row & string;
}

const LINES: Part<LedgerEntry> = { part: 'ledger', decode: decodeEntry, by: 'sequence' };
const OPERATIONS: Part<Operation> = {
  ...{ part: 'operations', decode: decodeOperation, by: 'createdAt' },
};

/** Decodes rows. `first` is the number of rows of the part that came before them. */
function readRows<Row>({ part, decode }: Part<Row>, given: readonly unknown[], first = 0) {
  const rows: Row[] = [];
  const rejected: RejectedRow[] = [];
  for (const [i, value] of given.entries()) {
    const decoded = decode(value);
    if (decoded.ok) rows.push(decoded.value);
    else rejected.push(refusedRow(part, `${part}[${first + i}]`, value, decoded));
  }
  return { rows, rejected };
}

function refusedRow(part: BookPart, place: string, value: unknown, refused: Refused): RejectedRow {
  return rejectRow({ part, place, refused, raw: rawOf(value), value });
}

/**
 * Returns the value as JSON, or as Node shows it when JSON has no form for it, for example for a
 * `bigint`.
 */
function rawOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? inspect(value);
  } catch {
    return inspect(value);
  }
}

const BATCH_ROWS = 1_000;

async function* inBatches<Row>(part: Part<Row>, given: Rows): AsyncGenerator<Batch<Row>> {
  let values: unknown[] = [];
  let [first, last] = [0, Number.NEGATIVE_INFINITY];
  const take = (): Batch<Row> => {
    const batch = readRows(part, values, first);
    for (const row of batch.rows) {
      const at = row[part.by] as number;
      if (at < last)
        throw new RangeError(
          `${part.part}: rows must ascend by ${part.by}, and ${at} comes after ${last}`,
        );
      last = at;
    }
    first += values.length;
    values = [];
    return batch;
  };
  for await (const value of given) {
    values.push(value);
    if (values.length === BATCH_ROWS) yield take();
  }
  if (values.length > 0) yield take();
}

async function* versions(batches: AsyncIterable<Batch<Operation>>) {
  for await (const { rows, rejected } of batches)
    yield { rows: rows.map((operation) => ({ operation, previous: null })), rejected };
}

/** The parts of an audit that a caller of this function cannot give. */
const NEVER_GIVEN = ['reports', 'payments', 'payouts', 'events', 'history'];

interface ReadStated extends Pick<Snapshot, 'profiles' | 'rejected' | 'absent'> {
  readonly wallet: Wallet | null;
}

function readStated({ wallet, profile }: Stated, hasOperations: boolean): ReadStated {
  const rejected: RejectedRow[] = [];
  const absent: NotChecked[] = [];
  const left = (what: string, incomplete = true): void =>
    void absent.push({ what, why: 'it was not given', incomplete });
  const read = <Row>(part: BookPart, value: unknown, decode: Part<Row>['decode']): Row | null => {
    if (value === undefined || value === null) {
      left(part);
      return null;
    }
    const decoded = decode(value);
    if (decoded.ok) return decoded.value;
    rejected.push(refusedRow(part, part, value, decoded));
    return null;
  };
  const known = read('merchant', profile, decodeMerchant);
  const stated = read('wallet', wallet, decodeWallet);
  if (!hasOperations) left('operations');
  for (const what of NEVER_GIVEN) left(what, false);
  return { profiles: known === null ? [] : [known], wallet: stated, rejected, absent };
}

type Streams = Pick<Snapshot, 'entries' | 'operations'>;

async function* noRows(): AsyncGenerator<never> {}
const NO_ROWS: Streams = { entries: noRows, operations: noRows };

function snapshotOf(
  { merchant }: Stated,
  { profiles, wallet, rejected, absent }: ReadStated,
  { entries, operations }: Streams,
): Snapshot {
  return {
    ...{ merchant, profiles, rejected, absent, hashOf, entries, operations },
    ...{ moving: false, currency: wallet?.currency ?? null, watermark: null },
    ...{ adjustedAt: null, notifications: null, expectedEntries: null },
    closing: async () => ({ wallet, laterEntries: [], rejected: [] }),
    recall: async (request) => ({
      entries: await recallEntries(entries(), request),
      operations: await pickOperations(operations(), request),
    }),
    close: async () => {},
  };
}

async function pickOperations(
  batches: AsyncIterable<Batch<OperationVersion>>,
  { references, externalReferences }: Recall,
): Promise<readonly OperationVersion[]> {
  const found: OperationVersion[] = [];
  for await (const { rows } of batches)
    for (const row of rows) {
      const { reference, externalReference } = row.operation;
      if (references.has(reference) || externalReferences.has(externalReference ?? ''))
        found.push(row);
    }
  return found;
}

function optionsOf(terms: JudgeTerms): AuditOptions {
  const { asOf, grace = 0, clockTolerance = 5 * MINUTE, assumptions, opening } = terms;
  const at = typeof asOf === 'number' ? asOf : parseInstant(asOf);
  if (at === null || !Number.isSafeInteger(at))
    throw new TypeError(`asOf must be an instant like 2026-11-15T12:00:00Z, not '${asOf}'`);
  return {
    ...{ asOf: at, grace, clockTolerance, pinned: assumptions ?? {} },
    opening: opening ?? null,
    onProgress: () => {},
  };
}
