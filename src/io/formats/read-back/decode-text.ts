// Bytes as text, and text as lines, as they come. Refuses bytes that are not of the encoding.

/** Throws TypeError at the first byte that is not of the encoding. A byte order mark stays in the text. */
export async function* textOf(file: AsyncIterable<Uint8Array>, encoding = 'utf-8'): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  for await (const part of file) yield decoder.decode(part, { stream: true });
  yield decoder.decode();
}

/** Split at line feeds alone; the last line only where it is not empty. */
export async function* linesOf(file: AsyncIterable<Uint8Array>, encoding = 'utf-8'): AsyncGenerator<string> {
  let rest = '';
  for await (const text of textOf(file, encoding)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== '') yield rest;
}
