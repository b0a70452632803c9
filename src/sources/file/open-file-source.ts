// The source `file:DIR`: books exported to files, one folder a merchant. merchant.json, wallet.json, ledger.jsonl and
// operations.jsonl, and where there are any reports.json, payments.jsonl and events.jsonl; each may be packed (.gz).

import { type Source, SourceFailed } from '../source.ts';
import { type BookFile, openBookFile } from './book-file.ts';
import { openFileSnapshot } from './file-snapshot.ts';
import { findMerchantFolders } from './merchant-folders.ts';
import type { OperationPass } from './operation-pass.ts';
import { findOperation, indexOperations } from './operation-stream.ts';

/** Opens nothing yet: the first question asked of the source finds out whether the folder holds books. */
export function openFileSource(folder: string): Source {
  let folders: ReadonlyMap<string, string> | null = null;
  let asked: Asked | null = null;

  const folderOf = async (merchant: string): Promise<string> => {
    folders ??= await findMerchantFolders(folder);
    const found = folders.get(merchant);
    if (found !== undefined) return found;
    throw new SourceFailed('UNKNOWN_MERCHANT', `${folder} holds no books of merchant ${merchant}`);
  };

  return {
    name: `file:${folder}`,
    isStateless: () => true,
    merchants: async () => {
      folders ??= await findMerchantFolders(folder);
      return [...folders.keys()];
    },
    open: async (merchant) => openFileSnapshot(merchant, await folderOf(merchant)),
    askOperation: async (merchant, reference) => {
      if (asked?.merchant !== merchant) {
        const before = asked?.indexed;
        asked = null;
        await before?.file.handle.close();
        asked = { merchant, indexed: await indexFolder(await folderOf(merchant)) };
      }
      return asked.indexed === null ? null : findOperation(asked.indexed.pass, reference);
    },
    close: async () => {
      await asked?.indexed?.file.handle.close();
      asked = null;
    },
  };
}

/** The index of the merchant last asked about, so that many questions take one pass over the file. */
interface Asked {
  readonly merchant: string;
  readonly indexed: Indexed | null;
}

interface Indexed {
  readonly file: BookFile;
  readonly pass: OperationPass;
}

async function indexFolder(folder: string): Promise<Indexed | null> {
  const opened = await openBookFile(folder, 'operations.jsonl');
  return opened.state === 'open' ? { file: opened.file, pass: await indexOperations(opened.file) } : null;
}
