// Bytes as text, and text as lines, as they come. Refuses bytes that are not UTF-8.

/** Throws TypeError at the first byte that is not UTF-8. A byte order mark stays in the text. */
export async function* textOf(file: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for await (const part of file) yield decoder.decode(part, { stream: true });
  yield decoder.decode();
}

/** Split at line feeds alone; the last line only where it is not empty. */
export async function* linesOf(file: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of textOf(file)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== '') yield rest;
}
