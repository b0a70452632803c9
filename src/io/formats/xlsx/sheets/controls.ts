// Contrôles: each figure that can be had in two ways, both ways, and their difference, which is 0.
// The formulas reach into the other sheets, so that a changed cell anywhere shows here.

import type { AccountRole, JournalControl } from '../../../../core/statements/journal.ts';
import type { Table } from '../../../../core/statements/tables/table.ts';
import { note, tableOf } from '../../tables/block.ts';
import { namedIn } from '../../tables/findings.ts';
import { occurring } from '../../tables/steps.ts';
import { rangeName } from '../sheet/address.ts';
import type { SheetContext, SheetPlan } from '../sheet/sheet.ts';
import { type LongSheets, type Places, planBlocks } from '../sheet/table.ts';

export interface ControlParts
  extends Readonly<
    Record<
      'summary' | 'days' | 'operators' | 'openItems' | 'commissions' | 'exceptions' | 'accounts',
      Places
    >
  > {
  readonly links: Places | null;
  readonly ledger: LongSheets<'sequence' | 'balance' | 'reserved' | 'check'>;
}

type Words = SheetContext['labels']['workbook']['controls'];

/**
 * Two ways to one figure. `rest`: first less second, 0 unless something is wrong, or not known yet.
 */
type Control = readonly [
  name: Exclude<keyof Words, 'columns'>,
  left: string,
  right: string,
  result: number,
  rest?: number,
];

const CONTROLS = {
  columns: [
    { key: 'number', form: 'serial', width: 6, pick: ({ number }) => number },
    { key: 'name', form: 'text', width: 66, lines: 2, pick: ({ name }) => name },
    { key: 'left', form: 'amount', width: 20, pick: ({ result }) => result },
    { key: 'right', form: 'amount', width: 20, pick: ({ result, rest }) => result - rest },
    {
      key: 'difference',
      form: 'check',
      width: 14,
      pick: ({ rest }) => rest,
      formula: 'left - right',
      sum: 'absolute',
    },
  ],
  toneOf: ({ rest }) => (rest === 0 ? 'plain' : 'alert'),
} as const satisfies Table<{
  readonly number: number;
  readonly name: string;
  readonly result: number;
  readonly rest: number;
}>;

export function planControls(context: SheetContext, parts: ControlParts): SheetPlan {
  const said: Words = context.labels.workbook.controls;
  const controls = [
    ...balanceControls(context, parts),
    ...ledgerControls(context, parts),
    ...collectionControls(context, parts),
    ...journalControls(context, parts),
    ...reconciliationControls(context, parts),
  ];
  const rows = controls.map(([name, , , result, rest = 0], i) => ({
    number: i + 1,
    name: said[name],
    result,
    rest,
  }));
  const rest = rows.reduce((sum, row) => sum + Math.abs(row.rest), 0);
  const table = tableOf('controls', CONTROLS, {
    titles: said.columns,
    rows,
    total: { rest },
    totalAbove: true,
    formulaOf: ({ key }, i) =>
      key === 'left' ? controls[i]![1] : key === 'right' ? controls[i]![2] : null,
  });
  const form = { filter: 'controls', frozenRows: HEADER_ROW, portrait: true };
  return planBlocks(
    context,
    context.labels.workbook.sheets.controls,
    [note(said.note), table],
    form,
  ).plan;
}

const HEADER_ROW = 5;

function balanceControls(
  { statement }: SheetContext,
  { summary: places, days, operators }: ControlParts,
): readonly Control[] {
  const { summary } = statement;
  const movements = places.table('movements');
  const [opening, closing] = [
    movements.cell('balance', 'opening'),
    movements.cell('balance', 'closing'),
  ];
  const [openingHeld, held] = [
    movements.cell('reserved', 'opening'),
    movements.cell('reserved', 'closing'),
  ];
  const net = summary.closingBalance - summary.openingBalance;
  const move = `${closing}-${opening}`;
  const ofDays = days.table('days');
  const kinds = sumOfKinds(statement, places);
  const pair = places.pair;
  const groups = `${pair('collected')}-${pair('disbursed')}-${pair('fees')}+${pair('reversals')}`;
  return [
    ['openingToClosing', `${opening}+${ofDays.total('net')}`, closing, summary.closingBalance],
    [
      'groups',
      `${opening}+${groups}+${pair('adjustments')}+${pair('otherMovements')}`,
      closing,
      summary.closingBalance,
    ],
    ['kinds', kinds('balance'), move, net],
    [
      'kindsReserved',
      kinds('reserved'),
      `${held}-${openingHeld}`,
      summary.closingReserved - summary.openingReserved,
    ],
    ['days', ofDays.total('net'), move, net],
    ['lastDay', ofDays.total('closing'), closing, summary.closingBalance],
    ['netsByBoth', operators.table('byBoth').total('net'), move, net],
    ['netsByOperator', operators.table('byOperator').total('net'), move, net],
    ['netsByCountry', operators.table('byCountry').total('net'), move, net],
    ['available', `${pair('availableAtClose')}+${held}`, closing, summary.closingBalance],
  ];
}

