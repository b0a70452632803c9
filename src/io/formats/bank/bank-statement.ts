// What all forms of a bank statement (camt.053, MT940, OFX) say alike: its number, its days, the effect of a line and the commission
// inside it, who paid or was paid, the verdict. What its entries are is in `bank-entries.ts`.

import { invariant } from '../../../core/domain/invariant.ts';
import { parsePeriod } from '../../../core/domain/period.ts';
import type { Language, Statement } from '../../../core/statements/statement.ts';
import type { StatementLine } from '../../../core/statements/statement-line.ts';
import { LABELS } from '../../../core/words/tree.ts';
import { oneLine } from '../port/one-line.ts';
import { figureWordingOf } from '../port/wording.ts';
import { verdictSentences } from '../sentences/verdict-sentences.ts';

/** One more each month, whatever else is known of the account: months since the end of 1999, 322 for October 2026. */
export function statementNumber({ period }: Statement): number {
  const parts = parsePeriod(period.period);
  invariant(parts !== null, 'a statement is of a month');
  return (parts.year - 2000) * 12 + parts.month;
}

/** The verdict in a language, in our own words: who owes whom what. */
export function verdictText({ summary }: Statement, language: Language): string {
  const labels = LABELS[language];
  return verdictSentences(summary, labels, figureWordingOf(labels.numbers).amount).join(' ');
}

/** `YYYY-MM-DD`, as the entries have them: on the calendar of the period's zone. */
export function daysOf({ period, days }: Statement): { readonly first: string; readonly last: string } {
  const first = period.startText.local.slice(0, 10);
  return { first, last: days.at(-1)?.day ?? first };
}

/** The same day that the CSV has. */
export function dayOf({ localTime }: StatementLine): string {
  return localTime.slice(0, 10);
}

/** Signed; positive is a credit of the account. */
export function effectOf({ credit, debit }: StatementLine): number {
  return (credit ?? 0) - (debit ?? 0);
}

/** What the service kept of a collection that it posted net, tax included; 0 for any other line. */
export function chargesWithin({ kind, entry }: StatementLine): number {
  if (kind !== 'CASHIN_CREDIT' || entry === null) return 0;
  const kept = entry.rows.filter(({ role }) => role === 'fees' || role === 'feeTax');
  return kept.reduce((sum, { debit, credit }) => sum + debit - credit, 0);
}

/** Who paid or was paid; null where nobody is known, or where the service is: commissions and adjustments. */
export interface OtherParty {
  /** Its number, masked or whole, where it has no name. */
  readonly name: string;
  /** Null when it is masked: two numbers with one mask are not one account. */
  readonly account: string | null;
}

export function otherPartyOf(line: StatementLine, { phoneNumbers }: Statement): OtherParty | null {
  const { kind, counterpartyName, counterpartyNumber } = line;
  if (kind.endsWith('_FEE') || kind.startsWith('ADJUSTMENT_')) return null;
  const name = oneLine(counterpartyName ?? '') || oneLine(counterpartyNumber ?? '');
  if (name === '') return null;
  return { name, account: phoneNumbers === 'whole' ? counterpartyNumber : null };
}

/** An id of at most 35 characters: a UUID without its hyphens. */
export function compactId(id: string): string {
  return /^[0-9a-f-]{36}$/i.test(id) ? id.replaceAll('-', '') : id;
}

export function accountOf({ walletId, merchant }: Statement): string {
  return compactId(walletId ?? merchant.reference);
}
