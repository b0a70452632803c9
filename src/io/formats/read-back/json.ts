// Reads the JSON form back, a line of the file at a time: every figure of its summary, the statement as a whole, its lines, and
// how many operations it has.

import { figuresIn } from '../../../core/statements/revision.ts';
import type { StatementLine } from '../../../core/statements/statement-line.ts';
import { readStatement, verdictLine } from '../json.ts';
import { linesOf } from './decode-text.ts';
import { beginLedger, finishLedger, takeShownLine } from './ledger-figures.ts';
import type { FigureDifference, ReadBack } from './read-back.ts';

export const readJson: ReadBack = async (file, { statement }) => {
  const { summary } = statement;
  const ledger = beginLedger(summary);
  const frame: string[] = [];
  let operations = 0;
  for await (const text of linesOf(file)) {
    if (frame.length < 4 || text.startsWith(']') || text.startsWith('"')) frame.push(text);
    else if (frame.length > 4) operations += text === '' ? 0 : 1;
    else if (text !== '') {
      const line = JSON.parse(text.endsWith(',') ? text.slice(0, -1) : text) as StatementLine;
      takeShownLine(ledger, { ...line, debit: line.debit ?? 0, credit: line.credit ?? 0 });
    }
  }
  const [, second, third, fourth, ...rest] = frame;
  const shown = readStatement(frame);
  if (shown === null || fourth !== '"lines":[' || rest.join() !== REST)
    throw new Error('This is not a statement in JSON.');
  return [
    ...compareSummaries(summary, shown.summary),
    ...(second === `"statement":${JSON.stringify(statement)},` ? [] : [WHOLE]),
    ...(third === verdictLine(statement) ? [] : [{ ...WHOLE, figure: 'the verdict in words' }]),
    ...finishLedger(ledger, summary),
    ...differenceOf('operations.count', statement.operations.count, operations),
  ];
};

const REST = '],,"operations":[,]}';
const WHOLE: FigureDifference = { figure: 'the statement as a whole', stated: 'one', found: 'another' };

function compareSummaries(stated: object, shown: object): readonly FigureDifference[] {
  const [left, right] = [new Map(figuresIn(stated)), new Map(figuresIn(shown))];
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((figure) => left.get(figure) !== right.get(figure))
    .map((figure) => ({ figure, stated: left.get(figure) ?? null, found: right.get(figure) ?? null }));
}

function differenceOf(figure: string, stated: number, found: number): readonly FigureDifference[] {
  return stated === found ? [] : [{ figure, stated: String(stated), found: String(found) }];
}
