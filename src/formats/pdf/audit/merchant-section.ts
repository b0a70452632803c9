// One merchant of an audit report: the verdict, the figures, the difference explained, the interpretations that stood, what was not
// checked, and the findings.

import type { AuditReport, Figures } from '../../../domain/finding.ts';
import { SEVERITIES } from '../../../domain/finding.ts';
import { fill } from '../../phrase.ts';
import { drawHeading, drawParagraph, drawSubheading, ensure, pair } from '../flow.ts';
import { tagged } from '../pen.ts';
import { drawTable, type Tone } from '../tables.ts';
import { DASH } from '../wording.ts';
import type { AuditFlow } from './audit-flow.ts';
import { type Explained, explain } from './explained.ts';
import { drawAuditFindings, placeOf } from './findings.ts';
import { rootsOf } from './first-page.ts';

export function drawMerchant(flow: AuditFlow, report: AuditReport): void {
  const { said, audited } = flow;
  if (audited.merchants.length !== 1) {
    drawHeading(flow, `${report.merchant} — ${report.currency ?? said.unknown}`);
  }
  drawVerdict(flow, report);
  drawFigures(flow, report);
  drawExplained(flow, report);
  drawNotChecked(flow, report);
  drawAssumptions(flow, report);
  drawAuditFindings(flow, report);
}

const PADDING = 9;

/** A band with the verdict, what it means, and what was read. */
function drawVerdict(flow: AuditFlow, report: AuditReport): void {
  const { pen, layout, left, width, regular, bold, said } = flow;
  const { verdict } = report;
  const { body: size } = layout.sizes;
  const isBroken = verdict === 'broken';
  const room = { size, width: width - 2 * PADDING - 4, mostLines: 3 };
  const lines = [said.sentence[verdict], countsOf(flow, report), coverageOf(flow, report)].flatMap((sentence) =>
    regular.wrap(sentence, room),
  );
  const step = size * 1.45;
  const height = 2 * PADDING + size * 1.3 + lines.length * step;
  ensure(flow, height);
  const top = flow.y;
  const colour = isBroken ? layout.colours.alert : verdict === 'clean' ? layout.colours.good : layout.colours.accent;
  pen.decoration(() => {
    pen.fill([{ x: left, y: top, width, height }], isBroken ? layout.colours.alertBand : layout.colours.band);
    pen.fill([{ x: left, y: top, width: 3, height }], colour);
  });
  const x = left + PADDING + 4;
  tagged(pen, 'P', () => {
    const run = bold.cut(pair(flow, said.identity.verdict, said.verdict[verdict]), {
      size: size + 1.2,
      width: room.width,
    });
    pen.text({ x, y: top + PADDING + size }, run, { face: bold, size: size + 1.2, colour });
  });
  tagged(pen, 'P', () => {
    lines.forEach((run, i) => {
      const y = top + PADDING + size * 2.8 + i * step;
      pen.text({ x, y }, run, { face: regular, size, colour: layout.colours.text });
    });
  });
  flow.y = top + height + 8;
}

function countsOf({ said, words }: AuditFlow, report: AuditReport): string {
  const counts = SEVERITIES.map((severity) => {
    const count = report.findings.filter((finding) => finding.severity === severity).length;
    return [severity, words.amount(count)] as const;
  });
  return fill(said.counts, { ...Object.fromEntries(counts), roots: words.amount(rootsOf(report).length) });
}

function coverageOf(flow: AuditFlow, report: AuditReport): string {
  const { said, words } = flow;
  const { entries, operations, firstSequence, lastSequence } = report;
  const sequence = (figure: number | null): string => (figure === null ? DASH : words.amount(figure));
  const lines = fill(said.sequences, {
    count: words.amount(entries),
    first: sequence(firstSequence),
    last: sequence(lastSequence),
  });
  return `${pair(flow, said.identity.lines, lines)}. ${pair(flow, said.identity.operations, words.amount(operations))}.`;
}

const FIGURES = [
  'balance',
  'reserved',
  'available',
  'totalCollected',
  'totalDisbursed',
  'totalFees',
] as const satisfies readonly (keyof Figures)[];

