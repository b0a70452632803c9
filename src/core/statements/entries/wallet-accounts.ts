// Sums what the wallet's sub-accounts hold at the bounds of a month, where rules give the wallet
// any: the effects of all earlier lines that a rule fits. Lines that no rule fits are on the
// wallet's own account, which has the rest of the recorded balance.

import type { Amount } from '../../domain/amount.ts';
import { describedOf, type Operation } from '../../domain/operation.ts';
import { plus } from '../exact.ts';
import { walletRules } from '../journal.ts';
import type { EarlierLine } from '../opening.ts';
import type { EntryMaker } from './make-entry.ts';
import { factsOf, factsOfNote, type PostedNote, type PostingFacts } from './postings.ts';

/** Balances by account number. */
type Balances = Record<string, Amount>;

export interface WalletAccounts {
  /** Balances of lines dated before the month. */
  readonly start: Balances;
  /** Balances of lines before the position of the month's opening. */
  readonly opening: Balances;
  /** Balances of lines before the position of the next month's opening. */
  readonly next: Balances;
  /** Lines whose operation the month has no note of. */
  readonly waiting: WaitingLine[];
}

interface Book {
  readonly maker: EntryMaker;
  readonly shown: (text: string) => string;
}

interface WaitingLine {
  readonly facts: PostingFacts;
  readonly effect: Amount;
  readonly into: readonly Balances[];
}

/** Begins the sums. `before` holds the balances of the opening that the lines go on from. */
export function beginWalletAccounts(before: Readonly<Balances>): WalletAccounts {
  return { start: { ...before }, opening: { ...before }, next: { ...before }, waiting: [] };
}

/**
 * Adds a line to the sums `into`. A line that names an operation without a note is put into
 * `waiting` instead, until `placeWaiting` gets its operation.
 */
export function followWallet(
  book: Book,
  waiting: WaitingLine[],
  {
    entry,
    effect,
    note,
    into,
  }: EarlierLine & Pick<WaitingLine, 'into'> & { readonly note: PostedNote | null },
): void {
  if (effect === 0 || into.length === 0 || walletRules(book.maker.settings).length === 0) return;
  const one = {
    facts: factsOf(book.maker.settings, entry, { note, shown: book.shown }),
    effect,
    into,
  };
  if (note === null && entry.operationReference !== null) waiting.push(one);
  else addLine(book, one);
}

/**
 * Adds the waiting lines to their sums. `found` holds the operations that they name, as far as
 * those are known.
 */
export function placeWaiting(
  book: Book,
  waiting: readonly WaitingLine[],
  found: readonly Operation[],
): void {
  const operations = new Map(found.map((operation) => [operation.reference, operation]));
  for (const { facts, ...line } of waiting) {
    const group = operations.get(facts.reference!);
    const known =
      group === undefined ? {} : factsOfNote({ ...describedOf(group), group }, book.shown);
    addLine(book, { ...line, facts: { ...facts, ...known } });
  }
}

function addLine({ maker }: Book, { facts, effect, into }: WaitingLine): void {
  const { number } = maker.accountOf('wallet', facts).account;
  if (number === maker.settings.accounts.wallet.number) return;
  for (const balances of into) balances[number] = plus(balances[number] ?? 0, effect);
}
