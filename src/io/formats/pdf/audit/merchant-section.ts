// One merchant of an audit report: the verdict, the figures, the difference explained, the interpretations that stood, what was not
// checked, and the findings.

import type { AuditReport, Figures } from '../../../../core/domain/finding.ts';
import { SEVERITIES } from '../../../../core/domain/finding.ts';
import { STEPS, type Step, stepsOf } from '../../../../core/statements/tables/steps.ts';
import { field, type Table, type Tone } from '../../../../core/statements/tables/table.ts';
import { nameFinding } from '../../../../core/words/finding.ts';
import { fill } from '../../../../core/words/message.ts';
import { DASH } from '../../port/wording.ts';
import { heading, tableOf } from '../../tables/block.ts';
import { assumptionTable, uncheckedBlocks } from '../../tables/circumstances.ts';
import { drawBand, roomInBand } from '../page/band.ts';
import { drawHeading, drawParagraph, drawSubheading, pair } from '../page/flow.ts';
import { drawBlocks, drawTable } from '../page/tables.ts';
import { type Explained, explain } from './explained.ts';
import { drawAuditFindings, placeOf } from './findings.ts';
import { type AuditFlow, rootsOf } from './first-page.ts';

export function drawMerchant(flow: AuditFlow, report: AuditReport): void {
  const { said, audited } = flow;
  if (audited.merchants.length !== 1) {
    drawHeading(flow, `${report.merchant} — ${report.currency ?? said.unknown}`);
  }
  drawVerdict(flow, report);
  drawFigures(flow, report);
  drawExplained(flow, report);
  drawBlocks(flow, [heading(said.notChecked.heading), ...uncheckedBlocks(flow, said.notChecked, report.notChecked)]);
  drawAssumptions(flow, report);
  drawAuditFindings(flow, report);
}

/** A band with the verdict, what it means, and what was read. */
function drawVerdict(flow: AuditFlow, report: AuditReport): void {
  const { layout, regular, said } = flow;
  const { verdict } = report;
  const { alert, alertBand, good, accent, band, text } = layout.colours;
  const isBroken = verdict === 'broken';
  const room = { size: layout.sizes.body, width: roomInBand(flow), mostLines: 3 };
  const style = { face: regular, size: layout.sizes.body, colour: text };
  const sentences = [said.sentence[verdict], countsOf(flow, report), coverageOf(flow, report)];
  drawBand(flow, {
    title: pair(flow, said.identity.verdict, said.verdict[verdict]),
    colour: isBroken ? alert : verdict === 'clean' ? good : accent,
    background: isBroken ? alertBand : band,
    lines: sentences.flatMap((sentence) => regular.wrap(sentence, room).map((run) => ({ run, style }))),
  });
}

function countsOf({ said, words }: AuditFlow, report: AuditReport): string {
  const counts = SEVERITIES.map((severity) => {
    const count = report.findings.filter((finding) => finding.severity === severity).length;
    return [severity, words.amount(count)] as const;
  });
  const roots = rootsOf(report);
  const settled = roots.filter(({ settledBy }) => settledBy !== null).length;
  const accepted = roots.filter((root) => root.accepted !== null).length;
  const among = { roots: words.amount(roots.length), settled: words.amount(settled), accepted: words.amount(accepted) };
  return fill(said.counts, { ...Object.fromEntries(counts), ...among });
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

function drawFigures(flow: AuditFlow, { recorded, recomputed, due }: AuditReport): void {
  const { said, words, layout } = flow;
  const titles = said.figures;
  drawSubheading(flow, titles.heading, 80);
  drawParagraph(flow, titles.note, { tone: 'muted', size: layout.sizes.note });
  const differenceOf = (figure: keyof Figures): string | null => {
    const [stated, made] = [recorded[figure], recomputed[figure]];
    return stated === null || made === null ? null : String(BigInt(stated) - BigInt(made));
  };
  const dueOf = (figure: keyof Figures): string | null =>
    figure === 'balance' || figure === 'reserved' || figure === 'available' ? (due?.[figure] ?? null) : null;
  const rows = FIGURES.map(
    (figure): AuditFigure => ({
      figure: titles.names[figure],
      recorded: words.figure(recorded[figure]),
      recomputed: words.figure(recomputed[figure]),
      difference: words.figure(differenceOf(figure)),
      due: words.figure(dueOf(figure)),
      isOff: ![null, '0'].includes(differenceOf(figure)),
    }),
  );
  drawTable(flow, tableOf('figures', AUDIT_FIGURES, { titles, rows }));
}

type AuditFigure = Readonly<Record<'figure' | 'recorded' | 'recomputed' | 'difference' | 'due', string>> & {
  readonly isOff: boolean;
};

const AUDIT_FIGURES = {
  columns: [
    field('figure', 'text', { width: 34 }),
    ...(['recorded', 'recomputed', 'difference', 'due'] as const).map((key) => field(key, 'figure', { width: 17 })),
  ],
  toneOf: ({ isOff }) => (isOff ? 'alert' : 'plain'),
} as const satisfies Table<AuditFigure>;

/** Draws nothing without a wallet. */
function drawExplained(flow: AuditFlow, report: AuditReport): void {
  const [balance, reserved] = [explain(report, 'balance'), explain(report, 'reserved')];
  if (balance === null || reserved === null) return;
  const titles = flow.said.explained;
  drawSubheading(flow, titles.heading);
  drawTable(flow, tableOf('explained', STEPS, { titles, rows: explainedSteps(flow, { balance, reserved }) }));
}

function explainedSteps(flow: AuditFlow, sides: Readonly<Record<'balance' | 'reserved', Explained>>): readonly Step[] {
  const titles = flow.said.explained;
  const make = stepsOf(sides);
  const step = (key: string, name: string, pick: (side: Explained) => bigint, tone: Tone = 'plain'): Step =>
    make(key, name, (side) => String(pick(side)), { tone });
  const items = (['balance', 'reserved'] as const).flatMap((side) =>
    sides[side].items.map(({ finding, amount }): Step => {
      const kind = nameFinding(flow.words.speech, finding.kind);
      const name = fill(titles.item, { kind, place: placeOf(flow, finding) });
      return { key: 'item', name, balance: null, reserved: null, [side]: String(-amount) };
    }),
  );
  const isOff = sides.balance.unexplained !== 0n || sides.reserved.unexplained !== 0n;
  return [
    step('recorded', titles.recorded, (side) => side.recorded, 'strong'),
    ...items,
    step('others', titles.others, (side) => -side.others),
    step('unexplained', titles.unexplained, (side) => -side.unexplained, isOff ? 'alert' : 'plain'),
    step('recomputed', titles.recomputed, (side) => side.recomputed, 'strong'),
  ];
}

/** Draws nothing for books of which nothing was read. */
function drawAssumptions(flow: AuditFlow, { assumptions }: AuditReport): void {
  if (Object.keys(assumptions).length === 0) return;
  const titles = flow.said.assumptions;
  drawBlocks(flow, [heading(titles.heading), assumptionTable(flow, titles, assumptions)]);
}
