// Reads the notifications of a merchant for what the reading needs of them: when the wallet was adjusted.

import type { Instant } from '../../domain/instant.ts';
import type { RejectedRow } from '../../domain/reading.ts';
import type { ServiceEvent } from '../decode/decode-event.ts';
import type { BookFile } from './book-file.ts';
import { EVENT_PLAN } from './row-plan.ts';
import { createRowReader } from './row-reader.ts';
import { streamRows } from './row-stream.ts';

export interface Adjustments {
  /** createdAt of the `wallet.adjusted` notifications, in the order of the file. */
  readonly adjustedAt: readonly Instant[];
  readonly rejected: readonly RejectedRow[];
}

/** `merchant` null: the profile could not be read, so no notification can be told to be another merchant's. */
export async function readAdjustments(file: BookFile, merchant: string | null): Promise<Adjustments> {
  const adjustedAt: Instant[] = [];
  const rejected: RejectedRow[] = [];
  const take = (event: ServiceEvent): string | null => {
    if (merchant !== null && event.merchantReference !== merchant) {
      return `merchantReference is ${JSON.stringify(event.merchantReference)}, not ${JSON.stringify(merchant)}`;
    }
    if (event.type === 'wallet.adjusted') adjustedAt.push(event.createdAt);
    return null;
  };
  for await (const refused of streamRows({ file, reader: createRowReader(EVENT_PLAN), take })) {
    for (const row of refused) rejected.push(row);
  }
  return { adjustedAt, rejected };
}
