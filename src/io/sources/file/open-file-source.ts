// The source `file:DIR`: books exported to files, one folder a merchant. merchant.json, wallet.json, ledger.jsonl and
// operations.jsonl, and where there are any reports.json, payments.jsonl and events.jsonl; each may be packed (.gz).

import type { Operation } from '../../../core/domain/operation.ts';
import { type Source, SourceFailed } from '../source.ts';
import { openBookFile } from './book-file.ts';
import { createFileRows, type FileRows } from './file-rows.ts';
import { openFileSnapshot } from './file-snapshot.ts';
import { findMerchantFolders } from './merchant-folders.ts';
import { lookUpOperations } from './recall-operations.ts';
import { DESCRIBED_PLAN } from './row-plan.ts';

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
    open: async (merchant, _since, detail = 'judged') => openFileSnapshot(merchant, await folderOf(merchant), detail),
    askOperation: async (merchant, reference) => {
      if (asked?.merchant !== merchant) {
        const before = asked?.rows;
        asked = null;
        await before?.file.handle.close();
        asked = { merchant, rows: await openOperations(await folderOf(merchant)) };
      }
      if (asked.rows === null) return null;
      const [operation = null] = await lookUpOperations(asked.rows, new Set([reference]));
      return operation;
    },
    close: async () => {
      await asked?.rows?.file.handle.close();
      asked = null;
    },
  };
}

/** The operations of the merchant last asked about, so that many questions take one pass over the file. */
interface Asked {
  readonly merchant: string;
  readonly rows: FileRows<Operation> | null;
}

async function openOperations(folder: string): Promise<FileRows<Operation> | null> {
  const opened = await openBookFile(folder, 'operations.jsonl');
  return opened.state === 'open' ? createFileRows(opened.file, DESCRIBED_PLAN, { thread: null }) : null;
}
