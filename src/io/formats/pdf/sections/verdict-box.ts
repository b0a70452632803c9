// The band on the first page: the verdict, who owes whom what, the items that it comes from, and what was not read. It is there
// also when all is sound: a reader must not have to guess what silence means.

import type { FindingKind } from '../../../../core/domain/finding-kind.ts';
import type { StatementChange } from '../../../../core/statements/statement.ts';
import { fill } from '../../../../core/words/message.ts';
import { nameFigure, nameFigureValue, wordUnchecked } from '../../../../core/words/names.ts';
import { verdictReasons } from '../../sentences/verdict-reasons.ts';
import { closedSentences, verdictSentences } from '../../sentences/verdict-sentences.ts';
import { drawBand, roomInBand } from '../page/band.ts';
import type { Flow } from '../page/flow.ts';
import type { TextStyle } from '../page/pen.ts';

const MOST_NAMED = 5;
/** No sentence of ours is as long: what a box says is not cut. */
const MOST_LINES = 12;
/** What a reader of a revision asks first. */
const FIRST_CHANGES = ['verdict.state', 'closingBalance', 'recorded.balance', 'due.balance'];
const MOST_CHANGES = 4;

export function drawVerdictBox(flow: Flow): void {
  const { statement, labels, words, layout, regular, bold } = flow;
  const { state } = statement.summary.verdict;
  const { body: size } = layout.sizes;
  const { text, alert, alertBand, good, band } = layout.colours;
  const colour = state === 'clean' ? good : alert;
  const room = { size, width: roomInBand(flow), mostLines: MOST_LINES };
  const plain: TextStyle = { face: regular, size, colour: text };
  const strong: TextStyle = { face: bold, size, colour };
  const [title, ...sentences] = verdictSentences(statement.summary, labels, words.amount);
  const said = [
    ...[...closedSentences(statement.circumstances, labels, words.speech), ...revisionLines(flow)].map((line) => ({
      words: line,
      isStrong: true,
    })),
    ...sentences.map((sentence) => ({ words: sentence, isStrong: true })),
    ...verdictReasons(statement, labels, words.speech),
    ...(statement.findings.count === 0 ? [] : [{ words: labels.verdict.details, isStrong: false }]),
    ...(state === 'incomplete' ? notChecked(flow) : []).map((line) => ({ words: line, isStrong: false })),
    ...walletLine(flow).map((line) => ({ words: line, isStrong: true })),
  ];
  const lines = said.flatMap(({ words: sentence, isStrong }) => {
    const style = isStrong ? strong : plain;
    return style.face.wrap(sentence, room).map((run) => ({ run, style }));
  });
  drawBand(flow, { title: title!, colour, background: state === 'clean' ? band : alertBand, lines });
}

/** What a revision takes the place of, as it was printed there, and what is another in it. */
function revisionLines({ statement, labels, words }: Flow): readonly string[] {
  const { number, previous, changes } = statement.revision;
  if (previous === null) return [];
  const { replaces, changed, change, between, otherChanges } = labels.identity;
  const numbers = { revision: words.amount(number), previous: words.amount(previous.number) };
  const at = words.instant(previous.generatedAt);
  const rank = ({ figure }: StatementChange): number => FIRST_CHANGES.indexOf(figure) + 1 || MOST_CHANGES + 1;
  const shown = changes.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST_CHANGES);
  const list = shown.map(({ figure, before, after }) => {
    const value = (text: string | null): string => words.figure(nameFigureValue(words.speech, figure, text));
    const name = nameFigure(words.speech, figure);
    return before === null && after === null
      ? name
      : fill(change, { name, before: value(before), after: value(after) });
  });
  const beyond = changes.length - shown.length;
  if (beyond > 0) list.push(fill(otherChanges, { count: beyond }, words.speech));
  return [
    fill(replaces, { ...numbers, at, hash: previous.documentHash.slice(0, 12) }),
    fill(changed, { list: list.join(between) }),
  ];
}

function notChecked({ statement, labels, words }: Flow): readonly string[] {
  return statement.circumstances.notChecked
    .filter(({ incomplete }) => incomplete)
    .slice(0, MOST_NAMED)
    .map((note) => fill(labels.verdict.notChecked, wordUnchecked(words.speech, note)));
}

/** The wallet was read after the month: what it states otherwise than its own lines is not the month's, and is not kept back. */
function walletLine({ statement, labels, words }: Flow): readonly string[] {
  const differenceOf = (kind: FindingKind): string | null =>
    statement.findings.rows.find((row) => row.kind === kind && row.when === 'standing')?.difference ?? null;
  const [balance, reserved] = [differenceOf('WALLET_BALANCE_MISMATCH'), differenceOf('WALLET_RESERVED_MISMATCH')];
  if (balance === null && reserved === null) return [];
  const said = { balance: words.figure(balance ?? '0'), reserved: words.figure(reserved ?? '0') };
  return [fill(labels.due.walletDiffers, said)];
}
