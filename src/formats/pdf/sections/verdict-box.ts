// The band on the first page: the verdict, who owes whom what, the items that it comes from, and what was not read. It is there
// also when all is sound: a reader must not have to guess what silence means.

import type { FindingKind } from '../../../domain/finding-kind.ts';
import { fill } from '../../../words/message.ts';
import { wordUnchecked } from '../../../words/not-checked.ts';
import { verdictReasons } from '../../verdict-reasons.ts';
import { verdictSentences } from '../../verdict-sentences.ts';
import { drawBand, roomInBand } from '../band.ts';
import type { Flow } from '../flow.ts';
import type { TextStyle } from '../pen.ts';

const MOST_NAMED = 5;

export function drawVerdictBox(flow: Flow): void {
  const { statement, labels, words, layout, regular, bold } = flow;
  const { state } = statement.summary.verdict;
  const { body: size } = layout.sizes;
  const { text, alert, alertBand, good, band } = layout.colours;
  const colour = state === 'clean' ? good : alert;
  const room = { size, width: roomInBand(flow), mostLines: 3 };
  const plain: TextStyle = { face: regular, size, colour: text };
  const strong: TextStyle = { face: bold, size, colour };
  const [title, ...sentences] = verdictSentences(statement.summary, labels, words.amount);
  const said = [
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
