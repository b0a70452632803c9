// What balance and reserved amount must be, by arithmetic alone: what each operation asks for in its state, and the adjustments. No
// running figure counts, and no line of an operation.

import type { Books } from '../../src/sandbox/model/plan.ts';
import { type Post, postsFor } from '../../src/sandbox/model/postings.ts';
import type { ServedOperation } from '../../src/sandbox/model/served.ts';

export function requiredBy({ operations, entries, policy }: Books): {
  readonly balance: number;
  readonly reserved: number;
} {
  let [balance, reserved] = [0, 0];
  const held = new Set(
    entries.flatMap(({ kind, operationReference }) => (kind === 'CASHOUT_HOLD' ? [operationReference] : [])),
  );
  for (const operation of operations) {
    for (const post of postsOf(operation, held.has(operation.reference))) {
      balance += post.balance;
      reserved += post.reserved;
    }
  }
  for (const { kind, amount } of entries) {
    if (kind === 'ADJUSTMENT_CREDIT') balance += amount;
    if (kind === 'ADJUSTMENT_DEBIT') balance -= amount;
  }
  return { balance, reserved };

  function postsOf(operation: ServedOperation, isHeld: boolean): readonly Post[] {
    const netAmount = operation.amount + (operation.type === 'CASHIN' ? -operation.fees : operation.fees);
    const posts = (phase: 'REQUEST' | 'SUCCESS' | 'LAPSE' | 'REVERSAL') =>
      postsFor(phase, { ...operation, netAmount }, policy);
    switch (operation.status) {
      case 'CREATED':
        return isHeld ? posts('REQUEST') : [];
      case 'PENDING':
      case 'AWAITING_PAYER':
        return posts('REQUEST');
      case 'SUCCEEDED':
        return [...posts('REQUEST'), ...posts('SUCCESS')];
      case 'REVERSED':
        return [...posts('REQUEST'), ...posts('SUCCESS'), ...posts('REVERSAL')];
      default:
        return [...posts('REQUEST'), ...posts('LAPSE')];
    }
  }
}
