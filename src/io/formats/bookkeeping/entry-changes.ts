// Lists the changes of a revision for accounts that hold the revision before: its entries are
// compared, by their numbers, with those of the issued document. Where that document has another
// form, no changes are listed, because they would be guessed.

import { dayOfEdition, validatedBy } from '../../../core/statements/entries/validation.ts';
import { otherWay } from '../../../core/statements/entries/year.ts';
import type { Books, JournalEntry } from '../../../core/statements/journal.ts';
import type { IssuedStatement } from '../../../core/statements/revision.ts';
import type { Statement } from '../../../core/statements/statement.ts';
import {
  type EntryChanges,
  effectOf,
  type StatementLine,
  type StatementPayment,
} from '../../../core/statements/statement-line.ts';
import type { StatementDocument } from '../port/format.ts';
import { linesOf } from '../read-back/read-back.ts';
import { readStatement } from '../text/json.ts';
import { byDate, streamEntries } from './stream-entries.ts';

/** Most entries that are listed. */
const MOST_ENTRIES = 5_000;
/** Most lines that are listed. */
const MOST_LINES = 500;

interface Before {
  readonly entries: Map<string, JournalEntry>;
  /** Effects of the lines, by sequence and id. */
  readonly lines: Map<string, number>;
  /** Balances recorded at both ends. */
  readonly wallet: { readonly opening: number; readonly closing: number };
}

/**
 * Returns the document with the changes of its revision, or as it is where there are none.
 * `previous` is the revision before; `readJson` reads its JSON form.
 */
export async function withEntryChanges(
  document: StatementDocument,
  previous: {
    readonly issued: IssuedStatement;
    readonly readJson: () => AsyncIterable<Uint8Array>;
  } | null,
): Promise<StatementDocument> {
  const { statement } = document;
  const { revision, period } = statement;
  if (previous === null || revision.number === previous.issued.revision.number) return document;
  const before = await readBefore(previous.readJson(), statement.journal.books);
  if (before === null) return document;
  const { fresh, ...entries } = await compare(before, document, previous.readJson);
  const days = validatedBy({ ...previous.issued, period }).filter(
    ({ month }) => month === undefined,
  );
  const validated =
    fresh.length === 0 ? days : [...days, { day: dayOfEdition(statement), numbers: fresh }];
  return {
    ...document,
    statement: { ...statement, revision: { ...revision, entries, validated } },
  };
}

/**
 * Returns `null` when the document has another form, and when its books had another currency or
 * other rates, because that changes every entry.
 */
async function readBefore(file: AsyncIterable<Uint8Array>, books?: Books): Promise<Before | null> {
  const head: string[] = [];
  const entries: Before['entries'] = new Map();
  const lines: Before['lines'] = new Map();
  for await (const text of linesOf(file)) {
    const line = lineIn(text);
    if (line === null) {
      if (head.length < 2) head.push(text);
      for (const entry of paymentIn(text)?.entries ?? []) entries.set(entry.number, entry);
      continue;
    }
    lines.set(keyOf(line), effectOf(line));
    if (line.entry === null) continue;
    if (line.entry.source === undefined) return null;
    if (line.entry.source === 'line') entries.set(line.entry.number, line.entry);
  }
  const journal = (readStatement(head) as Partial<Statement> | null)?.journal;
  if (journal?.others === undefined || JSON.stringify(journal.books) !== JSON.stringify(books))
    return null;
  for (const entry of [
    ...(journal.carried === undefined ? [] : [journal.carried.entry]),
    ...journal.others,
  ])
    entries.set(entry.number, entry);
  return { entries, lines, wallet: journal.wallet };
}

/** Returns `null` when this line of the file is not a line of the ledger. */
function lineIn(text: string): StatementLine | null {
  return text.startsWith('{"sequence":')
    ? (JSON.parse(text.replace(/,$/, '')) as StatementLine)
    : null;
}

/** Returns `null` when this line of the file is not a payment by link. */
export function paymentIn(text: string): StatementPayment | null {
  return text.startsWith('{"payment":')
    ? (JSON.parse(text.replace(/,$/, '')) as StatementPayment)
    : null;
}

