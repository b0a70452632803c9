// Contrôles: each figure that can be had in two ways, both ways, and their difference, which is 0. The formulas reach into
// the other sheets, so that a changed cell anywhere shows here.

import { fill } from '../../../words/message.ts';
import { rangeName, rowRange } from '../address.ts';
import { type Cells, formula, headers, serial, spread, text, total } from '../cell.ts';
import { addHeading, type SheetContext } from '../sheet-context.ts';
import { planOf, type SheetPlan, startSheet } from '../sheet-plan.ts';
import type { Commissions } from './commissions.ts';
import type { Days } from './days.ts';
import type { Exceptions } from './exceptions.ts';
import type { JournalPlaces } from './journal.ts';
import type { Ledger } from './ledger.ts';
import type { Operations } from './operations.ts';
import type { Operators } from './operators.ts';
import type { SummaryPlaces } from './summary-places.ts';
import { namedIn } from './summary-reconciliation.ts';

const WIDTHS = [6, 66, 20, 20, 14];
const HEADER_ROW = 5;

export interface ControlParts {
  readonly summary: SummaryPlaces;
  readonly days: Days;
  readonly operators: Operators;
  readonly ledger: Ledger;
  readonly operations: Operations;
  readonly commissions: Commissions;
  readonly exceptions: Exceptions;
  readonly journal: JournalPlaces;
}

/** Two formulas that must have one result. */
interface Control {
  readonly name: string;
  readonly left: string;
  readonly right: string;
  readonly result: number;
}

export function planControls(context: SheetContext, parts: ControlParts): SheetPlan {
  const { labels } = context;
  const sheet = startSheet(labels.sheets.controls);
  addHeading(sheet, context, sheet.name);
  sheet.add([text(labels.controls.note, 'note')]);
  const controls = [
    ...balanceControls(context, parts),
    ...ledgerControls(context, parts),
    ...collectionControls(context, parts),
    ...journalControls(context, parts),
    ...reconciliationControls(context, parts),
    ...otherControls(context, parts),
  ];
  const range = rowRange(sheet.name, HEADER_ROW + 1, controls.length);
  sheet.add(
    spread(WIDTHS.length, 'total', {
      2: text(labels.controls.total, 'total'),
      5: total(`SUMPRODUCT(ABS(${rangeName(range, 5)}))`, 0, 'check'),
    }),
  );
  sheet.add(headers(labels.controls.columns));
  sheet.addAll(controls.map((control, i) => controlCells(control, HEADER_ROW + 1 + i)));
  const table = { headerRow: HEADER_ROW, columns: WIDTHS.length, lastRow: range.last };
  return planOf(sheet, { widths: WIDTHS, frozenRows: HEADER_ROW, table, portrait: true });
}

function controlCells({ name, left, right, result }: Control, row: number): Cells {
  return [
    serial(row - HEADER_ROW),
    text(name),
    formula(left, result),
    formula(right, result),
    formula(`C${row}-D${row}`, 0, { kind: 'check', style: 'good' }),
  ];
}

function balanceControls({ labels, statement }: SheetContext, parts: ControlParts): readonly Control[] {
  const { summary } = statement;
  const words = labels.controls;
  const { days, operators } = parts;
  const { opening, openingReserved, closing, closingReserved, kindsBalance, kindsReserved, available } = parts.summary;
  const net = summary.closingBalance - summary.openingBalance;
  const held = summary.closingReserved - summary.openingReserved;
  const move = `${closing}-${opening}`;
  return [
    {
      name: words.openingToClosing,
      left: `${opening}+${days.totals.net}`,
      right: closing,
      result: summary.closingBalance,
    },
    { name: words.kinds, left: kindsBalance, right: move, result: net },
    { name: words.kindsReserved, left: kindsReserved, right: `${closingReserved}-${openingReserved}`, result: held },
    { name: words.days, left: days.totals.net, right: move, result: net },
    { name: words.lastDay, left: days.totals.closing, right: closing, result: summary.closingBalance },
    ...operators.nets.map((left, i) => ({ name: words.operators[i]!, left, right: move, result: net })),
    {
      name: words.available,
      left: `${available}+${closingReserved}`,
      right: closing,
      result: summary.closingBalance,
    },
  ];
}

