// Contrôles: each figure that can be had in two ways, both ways, and their difference, which is 0. The formulas reach into
// the other sheets, so that a changed cell anywhere shows here.

import type { AccountRole, JournalControl } from '../../../../core/statements/journal.ts';
import { rangeName, rowRange } from '../sheet/address.ts';
import { type Cells, formula, headers, serial, spread, text, total } from '../sheet/cell.ts';
import { addHeading, planOf, type SheetContext, type SheetPlan, startSheet } from '../sheet/sheet.ts';
import type { Commissions } from './commissions.ts';
import type { Days } from './days.ts';
import type { Exceptions } from './exceptions.ts';
import type { JournalPlaces } from './journal.ts';
import type { Ledger } from './ledger.ts';
import type { Operations } from './operations.ts';
import type { Operators } from './operators.ts';
import { namedIn, type SummaryPlaces } from './summary-parts.ts';

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

/** Two ways to one figure. */
interface Control {
  readonly name: string;
  readonly left: string;
  readonly right: string;
  /** Of the first. */
  readonly result: number;
  /** First less second: 0 unless something is wrong, or not known yet. */
  readonly rest?: number;
}

export function planControls(context: SheetContext, parts: ControlParts): SheetPlan {
  const { labels } = context;
  const sheet = startSheet(labels.workbook.sheets.controls);
  addHeading(sheet, context, sheet.name);
  sheet.add([text(labels.workbook.controls.note, 'note')]);
  const controls = [
    ...balanceControls(context, parts),
    ...ledgerControls(context, parts),
    ...collectionControls(context, parts),
    ...journalControls(context, parts),
    ...reconciliationControls(context, parts),
    ...otherControls(context, parts),
  ];
  const range = rowRange(sheet.name, HEADER_ROW + 1, controls.length);
  const off = controls.reduce((sum, { rest = 0 }) => sum + Math.abs(rest), 0);
  sheet.add(
    spread(WIDTHS.length, 'total', {
      2: text(labels.workbook.controls.total, 'total'),
      5: total(`SUMPRODUCT(ABS(${rangeName(range, 5)}))`, off, 'check'),
    }),
  );
  sheet.add(headers(labels.workbook.controls.columns));
  sheet.addAll(controls.map((control, i) => controlCells(control, HEADER_ROW + 1 + i)));
  const table = { headerRow: HEADER_ROW, columns: WIDTHS.length, lastRow: range.last };
  return planOf(sheet, { widths: WIDTHS, frozenRows: HEADER_ROW, table, portrait: true });
}

function controlCells({ name, left, right, result, rest = 0 }: Control, row: number): Cells {
  return [
    serial(row - HEADER_ROW),
    text(name),
    formula(left, result),
    formula(right, result - rest),
    formula(`C${row}-D${row}`, rest, { kind: 'check', style: rest === 0 ? 'good' : 'bad' }),
  ];
}

function balanceControls({ labels, statement }: SheetContext, parts: ControlParts): readonly Control[] {
  const { summary } = statement;
  const words = labels.workbook.controls;
  const { days, operators } = parts;
  const { opening, openingReserved, closing, closingReserved, kindsBalance, kindsReserved, available } = parts.summary;
  const net = summary.closingBalance - summary.openingBalance;
  const held = summary.closingReserved - summary.openingReserved;
  const move = `${closing}-${opening}`;
  return [
    {
      name: words.openingToClosing,
      left: `${opening}+${days.places.total('net')}`,
      right: closing,
      result: summary.closingBalance,
    },
    { name: words.kinds, left: kindsBalance, right: move, result: net },
    { name: words.kindsReserved, left: kindsReserved, right: `${closingReserved}-${openingReserved}`, result: held },
    { name: words.days, left: days.places.total('net'), right: move, result: net },
    { name: words.lastDay, left: days.places.total('closing'), right: closing, result: summary.closingBalance },
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
  const words = labels.workbook.controls;
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
    {
      name: words.dayLines,
      left: days.places.total('entryCount'),
      right: summary.entryCount,
      result: figures.entryCount,
    },
    { name: words.kindLines, left: summary.kindsCount, right: summary.entryCount, result: figures.entryCount },
  ];
}

