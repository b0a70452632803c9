// Section 5, État de rapprochement: from the recorded figures, difference by difference, to the recomputed ones, with what is
// left unexplained also when it is 0; then the wallet as it was read, the findings, and what was open at the cut-off.

import type {
  Compared,
  ReconciliationItem,
  ReconciliationSide,
  StatementFinding,
  SuspenseItem,
} from '../../../../core/statements/section-reconciliation.ts';
import type { WalletBridge } from '../../../../core/statements/statement.ts';
import type { WalletFigures } from '../../../../core/statements/summary.ts';
import type { Tone } from '../../../../core/statements/tables/table.ts';
import { nameFinding, wordFinding, wordStanding } from '../../../../core/words/finding.ts';
import { fill } from '../../../../core/words/message.ts';
import { nameKind } from '../../port/kind-names.ts';
import { DASH } from '../../port/wording.ts';
import { itemLine } from '../../sentences/verdict-reasons.ts';
import { drawHeading, drawParagraph, drawSubheading, type Flow, pair } from '../page/flow.ts';
import { drawSteps, type Step } from '../page/step-tables.ts';
import { type Column, drawTable, figureColumn, textColumn } from '../page/tables.ts';
import { drawOpenItems } from './open-items.ts';

export function drawReconciliation(flow: Flow): void {
  const { statement, labels, layout } = flow;
  drawHeading(flow, labels.reconciliation.heading);
  drawParagraph(flow, labels.reconciliation.note, { tone: 'muted', size: layout.sizes.note });
  drawSubheading(flow, labels.due.steps);
  drawSteps(flow, { ...labels.reconciliation, mostLines: 3 }, dueSteps(flow));
  drawProposals(flow);
  drawSubheading(flow, labels.reconciliation.steps);
  drawSteps(flow, { ...labels.reconciliation, mostLines: 1 }, stepsOf(flow));
  const { balance, reserved } = statement.reconciliation;
  if (balance.items.length > 0) drawItems(flow, labels.reconciliation.balance, balance);
  if (reserved.items.length > 0) drawItems(flow, labels.reconciliation.reserved, reserved);
  drawCollections(flow);
  drawWallet(flow);
  drawFindings(flow);
  drawOpenItems(flow);
}

/** From what the service recorded to what is due: each item with the sign by which it is taken off. */
function dueSteps({ statement, labels, words }: Flow): readonly Step[] {
  const said = labels.due;
  const { recorded, due, items, others } = statement.due;
  const row = (
    name: string,
    figures: Pick<WalletFigures, 'balance' | 'reserved'> | null,
    tone: Tone = 'plain',
  ): Step => ({
    name,
    balance: figures === null ? said.unknownRow : words.amount(figures.balance),
    reserved: figures === null ? said.unknownRow : words.amount(figures.reserved),
    tone,
  });
  const off = ({ balance, reserved }: Pick<WalletFigures, 'balance' | 'reserved'>) => ({
    balance: 0 - balance,
    reserved: 0 - reserved,
  });
  const itemRow = (item: SuspenseItem): Step => {
    const isSettled = item.state === 'settled';
    const name = itemLine(item, said, words.speech);
    return row(name, isSettled ? { balance: 0, reserved: 0 } : off(item), isSettled ? 'muted' : 'plain');
  };
  return [
    row(said.recordedRow, recorded, 'strong'),
    ...items.map(itemRow),
    ...(others.count === 0 ? [] : [row(fill(said.othersRow, { count: words.amount(others.count) }), off(others))]),
    row(said.dueRow, due, 'strong'),
  ];
}

