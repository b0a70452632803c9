// The whole statement, from first page to last: which sections, in which order, on which pages.

import type { StatementDocument } from '../format.ts';
import type { Section, StatementTemplate } from '../template.ts';
import { type Flow, turnPage } from './flow.ts';
import { drawAnnex } from './sections/annex.ts';
import { drawCommissions } from './sections/commissions.ts';
import { drawDays, drawMonths } from './sections/days.ts';
import { drawFirstPage } from './sections/first-page.ts';
import { countLedger, drawLedger, drawLedgerElsewhere, isLedgerTooLong } from './sections/ledger.ts';
import { drawLinks } from './sections/links.ts';
import {
  areOperationsTooMany,
  countMonthOperations,
  drawMonthOperations,
  drawOperationsElsewhere,
} from './sections/month-operations.ts';
import { drawOperators } from './sections/operators.ts';
import { drawReconciliation } from './sections/reconciliation.ts';
import { drawSummary } from './sections/summary.ts';
import { drawVisa } from './sections/visa.ts';

const DRAW: Readonly<Record<Exclude<Section, 'ledger' | 'operations'>, (flow: Flow) => void>> = {
  summary: drawSummary,
  operators: (flow) => {
    drawOperators(flow);
    drawLinks(flow);
  },
  days: (flow) => (flow.statement.months === null ? drawDays(flow) : drawMonths(flow, flow.statement.months)),
  commissions: drawCommissions,
  reconciliation: drawReconciliation,
  annex: drawAnnex,
};

/** Yields after each part, so that what was drawn can be taken away. `streams` null: the pages of ledger and operations are only counted. */
export async function* drawPages(flow: Flow, streams: Streams | null): AsyncGenerator<void> {
  drawFirstPage(flow);
  for (const section of flow.layout.sections) {
    begin(flow, section);
    flow.pen.open('Sect');
    if (section === 'ledger') yield* ledger(flow, streams);
    else if (section === 'operations') yield* operations(flow, streams);
    else DRAW[section](flow);
    flow.pen.close();
    yield;
  }
  const { issuer } = flow.statement;
  if (issuer === null) return;
  flow.pen.open('Sect');
  drawVisa(flow, flow.labels.parties, issuer.legalName);
  flow.pen.close();
  yield;
}

type Streams = Pick<StatementDocument, 'lines' | 'operations'>;

async function* ledger(flow: Flow, streams: Streams | null): AsyncGenerator<void> {
  if (isLedgerTooLong(flow)) drawLedgerElsewhere(flow);
  else if (streams === null) countLedger(flow);
  else yield* drawLedger(flow, streams.lines);
}

async function* operations(flow: Flow, streams: Streams | null): AsyncGenerator<void> {
  if (areOperationsTooMany(flow)) drawOperationsElsewhere(flow);
  else if (streams === null) countMonthOperations(flow);
  else yield* drawMonthOperations(flow, streams.operations);
}

function begin(flow: Flow, section: Section): void {
  if (asksForNewPage(flow.layout, section) && flow.y > flow.top) turnPage(flow);
}

function asksForNewPage({ newPageBefore, sections }: StatementTemplate['layout'], section: Section): boolean {
  return newPageBefore.includes(section) && sections[0] !== section;
}
