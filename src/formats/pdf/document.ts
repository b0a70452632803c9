// The whole statement, from first page to last: which sections, in which order, on which pages.

import type { LineStream } from '../../statements/statement-line.ts';
import type { Section, StatementTemplate } from '../template.ts';
import { type Flow, turnPage } from './flow.ts';
import { drawAnnex } from './sections/annex.ts';
import { drawCommissions } from './sections/commissions.ts';
import { drawDays } from './sections/days.ts';
import { drawFirstPage } from './sections/first-page.ts';
import { countLedger, drawLedger, drawLedgerElsewhere, isLedgerTooLong } from './sections/ledger.ts';
import { drawOperators } from './sections/operators.ts';
import { drawReconciliation } from './sections/reconciliation.ts';
import { drawSummary } from './sections/summary.ts';

const DRAW: Readonly<Record<Exclude<Section, 'ledger'>, (flow: Flow) => void>> = {
  summary: drawSummary,
  operators: drawOperators,
  days: drawDays,
  commissions: drawCommissions,
  reconciliation: drawReconciliation,
  annex: drawAnnex,
};

/** Yields after each part, so that what was drawn can be taken away. `lines` null: the ledger's pages are only counted. */
export async function* drawPages(flow: Flow, lines: LineStream | null): AsyncGenerator<void> {
  drawFirstPage(flow);
  for (const section of flow.layout.sections) {
    begin(flow, section);
    flow.pen.open('Sect');
    if (section !== 'ledger') DRAW[section](flow);
    else if (isLedgerTooLong(flow)) drawLedgerElsewhere(flow);
    else if (lines === null) countLedger(flow);
    else yield* drawLedger(flow, lines);
    flow.pen.close();
    yield;
  }
}

function begin(flow: Flow, section: Section): void {
  if (asksForNewPage(flow.layout, section) && flow.y > flow.top) turnPage(flow);
}

function asksForNewPage({ newPageBefore, sections }: StatementTemplate['layout'], section: Section): boolean {
  return newPageBefore.includes(section) && sections[0] !== section;
}
