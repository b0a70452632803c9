// Guesses how many lines a file has from its beginning, for a progress bar and nothing else.

import type { BookFile } from './book-file.ts';
import { readAt } from './read-at.ts';

const SAMPLE_SIZE = 65_536;
const LINE_FEED = 0x0a;

export function estimateLines(file: BookFile): number {
  if (file.size === 0) return 0;
  const wanted = Math.min(SAMPLE_SIZE, file.size);
  const buffer = Buffer.alloc(wanted);
  const bytesRead = readAt(file, buffer, { start: 0, length: wanted, position: 0 });
  let lines = 0;
  for (let at = buffer.indexOf(LINE_FEED); at >= 0 && at < bytesRead; at = buffer.indexOf(LINE_FEED, at + 1))
    lines += 1;
  if (bytesRead === file.size || lines === 0) return lines + (buffer[bytesRead - 1] === LINE_FEED ? 0 : 1);
  return Math.round((file.size * lines) / (buffer.subarray(0, bytesRead).lastIndexOf(LINE_FEED) + 1));
}