/** The sum of a column over the kinds of movement. */
function sumOfKinds(
  statement: SheetContext['statement'],
  summary: Places,
): (key: string) => string {
  const last = occurring(statement).length;
  return (key) => (last === 0 ? '0' : `SUM(${summary.table('movements').cells(key, 1, last)})`);
}

function ledgerControls(
  { statement }: SheetContext,
  { ledger, summary, days }: ControlParts,
): readonly Control[] {
  const { closingBalance, closingReserved, entryCount } = statement.summary;
  const movements = summary.table('movements');
  const count = summary.pair('entryCount');
  const lines = ledger.parts
    .map((part) => `COUNT(${rangeName(part, ledger.columnOf('sequence'))})`)
    .join('+');
  return [
    [
      'ledgerClosing',
      ledger.total('balance'),
      movements.cell('balance', 'closing'),
      closingBalance,
    ],
    [
      'ledgerReserved',
      ledger.total('reserved'),
      movements.cell('reserved', 'closing'),
      closingReserved,
    ],
    ['ledgerChecks', ledger.total('check'), '0', 0],
    ['ledgerLines', lines, count, entryCount],
    ['dayLines', days.table('days').total('entryCount'), count, entryCount],
    ['kindLines', sumOfKinds(statement, summary)('count'), count, entryCount],
  ];
}

function collectionControls(
  { statement }: SheetContext,
  { operators, days }: ControlParts,
): readonly Control[] {
  const { paymentCount, totalAmount, totalFees } = statement.summary;
  const byOperator = operators.table('collectedByOperator').total;
  const byCountry = operators.table('collectedByCountry').total;
  const byDay = days.table('days').total;
  return [
    ['countriesCount', byOperator('count'), byCountry('count'), paymentCount],
    ['countriesAmount', byOperator('amount'), byCountry('amount'), totalAmount],
    ['countriesFees', byOperator('fees'), byCountry('fees'), totalFees],
    ['daysCount', byOperator('count'), byDay('collectedCount'), paymentCount],
    ['daysAmount', byOperator('amount'), byDay('collectedAmount'), totalAmount],
    ['daysFees', byOperator('fees'), byDay('collectedFees'), totalFees],
  ];
}

/**
 * Posted against what operations state and what the wallet is confirmed to hold; counted each for
 * itself.
 */
function journalControls(context: SheetContext, parts: ControlParts): readonly Control[] {
  const { summary, commissions, operators } = parts;
  const { accounts, wallet, controls, debit } = context.statement.journal;
  const places = parts.accounts.table('accounts');
  const own = accounts.flatMap(({ role }, i) =>
    role === 'wallet' ? [places.cell('opening', i)] : [],
  );
  const moved = sumOfRole(context, parts, ['wallet']);
  const of = (
    name: Control[0],
    roles: readonly AccountRole[],
    { posted, otherMonth, undone, priced, rest }: JournalControl,
    stated: string,
  ): Control => {
    const sign = roles.includes('customers') ? '0-' : '';
    const here = sumOfRole(context, parts, roles);
    const left =
      here.result === (sign === '' ? posted : -posted)
        ? `${sign}(${here.formula})`
        : String(posted);
    return [name, left, `${stated}+${otherMonth}-${undone}+${priced}`, posted, rest];
  };
  const walletSum = `${own.join('+')}+${moved.formula}`;
  return [
    ...suspenseControls(context, parts),
    ['journalBalances', places.total('debit'), places.total('credit'), debit],
    ...linkControl(context, parts),
    [
      'walletAccount',
      walletSum,
      summary.table('steps').cell('balance', 'recorded'),
      wallet.closing,
    ],
    ...(controls === null
      ? []
      : [
          of(
            'feesPosted',
            ['fees', 'feeTax'],
            controls.fees,
            commissions.table('prices').total('charged'),
          ),
          of(
            'customersPosted',
            ['customers'],
            controls.customers,
            operators.table('collectedByOperator').total('amount'),
          ),
          of('suppliersPosted', ['suppliers'], controls.suppliers, paidOut(context, commissions)),
          suspensePosted(controls.suspended),
        ]),
  ];
}

