// What a merchant's folder holds beside the ledger: reports.json, payments.jsonl and payouts.json,
// as the dashboard API serves them. A missing file becomes a note, and an unreadable file a refused
// row.

import type { Payment } from '../../../core/domain/payment.ts';
import type {
  Dashboard,
  DashboardSnapshot,
} from '../../../core/domain/published/dashboard-snapshot.ts';
import type { Answered, PayoutPlace } from '../../../core/domain/published/payout-place.ts';
import type { Refused } from '../../../core/domain/refusal.ts';
import { type Decoded, fieldsOf, own } from '../../../core/domain/rows/decode-object.ts';
import { createHashTable, enter, firstPlace } from '../../../core/domain/rows/hash-table.ts';
import { fieldNamed } from '../../../core/domain/rows/row-table.ts';
import type { ServiceReport, Span } from '../../../core/domain/service-report.ts';
import type { Batch, Note, RejectedRow } from '../../../core/domain/snapshot.ts';
import { PAYMENT_TABLE, samePayment } from '../decode/decode-payment.ts';
import { askPayouts } from '../decode/decode-payouts.ts';
import { decodeItems, rejectRow, splitItems } from '../decode/decode-row.ts';
import { decodeServiceReport } from '../decode/decode-service-report.ts';
import { parseStrictJson } from '../decode/strict-json.ts';
import { absentFile, type BookFile, openBookFile, readWholeFile } from './book-file.ts';
import { openMerchantFolders } from './merchant-folders.ts';
import { createLineFinder, createRowReader, lineFrom, readInPlace } from './read-rows.ts';
import { PAYMENT_PLAN } from './row-plan.ts';

const REPORTS = 'reports.json';
const PAYMENTS = 'payments.jsonl';
const PAYOUTS = 'payouts.json';

/** Opens no file yet. */
export function openFileDashboard(folder: string): Dashboard {
  const { merchants, folderOf } = openMerchantFolders(folder);
  return {
    name: `file:${folder}`,
    merchants,
    open: async (merchant) => snapshotOf(merchant, await folderOf(merchant)),
    close: async () => {},
  };
}

async function snapshotOf(merchant: string, folder: string): Promise<DashboardSnapshot> {
  const absent = [
    ...(await missing(folder, 'reports', REPORTS)),
    ...(await missing(folder, 'payments', PAYMENTS)),
    ...(await missing(folder, 'payouts', PAYOUTS)),
  ];
  return {
    merchant,
    absent,
    reports: () => readReports(folder),
    reportFile: async () => null,
    payments: (span) => readPayments(folder, span),
    payouts: filedPayouts(folder),
    isCopy: absent.every(({ what }) => what !== 'payments'),
    close: async () => {},
  };
}

async function missing(folder: string, what: string, name: string): Promise<readonly Note[]> {
  const opened = await openBookFile(folder, name);
  if (opened.state === 'open') await opened.file.handle.close();
  return opened.state === 'absent' ? [absentFile(folder, what, name)] : [];
}

async function readReports(folder: string): Promise<Batch<ServiceReport>> {
  const file = await readWholeFile(folder, REPORTS);
  if (file.state === 'absent') return { rows: [], rejected: [] };
  if (file.state === 'unreadable')
    return { rows: [], rejected: [refused('reports', file.name, file, file.bytes)] };
  const split = splitItems(file.bytes);
  if (!split.ok) return { rows: [], rejected: [refused('reports', file.name, split, file.bytes)] };
  return decodeItems(split.items, {
    part: 'reports',
    place: file.name,
    decode: decodeServiceReport,
  });
}

async function* readPayments(folder: string, span: Span): AsyncGenerator<Batch<Payment>> {
  const opened = await openBookFile(folder, PAYMENTS);
  if (opened.state === 'absent') return;
  if (opened.state === 'unreadable') {
    yield { rows: [], rejected: [refused('payments', opened.name, opened)] };
    return;
  }
  try {
    yield* streamPayments(opened.file, span);
  } finally {
    await opened.file.handle.close();
  }
}

function refused(
  part: RejectedRow['part'],
  place: string,
  why: Refused,
  raw: string | Uint8Array = '',
): RejectedRow {
  return rejectRow({ part, place, refused: why, raw });
}

interface Answers {
  readonly row: Readonly<Record<string, unknown>>;
  readonly rejected: readonly RejectedRow[];
}

/**
 * Reads payouts.json. It holds each answer as it was served, under the last words of its endpoint;
 * a name that the file does not have is an endpoint without an answer. The file is read once, at
 * the first question.
 */
function filedPayouts(folder: string): PayoutPlace {
  let reading: Promise<Answers> | null = null;
  const one = async <Value>(
    name: string,
    decode: (value: unknown) => Decoded<Value>,
  ): Promise<Answered<Value>> => {
    reading ??= readAnswers(folder);
    const { row, rejected } = await reading;
    const value = own(row, name);
    if (value === undefined) return { value: null, rejected, absent: null };
    const decoded = decode(value);
    if (decoded.ok) return { value: decoded.value as Value, rejected, absent: null };
    return {
      value: null,
      rejected: [...rejected, refused('payouts', `${PAYOUTS} ${name}`, decoded)],
      absent: null,
    };
  };
  const many = async <Row>(
    name: string,
    decode: (row: unknown) => Decoded<Row>,
  ): Promise<Answered<readonly Row[]>> => {
    const { value, ...answered } = await one(name, listOf);
    const decoded = (value ?? []).map(decode);
    const readable = decoded.flatMap((row) => (row.ok ? [row.value as Row] : []));
    const failed = decoded.flatMap((row) =>
      row.ok ? [] : [refused('payouts', `${PAYOUTS} ${name}`, row)],
    );
    // A list that lacks a row is not compared with any figures.
    const whole = value === null || failed.length > 0 ? null : readable;
    return { ...answered, value: whole, readable, rejected: [...answered.rejected, ...failed] };
  };
  return { isCopy: true, ...askPayouts({ one, many }) };
}

