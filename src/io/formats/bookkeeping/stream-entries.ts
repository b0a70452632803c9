// The month's entries in the order of a journal, and their names in both languages: those of lines by sequence, the others
// behind the lines of their day. Dates never go back, as programs that check balances want it.

import type { EntrySource, JournalEntry, JournalSection } from '../../../core/statements/journal.ts';
import type { Language, Statement } from '../../../core/statements/statement.ts';
import type {
  LineStream,
  PaymentStream,
  StatementLine,
  StatementPayment,
} from '../../../core/statements/statement-line.ts';
import { nameFinding } from '../../../core/words/finding.ts';
import { LABELS } from '../../../core/words/tree.ts';
import { nameKind } from '../port/kind-names.ts';
import { oneLine, typeset } from '../port/one-line.ts';

export interface StreamedEntry {
  /** Null: the line has none of its own, since it moves no balance or belongs to the entry of its day. */
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

/** In batches as the lines come; each call starts at the first line, and in a year with what is carried into it. */
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
      return [...due, { entry: line.entry?.source === 'line' ? line.entry : null, line, date: running.date }];
    });
  }
  const left = othersBefore(running, null);
  if (left.length > 0) yield left;
}

/** By date; of a day, those of payments first. */
function* withPayments(
  others: readonly JournalEntry[],
  payments: Iterable<StatementPayment>,
): Generator<JournalEntry, undefined> {
  let place = 0;
  for (const { entries } of payments) {
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

const NAMES: Readonly<Record<EntrySource, Readonly<Record<Language, string>>>> = {
  line: { fr: 'Ligne', en: 'Line' },
  reversal: { fr: 'Annulation', en: 'Taken back' },
  drift: { fr: 'Écart de solde à la ligne', en: 'Balance does not follow at line' },
  suspense: { fr: 'En attente de régularisation', en: 'In suspense until it is put right' },
  rounding: { fr: 'Arrondi de la taxe du mois', en: 'Rounding of the month’s tax' },
  ahead: {
    fr: 'Lignes datées d’après l’arrêté, inscrites avant',
    en: 'Lines dated after the cut-off, posted before it',
  },
  rest: { fr: 'Écarts de solde non détaillés', en: 'Differences of the balance, together' },
  day: { fr: 'Opérations du jour', en: 'Operations of the day' },
  opening: { fr: 'À nouveau', en: 'Balances brought forward' },
  transit: { fr: 'En cours d’inscription à la clôture', en: 'In transit at the end of the year' },
  payment: { fr: 'Paiement par lien', en: 'Payment by link' },
  paymentFee: { fr: 'Commission de paiement par lien', en: 'Commission on payment by link' },
  payout: { fr: 'Versement du service', en: 'Payout by the service' },
  payoutFee: { fr: 'Commission de versement', en: 'Commission on payout' },
  feeRounding: { fr: 'Arrondi des commissions par lien', en: 'Rounding of commissions by link' },
};

/** Under which an entry is imported: what a year begins with has one of its own, also where a revision takes it back. */
export function journalOf(
  { journal }: Pick<Statement, 'journal'>,
  entry: Pick<JournalEntry, 'journal' | 'number'>,
): Pick<JournalSection, 'code' | 'label'> {
  const { carried, links } = journal;
  if (entry.journal === 'links') return links ?? journal;
  return carried !== undefined && entry.number.startsWith(carried.entry.number) ? carried : journal;
}

type Named = Pick<StreamedEntry, 'entry' | 'line'>;

const SETTLEMENT: Readonly<Record<Language, string>> = { fr: 'Régularisation', en: 'Settlement' };

/** Of one statement: an entry of a line that put a fault right says so first, and which. */
export function entryNamer({ due }: Pick<Statement, 'due'>, language: Language): (named: Named) => string {
  const settled = due.items.flatMap(({ kind, settledBy }) =>
    kind === null ? [] : (settledBy?.lines ?? []).map((line) => [Number(line), kind] as const),
  );
  const kinds = new Map(settled);
  return (named) => {
    const kind = kinds.get(named.line?.sequence ?? named.entry?.sequence ?? -1);
    const own = nameEntry(named, language);
    return kind === undefined
      ? own
      : `${SETTLEMENT[language]} (${nameFinding({ words: LABELS[language] }, kind)}) ${own}`;
  };
}

/** Of a streamed item that has an entry, or of a line. One line of text, from outside where the line has words of its own. */
export function nameEntry({ entry, line }: Named, language: Language): string {
  if (line !== null) return typeset(oneLine(line.label ?? '')) || nameKind(line.kind, language);
  const { source, sequence, operationReference, operator } = entry!;
  const name = NAMES[source][language];
  const about = [
    sequence === null ? null : String(sequence),
    operationReference,
    operationReference === null ? operator : null,
  ];
  return [name, ...about.filter((one) => one !== null)].join(' ');
}
