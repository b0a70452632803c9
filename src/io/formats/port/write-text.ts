// Writes pieces to a stream, no faster than it takes them, and ends it. Text is UTF-8.

import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export function writePieces(pieces: AsyncIterable<string | Uint8Array>, out: Writable): Promise<void> {
  return pipeline(Readable.from(pieces), out);
}
