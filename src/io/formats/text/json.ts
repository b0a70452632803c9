// JSON: the statement, its lines, operations and payments as they are, for programs. Amounts are
// integers, instants are milliseconds since 1970 (UTC). The statement has the second line to
// itself, so that it can be read without the lines.

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

/** First line of an attestation's file. The second line has its part of the statement. */
export const ATTESTATION_HEAD = '{"format":"pointage attestation 1",';
/**
 * First line of a statement's file. The language is that of all files made with it; older versions
 * did not write it.
 */
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
 * Returns the third line of a statement: the verdict and what else the first page has, which are
 * the measures and what there is to do.
 */
export function firstPageLine(statement: Statement): string {
  const toDo = inOurWords(statement, toDoLines);
  return `${verdictLine(statement)}"measures":${JSON.stringify(measuresOf(statement))},"toDo":${JSON.stringify(toDo)},`;
}

/**
 * Returns the third line of an attestation: the verdict and its reasons in both languages, in our
 * own words and not those of a template.
 */
export function verdictLine(statement: Statement): string {
  const { fr, en } = verdictInWords(statement);
  return `"verdict":${JSON.stringify({ fr: [...fr.verdict, ...fr.reasons], en: [...en.verdict, ...en.reasons] })},`;
}

/**
 * Reads the statement, or an attestation's part of it, from the first two lines of a file; `null`
 * when they are of another format.
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

/**
 * Reads, from the beginning of a file, the language of this file and of those beside it; `null`
 * when the file does not say it.
 */
export function readLanguage(start: string): Language | null {
  return (HEAD_IN.exec(start.split('\n', 1)[0]!)?.[1] ?? null) as Language | null;
}
