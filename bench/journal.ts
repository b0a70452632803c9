// Books as a plain-text journal for ledger-cli and hledger: one transaction a line, in ledger
// order, with its date, its reference, its text, its amount and a balance assertion. Ids and
// reserved amounts are left out, which makes the journal easier to check than the books are.

import { existsSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServedEntry } from '../src/sandbox/model/served.ts';
import { type MeasuredBooks, rowsOf } from './books.ts';

export interface Journal {
  readonly path: string;
  readonly lines: number;
}

const BATCH = 5_000;

/**
 * Returns the first `most` lines of the books as a journal, which is written once and kept beside
 * them.
 */
export async function journalOf(books: MeasuredBooks, most: number): Promise<Journal> {
  const lines = Math.min(most, books.lines);
  const path = join(books.folder, `journal-2-${lines}.ledger`);
  if (existsSync(path)) return { path, lines };
  const unfinished = await open(`${path}.part`, 'w');
  try {
    await writeJournal(unfinished, books, lines);
  } finally {
    await unfinished.close();
  }
  await rename(`${path}.part`, path);
  return { path, lines };
}

async function writeJournal(file: FileHandle, books: MeasuredBooks, lines: number): Promise<void> {
  let written = 0;
  let day = '';
  let batch: string[] = [];
  for await (const entry of rowsOf<ServedEntry>(join(books.folder, 'ledger.jsonl'))) {
    const { createdAt } = entry;
    // hledger checks assertions by date first, so no line may be dated before the line that it
    // follows.
    if (createdAt.slice(0, 10) > day) day = createdAt.slice(0, 10);
    batch.push(transactionOf(entry, day));
    written += 1;
    if (batch.length === BATCH) {
      await file.appendFile(batch.join(''));
      batch = [];
    }
    if (written === lines) break;
  }
  await file.appendFile(batch.join(''));
}

function transactionOf(entry: ServedEntry, day: string): string {
  const { kind, direction, amount, currency, balanceAfter, operationReference, description } =
    entry;
  const text = (description ?? kind).replace(/[\s;|]+/gu, ' ').trim();
  const effect = direction === 'CREDIT' ? amount : direction === 'DEBIT' ? -amount : 0;
  return `${day} (${operationReference ?? entry.sequence}) ${text}\n  wallet  ${effect} ${currency} = ${balanceAfter} ${currency}\n  ${kind.toLowerCase()}\n\n`;
}
