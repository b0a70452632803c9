// The sections of a statement that are blocks alone: each begins with its heading, and draws what a
// workbook shows as well.

import type { Statement } from '../../../../core/statements/statement.ts';
import { fill } from '../../../../core/words/finding.ts';
import { nameAnswer } from '../../../../core/words/names.ts';
import type { Section } from '../../port/template.ts';
import { type Block, heading, note, sentence } from '../../tables/block.ts';
import {
  accountBlocks,
  changeBlocks,
  monthsToYearBlocks,
  serviceBlocks,
  termTable,
  uncheckedBlocks,
  verificationPairs,
} from '../../tables/circumstances.ts';
import { commissionBlocks } from '../../tables/commissions.ts';
import { differenceTables, findingBlocks } from '../../tables/findings.ts';
import { dayBlocks, linkBlocks, monthBlocks, operatorBlocks } from '../../tables/money.ts';
import { openItemBlocks } from '../../tables/open-items.ts';
import {
  balanceBlocks,
  comparedBlocks,
  dueBlocks,
  stepBlocks,
  walletBlocks,
} from '../../tables/steps.ts';
import { figureBlocks } from '../../tables/summary.ts';
import type { Part } from '../page/columns.ts';
import { type Flow, pair } from '../page/flow.ts';
import { partsOfBlocks } from '../page/tables.ts';

/**
 * The figures of Report.summary that the first page does not have: it has the balances where one is
 * as another, or nothing is held.
 */
function summaryBlocks(flow: Flow): readonly Block[] {
  const { recorded, due, recomputed } = flow.statement.due;
  const sides = [recorded, due ?? recorded, recomputed].map(
    ({ balance, reserved }) => [balance, reserved] as const,
  );
  const isHeld =
    sides.some(([, reserved]) => reserved !== 0) && new Set(sides.map(String)).size > 1;
  const isThere = !isHeld && [recorded.balance, due?.balance].includes(recomputed.balance);
  return [...(isThere ? [] : balanceBlocks(flow)), ...figureBlocks(flow)];
}

/**
 * From the recorded figures to those that are due, and to the recomputed ones; then what was open
 * at the cut-off.
 */
function reconciliationBlocks(flow: Flow): readonly Block[] {
  const { due, reconciliation, circumstances } = flow.statement;
  const { balance, reserved, collections, disbursements } = reconciliation;
  const { walletAsRead, coverage } = circumstances;
  const { recorded } = due;
  const isDue =
    due.items.length === 0 &&
    [due.due?.balance, due.due?.reserved].join() === [recorded.balance, recorded.reserved].join();
  const isRecomputed = [balance, reserved].every(
    (side) => side.recorded === side.recomputed && side.items.length === 0,
  );
  const isPosted = [collections, disbursements].every(({ difference }) => difference === 0);
  const isWallet =
    walletAsRead !== null &&
    [walletAsRead.balance, walletAsRead.reserved].every(({ difference }) => difference === 0);
  const { all, some, ...said } = flow.labels.reconciliation.agreed;
  const { words, statement } = flow;
  const { amount } = words;
  // Each balance with its day: the wallet was read later than the period ended.
  const days = {
    day: words.day(statement.days.at(-1)!.day),
    at: coverage.watermark === null ? null : words.instant(coverage.watermark),
  };
  const parts = [
    [isDue, said.due, { balance: recorded.balance, reserved: recorded.reserved }, dueBlocks],
    [isRecomputed, said.recomputed, { balance: balance.recomputed }, stepBlocks],
    [isRecomputed, null, {}, differenceTables],
    [isPosted, said.posted, { in: collections.lines, out: disbursements.lines }, comparedBlocks],
    [isWallet, said.wallet, { balance: walletAsRead?.wallet.balance }, walletBlocks],
  ] as const;
  const agreed = parts.flatMap(([isAgreed, phrase, figures]) => {
    const worded = Object.entries(figures).map(([name, figure]) => [name, amount(figure ?? 0)]);
    return isAgreed && phrase !== null
      ? [fill(phrase, { ...days, ...Object.fromEntries(worded) }, words.speech)]
      : [];
  });
  const apart = parts.flatMap(([isAgreed, , , blocks]) => (isAgreed ? [] : blocks(flow)));
  const isClean = apart.length === 0 && statement.summary.verdict.state === 'clean';
  return [
    ...(agreed.length === 0
      ? []
      : [sentence(fill(isClean ? all : some, { list: agreed.join(' ; ') }))]),
    ...apart,
    ...findingBlocks(flow),
    ...openItemBlocks(flow),
  ];
}

