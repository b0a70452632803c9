// Writes the statement as a PDF, the same bytes for the same statement. Reads no file: fonts, words
// and layout come with the template that it is handed.

import type { Writable } from 'node:stream';
import { invariant } from '../../../core/domain/invariant.ts';
import { fill } from '../../../core/words/finding.ts';
import type { FormatOptions, StatementDocument } from '../port/format.ts';
import type { Section } from '../port/template.ts';
import { drawInColumns, type Part } from './page/columns.ts';
import {
  drawHeading,
  drawParagraph,
  type Flow,
  fitsHeading,
  hasRoom,
  turnPage,
} from './page/flow.ts';
import type { RowLines } from './page/long-table.ts';
import { STATEMENT_SETTINGS } from './page/setting.ts';
import { isReadable, partsOfBlocks } from './page/tables.ts';
import { writeStatementPages } from './page/write-pages.ts';
import { drawFirstPage, type FirstPage } from './sections/first-page.ts';
import {
  drawLedger,
  drawOperations,
  type ListSource,
  type OperationPlan,
  planOperations,
} from './sections/operations.ts';
import { annexParts, hasNothing, SECTION_BLOCKS } from './sections/parts.ts';
import { visaPart } from './sections/visa.ts';

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
  const isListed = sections.includes('operations') && statement.months === null;
  const plan = isListed ? await planOperations(document, ledger.mostLines) : null;
  const known: RowLines = new Map();
  await writeStatementPages(
    {
      statement,
      named: (labels, period) => ({
        ...labels.document,
        title: fill(labels.document.title, { period }),
      }),
      settings: STATEMENT_SETTINGS,
      draw: (flow, isCounted) =>
        drawPages(flow, { sections, plan, source: { document, isCounted, known } }),
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

interface Parts {
  readonly sections: readonly Section[];
  readonly plan: OperationPlan | null;
  readonly source: ListSource;
}

/** Whether nothing moved that the section would show. */
function isStill({ statement }: Flow, section: Section, plan: OperationPlan | null): boolean {
  const { summary, operators, paymentsByLink, corrections, months } = statement;
  if (months !== null || summary.entryCount > 0 || summary.paymentCount > 0) return false;
  if (section === 'operators') return operators.rows.length === 0 && paymentsByLink === null;
  if (section === 'operations')
    return plan?.count === 0 && plan.idle.size === 0 && corrections.rows.length === 0;
  return section === 'days' || section === 'ledger';
}

function nothingPart(flow: Flow, sections: readonly Section[]): Part<Flow> {
  const list = sections.map((section) => titleOf(flow, section)).join(' · ');
  const text = fill(flow.labels.document.nothing, { list });
  return { draw: (on) => drawParagraph(on, text, { tone: 'muted' }), fits: isReadable };
}

function titleOf({ labels, statement }: Flow, section: Section): string {
  if (section === 'operations') return labels.monthOperations.heading;
  return labels[section === 'days' && statement.months !== null ? 'months' : section].heading;
}

/** Yields after each part, so that its bytes can be taken away. */
async function* drawPages(flow: Flow, { sections, plan, source }: Parts): AsyncGenerator<void> {
  const firstPage = drawFirstPage(flow);
  const { issuer } = flow.statement;
  const shown = sections.filter((section) => !isStill(flow, section, plan));
  const still = sections.filter((section) => !shown.includes(section));
  let parts: Part<Flow>[] = still.length === 0 ? [] : [nothingPart(flow, still)];
  for (const [i, section] of shown.entries()) {
    const title = `${i + 1}. ${titleOf(flow, section)}`;
    const isApart = flow.layout.newPageBefore.includes(section);
    const isList = section === 'operations' || section === 'ledger';
    if (isApart || isList) {
      drawSections(flow, parts, firstPage);
      parts = [];
    }
    if (isApart) {
      firstPage.leave();
      flow.section = title;
      if (flow.y > flow.top) turnPage(flow);
    }
    if (!isList) {
      parts.push(...under(title, partsIn(flow, section)));
      continue;
    }
    firstPage.leave();
    flow.section = title;
    flow.pen.open('Sect');
    drawHeading(flow, title);
    yield* section === 'ledger' ? drawLedger(flow, source) : drawOperations(flow, source, plan);
    flow.pen.close();
    yield;
  }
  if (issuer !== null) parts.push(visaPart(issuer.legalName));
  drawSections(flow, parts, firstPage);
  firstPage.leave();
  yield;
}

function partsIn(
  flow: Flow,
  section: Exclude<Section, 'operations' | 'ledger'>,
): readonly Part<Flow>[] {
  if (section === 'annex') return annexParts(flow);
  return partsOfBlocks(SECTION_BLOCKS[section](flow));
}

/** The heading of a section is with its first part. */
function under(title: string, [first, ...others]: readonly Part<Flow>[]): readonly Part<Flow>[] {
  if (first === undefined) return [];
  const headed = {
    draw: (flow: Flow) => {
      drawHeading(flow, title);
      first.draw(flow);
    },
    fits: (flow: Flow) => fitsHeading(flow, title) && first.fits(flow),
  };
  return [headed, ...others].map(({ draw, ...part }) => ({
    ...part,
    section: title,
    draw: (flow) => {
      flow.pen.open('Sect');
      draw(flow);
      flow.pen.close();
    },
  }));
}

/** A letter behind the first page parts no section: those that are not whole before it follow it. */
function drawSections(flow: Flow, parts: readonly Part<Flow>[], firstPage: FirstPage): void {
  if (parts.length === 0) return;
  if (!firstPage.hasMore()) {
    drawInColumns(flow, parts);
    return;
  }
  const ends = parts.flatMap(({ section }, i) =>
    parts[i + 1]?.section === section ? [] : [i + 1],
  );
  const end = ends.findLast((one) =>
    hasRoom(flow, (probe) => drawInColumns(probe, parts.slice(0, one))),
  );
  drawInColumns(flow, parts.slice(0, end ?? 0));
  if (end === parts.length) return;
  firstPage.leave();
  drawInColumns(flow, parts.slice(end ?? 0));
}
