// Tables that are added up from top to bottom: the movements from opening to closing; what is
// recorded, due and recomputed; and the état de rapprochement. Each difference has the sign with
// which its column adds up.

import type { WalletSides } from '../../../core/domain/delivery/delivery-channel.ts';
import { DAY, parseInstant } from '../../../core/domain/instant.ts';
import { isEntryKind } from '../../../core/domain/ledger-entry.ts';
import type {
  ReconciliationSide,
  SuspenseItem,
} from '../../../core/statements/section-reconciliation.ts';
import { PROPOSALS } from '../../../core/statements/tables/findings.ts';
import {
  BALANCES,
  DUE,
  type LineStep,
  MOVEMENTS,
  type Movement,
  STEPS,
  type Step,
  stepsOf,
} from '../../../core/statements/tables/steps.ts';
import { fill, nameFinding } from '../../../core/words/finding.ts';
import type { DocumentContext } from '../port/wording.ts';
import { DASH, nameKind } from '../port/wording.ts';
import { itemLine } from '../sentences/verdict-reasons.ts';
import {
  type Block,
  heading,
  PAGE,
  SHEET,
  type TableBlock,
  type TableRows,
  tableOf,
} from './block.ts';

/**
 * Makes the table of movements. `formulaOf` returns the formulas that count and sum the lines of a
 * kind, by its row.
 */
export function movementTable(
  context: DocumentContext,
  formulaOf?: TableRows<Movement, (typeof MOVEMENTS.columns)[number]['key']>['formulaOf'],
): TableBlock {
  const { statement, labels, language } = context;
  const { summary } = statement;
  const said = labels.summary;
  const kinds = occurring(statement).map(
    (row, i): Movement => ({
      key: `kind${i + 1}`,
      name: nameKind(row.kind, language),
      code: isEntryKind(row.kind) ? null : row.kind,
      count: row.count,
      amount: row.amount,
      balance: row.balanceEffect,
      reserved: row.reservedEffect,
    }),
  );
  const bound = (key: string, name: string, balance: number, reserved: number): Movement => {
    return { key, name, balance, reserved, tone: 'strong' };
  };
  const last = kinds.at(-1)?.key ?? 'opening';
  const closing = bound('closing', said.closing, summary.closingBalance, summary.closingReserved);
  const columns = MOVEMENTS.columns.filter(
    ({ key }) => key !== 'code' || kinds.some(({ code }) => code !== null),
  );
  return tableOf(
    'movements',
    { ...MOVEMENTS, columns },
    {
      titles: said,
      rows: [
        bound('opening', said.opening, summary.openingBalance, summary.openingReserved),
        ...kinds,
        { ...closing, formula: `SUM(opening:${last})` },
      ],
      formulaOf,
    },
  );
}

/** Returns the kinds that have a line. The others are not shown to people. */
export function occurring({
  movements,
}: DocumentContext['statement']): DocumentContext['statement']['movements'] {
  return movements.filter(({ count }) => count > 0);
}

/** Shows what the service recorded, what it owes, and what its lines add up to. */
export function balanceBlocks({ statement, labels }: DocumentContext): readonly Block[] {
  const { recorded, due, recomputed } = statement.due;
  const said = labels.due;
  const less = (key: string, name: string, from: WalletSides): LineStep => {
    const [balance, reserved] = [
      recorded.balance - from.balance,
      recorded.reserved - from.reserved,
    ];
    const tone = balance === 0 && reserved === 0 ? 'muted' : 'alert';
    return { key, name, balance, reserved, available: balance - reserved, tone };
  };
  const rows: readonly LineStep[] = [
    { key: 'recorded', name: said.recordedRow, ...recorded, tone: 'strong' },
    dueRow(said, due),
    ...(due === null
      ? []
      : [{ ...less('off', said.recordedLessDue, due), formula: 'recorded - due' }]),
    { key: 'recomputed', name: said.recomputedRow, ...recomputed },
    { ...less('drift', said.recordedLessRecomputed, recomputed), formula: 'recorded - recomputed' },
  ];
  const isOff = ({ tone, balance, reserved }: LineStep): boolean =>
    tone !== 'muted' || balance !== 0 || reserved !== 0;
  const table = tableOf('balances', BALANCES, { titles: said, rows });
  return [
    heading(said.title),
    { ...table, rows: rows.filter(isOff), ...PAGE },
    { ...table, ...SHEET },
  ];
}

function dueRow(
  { dueRow: name, unknownRow: none }: DocumentContext['labels']['due'],
  due: WalletSides | null,
): LineStep {
  return {
    key: 'due',
    name,
    ...(due ?? { balance: none, reserved: none, available: none }),
    tone: 'strong',
  };
}

/**
 * Shows how the recorded figures lead to those due, and the entries that would put the open items
 * right.
 */
