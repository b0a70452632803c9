// Reads a small file whole: the profile or the wallet. One that is larger than a line of the ledger may be is not read.

import type { Refused } from '../../../core/domain/refusal.ts';
import type { BookFile } from './book-file.ts';
import { openBookFile } from './book-file.ts';
import { readAt } from './read-at.ts';
import { LONGEST_LINE } from './read-rows.ts';

export type WholeFile =
  | {
      readonly state: 'read';
      readonly name: string;
      readonly bytes: Buffer;
      /** Name of a second copy of the file, which was left unread; null when there is none. */
      readonly unread: string | null;
    }
  | { readonly state: 'absent' }
  | ({ readonly state: 'unreadable'; readonly name: string; readonly bytes: Buffer } & Refused);

/** Reads `name`, or `name.gz` where that is all there is. A byte order mark is taken off. */
export async function readWholeFile(folder: string, name: string): Promise<WholeFile> {
  const opened = await openBookFile(folder, name);
  if (opened.state === 'absent') return opened;
  if (opened.state === 'unreadable') return { ...opened, bytes: Buffer.alloc(0) };
  const { file, unread } = opened;
  try {
    const bytes = readBytes(file);
    if (file.cutOff !== null) return { state: 'unreadable', name: file.name, ...file.cutOff, bytes };
    if (file.size > LONGEST_LINE) {
      const refusal = { code: 'TOO_LARGE', of: 'file' } as const;
      return { state: 'unreadable', name: file.name, reason: 'the file is larger than 1 MiB', refusal, bytes };
    }
    return { state: 'read', name: file.name, bytes, unread };
  } finally {
    await file.handle.close();
  }
}

function readBytes(file: BookFile): Buffer {
  const bytes = Buffer.alloc(Math.min(file.size, LONGEST_LINE));
  let filled = 0;
  while (filled < bytes.length) {
    filled += readAt(file, bytes, { start: filled, length: bytes.length - filled, position: filled });
  }
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  return bytes.subarray(start, filled);
}
