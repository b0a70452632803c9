// What a bank statement consists of, whatever its form: balances, entries and their sums. Of a whole month, or of what a revision
// changes for an account that holds the one before. It goes from the balance that the service recorded to the one that it recorded,
// as the account in the journal does.

import type { JournalEntry } from '../../../core/statements/journal.ts';
import type { Statement } from '../../../core/statements/statement.ts';
import type { StatementLine } from '../../../core/statements/statement-line.ts';
import { streamEntries } from '../bookkeeping/stream-entries.ts';
import type { StatementDocument } from '../port/format.ts';
import { compactId, dayOf, effectOf } from './bank-statement.ts';

/** Of a line that moves the balance, or of a place where the recorded balance does not follow from the lines. */
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
  /** `R2`, or of what revision 2 changes `D2`. */
  readonly edition: string;
  readonly balances: Readonly<Record<'opening' | 'closing' | 'available', number>>;
  readonly count: number;
  /** Without their sign. */
  readonly credits: number;
  readonly debits: number;
  readonly entries: () => AsyncIterable<readonly BankEntry[]>;
}

export function wholeMonth({ statement, lines }: StatementDocument): BankParts {
  const { journal, revision } = statement;
  const { wallet } = journal;
  const others = journal.others.filter((entry) => entry.source !== 'day' && walletEffect(entry) !== 0);
  const sums = sumsOf(others.map(walletEffect));
  return {
    statement,
    edition: `R${revision.number}`,
    balances: balancesOf(statement, wallet.opening),
    count: journal.lines.count + others.length,
    credits: journal.lines.debit + sums.credits,
    debits: journal.lines.credit + sums.debits,
    entries: async function* () {
      for await (const batch of streamEntries({ wallet, others }, lines)) {
        yield batch.flatMap(({ entry, line }) => {
          if (line === null) return entry === null ? [] : [ofDifference(entry)];
          return line.isMemo ? [] : [ofLine(line)];
        });
      }
    },
  };
}

/** Null: the statement is no revision, or what it changes is not listed whole. */
export function changesOfMonth({ statement, lines }: StatementDocument): BankParts | null {
  const { entries, number } = statement.revision;
  if (entries === null || !isWhole(statement)) return null;
  const { bank } = entries;
  const added = new Set(entries.lines.map(({ sequence, id }) => `${sequence} ${id}`));
  const list = async (): Promise<readonly BankEntry[]> => {
    const found = [...bank.gone.filter(({ isMemo }) => !isMemo).map((line) => takenBack(line, number))];
    for await (const batch of lines())
      for (const line of batch) if (!line.isMemo && added.has(`${line.sequence} ${line.id}`)) found.push(ofLine(line));
    return [...found, ...bank.differences.map(ofDifference)].sort((a, b) =>
      a.day === b.day ? 0 : a.day < b.day ? -1 : 1,
    );
  };
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
      yield await list();
    },
  };
}

/** Whether what a revision changes for a bank account is listed to the last line. */
export function isWhole({ revision }: Statement): boolean {
  const { entries } = revision;
  if (entries == null || entries.bank === undefined) return false;
  return entries.lineCount === entries.lines.length && entries.bank.goneCount === entries.bank.gone.length;
}

function ofLine(line: StatementLine): BankEntry {
  return {
    reference: String(line.sequence),
    serviceId: compactId(line.id),
    effect: effectOf(line),
    isReversal: line.kind.startsWith('REVERSAL_'),
    day: dayOf(line),
    line,
    difference: null,
  };
}

function takenBack(line: StatementLine, revision: number): BankEntry {
  const reference = `${line.sequence}-A${revision}`;
  return { ...ofLine(line), reference, serviceId: reference, effect: -effectOf(line), isReversal: true };
}

function ofDifference(entry: JournalEntry): BankEntry {
  const { number, date } = entry;
  const effect = walletEffect(entry);
  return { reference: number, serviceId: number, effect, isReversal: false, day: date, line: null, difference: entry };
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
  const sumOf = (sign: 1 | -1): number => effects.reduce((sum, effect) => sum + Math.max(0, sign * effect), 0);
  return { credits: sumOf(1), debits: sumOf(-1) };
}
