// The sections of a statement that are blocks alone: each begins with its heading, and draws what a workbook shows as well.

import { fill } from '../../../../core/words/message.ts';
import { DASH } from '../../port/wording.ts';
import { type Block, heading, note, sentence } from '../../tables/block.ts';
import {
  accountTable,
  assumptionTable,
  changeBlocks,
  serviceBlocks,
  termTable,
  uncheckedBlocks,
  verificationPairs,
} from '../../tables/circumstances.ts';
import { commissionBlocks } from '../../tables/commissions.ts';
import { differenceTables, findingBlocks } from '../../tables/findings.ts';
import { dayBlocks, linkBlocks, monthBlocks, operatorBlocks } from '../../tables/money.ts';
import { openItemBlocks } from '../../tables/open-items.ts';
import { comparedBlocks, dueBlocks, stepBlocks, walletBlocks } from '../../tables/steps.ts';
import { drawHeading, drawSubheading, type Flow } from '../page/flow.ts';
import { drawBlocks } from '../page/tables.ts';
import { VISA_HEIGHT } from './visa.ts';

/** Section 2. Payments by link follow with tables of their own. */
export function drawOperators(flow: Flow): void {
  drawPart(flow, flow.labels.operators.heading, operatorBlocks(flow));
  const links = linkBlocks(flow);
  if (links.length === 0) return;
  drawSubheading(flow, flow.labels.links.heading, 80);
  drawBlocks(flow, links);
}

/** Section 3: every day from opening to closing; of a year, every month. */
export function drawDays(flow: Flow): void {
  const { labels, statement } = flow;
  if (statement.months === null) drawPart(flow, labels.days.heading, dayBlocks(flow));
  else drawPart(flow, labels.months.heading, monthBlocks(flow));
}

/** Section 4. */
export function drawCommissions(flow: Flow): void {
  drawPart(flow, flow.labels.commissions.heading, commissionBlocks(flow));
}

/** Section 5: from the recorded figures to those that are due, and to the recomputed ones; then what was open at the cut-off. */
export function drawReconciliation(flow: Flow): void {
  drawPart(flow, flow.labels.reconciliation.heading, [
    note(flow.labels.reconciliation.note),
    ...dueBlocks(flow),
    ...stepBlocks(flow),
    ...differenceTables(flow),
    ...comparedBlocks(flow),
    ...walletBlocks(flow),
    ...findingBlocks(flow),
    ...openItemBlocks(flow),
  ]);
}

/** Points that the sentences take with which a statement is verified. */
const VERIFICATION = 110;

/** Section 8: what the statement was made from, and how it is verified. */
export function drawAnnex(flow: Flow): void {
  const { labels, statement } = flow;
  const { circumstances, journal, issuer } = statement;
  const said = labels.annex;
  const numbers = journal.firstNumber === null ? '' : ` · ${journal.firstNumber} – ${journal.lastNumber}`;
  drawPart(flow, said.heading, [
    ...changeBlocks(flow),
    heading(`${said.journal} ${journal.code} — ${journal.label}${numbers}`),
    accountTable(flow),
    ...creditBlocks(flow),
    heading(said.assumptions),
    assumptionTable(flow, said, circumstances.assumptions),
    heading(said.coverage),
    sentence(coverageText(flow)),
    heading(said.notChecked),
    ...uncheckedBlocks(flow, said, circumstances.notChecked),
    ...serviceBlocks(flow),
    ...(needsGlossary(flow) ? [heading(said.glossary), termTable(flow)] : []),
  ]);
  // No last line of it is on a page by itself, nor a visa that follows.
  drawSubheading(flow, said.verification, VERIFICATION + (issuer === null ? 0 : VISA_HEIGHT));
  drawBlocks(flow, [...said.howToVerify.map((text) => sentence(text)), verificationPairs(flow)]);
}

function drawPart(flow: Flow, title: string, blocks: readonly Block[]): void {
  drawHeading(flow, title);
  drawBlocks(flow, blocks);
}

/** An account of money is never in credit: where it was, the document says when. */
function creditBlocks({ labels, words, statement }: Flow): readonly Block[] {
  const { account, isInCredit, daysInCredit, closing } = statement.journal.wallet;
  const said = labels.annex;
  const days = daysInCredit.map((day) => words.day(day)).join(', ');
  return [
    ...(isInCredit ? [sentence(fill(said.inCredit, { account, closing: words.amount(closing) }))] : []),
    ...(daysInCredit.length === 0 ? [] : [sentence(fill(said.daysInCredit, { account, days }))]),
  ];
}

function coverageText({ statement, labels, words }: Flow): string {
  const { coverage, verdict } = statement.circumstances;
  const said = labels.annex;
  const sequence = (figure: number | null): string => (figure === null ? DASH : words.amount(figure));
  const covered = fill(said.covered, {
    entries: words.amount(coverage.entries),
    operations: words.amount(coverage.operations),
    first: sequence(coverage.firstSequence),
    last: sequence(coverage.lastSequence),
  });
  const whole = fill(said.wholeBooks, { verdict: labels.verdict[verdict] });
  return `${covered} ${fill(said.readUntil, { instant: words.instant(coverage.watermark) })} ${whole}`;
}

/** The first statement is revision 1 of the month in which the books begin. */
function needsGlossary({ layout, statement }: Flow): boolean {
  const { revision, summary, circumstances } = statement;
  if (layout.glossary !== 'first') return layout.glossary === 'always';
  const isFirstMonth = summary.firstSequence !== null && summary.firstSequence === circumstances.coverage.firstSequence;
  return isFirstMonth && revision.number === 1;
}
