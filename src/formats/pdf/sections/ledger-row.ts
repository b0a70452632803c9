// One row of the ledger: fixed height, figures flush right, figures and dates whole, texts cut where their cell ends. This is what a long statement
// spends its time on, so a row is one pass over its cells.

import type { Flow } from '../flow.ts';
import { tagged } from '../pen.ts';
import { type Column, colourOf, type Slot, shrunk, type Tone } from '../tables.ts';

export type LedgerColumn = Column<never>;

/** Number, date and time, label, reference, operator, debit, credit, balance, reserved. */
export type LedgerCells = readonly string[];

interface LedgerRow {
  readonly columns: readonly LedgerColumn[];
  readonly slots: readonly Slot[];
  readonly cells: LedgerCells;
  readonly tone: Tone;
}

const PADDING = 2.5;

export function ledgerRowHeight({ layout }: Flow): number {
  return layout.sizes.ledger * 1.3 + 2.4;
}

export function drawLedgerRow(flow: Flow, row: LedgerRow): void {
  const { pen } = flow;
  const top = flow.y;
  const height = ledgerRowHeight(flow);
  pen.decoration(() => drawRule(flow, row, { top, height }));
  pen.open('TR');
  row.cells.forEach((_, i) => {
    tagged(pen, 'TD', () => drawCell(flow, row, { i, top }));
  });
  pen.close();
  flow.y = top + height;
}

function drawRule(
  { pen, layout, left, right, width }: Flow,
  { tone }: LedgerRow,
  { top, height }: { readonly top: number; readonly height: number },
): void {
  if (tone === 'strong') pen.fill([{ x: left, y: top, width, height }], layout.colours.band);
  const y = top + height;
  pen.line({ x: left, y }, { x: right, y }, { colour: layout.colours.rule, width: 0.35 });
}

function drawCell(flow: Flow, row: LedgerRow, { i, top }: { readonly i: number; readonly top: number }): void {
  const text = row.cells[i]!;
  if (text === '') return;
  const { pen, layout } = flow;
  const size = layout.sizes.ledger;
  const slot = row.slots[i]!;
  const face = row.tone === 'strong' ? flow.bold : flow.regular;
  const y = top + size + 1.3;
  const colour = colourOf(flow, row.tone);
  const { holds } = row.columns[i]!;
  const width = slot.width - 2 * PADDING;
  if (holds === 'text') {
    pen.text({ x: slot.x + PADDING, y }, face.cut(text, { size, width }), { face, size, colour });
    return;
  }
  const run = face.shape(text);
  const fitting = shrunk(run, { size, width });
  const x = holds === 'date' ? slot.x + PADDING : slot.x + slot.width - PADDING - (run.width * fitting) / 1_000;
  pen.text({ x, y }, run, { face, size: fitting, colour });
}
