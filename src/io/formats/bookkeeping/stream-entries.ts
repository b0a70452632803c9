// Streams the month's entries in the order of a journal, and names them in both languages. Entries
// of lines come by sequence, the others after the lines of their day. Dates never go back, because
// programs that check balances require that.

import type { JournalEntry, JournalSection } from '../../../core/statements/journal.ts';
import type { Language, Statement } from '../../../core/statements/statement.ts';
import type {
  LineStream,
  PaymentStream,
  StatementLine,
  StatementPayment,
} from '../../../core/statements/statement-line.ts';
import { fill, nameFinding } from '../../../core/words/finding.ts';
import { LABELS } from '../../../core/words/tree.ts';
import { oneLine, typeset } from '../port/one-line.ts';
import { nameKind } from '../port/wording.ts';

export interface StreamedEntry {
  /**
   * `null` when the line has no entry of its own, because it moves no balance or is part of the
   * entry of its day.
   */
  readonly entry: JournalEntry | null;
  /** `null` when the entry belongs to no line, or to several. */
  readonly line: StatementLine | null;
  /** `YYYY-MM-DD`: the entry's own date, or a later one where the ledger's dates go back. */
  readonly date: string;
}

interface Running {
  /** Entries that are not of one line, by date. */
  readonly others: Iterator<JournalEntry>;
  next: JournalEntry | undefined;
  date: string;
}

/** Compares days, `YYYY-MM-DD`, for sorting. */
export function byDate(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

/**
 * Streams the entries in batches, as the lines come. Each call starts at the first line; in a year,
 * at the entry of the opening balances.
 */
export async function* streamEntries(
  { others, carried }: Pick<JournalSection, 'others' | 'carried'>,
  lines: LineStream,
  payments: PaymentStream = () => [],
): AsyncGenerator<readonly StreamedEntry[]> {
  if (carried !== undefined) yield [{ entry: carried.entry, line: null, date: carried.entry.date }];
  const unlined = withPayments(others, payments());
  const running: Running = { others: unlined, next: unlined.next().value, date: '' };
  for await (const batch of lines()) {
    yield batch.flatMap((line) => {
      const day = line.localTime.slice(0, 10);
      const due = day > running.date ? othersBefore(running, day) : [];
      running.date = day > running.date ? day : running.date;
      return [
        ...due,
        { entry: line.entry?.source === 'line' ? line.entry : null, line, date: running.date },
      ];
    });
  }
  const left = othersBefore(running, null);
  if (left.length > 0) yield left;
}

/**
 * Merges the entries of payments with the others by date. Within a day those of payments come
 * first.
 */
function* withPayments(
  others: readonly JournalEntry[],
  payments: Iterable<readonly StatementPayment[]>,
): Generator<JournalEntry, undefined> {
  let place = 0;
  for (const batch of payments) {
    const entries = batch.flatMap((payment) => payment.entries);
    const day = entries[0]?.date ?? '';
    while (others[place] !== undefined && others[place]!.date < day) yield others[place++]!;
    yield* entries;
  }
  yield* others.slice(place);
}

/** Returns the entries before a day, which are due now; all that are left when `day` is `null`. */
function othersBefore(running: Running, day: string | null): readonly StreamedEntry[] {
  const due: StreamedEntry[] = [];
  for (;;) {
    const entry = running.next;
    if (entry === undefined || (day !== null && entry.date >= day)) return due;
    running.next = running.others.next().value;
    if (entry.date > running.date) running.date = entry.date;
    due.push({ entry, line: null, date: running.date });
  }
}

/**
 * Returns the journal under which an entry is imported. A year's opening balances have a journal of
 * their own, and so has an entry that a revision takes back from it.
 */
export function journalOf(
  { journal }: Pick<Statement, 'journal'>,
  entry: Pick<JournalEntry, 'journal' | 'number'>,
): Pick<JournalSection, 'code' | 'label'> {
  const { carried, links } = journal;
  if (entry.journal === 'links') return links ?? journal;
  return carried !== undefined && entry.number.startsWith(carried.entry.number) ? carried : journal;
}

type Named = Pick<StreamedEntry, 'entry' | 'line'>;

/**
 * Returns a function that names the entries of a statement by what they do. The entry of a line
 * that put a fault right is named by the fault; its piece and reason follow where `room` (in
 * characters) allows. An entry of a revision that comes without its line is named by that line's
 * kind.
 */
export function entryNamer(
  { due, revision }: Pick<Statement, 'due' | 'revision'>,
  language: Language,
  room = Number.POSITIVE_INFINITY,
): (named: Named) => string {
  const said = LABELS[language].entries;
  const settled = new Map(
    due.items.flatMap(
      ({ kind, settledBy }) => settledBy?.lines.map((n) => [Number(n), kind]) ?? [],
    ),
  );
  const waiting = new Map(
    due.items.map(({ kind, operationReference }) => [operationReference, kind]),
  );
  const { lines = [], bank } = revision.entries ?? {};
  const kinds = new Map(
    [...lines, ...(bank?.gone ?? [])].map(({ sequence, kind }) => [sequence, kind]),
  );
  return (named) => {
    const { source, sequence, operationReference, piece } = named.entry!;
    const fault =
      source === 'line'
        ? settled.get(sequence!)
        : source === 'suspense' && waiting.get(operationReference);
    const kind = named.line === null && sequence !== null ? kinds.get(sequence) : undefined;
    if (typeof fault === 'string') {
      const about = { fault: small(nameFinding({ words: LABELS[language] }, fault)) };
      const phrase = source === 'line' ? said.settled : said.waiting;
      const name = `${fill(phrase, about)} ${namePiece(piece, said)}`;
      if (source === 'suspense') return name;
      if (name.length > room) return fill(said.settledShort, about);
      // The service's own words for what it posted the line for.
      const reason = typeset(oneLine(named.line?.label ?? ''));
      const whole = `${name} : ${reason}`;
      return reason === '' || whole.length > room ? name : whole;
    }
    if (kind === undefined || (source !== 'line' && source !== 'reversal'))
      return nameEntry(named, language);
    const ofKind = nameKind(kind, language);
    return `${source === 'line' ? ofKind : fill(said.takenBack, { kind: small(ofKind) })} ${operationReference ?? namePiece(piece, said)}`;
  };
}

/** Returns the piece, in words where it is a line that belongs to no operation. */
function namePiece(piece: string, { piece: phrase }: (typeof LABELS)[Language]['entries']): string {
  const sequence = /^LINE-(\d+)$/.exec(piece)?.[1];
  return sequence === undefined ? piece : fill(phrase, { sequence });
}

/** Begins a name with a small letter, for use within a sentence. */
function small(name: string): string {
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}

/**
 * Names an entry, or a line. The name is one line of text, and comes from outside where the line
 * has words of its own.
 */
export function nameEntry({ entry, line }: Named, language: Language): string {
  if (line !== null) return typeset(oneLine(line.label ?? '')) || nameKind(line.kind, language);
  const { source, sequence, operationReference, operator } = entry!;
  const about = [sequence, operationReference, operationReference === null ? operator : null];
  return [LABELS[language].entries[source], ...about.filter((one) => one !== null)].join(' ');
}
