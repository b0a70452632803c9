// Writes pieces of text to a stream as UTF-8, no faster than it takes them, and ends it.

import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export async function writeText(pieces: AsyncIterable<string>, out: Writable): Promise<void> {
  await pipeline(Readable.from(bytesOf(pieces)), out);
}

async function* bytesOf(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece, 'utf8');
}
