// Posts the lines of an operation that a finding names: what its state and figures ask for goes to the accounts of collections,
// payouts and commissions, in the order of the lines; what is beyond goes to suspense, and what is lacking is owed by it.

import type { Amount } from '../../domain/amount.ts';
import { plus, sumOf } from '../exact.ts';
import type { AccountRole } from '../journal.ts';
import type { Against, PostedNote } from './postings.ts';
import type { SuspenseCase } from './suspense-plan.ts';

export interface Allocated {
  /** For each line, in their order. */
  readonly lines: readonly Against[];
  /** Lacks a line: an entry of its own. Empty when nothing is lacking. */
  readonly own: Against;
  /** Of commissions, what the price asks for beyond what the operation states. */
  readonly priced: Amount;
  /** What was to be posted and undone, by role, and is in no line either way: nothing is left of it to post. Positive. */
  readonly passedOver: ReadonlyMap<AccountRole, Amount>;
}

/** What may still be posted, by role: debits and credits. */
type Budget = Map<AccountRole, { debit: Amount; credit: Amount }>;

/** `lines`: as they would be posted otherwise; `judged`: Σ effects of those that the operation is judged by. */
export function allocate(
  lines: readonly Against[],
  { root, off }: SuspenseCase,
  about: {
    readonly operation: Pick<PostedNote, 'type' | 'amount' | 'fees' | 'status'> | null;
    readonly judged: Amount;
  },
): Allocated {
  const required = plus(about.judged, -off);
  const { budget, priced } = budgetOf(about.operation, required);
  const posted = lines.map((against) => {
    let rest = 0;
    const kept = against.flatMap(([role, amount]): Against => {
      const taken = takeFrom(budget, role, amount);
      rest = plus(rest, amount - taken);
      return taken === 0 ? [] : [[role, taken]];
    });
    return rest === 0 ? kept : [...kept, [root.role, rest] as const];
  });
  const lacking = [...budget].flatMap(([role, { debit, credit }]): Against => {
    const left = plus(debit, -credit);
    return left === 0 ? [] : [[role, left]];
  });
  const owed = sumOf(lacking, ([, amount]) => amount);
  const passedOver = new Map([...budget].map(([role, { debit, credit }]) => [role, Math.min(debit, credit)]));
  return { lines: posted, own: owed === 0 ? lacking : [...lacking, [root.role, -owed]], priced, passedOver };
}

/** Of an operation that nobody knows nothing is required. */
function budgetOf(
  operation: Pick<PostedNote, 'type' | 'amount' | 'fees' | 'status'> | null,
  required: Amount,
): { readonly budget: Budget; readonly priced: Amount } {
  const budget: Budget = new Map();
  if (operation === null || !(operation.status === 'SUCCEEDED' || operation.status === 'REVERSED'))
    return { budget, priced: 0 };
  const { type, amount, fees, status } = operation;
  const isReversed = status === 'REVERSED';
  const keepsFee = isReversed && fees > 0 && required === -fees;
  const undone = isReversed ? amount : 0;
  if (type === 'CASHIN') budget.set('customers', { debit: undone, credit: amount });
  else budget.set('suppliers', { debit: amount, credit: undone });
  const undoneFee = isReversed && !keepsFee ? fees : 0;
  const stated = type === 'CASHIN' ? amount - undone - fees + undoneFee : -(amount - undone + fees - undoneFee);
  // A fee that no price gives is required otherwise than it is stated.
  const priced = Math.max(-fees, stated - required);
  budget.set('fees', { debit: plus(fees, priced), credit: undoneFee });
  return { budget, priced };
}

/** How much of the amount may be posted to the role, signed. */
function takeFrom(budget: Budget, role: AccountRole, amount: Amount): Amount {
  const left = budget.get(role);
  if (left === undefined) return 0;
  const side = amount > 0 ? 'debit' : 'credit';
  const taken = Math.min(Math.abs(amount), left[side]);
  left[side] -= taken;
  return amount > 0 ? taken : -taken;
}
