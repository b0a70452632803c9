// A bank statement in any form (camt.053, MT940, OFX): its number, days, balances, entries and
// their sums, payers and payees, and the frame that draws it. It covers a whole month, or the
// changes of a revision for an account that holds the one before. It goes from one balance that the
// service recorded to another, as the account in the journal does.

import { pipeline } from 'node:stream/promises';
import { formatInstant } from '../../../core/domain/instant.ts';
import { invariant } from '../../../core/domain/invariant.ts';
import { parsePeriod } from '../../../core/domain/period.ts';
import type { JournalEntry } from '../../../core/statements/journal.ts';
import type { Language, Statement } from '../../../core/statements/statement.ts';
import { effectOf, type StatementLine } from '../../../core/statements/statement-line.ts';
import { fill } from '../../../core/words/finding.ts';
import { LABELS } from '../../../core/words/tree.ts';
import { byDate, nameEntry, streamEntries } from '../bookkeeping/stream-entries.ts';
import type { RevisedFormat, StatementDocument } from '../port/format.ts';
import { oneLine } from '../port/one-line.ts';
import { figureWordingOf } from '../port/wording.ts';

/**
 * Of a line that moves the balance, or of a place where the recorded balance does not follow from
 * the lines.
 */
export interface BankEntry {
  /** The line's sequence, or the number in the journal. */
  readonly reference: string;
  /** By which an importer knows it again. */
  readonly serviceId: string;
  readonly effect: number;
  /** It takes a credit or a debit back. */
  readonly isReversal: boolean;
  readonly day: string;
  /** One of the two. */
  readonly line: StatementLine | null;
  readonly difference: JournalEntry | null;
}

export interface BankParts {
  readonly statement: Statement;
  /** `R2`, or of the changes of revision 2 `D2`. */
  readonly edition: string;
  readonly balances: Readonly<Record<'opening' | 'closing' | 'available', number>>;
  readonly count: number;
  /** Without their sign. */
  readonly credits: number;
  readonly debits: number;
  readonly entries: () => AsyncIterable<readonly BankEntry[]>;
}

interface BankForm extends Omit<RevisedFormat, 'write' | 'writeChanges'> {
  readonly headOf: (parts: BankParts, language: Language) => string;
  readonly entryOf: (entry: BankEntry, statement: Statement, language: Language) => string;
  readonly footOf: (parts: BankParts, language: Language) => string;
}

export function bankFormat({ headOf, entryOf, footOf, ...format }: BankForm): RevisedFormat {
  async function* draw(parts: BankParts, language: Language): AsyncGenerator<string> {
    yield headOf(parts, language);
    for await (const batch of parts.entries())
      yield batch.map((entry) => entryOf(entry, parts.statement, language)).join('');
    yield footOf(parts, language);
  }
  return {
    ...format,
    write: (document, { language }, out) => pipeline(draw(wholeMonth(document), language), out),
    writeChanges: (document, { language }, out) =>
      pipeline(draw(changesOfMonth(document), language), out),
  };
}

function wholeMonth({ statement, lines }: StatementDocument): BankParts {
  const { journal, revision } = statement;
  const { wallet } = journal;
  const others = journal.others.filter(
    (entry) => entry.source !== 'day' && walletEffect(entry) !== 0,
  );
  const sums = sumsOf(others.map(walletEffect));
  return {
    statement,
    edition: `R${revision.number}`,
    balances: balancesOf(statement, wallet.opening),
    count: journal.lines.count + others.length,
    credits: journal.lines.debit + sums.credits,
    debits: journal.lines.credit + sums.debits,
    entries: async function* () {
      for await (const batch of streamEntries({ others }, lines)) {
        yield batch.flatMap(({ entry, line }) => {
          if (line === null) return entry === null ? [] : [ofDifference(entry)];
          return line.isMemo ? [] : [ofLine(line)];
        });
      }
    },
  };
}

/** Expects a revision whose changes are listed whole. */
function changesOfMonth({ statement, lines }: StatementDocument): BankParts {
  const { entries, number } = statement.revision;
  invariant(
    entries !== null && isWhole(statement),
    'a delta is written only where its changes are listed',
  );
  const { bank } = entries;
  const added = new Set(entries.lines.map(({ sequence, id }) => `${sequence} ${id}`));
  const effects = [
    ...entries.lines.map(({ effect }) => effect),
    ...bank.gone.map((line) => -effectOf(line)),
    ...bank.differences.map(walletEffect),
  ].filter((effect) => effect !== 0);
  return {
    statement,
    edition: `D${number}`,
    balances: balancesOf(statement, bank.opening),
    count: effects.length,
    ...sumsOf(effects),
    entries: async function* () {
      const found = bank.gone
        .filter(({ isMemo }) => !isMemo)
        .map((line) => takenBack(line, number));
      for await (const batch of lines())
        for (const line of batch)
          if (!line.isMemo && added.has(`${line.sequence} ${line.id}`)) found.push(ofLine(line));
      yield [...found, ...bank.differences.map(ofDifference)].sort((a, b) => byDate(a.day, b.day));
    },
  };
}

