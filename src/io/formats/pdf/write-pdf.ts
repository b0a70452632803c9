// Writes the statement as a PDF, the same bytes for the same statement. Reads no file: fonts, words and layout come with the
// template that it is handed.

import type { Writable } from 'node:stream';
import { invariant } from '../../../core/domain/invariant.ts';
import type { FormatOptions, StatementDocument } from '../port/format.ts';
import { labelsOf, type Section, type StatementTemplate } from '../port/template.ts';
import { wordingOf } from '../port/wording.ts';
import { type Flow, openFlow, turnPage } from './page/flow.ts';
import { infoOf } from './page/metadata.ts';
import { writePages } from './page/write-pages.ts';
import { drawAnnex } from './sections/annex.ts';
import { drawCommissions } from './sections/commissions.ts';
import { drawDays, drawMonths } from './sections/days.ts';
import { drawFirstPage } from './sections/first-page.ts';
import { countLedger, drawLedger, drawLedgerElsewhere, isLedgerTooLong } from './sections/ledger.ts';
import {
  areOperationsTooMany,
  countMonthOperations,
  drawMonthOperations,
  drawOperationsElsewhere,
} from './sections/month-operations.ts';
import { drawLinks, drawOperators } from './sections/operators.ts';
import { drawReconciliation } from './sections/reconciliation.ts';
import { drawSummary } from './sections/summary.ts';
import { drawVisa } from './sections/visa.ts';

/** Ends `out`. */
export async function writePdf(document: StatementDocument, options: FormatOptions, out: Writable): Promise<void> {
  const { statement } = document;
  const { template, language, verifyAt } = options;
  invariant(template !== undefined, 'a caller that asks for a PDF hands a template over');
  const { logo } = template;
  const labels = labelsOf(template, statement)[language];
  const words = wordingOf(statement.period.zone, { labels, language });
  await writePages<Flow>(
    {
      info: infoOf({ statement, language, labels }),
      language,
      template,
      begin: (drawn) => openFlow({ ...drawn, statement, language, labels, words, logo, verifyAt }),
      draw: (flow, isCounted) => drawPages(flow, isCounted ? null : document),
    },
    out,
  );
}

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
async function* drawPages(flow: Flow, streams: Streams | null): AsyncGenerator<void> {
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
