// Posts the entries that a report proposes, as the service that keeps these books would: after the
// last line, each with what it moves of the balance and of the reserved amount.

import type { AuditReport } from '../../src/core/domain/finding.ts';
import { formatInstant, MINUTE } from '../../src/core/domain/instant.ts';
import type { ProposedEntry } from '../../src/core/domain/settlement.ts';
import { insertLines } from '../../src/sandbox/faults/port/edit-books.ts';
import type { Books } from '../../src/sandbox/model/plan.ts';
import type { Policy } from '../../src/sandbox/model/policy.ts';
import type { Post } from '../../src/sandbox/model/postings.ts';
import { seedRandom } from '../../src/sandbox/model/random.ts';

export interface Corrected {
  readonly books: Books;
  /** Sequences of the lines that were posted for each root, by its fingerprint. */
  readonly posted: ReadonlyMap<string, readonly string[]>;
}

export function applyProposals(books: Books, { findings }: AuditReport): Corrected {
  let corrected = books;
  const posted = new Map<string, readonly string[]>();
  for (const { fingerprint, item, proposal } of findings) {
    if (proposal === null) continue;
    // The hold that is left, for a debit that consumes all of it.
    const held = Number(item!.reserved);
    const lines = proposal.map((entry) => {
      corrected = post(corrected, entry, held);
      return String(corrected.entries.at(-1)!.sequence);
    });
    posted.set(fingerprint, lines);
  }
  return { books: corrected, posted };
}

function post(books: Books, entry: ProposedEntry, held: number): Books {
  const { kind, direction, operationReference, description } = entry;
  const amount = Number(entry.amount);
  const balance = direction === 'CREDIT' ? amount : direction === 'DEBIT' ? -amount : 0;
  const reserved = {
    HOLD: amount,
    RELEASE: -amount,
    CREDIT: 0,
    DEBIT: -consumed(entry, held, books.policy),
  }[direction];
  const posts: readonly Post[] = [{ kind, amount, balance, reserved }];
  const like = {
    currency: books.wallet.currency,
    createdAt: formatInstant(books.asOf - MINUTE),
    operationReference,
    description,
  };
  const random = seedRandom(`${description} ${books.entries.length}`);
  return insertLines(books, random, { index: books.entries.length, posts, like });
}

function consumed(
  { kind, amount }: ProposedEntry,
  held: number,
  { holdSettlement }: Policy,
): number {
  const takes = { CASHOUT_DEBIT: ['DEBIT_AND_FEE', 'FEE_OUTSIDE'], CASHOUT_FEE: ['DEBIT_AND_FEE'] };
  if (kind !== 'CASHOUT_DEBIT' && kind !== 'CASHOUT_FEE') return 0;
  if (kind === 'CASHOUT_DEBIT' && holdSettlement === 'DEBIT_ALL') return held;
  return takes[kind].includes(holdSettlement) ? Number(amount) : 0;
}
