// JSON: the statement, its lines, operations and payments as they are, for programs. Amounts are
// integers, instants milliseconds since 1970 (UTC). The statement has the second line for itself,
// so that it can be read without the lines.

import { pipeline } from 'node:stream/promises';
import type { Language, Statement } from '../../../core/statements/statement.ts';
import { measuresOf } from '../../../core/statements/tables/bridge.ts';
import type { StatementDocument, StatementFormat } from '../port/format.ts';
import { inOurWords, verdictInWords } from '../sentences/verdict-reasons.ts';
import { toDoLines } from './letter.ts';

export const jsonFormat: StatementFormat = {
  name: 'json',
  extension: 'json',
  mediaType: 'application/json',
  write: (document, { language }, out) => pipeline(piecesOf(document, language), out),
};

/** The first line of an attestation's file; the second has its part of the statement. */
export const ATTESTATION_HEAD = '{"format":"pointage attestation 1",';
/** The files that were made with it are in that language; older versions did not say it. */
const HEAD_IN = /^\{"format":"pointage statement 1",(?:"language":"(fr|en)",)?$/;

async function* piecesOf(
  { statement, lines, operations, payments }: StatementDocument,
  language: Language,
): AsyncGenerator<string> {
  yield `{"format":"pointage statement 1","language":"${language}",\n"statement":${JSON.stringify(statement)},\n${firstPageLine(statement)}\n"lines":[`;
  yield* rowsOf(lines());
  yield '\n],\n"operations":[';
  yield* rowsOf(operations());
  yield '\n],\n"payments":[';
  yield* rowsOf(payments?.() ?? []);
  yield '\n]}\n';
}

async function* rowsOf(
  batches: AsyncIterable<readonly object[]> | Iterable<readonly object[]>,
): AsyncGenerator<string> {
  let separator = '\n';
  for await (const batch of batches) {
    let text = '';
    for (const row of batch) {
      text += separator + JSON.stringify(row);
      separator = ',\n';
    }
    yield text;
  }
}

/**
 * The third line of a statement: with the verdict what else its first page has, the indicators and
 * what there is to do.
 */
export function firstPageLine(statement: Statement): string {
  const toDo = inOurWords(statement, toDoLines);
  return `${verdictLine(statement)}"measures":${JSON.stringify(measuresOf(statement))},"toDo":${JSON.stringify(toDo)},`;
}

/**
 * The verdict and its reasons, in both languages, in our own words and not those of a template: the
 * third line of an attestation.
 */
export function verdictLine(statement: Statement): string {
  const { fr, en } = verdictInWords(statement);
  return `"verdict":${JSON.stringify({ fr: [...fr.verdict, ...fr.reasons], en: [...en.verdict, ...en.reasons] })},`;
}

/**
 * The statement, or an attestation's part of it, out of the first two lines of a file; null when
 * they are of another format.
 */
export function readStatement(firstLines: readonly string[]): Statement | null {
  const [head, second] = firstLines;
  const start = head === ATTESTATION_HEAD ? '"attestation":' : '"statement":';
  const isKnown = head === ATTESTATION_HEAD || HEAD_IN.test(head ?? '');
  if (!isKnown || second === undefined || !second.startsWith(start)) return null;
  try {
    return JSON.parse(second.slice(start.length, -1)) as Statement;
  } catch {
    return null;
  }
}

/** In which a file says that it and those beside it are, from its beginning; null: it does not. */
export function readLanguage(start: string): Language | null {
  return (HEAD_IN.exec(start.split('\n', 1)[0]!)?.[1] ?? null) as Language | null;
}
