// Reads payments.jsonl: the payments of a stretch of time, each reference once. Of a reference that comes twice the final
// state counts. If its rows contradict each other, all of them are refused, since none is more credible than another.

import type { Payment } from '../../../core/domain/payment.ts';
import type { Refused } from '../../../core/domain/refusal.ts';
import type { Span } from '../../../core/domain/service-report.ts';
import type { Batch, RejectedRow } from '../../../core/domain/snapshot.ts';
import { createHashTable, enter, firstPlace } from '../../../core/rows/hash-table.ts';
import { fieldNamed } from '../../../core/rows/row-table.ts';
import { PAYMENT_TABLE, samePayment } from '../decode/decode-payment.ts';
import { rejectRow } from '../decode/decode-row.ts';
import type { BookFile } from './book-file.ts';
import { createLineFinder, createRowReader, lineFrom, readInPlace } from './read-rows.ts';
import { PAYMENT_PLAN } from './row-plan.ts';

/** A row whose reference the file may repeat. */
interface Suspect {
  readonly payment: Payment;
  readonly line: string;
}

/** In the order of the file, then the repeated ones. Every reading names the refused rows. */
export async function* streamPayments(file: BookFile, span: Span): AsyncGenerator<Batch<Payment>> {
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

/** Hashes that several rows share: almost always because they name one payment. */
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
  /** Of its reference. */
  readonly hash: number;
  readonly offset: number;
}

async function* readWithin(file: BookFile, { from, until }: Span) {
  const { createCursor, copy } = PAYMENT_PLAN;
  const { hashPlace } = fieldNamed(PAYMENT_TABLE, 'reference');
  const cursor = createCursor();
  for await (const { batch, rejected, release } of readInPlace(createRowReader(file, PAYMENT_PLAN))) {
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
        rejectRow({ part: 'payments', place, refused: excludeEachOther(reference, some.length), raw: line }),
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

/** The state that the others lead to: PENDING becomes SUCCESS or FAILED, and nothing else changes but who paid. */
function newestOf(payments: readonly Payment[]): Payment | null {
  const newest = payments.find(({ status }) => status !== 'PENDING') ?? payments[0]!;
  const leadsThere = (payment: Payment): boolean =>
    samePayment(payment, newest) ||
    (payment.status === 'PENDING' &&
      samePayment({ ...payment, status: newest.status, operator: newest.operator }, newest));
  return payments.every(leadsThere) ? newest : null;
}
