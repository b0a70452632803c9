// Reads the JSON form back, a line of the file at a time: every figure of its summary, the statement as a whole, and its
// lines.

import { figuresIn } from '../../statements/revision.ts';
import type { StatementLine } from '../../statements/statement-line.ts';
import { readStatement, verdictLine } from '../json.ts';
import { linesOf } from './decode-text.ts';
import { beginLedger, finishLedger, takeShownLine } from './ledger-figures.ts';
import type { FigureDifference, ReadBack } from './read-back.ts';

export const readJson: ReadBack = async (file, { statement }) => {
  const { summary } = statement;
  const ledger = beginLedger(summary);
  const frame: string[] = [];
  for await (const text of linesOf(file)) {
    if (frame.length < 4 || text === ']}') frame.push(text);
    else {
      const line = JSON.parse(text.endsWith(',') ? text.slice(0, -1) : text) as StatementLine;
      takeShownLine(ledger, { ...line, debit: line.debit ?? 0, credit: line.credit ?? 0 });
    }
  }
  const [, second, third, fourth, end] = frame;
  const shown = readStatement(frame);
  if (shown === null || fourth !== '"lines":[' || end !== ']}') throw new Error('This is not a statement in JSON.');
  return [
    ...compareSummaries(summary, shown.summary),
    ...(second === `"statement":${JSON.stringify(statement)},` ? [] : [WHOLE]),
    ...(third === verdictLine(statement) ? [] : [{ ...WHOLE, figure: 'the verdict in words' }]),
    ...finishLedger(ledger, summary),
  ];
};

const WHOLE: FigureDifference = { figure: 'the statement as a whole', stated: 'one', found: 'another' };

function compareSummaries(stated: object, shown: object): readonly FigureDifference[] {
  const [left, right] = [new Map(figuresIn(stated)), new Map(figuresIn(shown))];
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((figure) => left.get(figure) !== right.get(figure))
    .map((figure) => ({ figure, stated: left.get(figure) ?? null, found: right.get(figure) ?? null }));
}
