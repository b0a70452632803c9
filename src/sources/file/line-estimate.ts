// Guesses how many lines a file has from its beginning, for a progress bar and nothing else.

import type { BookFile } from './book-file.ts';

const SAMPLE_SIZE = 65_536;

export async function estimateLines(file: BookFile): Promise<number> {
  const { buffer, bytesRead } = await file.handle.read(Buffer.alloc(SAMPLE_SIZE), 0, SAMPLE_SIZE, 0);
  let lines = 0;
  for (let at = buffer.indexOf(0x0a); at >= 0 && at < bytesRead; at = buffer.indexOf(0x0a, at + 1)) lines += 1;
  if (bytesRead === file.size || lines === 0) return lines + (bytesRead > 0 && buffer[bytesRead - 1] !== 0x0a ? 1 : 0);
  return Math.round((file.size * lines) / (buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1));
}