/** What the merchant may ask of the service: the entries that would put the open items right. */
function drawProposals(flow: Flow): void {
  const { statement, labels, words, language } = flow;
  const said = labels.due.proposals;
  const rows = statement.due.items
    .filter(({ state }) => state !== 'settled')
    .flatMap(({ proposal, fingerprint }) => proposal.map((entry) => ({ ...entry, fingerprint })));
  if (rows.length === 0) return;
  drawSubheading(flow, said.title);
  drawTable<(typeof rows)[number]>(flow, {
    columns: [
      textColumn(said.entry, 34, ({ kind }) => nameKind(kind, language), 2),
      { title: said.amount, share: 14, holds: 'figure', cell: ({ amount }) => words.figure(amount) },
      textColumn(said.operation, 32, ({ operationReference }) => operationReference ?? DASH, 2),
      textColumn(said.finding, 20, ({ fingerprint }) => fingerprint ?? DASH),
    ],
    rows,
  });
}

/** Each step shows what it adds, so that a column can be added up from top to bottom. */
function stepsOf({ statement, labels, words }: Flow): readonly Step[] {
  const said = labels.reconciliation;
  const { balance, reserved } = statement.reconciliation;
  const sequence = balance.headSequence === null ? DASH : words.amount(balance.headSequence);
  const step = (name: string, pick: (side: ReconciliationSide) => number, tone: Tone = 'plain'): Step => ({
    name,
    balance: words.amount(pick(balance)),
    reserved: words.amount(pick(reserved)),
    tone,
  });
  const isOff = balance.remainder !== 0 || reserved.remainder !== 0;
  const counted = (phrase: string, pick: (side: ReconciliationSide) => number): string =>
    fill(phrase, { balance: words.amount(pick(balance)), reserved: words.amount(pick(reserved)) });
  const itemStep = ({ sequence, findingKind }: ReconciliationItem): Step => ({
    name: fill(said.item, { sequence: words.amount(sequence), kind: nameFinding(words.speech, findingKind) }),
    balance: '',
    reserved: '',
    tone: 'plain',
  });
  const [carried, others] = [
    counted(said.carried, ({ carriedForward }) => carriedForward.count),
    counted(said.others, (side) => side.others.count),
  ];
  return [
    step(fill(said.atHead, { sequence }), (side) => side.recorded, 'strong'),
    step(said.crossingAmount, (side) => -side.crossing),
    step(carried, (side) => -side.carriedForward.amount),
    ...balance.items.map((item): Step => ({ ...itemStep(item), balance: words.amount(-item.amount) })),
    ...reserved.items.map((item): Step => ({ ...itemStep(item), reserved: words.amount(-item.amount) })),
    step(others, (side) => -side.others.amount),
    step(said.unexplained, (side) => -side.remainder, isOff ? 'alert' : 'plain'),
    step(said.recomputed, (side) => side.recomputed, 'strong'),
  ];
}

/** The named differences with their message, which the table of figures has no room for. */
function drawItems(flow: Flow, side: string, { items, others }: ReconciliationSide): void {
  const { labels, words } = flow;
  const { columns: said, items: title } = labels.reconciliation;
  drawSubheading(flow, pair(flow, title, side));
  drawTable<ReconciliationItem>(flow, {
    columns: [
      { title: said.sequence, share: 28, holds: 'figure', cell: ({ sequence }) => words.amount(sequence) },
      { title: said.date, share: 58, holds: 'date', cell: ({ at }) => words.instant(at) },
      { title: said.amount, share: 44, holds: 'figure', cell: ({ amount }) => words.amount(amount) },
      {
        title: said.kind,
        share: 80,
        holds: 'text',
        mostLines: 3,
        cell: ({ rootKind }) => nameFinding(words.speech, rootKind),
      },
      {
        title: said.message,
        share: 190,
        holds: 'text',
        mostLines: 3,
        cell: ({ findingKind, figures }) => wordFinding(words.speech, findingKind, figures),
      },
    ],
    rows: items,
    count: items.length + others.count,
  });
}