function ledgerControls(
  { labels, statement }: SheetContext,
  { ledger, summary, days }: ControlParts,
): readonly Control[] {
  const figures = statement.summary;
  const words = labels.controls;
  const lines = ledger.parts.map((part) => `COUNT(${rangeName(part, 1)})`).join('+');
  return [
    { name: words.ledgerClosing, left: ledger.closing, right: summary.closing, result: figures.closingBalance },
    {
      name: words.ledgerReserved,
      left: ledger.closingReserved,
      right: summary.closingReserved,
      result: figures.closingReserved,
    },
    { name: words.ledgerChecks, left: ledger.checks, right: '0', result: 0 },
    { name: words.ledgerLines, left: lines, right: summary.entryCount, result: figures.entryCount },
    { name: words.dayLines, left: days.totals.entries, right: summary.entryCount, result: figures.entryCount },
    { name: words.kindLines, left: summary.kindsCount, right: summary.entryCount, result: figures.entryCount },
  ];
}

function collectionControls(
  { labels, statement }: SheetContext,
  { operators, days }: ControlParts,
): readonly Control[] {
  const { paymentCount, totalAmount, totalFees } = statement.summary;
  const words = labels.controls;
  const { byOperator, byCountry } = operators;
  const { collections, collectedAmount, collectedFees } = days.totals;
  return [
    { name: words.countriesCount, left: byOperator.count, right: byCountry.count, result: paymentCount },
    { name: words.countriesAmount, left: byOperator.amount, right: byCountry.amount, result: totalAmount },
    { name: words.countriesFees, left: byOperator.fees, right: byCountry.fees, result: totalFees },
    { name: words.daysCount, left: byOperator.count, right: collections, result: paymentCount },
    { name: words.daysAmount, left: byOperator.amount, right: collectedAmount, result: totalAmount },
    { name: words.daysFees, left: byOperator.fees, right: collectedFees, result: totalFees },
  ];
}

function journalControls({ labels, statement }: SheetContext, { journal, summary }: ControlParts): readonly Control[] {
  const figures = statement.journal;
  const words = labels.controls;
  const wallet = figures.accounts.findIndex(({ role }) => role === 'wallet');
  const accounts = figures.accounts.flatMap(({ account, debit, credit }, i) => [
    { name: fill(words.accountDebit, { account }), left: journal.debit(i), right: String(debit), result: debit },
    { name: fill(words.accountCredit, { account }), left: journal.credit(i), right: String(credit), result: credit },
  ]);
  const moved = `${summary.opening}+${journal.debit(wallet)}-${journal.credit(wallet)}`;
  return [
    { name: words.journalBalances, left: journal.totalDebit, right: journal.totalCredit, result: figures.debit },
    ...accounts,
    { name: words.walletAccount, left: moved, right: summary.closing, result: figures.wallet.closing },
  ];
}

function reconciliationControls({ labels, statement }: SheetContext, parts: ControlParts): readonly Control[] {
  const { balance, reserved, collections } = statement.reconciliation;
  const words = labels.controls;
  const { summary, exceptions } = parts;
  const places = summary.reconciliation;
  return [
    { name: words.namedBalance, left: exceptions.balanceItems, right: places.balance.named, result: namedIn(balance) },
    {
      name: words.namedReserved,
      left: exceptions.reservedItems,
      right: places.reserved.named,
      result: namedIn(reserved),
    },
    { name: words.recomputed, left: places.balance.recomputed, right: summary.closing, result: balance.recomputed },
    {
      name: words.recomputedReserved,
      left: places.reserved.recomputed,
      right: summary.closingReserved,
      result: reserved.recomputed,
    },
    {
      name: words.collections,
      left: `${places.operations}-${places.lines}`,
      right: places.collectionDifference,
      result: collections.difference,
    },
  ];
}

function otherControls({ labels, statement }: SheetContext, parts: ControlParts): readonly Control[] {
  const words = labels.controls;
  const { commissions, operations, summary } = parts;
  const { total: sums } = statement.commissions;
  const charged = `${commissions.charged}-${commissions.recomputed}`;
  return [
    { name: words.commissions, left: charged, right: commissions.difference, result: sums.difference },
    { name: words.holds, left: operations.held, right: summary.closingReserved, result: statement.openHolds.total },
  ];
}
