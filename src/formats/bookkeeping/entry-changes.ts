// What a revision changes in accounts that hold the one before: its entries are compared, by their numbers, with those of the
// document that was issued. Refuses to guess where that one was written in another form: then nothing is said.

import type { EntryChanges, JournalEntry } from '../../statements/journal.ts';
import type { Statement } from '../../statements/statement.ts';
import type { StatementLine } from '../../statements/statement-line.ts';
import type { StatementDocument } from '../format.ts';
import { readStatement } from '../json.ts';
import { linesOf } from '../read-back/decode-text.ts';
import { streamEntries } from './stream-entries.ts';

/** Entries that are listed, and lines. */
const MOST_ENTRIES = 5_000;
const MOST_LINES = 500;

interface Before {
  readonly entries: Map<string, JournalEntry>;
  /** Sequence and id. */
  readonly lines: Set<string>;
}

/** The document with what its revision changes; as it is, where it changes none. `previous`: JSON form of the one before. */
export async function withEntryChanges(
  document: StatementDocument,
  issued: number | null,
  previous: (() => AsyncIterable<Uint8Array>) | null,
): Promise<StatementDocument> {
  const { revision } = document.statement;
  if (issued === null || previous === null || revision.number === issued) return document;
  const before = await readBefore(previous());
  const entries = before === null ? null : await compare(before, document);
  return { ...document, statement: { ...document.statement, revision: { ...revision, entries } } };
}

async function readBefore(file: AsyncIterable<Uint8Array>): Promise<Before | null> {
  const head: string[] = [];
  const before: Before = { entries: new Map(), lines: new Set() };
  for await (const text of linesOf(file)) {
    if (!text.startsWith('{"sequence":')) {
      if (head.length < 2) head.push(text);
      continue;
    }
    const line = JSON.parse(text.replace(/,$/, '')) as StatementLine;
    before.lines.add(keyOf(line));
    if (line.entry === null) continue;
    if (line.entry.source === undefined) return null;
    if (line.entry.source === 'line') before.entries.set(line.entry.number, line.entry);
  }
  const others = (readStatement(head) as Partial<Statement> | null)?.journal?.others;
  if (others === undefined) return null;
  for (const entry of others) before.entries.set(entry.number, entry);
  return before;
}

function keyOf({ sequence, id }: StatementLine): string {
  return `${sequence} ${id}`;
}

async function compare({ entries: old, lines: known }: Before, document: StatementDocument): Promise<EntryChanges> {
  const { journal, revision } = document.statement;
  const counts = { added: 0, changed: 0, reversed: 0 };
  const entries: JournalEntry[] = [];
  const lines: EntryChanges['lines'][number][] = [];
  let lineCount = 0;
  const take = (entry: JournalEntry): void => {
    const before = old.get(entry.number);
    old.delete(entry.number);
    if (before === undefined) {
      counts.added += 1;
      entries.push(entry);
    } else if (textOf(before) !== textOf(entry)) {
      counts.changed += 1;
      entries.push(undone(before, revision.number), { ...entry, number: `${entry.number}-R${revision.number}` });
    }
  };
  for await (const batch of streamEntries(journal, document.lines)) {
    for (const { entry, line } of batch) {
      if (entry !== null) take(entry);
      if (line === null || known.has(keyOf(line))) continue;
      lineCount += 1;
      if (lines.length < MOST_LINES) lines.push(lineOf(line));
    }
  }
  for (const entry of old.values()) {
    counts.reversed += 1;
    entries.push(undone(entry, revision.number));
  }
  entries.sort((a, b) => (a.date === b.date ? 0 : a.date < b.date ? -1 : 1));
  return { ...counts, entries: entries.length > MOST_ENTRIES ? null : entries, lines, lineCount };
}

function lineOf(line: StatementLine): EntryChanges['lines'][number] {
  const { sequence, localTime, kind, operationReference, debit, credit, entry } = line;
  return {
    sequence,
    localTime,
    kind,
    operationReference,
    effect: (credit ?? 0) - (debit ?? 0),
    entry: entry?.number ?? null,
  };
}

function textOf({ date, piece, rows }: JournalEntry): string {
  return JSON.stringify([date, piece, rows]);
}

/** The same the other way round: the books hold the entry already. */
function undone(entry: JournalEntry, revision: number): JournalEntry {
  const rows = entry.rows.map((row) => ({ ...row, debit: row.credit, credit: row.debit }));
  return { ...entry, number: `${entry.number}-A${revision}`, source: 'reversal', rows };
}
