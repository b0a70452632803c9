// Reads payments.jsonl: the payments of a stretch of time, each reference once. Where a reference stands twice, its final
// state counts; where it contradicts itself, every row of it is refused, since none can be believed over another.

import { type Payment, samePayment } from '../../domain/payment.ts';
import type { Span } from '../../domain/service-report.ts';
import type { Batch, RejectedRow } from '../../domain/snapshot.ts';
import { rejectRow } from '../decode/reject-row.ts';
import type { BookFile } from './book-file.ts';
import { beginHashes, type HashList, hashOfText, noteHash, repeatedIn } from './hash-list.ts';
import { PAYMENT_PLAN } from './row-plan.ts';
import { createRowReader } from './row-reader.ts';
import { type RowPlace, streamRows, type TakeRow } from './row-stream.ts';

/** A row whose reference may stand elsewhere in the file as well. */
interface Suspect {
  readonly payment: Payment;
  readonly line: string;
}

/** In the order of the file, then those that stood more than once. Refused rows are named by every reading. */
export async function* streamPayments(file: BookFile, span: Span): AsyncGenerator<Batch<Payment>> {
  const repeated = repeatedIn(await hashReferences(file, span));
  const suspects = new Map<string, Suspect[]>();
  let rows: Payment[] = [];
  const take = within(span, (payment, place) => {
    if (!repeated.has(hashOfText(payment.reference))) {
      rows.push(payment);
      return;
    }
    const known = suspects.get(payment.reference);
    const suspect = { payment, line: textAt(place) };
    if (known === undefined) suspects.set(payment.reference, [suspect]);
    else known.push(suspect);
  });
  for await (const rejected of streamRows({ file, reader: createRowReader(PAYMENT_PLAN), take })) {
    if (rows.length > 0 || rejected.length > 0) yield { rows, rejected };
    rows = [];
  }
  if (suspects.size > 0) yield settle(file, suspects);
}

async function hashReferences(file: BookFile, span: Span): Promise<HashList> {
  const hashes = beginHashes();
  const take = within(span, ({ reference }) => noteHash(hashes, hashOfText(reference)));
  for await (const _ of streamRows({ file, reader: createRowReader(PAYMENT_PLAN), take })) {
    // What is refused is named by the second pass.
  }
  return hashes;
}

function within(span: Span, keep: (payment: Payment, place: RowPlace) => void): TakeRow<Payment> {
  return (payment, place) => {
    if (payment.createdAt >= span.from && payment.createdAt < span.until) keep(payment, place);
    return null;
  };
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
      const reason = `reference ${JSON.stringify(reference)} is given ${some.length} times with contents that exclude each other`;
      rejected.push(rejectRow({ part: 'payments', place, reason, raw: line }));
    });
  }
  return { rows, rejected };
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

function textAt({ span, at, next }: RowPlace): string {
  return span.bytes.toString('utf8', at, next - 1);
}
