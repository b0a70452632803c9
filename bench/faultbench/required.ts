// What balance and reserved amount must be, by arithmetic alone: what each operation asks for in
// its state, and the adjustments. No running figure counts, and no line of an operation.

import type { Books } from '../../src/sandbox/model/plan.ts';
import type { Policy } from '../../src/sandbox/model/policy.ts';
import { type Post, postsFor } from '../../src/sandbox/model/postings.ts';
import type { ServedEntry, ServedOperation } from '../../src/sandbox/model/served.ts';

interface Required {
  readonly balance: number;
  readonly reserved: number;
}

export function requiredBy({ operations, entries, policy }: Books): Required {
  const lines = [...new Map(entries.map((line) => [`${line.sequence} ${line.id}`, line])).values()];
  const byOperation = Map.groupBy(lines, ({ operationReference }) => operationReference);
  let [balance, reserved] = [0, 0];
  for (const operation of operations) {
    const required = requiredByOne(operation, byOperation.get(operation.reference) ?? [], policy);
    balance += required.balance;
    reserved += required.reserved;
  }
  for (const { kind, amount } of lines) {
    if (kind === 'ADJUSTMENT_CREDIT') balance += amount;
    if (kind === 'ADJUSTMENT_DEBIT') balance -= amount;
  }
  return { balance, reserved };
}

/**
 * Returns what one operation requires. An open transfer must hold what it held at first, less what
 * was released since; a transfer that was only recorded need not hold.
 */
function requiredByOne(
  operation: ServedOperation,
  lines: readonly ServedEntry[],
  policy: Policy,
): Required {
  const netAmount =
    operation.amount + (operation.type === 'CASHIN' ? -operation.fees : operation.fees);
  const posts = (...phases: readonly ('REQUEST' | 'SUCCESS' | 'LAPSE' | 'REVERSAL')[]) =>
    phases.flatMap((phase) => postsFor(phase, { ...operation, netAmount }, policy));
  const sumOf = (kind: string) =>
    lines.reduce((sum, line) => (line.kind === kind ? sum + line.amount : sum), 0);
  switch (operation.status) {
    case 'CREATED':
    case 'PENDING':
    case 'AWAITING_PAYER': {
      if (operation.status === 'CREATED' && sumOf('CASHOUT_HOLD') === 0)
        return { balance: 0, reserved: 0 };
      const { reserved } = movedBy(posts('REQUEST'));
      return { balance: 0, reserved: Math.max(0, reserved - sumOf('CASHOUT_RELEASE')) };
    }
    case 'SUCCEEDED':
      return movedBy(posts('REQUEST', 'SUCCESS'));
    case 'REVERSED':
      return movedBy(posts('REQUEST', 'SUCCESS', 'REVERSAL'));
    default:
      return movedBy(posts('REQUEST', 'LAPSE'));
  }
}

function movedBy(posts: readonly Post[]): Required {
  return posts.reduce(
    (sum, post) => ({
      balance: sum.balance + post.balance,
      reserved: sum.reserved + post.reserved,
    }),
    { balance: 0, reserved: 0 },
  );
}
