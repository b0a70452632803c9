// Reading a document back: out of the bytes that a reader will get, by other code than wrote them, and compared with the
// statement. Refuses to repair; it says what differs.

import type { Language, Statement } from '../../../core/statements/statement.ts';

/** Nothing when the document says what the statement says. Rejects when the bytes are no document of the format. */
export type ReadBack = (file: AsyncIterable<Uint8Array>, stated: Stated) => Promise<readonly FigureDifference[]>;

export interface Stated {
  readonly statement: Statement;
  /** In which the document was written. */
  readonly language: Language;
}

export interface FigureDifference {
  /** Path in the summary: `byOperator.ORANGE.amount`; or what else of the document it is, `line 12`. */
  readonly figure: string;
  readonly stated: string | null;
  /** Null: it is not to be found. */
  readonly found: string | null;
}

/** One sentence for people: the first differences, and how many more there are. */
export function describeDifferences(format: string, differences: readonly FigureDifference[]): string {
  const named = differences.slice(0, 5).map(({ figure, stated, found }) => {
    const instead = found === null ? 'it is not to be found' : `it says ${found}`;
    return `${figure} is ${stated ?? 'not there'}, but ${instead}`;
  });
  const more = differences.length > named.length ? `; and ${differences.length - named.length} more` : '';
  return `The ${format} document, read back, does not say what the statement says: ${named.join('; ')}${more}.`;
}

/** The whole file in one piece, for libraries that take it only so. */
export async function wholeOf(file: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of file) parts.push(part);
  return new Uint8Array(Buffer.concat(parts));
}

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
