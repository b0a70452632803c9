// What opens the first page: the figure that is due, large, and below it the verdict, who owes whom
// what, what was put right, and what was not read. It is there also when all is sound: a reader
// must not have to guess what silence means.

import type { FindingKind } from '../../../../core/domain/finding-kind.ts';
import { labelOf, parseDay } from '../../../../core/domain/period.ts';
import type { StatementChange } from '../../../../core/statements/statement.ts';
import { fill } from '../../../../core/words/finding.ts';
import { nameFigure, nameFigureValue, wordOnPaper } from '../../../../core/words/names.ts';
import { findingCounts, itemLine } from '../../sentences/verdict-reasons.ts';
import { heroOf, verdictSentences } from '../../sentences/verdict-sentences.ts';
import { apart, type Flow } from '../page/flow.ts';
import { type TextRun, type TextStyle, tagged, tagLines, widthOf } from '../page/pen.ts';
import { hasNothing } from './parts.ts';

const MOST_NAMED = 5;
/** No sentence of ours is as long: none is cut. */
const MOST_LINES = 12;
/** What a reader of a revision asks first. */
const FIRST_CHANGES = ['verdict.state', 'closingBalance', 'recorded.balance', 'due.balance'];
const MOST_CHANGES = 4;
/**
 * Points of the figure, of the words before it, and from the coloured rule at the left to the text.
 */
const FIGURE = 23;
const LABEL = 13;
const INDENT = 12;

export function drawVerdict(flow: Flow): void {
  const { statement, words, labels, layout, regular, bold, pen, left, width } = flow;
  const { text, alert, good } = layout.colours;
  const size = layout.sizes.body + 0.7;
  const colour = statement.summary.verdict.state === 'clean' ? good : alert;
  const strong: TextStyle = { face: bold, size, colour };
  const plain: TextStyle = { face: regular, size, colour: text };
  const top = flow.y;
  drawHero(flow);
  const said = [
    ...verdictSentences(statement.summary, labels, words.amount).map(
      (sentence) => [sentence, strong] as const,
    ),
    ...[
      ...(hasNothing(statement) ? [labels.firstPage.nothing] : soundLine(flow)),
      ...walletLine(flow),
    ].map((line) => [line, strong] as const),
    ...revisionLines(flow).map((line) => [line, { ...plain, face: bold }] as const),
    ...settledLines(flow).map((line) => [line, plain] as const),
    ...findingCounts(statement, labels.verdict, words.speech).map(
      ({ words: line, isStrong }) => [line, isStrong ? strong : plain] as const,
    ),
    ...notChecked(flow).map((line) => [line, plain] as const),
  ];
  const step = size * (flow.setting.isClose ? 1.3 : 1.45);
  for (const [sentence, style] of said) {
    const runs: readonly TextRun[] = style.face.wrap(sentence, {
      size,
      width: width - INDENT,
      mostLines: MOST_LINES,
    });
    const from = flow.y;
    tagLines(
      pen,
      'P',
      { runs, at: (line) => ({ x: left + INDENT, y: from + size + line * step }) },
      style,
    );
    flow.y += runs.length * step;
  }
  pen.decoration(() => pen.fill([{ x: left, y: top, width: 3, height: flow.y - top + 2 }], colour));
  flow.y += apart(flow, 10);
}

/** On one line; smaller where the figure is long. */
function drawHero(flow: Flow): void {
  const {
    layout,
    regular,
    bold,
    pen,
    left,
    width,
    statement,
    labels,
    language,
    words: said,
  } = flow;
  const day = labelOf(parseDay(statement.days.at(-1)!.day)!, language);
  const { label, figure } = heroOf(statement.summary, day, labels.firstPage, said.amount);
  const [words, sum] = [regular.shape(`${label} `), bold.shape(figure)];
  const needed = widthOf(words, LABEL) + widthOf(sum, FIGURE);
  const scale = Math.min(1, (width - INDENT) / needed);
  const y = flow.y + FIGURE;
  const x = left + INDENT;
  tagged(pen, 'P', () => {
    pen.text({ x, y }, words, { face: regular, size: LABEL * scale, colour: layout.colours.text });
    const at = { x: x + widthOf(words, LABEL * scale), y };
    pen.text(at, sum, { face: bold, size: FIGURE * scale, colour: layout.colours.accent });
  });
  flow.y += FIGURE + apart(flow, 9);
}

