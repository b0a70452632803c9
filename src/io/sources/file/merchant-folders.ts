// Finds the merchants of a folder: the folder itself when it holds books, else each folder inside
// it that holds books.

import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { parseStrictJson } from '../decode/strict-json.ts';
import { SourceFailed } from '../port/source.ts';
import { readWholeFile } from './book-file.ts';

const BOOK_FILES = ['merchant.json', 'wallet.json', 'ledger.jsonl', 'operations.jsonl'];

/** Reads nothing yet: the first call of `merchants` or `folderOf` looks for books in the folder. */
export function openMerchantFolders(root: string) {
  let folders: ReadonlyMap<string, string> | null = null;
  const find = async () => {
    folders ??= await findMerchantFolders(root);
    return folders;
  };
  return {
    merchants: async () => [...(await find()).keys()],
    /** Returns the merchant's folder. Throws `SourceFailed` UNKNOWN_MERCHANT when it has none. */
    folderOf: async (merchant: string) => {
      const found = (await find()).get(merchant);
      if (found !== undefined) return found;
      throw new SourceFailed('UNKNOWN_MERCHANT', `${root} holds no books of merchant ${merchant}`);
    },
  };
}

/**
 * Returns folders by merchant's reference, sorted by reference. The reference is that of
 * merchant.json, or the folder's name when merchant.json gives none.
 */
async function findMerchantFolders(root: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const folder of await listBookFolders(root)) {
    const reference = await referenceOf(folder);
    const other = found.get(reference);
    if (other !== undefined) {
      const message = `${other} and ${folder} both hold the books of merchant ${reference}: keep one of them`;
      throw new SourceFailed('AMBIGUOUS_MERCHANT', message);
    }
    found.set(reference, folder);
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function listBookFolders(root: string): Promise<readonly string[]> {
  const entries = await list(root);
  if (holdsBooks(entries)) return [root];
  const folders: string[] = [];
  for (const entry of entries) {
    if (!entry.isDirectory() && !entry.isSymbolicLink()) continue;
    const folder = join(root, entry.name);
    // A link to a file, or a folder without permission to list it, holds no readable books.
    const inside = await list(folder).catch(() => []);
    if (holdsBooks(inside)) folders.push(folder);
  }
  if (folders.length > 0) return folders.sort();
  const wanted = `${BOOK_FILES.slice(0, -1).join(', ')} or ${BOOK_FILES.at(-1)} (or the same with .gz)`;
  throw new SourceFailed(
    'NO_BOOKS',
    `${root} holds no books: neither it nor a folder in it has ${wanted}`,
  );
}

async function list(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === 'ENOENT'
        ? 'does not exist'
        : code === 'ENOTDIR'
          ? 'is not a folder'
          : `cannot be listed (${code})`;
    throw new SourceFailed('UNREACHABLE', `${folder} ${why}`, error);
  }
}

function holdsBooks(entries: readonly Dirent[]): boolean {
  const names = new Set(entries.map((entry) => entry.name));
  return BOOK_FILES.some((name) => names.has(name) || names.has(`${name}.gz`));
}

async function referenceOf(folder: string): Promise<string> {
  const fallback = basename(resolve(folder));
  const file = await readWholeFile(folder, 'merchant.json');
  if (file.state !== 'read') return fallback;
  const parsed = parseStrictJson(file.bytes);
  if (!parsed.ok || typeof parsed.value !== 'object' || parsed.value === null) return fallback;
  const { reference } = parsed.value as { readonly reference?: unknown };
  const isUsable = typeof reference === 'string' && reference !== '' && reference.length <= 200;
  return isUsable ? reference : fallback;
}