function collectionControls(
  { labels, statement }: SheetContext,
  { operators, days }: ControlParts,
): readonly Control[] {
  const { paymentCount, totalAmount, totalFees } = statement.summary;
  const words = labels.workbook.controls;
  const { byOperator, byCountry } = operators;
  const collected = days.places.total;
  return [
    {
      name: words.countriesCount,
      left: byOperator.total('count'),
      right: byCountry.total('count'),
      result: paymentCount,
    },
    {
      name: words.countriesAmount,
      left: byOperator.total('amount'),
      right: byCountry.total('amount'),
      result: totalAmount,
    },
    { name: words.countriesFees, left: byOperator.total('fees'), right: byCountry.total('fees'), result: totalFees },
    {
      name: words.daysCount,
      left: byOperator.total('count'),
      right: collected('collectedCount'),
      result: paymentCount,
    },
    {
      name: words.daysAmount,
      left: byOperator.total('amount'),
      right: collected('collectedAmount'),
      result: totalAmount,
    },
    { name: words.daysFees, left: byOperator.total('fees'), right: collected('collectedFees'), result: totalFees },
  ];
}

/** Posted against what operations state and what the wallet is confirmed to hold; counted each for itself. */
function journalControls(context: SheetContext, parts: ControlParts): readonly Control[] {
  const { labels, statement } = context;
  const { journal, summary, commissions, operators } = parts;
  const { accounts, wallet, controls, debit } = statement.journal;
  const words = labels.workbook.controls;
  const own = accounts.findIndex(({ account }) => account === wallet.account);
  const moved = sumOfRole(context, parts, ['wallet']);
  const of = (name: string, roles: readonly AccountRole[], control: JournalControl, stated: string): Control => {
    const { posted, otherMonth, undone, priced, rest } = control;
    const sign = roles.includes('customers') ? '0-' : '';
    const here = sumOfRole(context, parts, roles);
    const left = here.result === (sign === '' ? posted : -posted) ? `${sign}(${here.formula})` : String(posted);
    return { name, left, right: `${stated}+${otherMonth}-${undone}+${priced}`, result: posted, rest };
  };
  return [
    { name: words.journalBalances, left: journal.totalDebit, right: journal.totalCredit, result: debit },
    {
      name: words.walletAccount,
      left: `${journal.opening(own)}+${moved.formula}`,
      right: summary.reconciliation.balance.recorded,
      result: wallet.closing,
    },
    ...(controls === null
      ? []
      : [
          of(words.feesPosted, ['fees', 'feeTax'], controls.fees, commissions.charged),
          of(words.customersPosted, ['customers'], controls.customers, operators.byOperator.total('amount')),
          of(words.suppliersPosted, ['suppliers'], controls.suppliers, commissions.paidOut),
        ]),
  ];
}

/** Σ debit − credit of the accounts that have these roles. */
function sumOfRole(
  { statement }: SheetContext,
  { journal }: ControlParts,
  roles: readonly AccountRole[],
): { readonly formula: string; readonly result: number } {
  const own = statement.journal.accounts.flatMap((account, i) =>
    roles.includes(account.role) ? [{ ...account, i }] : [],
  );
  return {
    formula: ['0', ...own.map(({ i }) => `${journal.debit(i)}-${journal.credit(i)}`)].join('+'),
    result: own.reduce((sum, { debit, credit }) => sum + debit - credit, 0),
  };
}

function reconciliationControls({ labels, statement }: SheetContext, parts: ControlParts): readonly Control[] {
  const { balance, reserved } = statement.reconciliation;
  const words = labels.workbook.controls;
  const { summary, exceptions } = parts;
  const places = summary.reconciliation;
  return [
    {
      name: words.namedBalance,
      left: exceptions.balanceItems,
      right: `0-${places.balance.named}`,
      result: namedIn(balance),
    },
    {
      name: words.namedReserved,
      left: exceptions.reservedItems,
      right: `0-${places.reserved.named}`,
      result: namedIn(reserved),
    },
    { name: words.recomputed, left: places.balance.recomputed, right: summary.closing, result: balance.recomputed },
    {
      name: words.recomputedReserved,
      left: places.reserved.recomputed,
      right: summary.closingReserved,
      result: reserved.recomputed,
    },
  ];
}

function otherControls({ labels, statement }: SheetContext, parts: ControlParts): readonly Control[] {
  const { operations, summary } = parts;
  const { holds } = labels.workbook.controls;
  return [{ name: holds, left: operations.held, right: summary.closingReserved, result: statement.openHolds.total }];
}
