// Keeps issued statements in a folder: `RELEVE_<merchant>_<period>_r1.json` and the same in other formats. A revision once
// written is never written over; the JSON file is what the next one is compared with.

import { createReadStream, createWriteStream } from 'node:fs';
import { access, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Statement } from '../../../core/statements/statement.ts';
import type { FormatOptions, StatementDocument, WrittenFormat } from '../../../io/formats/port/format.ts';
import { readStatement } from '../../../io/formats/text/json.ts';
import { makeFolder } from '../../../io/storage/server/make-folder.ts';

export interface StatementKey {
  readonly merchant: string;
  /** `YYYY-MM`, `YYYY`; of an attestation `YYYY-MM-DD`. */
  readonly period: string;
}

export interface WrittenFile {
  readonly file: string;
  /** False: this revision was there already, and was left as it is. */
  readonly isNew: boolean;
}

/** Throws an Error with a `code` when the newest revision in the folder cannot be read. */
export async function loadIssued(folder: string, key: StatementKey): Promise<Statement | null> {
  const revision = await newestRevision(folder, key);
  if (revision === 0) return null;
  const file = join(folder, `${statementName(key, revision)}.json`);
  const statement = readStatement(await firstLines(file));
  if (statement !== null) return statement;
  const message = `${file} is not a statement that this version wrote; move it away to begin again with revision 1.`;
  throw Object.assign(new Error(message), { code: 'STATEMENT_UNREADABLE' });
}

/** The bytes of its JSON form. */
export function readIssued(folder: string, { merchant, period, revision }: Statement): AsyncIterable<Uint8Array> {
  const name = statementName({ merchant: merchant.reference, period: period.period }, revision.number);
  return createReadStream(join(folder, `${name}.json`));
}

/** Writes one format. The file appears whole or not at all. */
export async function saveStatement(
  folder: string,
  document: StatementDocument,
  how: { readonly format: Omit<WrittenFormat, 'name'>; readonly options: FormatOptions },
): Promise<WrittenFile> {
  const { merchant, period, revision } = document.statement;
  const name = statementName({ merchant: merchant.reference, period: period.period }, revision.number);
  // A name of its own may be that of another merchant's file: it stands in a folder of the statement.
  const own = how.format.fileName?.(document.statement);
  const file = own === undefined ? join(folder, `${name}.${how.format.extension}`) : join(folder, name, own);
  if (await isThere(file)) return { file, isNew: false };
  const unfinished = `${file}.${process.pid}.part`;
  try {
    makeFolder(dirname(file));
    await how.format.write(document, how.options, createWriteStream(unfinished));
    await rename(unfinished, file);
  } catch (failure) {
    await rm(unfinished, { force: true }).catch(() => {});
    // The system names no file where a write fails.
    if (failure instanceof Error && 'syscall' in failure)
      failure.message = `${file} cannot be written (${failure.message})`;
    throw failure;
  }
  return { file, isNew: true };
}

/**
 * `RELEVE_M001_2026-10_r1`, `ATTESTATION_M001_2026-10-31_r1`. A reference is one word of letters, digits and `_`; whatever else one may hold is left out of
 * file names.
 */
export function statementName({ merchant, period }: StatementKey, revision: number | string): string {
  const kind = period.length > 'YYYY-MM'.length ? 'ATTESTATION' : 'RELEVE';
  return `${kind}_${merchant.replace(/[^\p{L}\p{N}_-]/gu, '_')}_${period}_r${revision}`;
}

/** 0: none. */
async function newestRevision(folder: string, key: StatementKey): Promise<number> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const start = statementName(key, '');
  const numbers = names.map((name) =>
    name.startsWith(start) ? Number(/^(\d+)\.json$/.exec(name.slice(start.length))?.[1] ?? 0) : 0,
  );
  return Math.max(0, ...numbers);
}

async function firstLines(file: string): Promise<readonly string[]> {
  const stream = createReadStream(file, 'utf8');
  const lines: string[] = [];
  for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
    lines.push(line);
    if (lines.length === 2) break;
  }
  stream.destroy();
  return lines;
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
