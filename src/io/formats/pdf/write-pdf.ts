// Writes the statement as a PDF, the same bytes for the same statement. Reads no file: fonts, words and layout come with the
// template that it is handed.

import type { Writable } from 'node:stream';
import { invariant } from '../../../core/domain/invariant.ts';
import { fill } from '../../../core/words/message.ts';
import type { FormatOptions, StatementDocument } from '../port/format.ts';
import type { Section } from '../port/template.ts';
import { drawHeading, type Flow, turnPage } from './page/flow.ts';
import { writeStatementPages } from './page/write-pages.ts';
import { drawFirstPage } from './sections/first-page.ts';
import { drawLedger } from './sections/ledger.ts';
import { drawOperations, type OperationPlan, planOperations } from './sections/operations.ts';
import {
  drawAnnex,
  drawCommissions,
  drawDays,
  drawOperators,
  drawReconciliation,
  drawSummary,
} from './sections/parts.ts';
import { drawVisa } from './sections/visa.ts';

/** Ends `out`. */
export async function writePdf(document: StatementDocument, options: FormatOptions, out: Writable): Promise<void> {
  const { statement } = document;
  const { template, withLedger = false } = options;
  invariant(template !== undefined, 'a caller that asks for a PDF hands a template over');
  const { sections: own, ledger } = template.layout;
  const sections: readonly Section[] = withLedger && !own.includes('ledger') ? [...own, 'ledger'] : own;
  const plan = sections.includes('operations') ? await planOperations(document, ledger.mostLines) : null;
  await writeStatementPages(
    {
      statement,
      named: (labels, period) => ({ ...labels.document, title: fill(labels.document.title, { period }) }),
      draw: (flow, isCounted) => drawPages(flow, { sections, plan, document: isCounted ? null : document }),
    },
    options,
    out,
  );
}

/** `document` null: the pages of long lists are only counted. */
type Draw = (flow: Flow, document: StatementDocument | null, plan: OperationPlan | null) => AsyncGenerator<void> | void;

const DRAW: Readonly<Record<Section, Draw>> = {
  summary: drawSummary,
  operators: drawOperators,
  days: drawDays,
  commissions: drawCommissions,
  reconciliation: drawReconciliation,
  ledger: drawLedger,
  operations: drawOperations,
  annex: drawAnnex,
};

interface Parts {
  readonly sections: readonly Section[];
  readonly plan: OperationPlan | null;
  readonly document: StatementDocument | null;
}

function titleOf({ labels, statement }: Flow, section: Section): string {
  if (section === 'operations') return labels.monthOperations.heading;
  return labels[section === 'days' && statement.months !== null ? 'months' : section].heading;
}

/** Yields after each part, so that its bytes can be taken away. */
async function* drawPages(flow: Flow, { sections, plan, document }: Parts): AsyncGenerator<void> {
  drawFirstPage(flow);
  for (const [i, section] of sections.entries()) {
    flow.section = `${i + 1}. ${titleOf(flow, section)}`;
    if (flow.layout.newPageBefore.includes(section) && i > 0 && flow.y > flow.top) turnPage(flow);
    flow.pen.open('Sect');
    drawHeading(flow, flow.section);
    const drawn = DRAW[section](flow, document, plan);
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