/** Names the controls that were made, and came to nothing: none where one of them did not. */
function soundLine({ statement, labels, words }: Flow): readonly string[] {
  const { summary, due, commissions, journal, circumstances, operations } = statement;
  const { control, verdict, recorded, entryCount } = summary;
  const off = [control.recordedMinusRecomputed, control.reservedRecordedMinusRecomputed];
  const isSound =
    verdict.state === 'clean' &&
    summary.due?.balance === recorded.balance &&
    off.every((one) => one === 0);
  if (!isSound || due.items.some(({ state }) => state !== 'settled')) return [];
  const { controls: said, noGap } = labels.firstPage;
  const { serviceReport, walletAsRead } = circumstances;
  const isZero = (figures: readonly number[] | null): boolean =>
    figures?.every((figure) => figure === 0) === true;
  const { controls } = journal;
  const { count } = operations;
  const priced = commissions.rows.filter((row) => row.price !== null && row.count > 0);
  const made = [
    ['lines', entryCount, true],
    [
      'operations',
      count,
      count > 0 && isZero(controls && Object.values(controls).map(({ rest }) => rest)),
    ],
    ['commissions', priced.length, priced.length > 0 && commissions.differenceCount === 0],
    [
      'wallet',
      0,
      isZero(walletAsRead && [walletAsRead.balance.difference, walletAsRead.reserved.difference]),
    ],
    [
      'report',
      serviceReport?.compared ?? 0,
      serviceReport?.notCompared === null &&
        serviceReport.differences.length + (serviceReport.allowed?.length ?? 0) === 0,
    ],
  ] as const;
  const list = made
    .filter(([, , isMade]) => isMade)
    .map(([name, count]) => fill(said[name], { count }, words.speech));
  return [fill(noGap, { list: list.join(', ') })];
}

/** What was put right, with the line that did it. */
function settledLines({ statement, labels, words }: Flow): readonly string[] {
  const settled = statement.due.items.filter(({ state }) => state === 'settled');
  return settled.slice(0, MOST_NAMED).map((item) => itemLine(item, labels.due, words.speech));
}

/** What a revision takes the place of, as it was printed there, and what is another in it. */
function revisionLines({ statement, labels, words }: Flow): readonly string[] {
  const { number, previous, changes } = statement.revision;
  if (previous === null) return [];
  const { replaces, changed, change, between, otherChanges } = labels.identity;
  const numbers = { revision: words.amount(number), previous: words.amount(previous.number) };
  const at = words.instant(previous.generatedAt);
  const rank = ({ figure }: StatementChange): number =>
    FIRST_CHANGES.indexOf(figure) + 1 || MOST_CHANGES + 1;
  const shown = changes.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST_CHANGES);
  const list = shown.map(({ figure, before, after }) => {
    const value = (text: string | null): string =>
      words.figure(nameFigureValue(words.speech, figure, text));
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
  if (statement.summary.verdict.state !== 'incomplete') return [];
  return statement.circumstances.notChecked
    .filter(({ incomplete }) => incomplete)
    .slice(0, MOST_NAMED)
    .map((note) => fill(labels.verdict.notChecked, wordOnPaper(words.speech, note)));
}

/**
 * The wallet was read after the month: what it states otherwise than its own lines is not the
 * month's, and is not kept back.
 */
function walletLine({ statement, labels, words }: Flow): readonly string[] {
  const differenceOf = (kind: FindingKind): string | null =>
    statement.findings.rows.find((row) => row.kind === kind && row.when === 'standing')
      ?.difference ?? null;
  const [balance, reserved] = [
    differenceOf('WALLET_BALANCE_MISMATCH'),
    differenceOf('WALLET_RESERVED_MISMATCH'),
  ];
  if (balance === null && reserved === null) return [];
  const said = { balance: words.figure(balance ?? '0'), reserved: words.figure(reserved ?? '0') };
  return [fill(labels.due.walletDiffers, said)];
}
