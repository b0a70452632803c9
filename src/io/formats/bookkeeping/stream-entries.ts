// The month's entries in the order of a journal, and their names in both languages: those of lines
// by sequence, the others behind the lines of their day. Dates never go back, as programs that
// check balances want it.

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
   * Null: the line has none of its own, since it moves no balance or belongs to the entry of its
   * day.
   */
  readonly entry: JournalEntry | null;
  /** Null: the entry is of no line, or of several. */
  readonly line: StatementLine | null;
  /** `YYYY-MM-DD`: the entry's own date, or a later one where the ledger's dates go back. */
  readonly date: string;
}

interface Running {
  /** Entries without a line, by date. */
  readonly others: Iterator<JournalEntry>;
  next: JournalEntry | undefined;
  date: string;
}

/** For sorting days, as `YYYY-MM-DD`. */
export function byDate(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

/**
 * In batches as the lines come; each call starts at the first line, and in a year with what is
 * carried into it.
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

/** By date; of a day, those of payments first. */
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

/** Null: all that are left. */
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
 * Under which an entry is imported: what a year begins with has one of its own, also where a
 * revision takes it back.
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
 * Of one statement, what its entries do: one of a line that put a fault right names the fault, and
 * its piece where `room` (in characters) leaves place; one of a revision without its line, the kind
 * of that.
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
      // In the service's own words what it was posted for.
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

/** In words where the piece is a line that no operation has. */
function namePiece(piece: string, { piece: phrase }: (typeof LABELS)[Language]['entries']): string {
  const sequence = /^LINE-(\d+)$/.exec(piece)?.[1];
  return sequence === undefined ? piece : fill(phrase, { sequence });
}

/** Within a sentence. */
function small(name: string): string {
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}

/**
 * Of a streamed item that has an entry, or of a line. One line of text, from outside where the line
 * has words of its own.
 */
export function nameEntry({ entry, line }: Named, language: Language): string {
  if (line !== null) return typeset(oneLine(line.label ?? '')) || nameKind(line.kind, language);
  const { source, sequence, operationReference, operator } = entry!;
  const about = [sequence, operationReference, operationReference === null ? operator : null];
  return [LABELS[language].entries[source], ...about.filter((one) => one !== null)].join(' ');
}
