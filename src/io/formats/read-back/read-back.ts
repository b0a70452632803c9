// Reading a document back: out of the bytes that a reader will get, by other code than wrote them,
// and compared with the statement. Refuses to repair: it names the differences.

import { arrayBuffer } from 'node:stream/consumers';
import type { Language, Statement } from '../../../core/statements/statement.ts';
import { readStatement } from '../text/json.ts';

/**
 * Empty when the document says what the statement says. Rejects when the bytes are no document of
 * the format.
 */
export type ReadBack = (
  file: AsyncIterable<Uint8Array>,
  stated: Stated,
) => Promise<readonly FigureDifference[]>;

export interface Stated {
  readonly statement: Statement;
  /** In which the document was written. */
  readonly language: Language;
}

export interface FigureDifference {
  /**
   * Path in the summary: `byOperator.ORANGE.amount`; or another part of the document, `line 12`.
   */
  readonly figure: string;
  readonly stated: string | null;
  /** Null: it is not to be found. */
  readonly found: string | null;
}

/** One sentence for people: the first differences, and how many more there are. */
export function describeDifferences(
  format: string,
  differences: readonly FigureDifference[],
): string {
  const named = differences.slice(0, 5).map(({ figure, stated, found }) => {
    const instead = found === null ? 'it is not to be found' : `it says ${found}`;
    return `${figure} is ${stated ?? 'not there'}, but ${instead}`;
  });
  const more =
    differences.length > named.length ? `; and ${differences.length - named.length} more` : '';
  return `The ${format} document, read back, does not say what the statement says: ${named.join('; ')}${more}.`;
}

/** A figure that is no whole number in the document is NaN, one that is not there null. */
export type Compared = readonly [figure: string, stated: number | null, found: number | null];

export function differencesIn(compared: readonly Compared[]): readonly FigureDifference[] {
  return compared
    .filter(([, stated, found]) => stated !== found)
    .map(([figure, stated, found]) => ({ figure, stated: shown(stated), found: shown(found) }));
}

function shown(figure: number | null): string | null {
  return figure === null ? null : Number.isNaN(figure) ? 'not a whole number' : String(figure);
}

/** NaN for a text that is not of the form, whose group holds the digits. */
export function numberIn(text: string | undefined, form = /^(-?\d+)$/): number {
  const [, digits] = form.exec(text ?? '') ?? [];
  return digits === undefined ? Number.NaN : Number(digits);
}

/** The whole file in one piece, for libraries that take it only so. */
export async function wholeOf(file: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await arrayBuffer(file));
}

/**
 * Throws TypeError at the first byte that is not of the encoding. A byte order mark stays in the
 * text.
 */
async function* textOf(
  file: AsyncIterable<Uint8Array>,
  encoding = 'utf-8',
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  for await (const part of file) yield decoder.decode(part, { stream: true });
  yield decoder.decode();
}

/** Split at line feeds alone; the last line only where it is not empty. */
export async function* linesOf(
  file: AsyncIterable<Uint8Array>,
  encoding = 'utf-8',
): AsyncGenerator<string> {
  let rest = '';
  for await (const text of textOf(file, encoding)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** Of its JSON form; null when it is of another one. */
export async function statementIn(file: AsyncIterable<Uint8Array>): Promise<Statement | null> {
  const head: string[] = [];
  for await (const line of linesOf(file)) if (head.push(line) === 2) break;
  return readStatement(head);
}

/**
 * Rows of cells, the separator between them; a quoted cell may hold anything, a quote doubled (RFC
 * 4180).
 */
export async function* csvRows(
  file: AsyncIterable<Uint8Array>,
  separator: ';' | ',',
): AsyncGenerator<readonly string[]> {
  let cells: string[] = [];
  let cell = '';
  let state: 'plain' | 'quoted' | 'quote' = 'plain';
  for await (const text of textOf(file)) {
    for (const sign of text) {
      if (state === 'quoted') {
        if (sign === '"') state = 'quote';
        else cell += sign;
        continue;
      }
      if (sign === '"') {
        if (state === 'quote') cell += '"';
        state = 'quoted';
        continue;
      }
      state = 'plain';
      if (sign === separator || sign === '\n') {
        cells.push(sign === '\n' && cell.endsWith('\r') ? cell.slice(0, -1) : cell);
        cell = '';
      } else cell += sign;
      if (sign === '\n') {
        yield cells;
        cells = [];
      }
    }
  }
  if (cell !== '' || cells.length > 0) yield [...cells, cell];
}

/**
 * Of each row after the header, the cells under the titles, in their order. Throws where a title is
 * missing.
 */
export async function* cellsUnder<Titles extends readonly string[]>(
  titles: Titles,
  form: string,
  rows: AsyncIterable<readonly string[]>,
): AsyncGenerator<{ readonly [Index in keyof Titles]: string }> {
  let places: readonly number[] | null = null;
  for await (const cells of rows) {
    if (places === null) places = placesOf(titles, form, cells);
    else yield places.map((place) => cells[place] ?? '') as never;
  }
  if (places === null) throw new Error(`This is no ${form}: it has no header line.`);
}

function placesOf(
  titles: readonly string[],
  form: string,
  header: readonly string[],
): readonly number[] {
  const cells = header.map((cell) => cell.replace(/^\uFEFF/, ''));
  const missing = titles.filter((title) => !cells.includes(title));
  if (missing.length > 0)
    throw new Error(`This is no ${form}: it has no column ${missing.join(', ')}.`);
  return titles.map((title) => cells.indexOf(title));
}
