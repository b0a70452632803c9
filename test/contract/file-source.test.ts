import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { openSource } from '../../src/io/sources/register.ts';
import { describeSource, type RawBooks } from './source-contract.ts';
import type { Raw } from './source-rows.ts';

const plain = { holdsIllTypedRows: true, holdsRepeatedRows: true, isStateless: true };

describeSource('a folder of books', { publish: (books) => publishFolder(books, false), ...plain });
describeSource('a folder of packed books', {
  publish: (books) => publishFolder(books, true),
  ...plain,
});

async function publishFolder(books: readonly RawBooks[], isPacked: boolean) {
  const root = await mkdtemp(join(tmpdir(), 'books-'));
  for (const { merchant, wallet, entries, operations } of books) {
    const folder = join(root, `folder-of-${merchant.reference}`);
    await mkdir(folder);
    const write = (name: string, text: string) =>
      isPacked
        ? writeFile(join(folder, `${name}.gz`), gzipSync(text))
        : writeFile(join(folder, name), text);
    await write('merchant.json', JSON.stringify(merchant, null, 2));
    if (wallet !== null) await write('wallet.json', JSON.stringify(wallet));
    await write('ledger.jsonl', toLines(entries));
    await write('operations.jsonl', toLines(operations));
  }
  const source = await openSource(`file:${root}`, {});
  return { source, withdraw: () => rm(root, { recursive: true }) };
}

function toLines(rows: readonly Raw[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
