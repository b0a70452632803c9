// What a month is stated by: its merchant, its period and bounds, and the interpretations that
// stood when the books were audited.

import {
  EVERY_INTERPRETATION,
  INTERPRETATIONS,
  QUESTIONS,
  type Question,
  type Standing,
} from '../domain/assumptions.ts';
import type { Merchant, Parties } from '../domain/merchant.ts';
import type { Bounds, Dating, StatedPeriod } from '../domain/period.ts';
import type { Zone } from '../domain/zone.ts';
import type { Cut } from '../kernel/replay/cut.ts';
import type { BooksBefore } from './journal.ts';
import { type JournalSettings, walletRules } from './journal.ts';
import type { PhoneNumbers } from './mask-phone-numbers.ts';

/**
 * Settings of one statement. A line that came too late for a closed month is dated at the end of
 * that month.
 */
export interface MonthSettings extends Dating {
  readonly merchant: string;
  readonly currency: string;
  readonly period: StatedPeriod;
  readonly zone: Zone;
  readonly bounds: Bounds;
  readonly boundsFrom: 'report' | 'configuration';
  /**
   * How the books were cut at the end of `bounds` to be judged. `null` for a year that is replayed
   * only for what it leaves to the next.
   */
  readonly cut: Cut | null;
  /**
   * Declared figures before the first line, as the audit took them; `null` when none are declared.
   */
  readonly opening: { readonly balance: number; readonly reserved: number } | null;
  readonly standing: Standing;
  /** Profiles of the merchant, oldest first. */
  readonly profiles: readonly Merchant[];
  readonly journal: JournalSettings;
  /**
   * What the month before has left in the books, as it was issued. `null` when it was not issued,
   * or when the period is not a month.
   */
  readonly before: BooksBefore | null;
  readonly phoneNumbers: PhoneNumbers;
  /**
   * `false` when operations were not read. A line that names an unknown operation is not flagged
   * then.
   */
  readonly hasOperations: boolean;
  readonly parties: Parties;
  /** SHA-256 of the text's UTF-8 bytes, as lower-case hexadecimal digits. */
  readonly hash: (text: string) => string;
}

/**
 * Reads the interpretations that stood from an audit's report (`assumptions`). For a question that
 * the report does not name, all interpretations stand.
 */
export function standingFrom(assumptions: Readonly<Record<string, unknown>>): Standing {
  const standing = { ...EVERY_INTERPRETATION };
  for (const question of QUESTIONS) {
    const set = setNamed(question, assumptions[question]);
    if (set !== 0) standing[question] = set;
  }
  return standing;
}

function setNamed(question: Question, named: unknown): number {
  const interpretations: readonly unknown[] = Array.isArray(named) ? named : [named];
  return INTERPRETATIONS[question].reduce(
    (set, interpretation, i) => (interpretations.includes(interpretation) ? set | (1 << i) : set),
    0,
  );
}

/** Version of the form in which openings are kept. An opening of another form is not read. */
const FORM = 5;

/**
 * Returns what an opening at that position rests on besides its lines, as text. A kept opening is
 * void when this text has changed.
 */
export function termsOf(settings: MonthSettings, position: number): string {
  const { standing, opening, closed, moved, journal, phoneNumbers } = settings;
  // A closing changes the dates only of lines that come after it, so a closing counts only if such
  // a line comes before the position.
  const dating = closed.filter(({ lastSequence }) => lastSequence < position - 1);
  const dated = [...moved].filter(([sequence]) => sequence < position).sort(([a], [b]) => a - b);
  const rules = walletRules(journal);
  const wallets = rules.length === 0 ? [] : [journal.accounts.wallet.number, rules, phoneNumbers];
  return JSON.stringify([
    FORM,
    QUESTIONS.map((question) => standing[question]),
    opening,
    dating,
    dated,
    wallets,
  ]);
}
