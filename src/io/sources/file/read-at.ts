// Reads bytes that must be there: a file that ends before the end that it had when it was opened fails the reading.

import { readSync } from 'node:fs';
import type { Refused } from '../../../core/domain/refusal.ts';
import { SourceFailed } from '../port/source.ts';

export interface ByteRange {
  /** Offset in the buffer. */
  readonly start: number;
  readonly length: number;
  /** Offset in the file. */
  readonly position: number;
}

/** A file that somebody keeps open, perhaps another thread. */
export interface OpenFile {
  /** For messages. */
  readonly name: string;
  readonly handle: { readonly fd: number };
  readonly size: number;
  /** Why the content stops before its end, when it does; what stands before that point is sound. */
  readonly cutOff: Refused | null;
}

/** Fills up to `length` bytes, at least one, and returns how many. */
export function readAt(
  file: Pick<OpenFile, 'name' | 'handle'>,
  bytes: Buffer,
  { start, length, position }: ByteRange,
): number {
  let bytesRead: number;
  try {
    bytesRead = readSync(file.handle.fd, bytes, start, length, position);
  } catch (error) {
    throw new SourceFailed('UNREADABLE', `${file.name} cannot be read at byte ${position}`, error);
  }
  if (bytesRead > 0) return bytesRead;
  throw new SourceFailed('CHANGED_WHILE_READ', `${file.name} became shorter while it was being read`);
}