/** What operations state as collected and disbursed, compared with the lines that posted it. */
function drawCollections(flow: Flow): void {
  const { statement, labels, words } = flow;
  const said = labels.reconciliation;
  const { collections, disbursements } = statement.reconciliation;
  if (collections.operations === null) return;
  const amountOf = (figure: number | null): string => (figure === null ? '' : words.amount(figure));
  const row = (name: string, pick: (compared: Compared) => number | null, tone: Tone = 'plain') => ({
    name,
    collections: amountOf(pick(collections)),
    disbursements: amountOf(pick(disbursements)),
    tone,
  });
  const rows = [
    row(said.collectionsOfOperations, ({ operations }) => operations),
    row(said.collectionsOfLines, ({ lines }) => lines),
    row(said.collectionsDifference, ({ difference }) => difference, 'strong'),
  ];
  drawSubheading(flow, said.collections);
  drawTable<(typeof rows)[number]>(flow, {
    columns: [
      { title: said.line, share: 60, holds: 'text', cell: ({ name }) => name },
      { title: said.collected, share: 20, holds: 'figure', cell: (one) => one.collections },
      { title: said.disbursed, share: 20, holds: 'figure', cell: (one) => one.disbursements },
    ],
    rows,
    toneOf: ({ tone }) => tone,
  });
}

function drawWallet(flow: Flow): void {
  const { statement, labels, words } = flow;
  const { walletAsRead } = statement.circumstances;
  if (walletAsRead === null) return;
  const said = labels.reconciliation;
  const { balance, reserved } = walletAsRead;
  const step = (name: string, pick: (bridge: WalletBridge) => number | null, tone: Tone = 'plain'): Step => {
    const shown = (figure: number | null): string => (figure === null ? DASH : words.amount(figure));
    return { name, balance: shown(pick(balance)), reserved: shown(pick(reserved)), tone };
  };
  const isOff = balance.difference !== 0 || reserved.difference !== 0;
  drawSubheading(flow, said.wallet, 100);
  drawSteps(flow, { ...said, mostLines: 1 }, [
    step(said.walletClosing, ({ closing }) => closing),
    step(said.walletSince, ({ sinceCutOff }) => sinceCutOff),
    step(said.walletRecomputed, ({ recomputedNow }) => recomputedNow, 'strong'),
    step(said.walletRecorded, ({ recordedNow }) => recordedNow),
    step(said.walletStated, ({ wallet }) => wallet),
    step(said.walletDifference, ({ difference }) => difference, isOff ? 'alert' : 'plain'),
    {
      name: said.walletUnexplained,
      balance: words.figure(balance.unexplained),
      reserved: words.figure(reserved.unexplained),
      tone: 'plain',
    },
  ]);
}

function drawFindings(flow: Flow): void {
  const { statement, labels } = flow;
  const { rows, count } = statement.findings;
  drawSubheading(flow, labels.reconciliation.findings);
  const toneOf = ({ severity, causedBy, state }: StatementFinding) => {
    if (causedBy !== null || state === 'settled') return 'muted';
    return severity === 'critical' || severity === 'error' ? 'alert' : 'plain';
  };
  drawTable(flow, { columns: columnsOf(flow), rows, count, toneOf });
}

function columnsOf({ labels, words }: Flow): readonly Column<StatementFinding>[] {
  const { columns: said, when } = labels.reconciliation;
  const { severity: names } = labels.summary;
  return [
    { title: said.severity, share: 50, holds: 'text', cell: ({ severity }) => names[severity] },
    { title: said.kind, share: 104, holds: 'text', mostLines: 3, cell: ({ kind }) => nameFinding(words.speech, kind) },
    { title: said.when, share: 36, holds: 'text', cell: (row) => when[row.when] },
    figureColumn(said.sequence, 32, ({ sequence }) => (sequence === null ? '' : words.amount(sequence))),
    figureColumn(said.difference, 44, ({ difference }) => figureOf(difference, words.figure)),
    {
      title: said.message,
      share: 180,
      holds: 'text',
      mostLines: 4,
      cell: (row) => wordStanding(words.speech, row),
    },
  ];
}

/** Differences of findings are whole units, or words where the figure is not money; words stand in the message. */
function figureOf(difference: string | null, write: (text: string | null) => string): string {
  return difference !== null && /^[-+]?\d{1,20}$/.test(difference) ? write(difference) : '';
}