function drawFigures(flow: AuditFlow, { recorded, recomputed }: AuditReport): void {
  const { said, words, layout } = flow;
  const titles = said.figures;
  drawSubheading(flow, titles.heading, 80);
  drawParagraph(flow, titles.note, { tone: 'muted', size: layout.sizes.note });
  const differenceOf = (figure: keyof Figures): string | null => {
    const [stated, due] = [recorded[figure], recomputed[figure]];
    return stated === null || due === null ? null : String(BigInt(stated) - BigInt(due));
  };
  drawTable<keyof Figures>(flow, {
    columns: [
      { title: titles.figure, share: 60, holds: 'text', cell: (figure) => titles.names[figure] },
      { title: titles.recorded, share: 30, holds: 'figure', cell: (figure) => words.figure(recorded[figure]) },
      { title: titles.recomputed, share: 30, holds: 'figure', cell: (figure) => words.figure(recomputed[figure]) },
      { title: titles.difference, share: 30, holds: 'figure', cell: (figure) => words.figure(differenceOf(figure)) },
    ],
    rows: FIGURES,
    toneOf: (figure) => ([null, '0'].includes(differenceOf(figure)) ? 'plain' : 'alert'),
  });
}

interface Step {
  readonly name: string;
  readonly balance: string;
  readonly reserved: string;
  readonly tone: Tone;
}

/** Each step shows what it adds, so that a column can be added up from top to bottom. Draws nothing without a wallet. */
function drawExplained(flow: AuditFlow, report: AuditReport): void {
  const [balance, reserved] = [explain(report, 'balance'), explain(report, 'reserved')];
  if (balance === null || reserved === null) return;
  const titles = flow.said.explained;
  drawSubheading(flow, titles.heading);
  drawTable<Step>(flow, {
    columns: [
      { title: titles.step, share: 90, holds: 'text', mostLines: 2, cell: ({ name }) => name },
      { title: titles.balance, share: 30, holds: 'figure', cell: (step) => step.balance },
      { title: titles.reserved, share: 30, holds: 'figure', cell: (step) => step.reserved },
    ],
    rows: stepsOf(flow, { balance, reserved }),
    toneOf: ({ tone }) => tone,
  });
}

function stepsOf(flow: AuditFlow, sides: Readonly<Record<'balance' | 'reserved', Explained>>): readonly Step[] {
  const { said, words } = flow;
  const titles = said.explained;
  const step = (name: string, pick: (side: Explained) => bigint, tone: Tone = 'plain'): Step => ({
    name,
    balance: words.figure(String(pick(sides.balance))),
    reserved: words.figure(String(pick(sides.reserved))),
    tone,
  });
  const items = (['balance', 'reserved'] as const).flatMap((side) =>
    sides[side].items.map(({ finding, amount }): Step => {
      const name = fill(titles.item, { kind: finding.kind, place: placeOf(flow, finding) });
      return { name, balance: '', reserved: '', tone: 'plain', [side]: words.figure(String(-amount)) };
    }),
  );
  const isOff = sides.balance.unexplained !== 0n || sides.reserved.unexplained !== 0n;
  return [
    step(titles.recorded, (side) => side.recorded, 'strong'),
    ...items,
    step(titles.others, (side) => -side.others),
    step(titles.unexplained, (side) => -side.unexplained, isOff ? 'alert' : 'plain'),
    step(titles.recomputed, (side) => side.recomputed, 'strong'),
  ];
}

function drawNotChecked(flow: AuditFlow, { notChecked }: AuditReport): void {
  const titles = flow.said.notChecked;
  drawSubheading(flow, titles.heading);
  if (notChecked.length === 0) {
    drawParagraph(flow, titles.nothing);
    return;
  }
  drawTable<AuditReport['notChecked'][number]>(flow, {
    columns: [
      { title: titles.what, share: 30, holds: 'text', mostLines: 2, cell: ({ what }) => what },
      { title: titles.why, share: 70, holds: 'text', mostLines: 6, cell: ({ why }) => why },
    ],
    rows: notChecked,
  });
}

/** Draws nothing for books of which nothing was read. */
function drawAssumptions(flow: AuditFlow, { assumptions }: AuditReport): void {
  const titles = flow.said.assumptions;
  const rows = Object.entries(assumptions);
  if (rows.length === 0) return;
  drawSubheading(flow, titles.heading);
  drawTable<readonly [string, unknown]>(flow, {
    columns: [
      { title: titles.question, share: 30, holds: 'text', cell: ([question]) => question },
      { title: titles.answer, share: 70, holds: 'text', mostLines: 3, cell: ([, answer]) => answerText(answer) },
    ],
    rows,
    widthShare: 0.8,
  });
}

function answerText(answer: unknown): string {
  if (answer === null) return DASH;
  if (Array.isArray(answer)) return answer.map(answerText).join(', ');
  return typeof answer === 'string' ? answer : JSON.stringify(answer);
}
