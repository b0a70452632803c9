// Writes pieces to a stream, no faster than it takes them, and ends it. Text is UTF-8.

import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export async function writeText(pieces: AsyncIterable<string>, out: Writable): Promise<void> {
  await writeBytes(bytesOf(pieces), out);
}

export async function writeBytes(pieces: AsyncIterable<Uint8Array>, out: Writable): Promise<void> {
  await pipeline(Readable.from(pieces), out);
}

async function* bytesOf(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece, 'utf8');
}