/** Of a year, every month in the place of days. */
export const SECTION_BLOCKS = {
  summary: summaryBlocks,
  operators: (flow: Flow) => [...operatorBlocks(flow), ...linkBlocks(flow)],
  days: (flow: Flow) => {
    const { isClose: isShort } = flow.setting;
    return flow.statement.months === null ? dayBlocks(flow, { isShort }) : monthBlocks(flow);
  },
  commissions: commissionBlocks,
  reconciliation: reconciliationBlocks,
} as const satisfies Partial<Record<Section, (flow: Flow) => readonly Block[]>>;

/** Of a merchant of whom nothing was ever posted one page says so. */
export function hasNothing({ circumstances, paymentsByLink }: Statement): boolean {
  const { entries, operations } = circumstances.coverage;
  return entries + operations === 0 && paymentsByLink === null;
}

/** What the statement was made from, and how it is verified. */
export function annexParts(flow: Flow): readonly Part<Flow>[] {
  const { labels, statement, words } = flow;
  const { circumstances, journal } = statement;
  const said = labels.annex;
  const numbers =
    journal.firstNumber === null ? '' : ` · ${journal.firstNumber} – ${journal.lastNumber}`;
  const answers = Object.entries(circumstances.assumptions).map(([question, own]) =>
    nameAnswer(words.speech, question, own),
  );
  const posted = [
    heading(`${said.journal} ${journal.code} — ${journal.label}${numbers}`),
    ...accountBlocks(flow),
    ...monthsToYearBlocks(flow),
    ...creditBlocks(flow),
    heading(said.assumptions),
    note(listed(flow, answers)),
  ];
  const marks = verificationPairs(flow).pairs.map(
    ({ name, value }) => [name, String(value)] as const,
  );
  return partsOfBlocks([
    ...changeBlocks(flow),
    ...(hasNothing(statement) ? [] : posted),
    heading(said.coverage),
    sentence(coverageText(flow)),
    heading(said.notChecked),
    ...uncheckedBlocks(flow, said, circumstances.notChecked),
    ...serviceBlocks(flow),
    ...(needsGlossary(flow) ? [heading(said.glossary), termTable(flow)] : []),
    heading(said.verification),
    ...(hasNothing(statement) ? [] : [note(said.howToVerify.join(' '))]),
    note(listed(flow, marks)),
  ]);
}

function listed(flow: Flow, pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([name, value]) => pair(flow, name, value)).join(' · ');
}

/** An account of money is never in credit: where it was, the document says when. */
function creditBlocks({ labels, words, statement }: Flow): readonly Block[] {
  const { account, isInCredit, daysInCredit, closing } = statement.journal.wallet;
  const said = labels.annex;
  const days = daysInCredit.map((day) => words.day(day)).join(', ');
  return [
    ...(isInCredit
      ? [sentence(fill(said.inCredit, { account, closing: words.amount(closing) }))]
      : []),
    ...(daysInCredit.length === 0 ? [] : [sentence(fill(said.daysInCredit, { account, days }))]),
  ];
}

function coverageText({ statement, labels, words }: Flow): string {
  const { coverage, verdict } = statement.circumstances;
  const said = labels.annex;
  const sequence = (figure: number | null) => (figure === null ? null : words.amount(figure));
  const { entries, operations } = coverage;
  const [first, last] = [sequence(coverage.firstSequence), sequence(coverage.lastSequence)];
  const covered = fill(said.covered, { entries, operations, first, last }, words.speech);
  const whole = fill(said.wholeBooks, { verdict: labels.verdict[verdict] });
  return `${covered} ${fill(said.readUntil, { instant: words.instant(coverage.watermark) })} ${whole}`;
}

/** The first statement is revision 1 of the month in which the books begin. */
function needsGlossary({ layout, statement }: Flow): boolean {
  const { revision, summary, circumstances } = statement;
  if (layout.glossary !== 'first') return layout.glossary === 'always';
  const isFirstMonth =
    summary.firstSequence !== null &&
    summary.firstSequence === circumstances.coverage.firstSequence;
  return isFirstMonth && revision.number === 1;
}