export function dueBlocks({ statement, labels, words }: DocumentContext): readonly Block[] {
  const said = labels.due;
  const { recorded, due, items, others } = statement.due;
  const { end } = statement.period;
  const off = ({ balance, reserved }: Pick<WalletSides, 'balance' | 'reserved'>) => ({
    balance: 0 - balance,
    reserved: 0 - reserved,
  });
  const itemRow = (item: SuspenseItem, i: number): LineStep => {
    const { sequence, operationReference: reference, at } = item;
    const until = (item.state === 'settled' ? parseInstant(item.settledBy?.at ?? '') : null) ?? end;
    const age =
      at === null
        ? {}
        : { since: words.instant(at).slice(0, 10), age: Math.floor((until - at) / DAY) };
    const row = {
      key: `item${i + 1}`,
      name: itemLine(item, said, words.speech),
      sequence,
      reference,
      ...age,
    };
    return item.state === 'settled'
      ? { ...row, balance: 0, reserved: 0, tone: 'muted' }
      : { ...row, ...off(item) };
  };
  const rest = {
    key: 'others',
    name: fill(said.othersRow, { count: words.amount(others.count) }),
    ...off(others),
  };
  const steps = [
    { key: 'recorded', name: said.recordedRow, ...recorded, tone: 'strong' as const },
    ...items.map(itemRow),
    ...(others.count === 0 ? [] : [rest]),
  ];
  const rows: readonly LineStep[] = [
    ...steps,
    { ...dueRow(said, due), formula: `SUM(recorded:${steps.at(-1)!.key})` },
  ];
  const proposed = items
    .filter(({ state }) => state !== 'settled')
    .flatMap(({ proposal, fingerprint }) => proposal.map((entry) => ({ ...entry, fingerprint })));
  return [
    heading(said.steps),
    tableOf('due', DUE, {
      titles: { ...labels.reconciliation.suspense, ...said, name: labels.reconciliation.name },
      rows,
    }),
    ...(proposed.length === 0
      ? []
      : [
          heading(said.proposals.title),
          tableOf('proposals', PROPOSALS, { titles: said.proposals, rows: proposed }),
        ]),
  ];
}

/**
 * Shows how the recorded figures lead to the recomputed ones. Steps that add nothing are left out,
 * except the unexplained rest, which is shown also when it is 0.
 */
export function stepBlocks({ statement, labels, words }: DocumentContext): readonly Block[] {
  const said = labels.reconciliation;
  const { balance, reserved } = statement.reconciliation;
  const sequence = balance.headSequence === null ? DASH : words.amount(balance.headSequence);
  const step = stepsOf<ReconciliationSide>({ balance, reserved });
  const counted = (phrase: string, pick: (side: ReconciliationSide) => number): string =>
    fill(phrase, { balance: words.amount(pick(balance)), reserved: words.amount(pick(reserved)) });
  const items = ([balance, reserved] as const).flatMap((side, i) =>
    side.items.map((item, j): Step => {
      const values = {
        sequence: words.amount(item.sequence),
        kind: nameFinding(words.speech, item.findingKind),
      };
      const row = {
        key: `item${i}n${j}`,
        name: fill(said.item, values),
        balance: null,
        reserved: null,
      };
      return { ...row, [side === balance ? 'balance' : 'reserved']: 0 - item.amount };
    }),
  );
  const carried = counted(said.carried, ({ carriedForward }) => carriedForward.count);
  const others = counted(said.others, (side) => side.others.count);
  const isOff = balance.remainder !== 0 || reserved.remainder !== 0;
  const passing = [
    step('crossing', said.crossingAmount, (side) => 0 - side.crossing),
    step('carried', carried, (side) => 0 - side.carriedForward.amount),
    ...items,
    step('others', others, (side) => 0 - side.others.amount),
  ];
  const rows = [
    step('recorded', fill(said.atHead, { sequence }), (side) => side.recorded, { tone: 'strong' }),
    ...passing.filter((row) => row.balance !== 0 || row.reserved !== 0),
    step('unexplained', said.unexplained, (side) => 0 - side.remainder, {
      tone: isOff ? 'alert' : 'plain',
    }),
    step('recomputed', said.recomputed, (side) => side.recomputed, {
      tone: 'strong',
      formula: 'SUM(recorded:unexplained)',
    }),
  ];
  return [heading(said.steps), tableOf('steps', STEPS, { titles: said, rows })];
}

/** Compares what operations state as collected and disbursed with the lines that posted it. */
export function comparedBlocks({ statement, labels }: DocumentContext): readonly Block[] {
  const said = labels.reconciliation;
  const { collections, disbursements } = statement.reconciliation;
  if (collections.operations === null) return [];
  const row = stepsOf({ balance: collections, reserved: disbursements });
  const rows = [
    row('lines', said.collectionsOfLines, ({ lines }) => lines),
    row('operations', said.collectionsOfOperations, ({ operations }) => operations),
    // Positive where lines post too much, as in the findings.
    row('difference', said.collectionsDifference, (side) => 0 - (side.difference ?? 0), {
      tone: 'strong',
      formula: 'lines - operations',
    }),
  ];
  const titles = { name: said.name, balance: said.collected, reserved: said.disbursed };
  return [heading(said.collections), tableOf('compared', STEPS, { titles, rows })];
}

/** Shows how the closing leads to the wallet as it was read later. */
export function walletBlocks({ statement, labels }: DocumentContext): readonly Block[] {
  const { walletAsRead } = statement.circumstances;
  if (walletAsRead === null) return [];
  const said = labels.reconciliation;
  const { balance, reserved } = walletAsRead;
  const step = stepsOf(walletAsRead);
  const isOff = balance.difference !== 0 || reserved.difference !== 0;
  const rows = [
    step('closing', said.walletClosing, ({ closing }) => closing),
    step('since', said.walletSince, ({ sinceCutOff }) => sinceCutOff),
    step('recomputed', said.walletRecomputed, (side) => side.recomputedNow, {
      tone: 'strong',
      formula: 'closing + since',
    }),
    step('recorded', said.walletRecorded, ({ recordedNow }) => recordedNow ?? DASH),
    step('stated', said.walletStated, ({ wallet }) => wallet),
    step('difference', said.walletDifference, ({ difference }) => difference, {
      tone: isOff ? 'alert' : 'plain',
      formula: 'stated - recomputed',
    }),
    step('unexplained', said.walletUnexplained, ({ unexplained }) => unexplained ?? DASH),
  ];
  return [heading(said.wallet), tableOf('wallet', STEPS, { titles: said, rows })];
}
