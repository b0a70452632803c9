// Folders of books with exactly the bytes that a test wants in them, and readings of them, cleaned
// up after each test.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Snapshot } from '../../src/core/domain/snapshot.ts';
import { openFileSource } from '../../src/io/sources/file/open-file-source.ts';
import {
  type Raw,
  rawEntry,
  rawMerchant,
  rawOperation,
  rawWallet,
} from '../contract/source-rows.ts';
import { testFolder } from '../support/test-folder.ts';

export type Files = Readonly<Record<string, string | Uint8Array | null>>;

/** Sound books of one merchant; null leaves a file out. */
export async function makeFolder(files: Files): Promise<string> {
  const folder = testFolder('books-');
  const sound: Files = {
    'merchant.json': JSON.stringify(rawMerchant({})),
    'wallet.json': JSON.stringify(rawWallet({})),
    'ledger.jsonl': toLines([1, 2, 3].map((sequence) => rawEntry({ sequence }))),
    'operations.jsonl': toLines([rawOperation({})]),
  };
  for (const [name, content] of Object.entries({ ...sound, ...files })) {
    if (content === null) continue;
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

/** Opens the only merchant of the folder. */
export async function openFolder(folder: string): Promise<Snapshot> {
  const source = openFileSource(folder);
  onTestFinished(() => source.close());
  const [merchant] = await source.merchants();
  const snapshot = await source.open(merchant!, null);
  onTestFinished(() => snapshot.close());
  return snapshot;
}

export async function openFiles(files: Files): Promise<Snapshot> {
  return openFolder(await makeFolder(files));
}

export function toLines(rows: readonly (Raw | string)[]): string {
  return rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join('');
}