/** Of all months together, which no sheet of this one has. */
function suspensePosted({ posted, stated, otherMonth, rest }: JournalControl): Control {
  return ['suspensePosted', String(posted), `${stated}+${otherMonth}`, posted, rest];
}

function suspenseControls(
  { statement }: SheetContext,
  { accounts, openItems }: ControlParts,
): readonly Control[] {
  const { suspense, accounts: rows } = statement.journal;
  if (suspense === undefined || suspense.count > suspense.rows.length) return [];
  const places = accounts.table('accounts');
  const cells = rows.flatMap(({ account }, i) =>
    suspense.accounts.includes(account) ? [places.cell('balance', i)] : [],
  );
  const items = openItems.table('suspense').total('balance');
  return [['suspense', items, ['0', ...cells].join('+'), suspense.total.balance]];
}

function linkControl(
  { statement }: SheetContext,
  { links, accounts }: ControlParts,
): readonly Control[] {
  const section = statement.paymentsByLink;
  const [own, ...others] = statement.journal.accounts.flatMap(({ role }, i) =>
    role === 'linkReceivable' ? [i] : [],
  );
  if (links === null || section?.account == null || own === undefined || others.length > 0)
    return [];
  const posted = accounts.table('accounts').cell('balance', own);
  return [
    [
      'linksPosted',
      posted,
      links.table('links').cell('amount', 'closing'),
      section.account.closing,
    ],
  ];
}

function paidOut({ statement }: SheetContext, commissions: Places): string {
  const prices = commissions.table('prices');
  const cells = statement.commissions.rows.flatMap(({ type }, i) =>
    type === 'CASHOUT' ? [prices.cell('base', i)] : [],
  );
  return ['0', ...cells].join('+');
}

/** Σ debit − credit of the accounts that have these roles. */
function sumOfRole(
  { statement }: SheetContext,
  parts: ControlParts,
  roles: readonly AccountRole[],
): { readonly formula: string; readonly result: number } {
  const places = parts.accounts.table('accounts');
  const own = statement.journal.accounts.flatMap((account, i) =>
    roles.includes(account.role) ? [{ ...account, i }] : [],
  );
  return {
    formula: [
      '0',
      ...own.map(({ i }) => `${places.cell('debit', i)}-${places.cell('credit', i)}`),
    ].join('+'),
    result: own.reduce((sum, { debit, credit }) => sum + debit - credit, 0),
  };
}

function reconciliationControls(
  { statement }: SheetContext,
  parts: ControlParts,
): readonly Control[] {
  const { balance, reserved } = statement.reconciliation;
  const { closingBalance, openHolds } = { ...statement.summary, ...statement };
  const { summary, exceptions, openItems } = parts;
  const [movements, steps] = [summary.table('movements'), summary.table('steps')];
  /**
   * The steps between what is carried from earlier months and what is left unexplained, with their
   * sign.
   */
  const named = (side: 'balance' | 'reserved'): string => {
    const rows = steps.names.filter((name) => /^(item|others)/.test(name));
    return rows.length === 0 ? '0' : `0-SUM(${steps.cells(side, rows[0]!, rows.at(-1)!)})`;
  };
  const held = movements.cell('reserved', 'closing');
  return [
    [
      'namedBalance',
      exceptions.table('balance').total('amount'),
      named('balance'),
      namedIn(balance),
    ],
    [
      'namedReserved',
      exceptions.table('reserved').total('amount'),
      named('reserved'),
      namedIn(reserved),
    ],
    [
      'recomputed',
      steps.cell('balance', 'recomputed'),
      movements.cell('balance', 'closing'),
      closingBalance,
    ],
    ['recomputedReserved', steps.cell('reserved', 'recomputed'), held, reserved.recomputed],
    ['holds', openItems.table('openHolds').total('held'), held, openHolds.total],
  ];
}
