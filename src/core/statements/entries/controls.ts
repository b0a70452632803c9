// Holds what the journal posts against what operations state: commissions, collections, payouts, counted each for itself. Names
// what lawfully differs; the rest is printed.

import type { Amount } from '../../domain/amount.ts';
import { plus, sumOf } from '../exact.ts';
import type { AccountRole, JournalControl, JournalControls } from '../journal.ts';
import type { CommissionRow } from '../section-commissions.ts';
import type { Against } from './postings.ts';

const CONTROLLED = ['fees', 'customers', 'suppliers'] as const;
type Controlled = (typeof CONTROLLED)[number];

type Sums = { -readonly [K in 'posted' | 'otherMonth' | 'undone' | 'priced']: JournalControl[K] };
export type ControlSums = Readonly<Record<Controlled, Sums>>;

export function beginControls(): ControlSums {
  const none = (): Sums => ({ posted: 0, otherMonth: 0, undone: 0, priced: 0 });
  return { fees: none(), customers: none(), suppliers: none() };
}

/** `isHere`: the entry is of this month. `isCounted`: its operation succeeded in it. */
export function controlEntry(
  sums: ControlSums,
  against: Against,
  { isHere, isCounted }: { readonly isHere: boolean; readonly isCounted: boolean },
): void {
  for (const [role, amount] of against) {
    if (!isControlled(role)) continue;
    const own = sums[role];
    const forward = role === 'customers' ? -amount : amount;
    if (isHere) own.posted = plus(own.posted, forward);
    if (forward < 0) own.undone = plus(own.undone, isHere ? -forward : 0);
    else if (isHere !== isCounted) own.otherMonth = plus(own.otherMonth, isHere ? forward : -forward);
  }
}

/** What an operation that succeeded in the month states, and what was undone of it, with a line for neither. */
export function controlPassedOver(sums: ControlSums, passedOver: ReadonlyMap<AccountRole, Amount>): void {
  for (const [role, amount] of passedOver) {
    if (isControlled(role)) sums[role].undone = plus(sums[role].undone, amount);
  }
}

/** `rows`: of the commission section, which has the operations that succeeded in the month. */
export function controlsOf(sums: ControlSums, rows: readonly CommissionRow[]): JournalControls {
  const of = (type: CommissionRow['type']) => rows.filter((row) => row.type === type);
  return {
    fees: controlOf(
      sums.fees,
      sumOf(rows, (row) => row.charged),
    ),
    customers: controlOf(
      sums.customers,
      sumOf(of('CASHIN'), (row) => row.base),
    ),
    suppliers: controlOf(
      sums.suppliers,
      sumOf(of('CASHOUT'), (row) => row.base),
    ),
  };
}

function controlOf({ posted, otherMonth, undone, priced }: Sums, stated: Amount): JournalControl {
  const explained = [stated, otherMonth, -undone, priced].reduce(plus, 0);
  return { posted, stated, otherMonth, undone, priced, rest: plus(posted, -explained) };
}

function isControlled(role: AccountRole): role is Controlled {
  return (CONTROLLED as readonly string[]).includes(role);
}