function listOf(value: unknown): Decoded<readonly unknown[]> {
  if (Array.isArray(value)) return { ok: true, value };
  return { ok: false, reason: 'it is not a JSON array', refusal: { code: 'NOT_A_LIST' } };
}

/** Keeps no bytes of refused rows, because the compliance file holds identity papers. */
async function readAnswers(folder: string): Promise<Answers> {
  const file = await readWholeFile(folder, PAYOUTS);
  if (file.state === 'absent') return { row: {}, rejected: [] };
  if (file.state === 'unreadable')
    return { row: {}, rejected: [refused('payouts', PAYOUTS, file)] };
  const parsed = parseStrictJson(file.bytes);
  const fields = parsed.ok ? fieldsOf(parsed.value) : null;
  const fault = parsed.ok ? fields!.fault : parsed;
  return {
    row: fields?.row ?? {},
    rejected: fault === null ? [] : [refused('payouts', PAYOUTS, fault)],
  };
}

/** A payment whose reference may occur several times in the file. */
interface Suspect {
  readonly payment: Payment;
  readonly line: string;
}

/**
 * Streams the payments in the order of the file, then those whose references repeat. Every reading
 * names the refused rows.
 */
async function* streamPayments(file: BookFile, span: Span): AsyncGenerator<Batch<Payment>> {
  const repeated = await repeatedHashes(file, span);
  const suspects = new Map<string, Suspect[]>();
  const finder = createLineFinder(file);
  for await (const { payments, rejected } of readWithin(file, span)) {
    const rows: Payment[] = [];
    for (const { payment, hash, offset } of payments) {
      if (!repeated.has(hash)) {
        rows.push(payment);
        continue;
      }
      const known = suspects.get(payment.reference);
      const suspect = { payment, line: lineFrom(finder, offset).toString('utf8').slice(0, -1) };
      if (known === undefined) suspects.set(payment.reference, [suspect]);
      else known.push(suspect);
    }
    if (rows.length > 0 || rejected.length > 0) yield { rows, rejected };
  }
  if (suspects.size > 0) yield settle(file, suspects);
}

/** Returns the hashes that several rows share, almost always because the rows name one payment. */
async function repeatedHashes(file: BookFile, span: Span): Promise<ReadonlySet<number>> {
  const table = createHashTable();
  const repeated = new Set<number>();
  for await (const { payments } of readWithin(file, span)) {
    for (const { hash } of payments) {
      if (firstPlace(table, hash) >= 0) repeated.add(hash);
      else enter(table, hash, 0);
    }
  }
  return repeated;
}

interface Placed {
  readonly payment: Payment;
  /** Hash of the payment's reference. */
  readonly hash: number;
  readonly offset: number;
}

async function* readWithin(file: BookFile, { from, until }: Span) {
  const { createCursor, copy } = PAYMENT_PLAN;
  const { hashPlace } = fieldNamed(PAYMENT_TABLE, 'reference');
  const cursor = createCursor();
  for await (const { batch, rejected, release } of readInPlace(
    createRowReader(file, PAYMENT_PLAN),
  )) {
    const payments: Placed[] = [];
    cursor.open(batch);
    for (let row = 0; row < batch.rows; row += 1) {
      cursor.moveTo(row);
      const { createdAt } = cursor.row;
      if (createdAt < from || createdAt >= until) continue;
      const hash = batch.numbers[row * PAYMENT_TABLE.numbers + hashPlace]!;
      payments.push({ payment: copy(cursor.row), hash, offset: batch.places[row]! });
    }
    release();
    yield { payments, rejected };
  }
}

function settle(file: BookFile, suspects: ReadonlyMap<string, readonly Suspect[]>): Batch<Payment> {
  const rows: Payment[] = [];
  const rejected: RejectedRow[] = [];
  for (const [reference, some] of suspects) {
    const newest = newestOf(some.map(({ payment }) => payment));
    if (newest !== null) {
      rows.push(newest);
      continue;
    }
    some.forEach(({ line }, index) => {
      const place = `${file.name}, row ${index + 1} of ${reference}`;
      rejected.push(
        rejectRow({
          part: 'payments',
          place,
          refused: excludeEachOther(reference, some.length),
          raw: line,
        }),
      );
    });
  }
  return { rows, rejected };
}

function excludeEachOther(reference: string, times: number): Refused {
  const shown = JSON.stringify(reference);
  return {
    reason: `reference ${shown} is given ${times} times with contents that exclude each other`,
    refusal: { code: 'CONTENTS_EXCLUDE', reference: shown, times },
  };
}

/**
 * Returns the newest of several versions of one payment: PENDING may have become SUCCESS or FAILED,
 * and the operator may have changed with it. `null` when the versions differ in any other way.
 */
function newestOf(payments: readonly Payment[]): Payment | null {
  const newest = payments.find(({ status }) => status !== 'PENDING') ?? payments[0]!;
  const leadsThere = (payment: Payment): boolean =>
    samePayment(payment, newest) ||
    (payment.status === 'PENDING' &&
      samePayment({ ...payment, status: newest.status, operator: newest.operator }, newest));
  return payments.every(leadsThere) ? newest : null;
}
