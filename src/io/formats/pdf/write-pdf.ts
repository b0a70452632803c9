// Writes the statement as a PDF, the same bytes for the same statement. Reads no file: fonts, words and layout come with the
// template that it is handed.

import type { Writable } from 'node:stream';
import { invariant } from '../../../core/domain/invariant.ts';
import type { FormatOptions, StatementDocument } from '../port/format.ts';
import { labelsOf, type Section } from '../port/template.ts';
import { wordingOf } from '../port/wording.ts';
import { type Flow, openFlow, turnPage } from './page/flow.ts';
import { infoOf } from './page/metadata.ts';
import { writePages } from './page/write-pages.ts';
import { drawFirstPage } from './sections/first-page.ts';
import { drawLedger, drawOperations } from './sections/ledger.ts';
import { drawAnnex, drawCommissions, drawDays, drawOperators, drawReconciliation } from './sections/parts.ts';
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

type Streams = Pick<StatementDocument, 'lines' | 'operations'>;

/** `streams` null: the pages of ledger and operations are only counted. */
const DRAW: Readonly<Record<Section, (flow: Flow, streams: Streams | null) => AsyncGenerator<void> | void>> = {
  summary: drawSummary,
  operators: drawOperators,
  days: drawDays,
  commissions: drawCommissions,
  reconciliation: drawReconciliation,
  ledger: drawLedger,
  operations: drawOperations,
  annex: drawAnnex,
};

/** Yields after each part, so that its bytes can be taken away. */
async function* drawPages(flow: Flow, streams: Streams | null): AsyncGenerator<void> {
  drawFirstPage(flow);
  for (const section of flow.layout.sections) {
    begin(flow, section);
    flow.pen.open('Sect');
    const drawn = DRAW[section](flow, streams);
    if (drawn !== undefined) yield* drawn;
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

function begin(flow: Flow, section: Section): void {
  const { newPageBefore, sections } = flow.layout;
  if (newPageBefore.includes(section) && sections[0] !== section && flow.y > flow.top) turnPage(flow);
}
