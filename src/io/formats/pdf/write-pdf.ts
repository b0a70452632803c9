// Writes the statement as a PDF, the same bytes for the same statement. Reads no file: fonts, words
// and layout come with the template that it is handed.

import type { Writable } from 'node:stream';
import { invariant } from '../../../core/domain/invariant.ts';
import { fill } from '../../../core/words/finding.ts';
import type { FormatOptions, StatementDocument } from '../port/format.ts';
import type { Section } from '../port/template.ts';
import { drawHeading, type Flow, hasRoom, turnPage } from './page/flow.ts';
import { drawBlocks } from './page/tables.ts';
import { writeStatementPages } from './page/write-pages.ts';
import { drawFirstPage } from './sections/first-page.ts';
import {
  drawLedger,
  drawOperations,
  type OperationPlan,
  planOperations,
} from './sections/operations.ts';
import { drawAnnex, hasNothing, SECTION_BLOCKS } from './sections/parts.ts';
import { drawVisa } from './sections/visa.ts';

/** Ends `out`. */
export async function writePdf(
  document: StatementDocument,
  options: FormatOptions,
  out: Writable,
): Promise<void> {
  const { statement } = document;
  const { template, withLedger = false } = options;
  invariant(template !== undefined, 'a caller that asks for a PDF hands a template over');
  const { sections: own, ledger } = template.layout;
  const asked: readonly Section[] =
    withLedger && !own.includes('ledger') ? [...own, 'ledger'] : own;
  const sections = hasNothing(statement)
    ? asked.filter((section) => !MOVED.includes(section))
    : asked;
  const plan = sections.includes('operations')
    ? await planOperations(document, ledger.mostLines)
    : null;
  await writeStatementPages(
    {
      statement,
      named: (labels, period) => ({
        ...labels.document,
        title: fill(labels.document.title, { period }),
      }),
      draw: (flow, isCounted) =>
        drawPages(flow, { sections, plan, document: isCounted ? null : document }),
    },
    options,
    out,
  );
}

/** Sections of what moved. */
const MOVED: readonly Section[] = [
  'summary',
  'operators',
  'days',
  'commissions',
  'operations',
  'ledger',
];

/** `document` null: the pages of long lists are only counted. */
type Draw = (
  flow: Flow,
  document: StatementDocument | null,
  plan: OperationPlan | null,
) => AsyncGenerator<void> | void;

const DRAW: Readonly<Record<Exclude<Section, keyof typeof SECTION_BLOCKS>, Draw>> = {
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
  const leaveFirstPage = drawFirstPage(flow);
  for (const [i, section] of sections.entries()) {
    const title = `${i + 1}. ${titleOf(flow, section)}`;
    const isApart = flow.layout.newPageBefore.includes(section);
    const draw = (on: Flow) => {
      // A table follows the heading, with little before it.
      drawHeading(on, title, ['operators', 'annex'].includes(section) ? 132 : 90);
      if (!(section in SECTION_BLOCKS))
        return DRAW[section as keyof typeof DRAW](on, document, plan);
      return drawBlocks(on, SECTION_BLOCKS[section as keyof typeof SECTION_BLOCKS](on));
    };
    const isShort = hasRoom(flow, (probe) => {
      // A long list is drawn later.
      if (draw(probe) !== undefined) turnPage(probe);
    });
    if (isApart || !isShort) leaveFirstPage();
    flow.section = title;
    if (isApart && flow.y > flow.top) turnPage(flow);
    flow.pen.open('Sect');
    const drawn = draw(flow);
    if (drawn !== undefined) yield* drawn;
    flow.pen.close();
    yield;
  }
  leaveFirstPage();
  const { issuer } = flow.statement;
  if (issuer === null) return;
  flow.pen.open('Sect');
  drawVisa(flow, flow.labels.parties, issuer.legalName);
  flow.pen.close();
  yield;
}