/** Whether all changes of a revision for a bank account are listed. */
export function isWhole({ revision }: Statement): boolean {
  const { entries } = revision;
  if (entries == null || entries.bank === undefined) return false;
  return (
    entries.lineCount === entries.lines.length &&
    entries.bank.goneCount === entries.bank.gone.length
  );
}

function ofLine(line: StatementLine): BankEntry {
  return {
    reference: String(line.sequence),
    serviceId: compactId(line.id),
    effect: effectOf(line),
    isReversal: line.kind.startsWith('REVERSAL_'),
    day: line.localTime.slice(0, 10),
    line,
    difference: null,
  };
}

function takenBack(line: StatementLine, revision: number): BankEntry {
  const reference = `${line.sequence}-A${revision}`;
  return {
    ...ofLine(line),
    reference,
    serviceId: reference,
    effect: -effectOf(line),
    isReversal: true,
  };
}

function ofDifference(entry: JournalEntry): BankEntry {
  const { number, date } = entry;
  const effect = walletEffect(entry);
  return {
    reference: number,
    serviceId: number,
    effect,
    isReversal: false,
    day: date,
    line: null,
    difference: entry,
  };
}

/** Signed; positive is a credit of the account's owner. */
function walletEffect({ rows }: JournalEntry): number {
  const own = rows.filter(({ role }) => role === 'wallet');
  return own.reduce((sum, { debit, credit }) => sum + debit - credit, 0);
}

function balancesOf({ journal, summary }: Statement, opening: number): BankParts['balances'] {
  const { closing } = journal.wallet;
  return { opening, closing, available: closing - summary.recorded.reserved };
}

function sumsOf(effects: readonly number[]): Pick<BankParts, 'credits' | 'debits'> {
  const sumOf = (sign: 1 | -1): number =>
    effects.reduce((sum, effect) => sum + Math.max(0, sign * effect), 0);
  return { credits: sumOf(1), debits: sumOf(-1) };
}

/** The name of an entry that comes from no line. */
export function nameDifference({ difference }: BankEntry, language: Language): string {
  return nameEntry({ entry: difference, line: null }, language);
}

/** What an importer must know of a later revision, or of its changes alone; null at revision 1. */
export function editionNote(
  { statement: { revision }, edition }: BankParts,
  language: Language,
): string | null {
  const { number, previous } = revision;
  if (previous === null) return null;
  const { identity, numbers } = LABELS[language];
  const { amount, time } = figureWordingOf(numbers);
  const at = `${time(formatInstant(previous.generatedAt).slice(0, 16).replace('T', ' '))} UTC`;
  const said = { revision: amount(number), previous: amount(previous.number), at };
  const text = edition.startsWith('D') ? identity.delta : identity.replaces;
  return fill(text, { ...said, hash: previous.documentHash.slice(0, 12) });
}

/** One more each month: months since the end of 1999, 322 for October 2026. */
export function statementNumber({ period }: Statement): number {
  const parts = parsePeriod(period.period);
  invariant(parts !== null, 'a statement is of a month');
  return (parts.year - 2000) * 12 + parts.month;
}

/** `YYYY-MM-DD`, as the entries have them: on the calendar of the period's zone. */
export function daysOf({ period, days }: Statement): {
  readonly first: string;
  readonly last: string;
} {
  const first = period.startText.local.slice(0, 10);
  return { first, last: days.at(-1)?.day ?? first };
}

/** The payer or the payee. */
export interface OtherParty {
  /** Its number, masked or whole, where it has no name. */
  readonly name: string;
  /** Null when it is masked: two numbers with one mask are not one account. */
  readonly account: string | null;
}

/** Null where the books name none, or where it is the service: commissions and adjustments. */
export function otherPartyOf(line: StatementLine, { phoneNumbers }: Statement): OtherParty | null {
  const { kind, counterpartyName, counterpartyNumber } = line;
  if (kind.endsWith('_FEE') || kind.startsWith('ADJUSTMENT_')) return null;
  const name = oneLine(counterpartyName ?? '') || oneLine(counterpartyNumber ?? '');
  if (name === '') return null;
  return { name, account: phoneNumbers === 'whole' ? counterpartyNumber : null };
}

/** A UUID without its hyphens, any other id as it is. */
export function compactId(id: string): string {
  return /^[0-9a-f-]{36}$/i.test(id) ? id.replaceAll('-', '') : id;
}

export function accountOf({ walletId, merchant }: Statement): string {
  return compactId(walletId ?? merchant.reference);
}