function keyOf({ sequence, id }: StatementLine): string {
  return `${sequence} ${id}`;
}

/**
 * Returns the lines of the revision before that have one of the keys, by sequence; at most
 * MOST_LINES.
 */
async function readGone(
  file: AsyncIterable<Uint8Array>,
  keys: ReadonlyMap<string, unknown>,
): Promise<StatementLine[]> {
  const gone: StatementLine[] = [];
  if (keys.size === 0) return gone;
  for await (const text of linesOf(file)) {
    const line = lineIn(text);
    if (line !== null && gone.length < MOST_LINES && keys.has(keyOf(line))) gone.push(line);
  }
  return gone;
}

async function compare(
  { entries: old, lines: known, wallet }: Before,
  document: StatementDocument,
  previous: () => AsyncIterable<Uint8Array>,
): Promise<EntryChanges & { readonly fresh: readonly string[] }> {
  const { journal, revision } = document.statement;
  const counts = { added: 0, changed: 0, reversed: 0 };
  // Numbers of entries that the revision before did not have, or had otherwise.
  const fresh: string[] = [];
  const entries: JournalEntry[] = [];
  const lines: EntryChanges['lines'][number][] = [];
  const differences: JournalEntry[] = [];
  let lineCount = 0;
  const add = (source: JournalEntry['source'], ...some: readonly JournalEntry[]): void => {
    entries.push(...some);
    if (source === 'drift' || source === 'rest' || source === 'ahead') differences.push(...some);
  };
  const take = (entry: JournalEntry): void => {
    const before = old.get(entry.number);
    old.delete(entry.number);
    const isChanged = before !== undefined && textOf(before) !== textOf(entry);
    if (before === undefined || isChanged) fresh.push(entry.number);
    if (before === undefined) {
      counts.added += 1;
      add(entry.source, entry);
    } else if (isChanged) {
      counts.changed += 1;
      add(entry.source, undone(before, revision.number), {
        ...entry,
        number: `${entry.number}-R${revision.number}`,
      });
    }
  };
  for await (const batch of streamEntries(journal, document.lines, document.payments)) {
    for (const { entry, line } of batch) {
      if (entry !== null) take(entry);
      if (line === null) continue;
      const key = keyOf(line);
      if (known.get(key) === effectOf(line)) {
        known.delete(key);
        continue;
      }
      lineCount += 1;
      if (lines.length < MOST_LINES) lines.push(lineOf(line));
    }
  }
  for (const entry of old.values()) {
    counts.reversed += 1;
    add(entry.source, undone(entry, revision.number));
  }
  for (const some of [entries, differences]) some.sort((a, b) => byDate(a.date, b.date));
  const { opening, closing } = journal.wallet;
  const bank = {
    opening: wallet.closing + opening - wallet.opening,
    closing,
    gone: await readGone(previous(), known),
    goneCount: known.size,
    differences,
  };
  return {
    fresh,
    ...counts,
    entries: entries.length > MOST_ENTRIES ? null : entries,
    lines,
    lineCount,
    bank,
  };
}

function lineOf(line: StatementLine): EntryChanges['lines'][number] {
  const { sequence, id, localTime, kind, operationReference, entry } = line;
  return {
    sequence,
    id,
    localTime,
    kind,
    operationReference,
    effect: effectOf(line),
    entry: entry?.number ?? null,
  };
}

/**
 * Returns what makes two entries equal. Letters are left out, because what clears an entry does not
 * change it.
 */
function textOf({ date, piece, rows }: JournalEntry): string {
  return JSON.stringify([date, piece, rows], (key, value) =>
    key === 'letter' ? undefined : value,
  );
}

/** Returns the entry with its sides swapped, which takes it back from books that hold it. */
function undone(entry: JournalEntry, revision: number): JournalEntry {
  return {
    ...entry,
    number: `${entry.number}-A${revision}`,
    source: 'reversal',
    rows: entry.rows.map(otherWay),
  };
}
