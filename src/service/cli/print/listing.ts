// Prints what a command lists, in one of four forms: a table for people; JSON, CSV and a workbook
// for programs. Notes say how many rows are left out, on standard error where a program reads the
// list.

import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { Column } from '../../../core/statements/tables/table.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import { ENGINE } from '../../engine.ts';
import { oneOf, type Stage } from '../stage/stage.ts';
import type { Terminal } from '../stage/terminal.ts';
import { type TableColumn, tableText } from './table.ts';

const NOUN = 'list';
export const LIST_FORMATS = ['text', 'json', 'csv', 'xlsx'] as const;

export interface ListingFlags {
  readonly format: string;
  readonly out?: string;
}

export interface Listing<Row> {
  /** A word or two; also the name of the sheet. */
  readonly title: string;
  readonly rows: readonly Row[];
  /** What people read. */
  readonly table: readonly TableColumn<Row>[];
  /** What programs read: keys of JSON, heads of CSV and workbook. */
  readonly columns: readonly Column<Row>[];
  /** Returns a row in JSON. Absent: its columns are written. */
  readonly json?: (row: Row) => object;
  /** Printed where there is no row. */
  readonly none: string;
  /** Sentences that are printed after the list. */
  readonly notes: readonly string[];
}

export function withListingOptions(command: Command): Command {
  return command
    .option('--format <format>', 'text, json, csv or xlsx', 'text')
    .option('--out <file>', 'write it to a file instead of standard output; an xlsx needs one');
}

/** Throws ConfigurationInvalid before anything is opened. */
export function checkListingFlags({ format, out }: ListingFlags): void {
  oneOf('--format', format, LIST_FORMATS);
  if (format === 'xlsx' && out === undefined)
    throw new ConfigurationInvalid(
      'A workbook is not for a terminal: say with --out FILE where it is to be written.',
    );
}

export async function printListing<Row>(
  stage: Stage,
  flags: ListingFlags,
  listing: Listing<Row>,
): Promise<void> {
  const { terminal } = stage;
  const format = oneOf('--format', flags.format, LIST_FORMATS);
  const notes = listing.notes.map((note) => `${note}\n`).join('');
  if (format === 'text') {
    const plain = flags.out === undefined ? terminal : { ...terminal, colour: false, width: null };
    const { rows, table, none } = listing;
    const text = `${rows.length === 0 ? none : tableText(plain, table, rows)}\n${notes}`;
    await putText(terminal, flags.out, { noun: NOUN, text });
    return;
  }
  if (format === 'xlsx') await putWorkbook(stage, flags.out!, listing);
  else
    await putText(terminal, flags.out, {
      noun: NOUN,
      text: format === 'json' ? jsonOf(listing) : await csvOf(listing),
    });
  terminal.note(notes);
}

function jsonOf<Row>({ rows, columns, json }: Listing<Row>): string {
  const plain = (row: Row): object =>
    Object.fromEntries(columns.map(({ key, pick }) => [key, pick(row)]));
  return `${JSON.stringify(rows.map(json ?? plain), null, 2)}\n`;
}

async function csvOf<Row>({ rows, columns }: Listing<Row>): Promise<string> {
  return (await import('../../../io/formats/text/layout.ts')).csvOf(columns, rows);
}

async function putWorkbook<Row>(
  stage: Stage,
  file: string,
  { title, rows, columns }: Listing<Row>,
): Promise<void> {
  const { writeListWorkbook } = await import('../../../io/formats/xlsx/list-workbook.ts');
  const list = { title, rows, columns, engine: ENGINE, madeAt: stage.clock() };
  await putFile(stage.terminal, { noun: NOUN, file }, () =>
    writeListWorkbook(list, createWriteStream(file)),
  );
}

interface Answer {
  readonly noun: string;
  readonly text: string | Iterable<string>;
}

/** Throws ConfigurationInvalid where the file cannot be written. */
export async function putText(
  terminal: Terminal,
  file: string | undefined,
  { noun, text }: Answer,
): Promise<void> {
  if (file !== undefined) await putFile(terminal, { noun, file }, () => writeFile(file, text));
  else for (const piece of typeof text === 'string' ? [text] : text) terminal.out(piece);
}

/** Lets `write` write the file. Throws as `putText` does. */
export async function putFile(
  terminal: Terminal,
  { noun, file }: { readonly noun: string; readonly file: string },
  write: () => Promise<void>,
): Promise<void> {
  try {
    await write();
  } catch (cause) {
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause;
    throw new ConfigurationInvalid(`The ${noun} cannot be written to ${file}: ${cause.message}.`);
  }
  terminal.note(`The ${noun} is in ${file}.\n`);
}
