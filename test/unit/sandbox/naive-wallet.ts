// The naive opinion on the wallet: head of the ledger, open holds, and totals counted under the
// known policy.

import type { Books } from '../../../src/sandbox/model/plan.ts';
import type { Seen } from './naive-lines.ts';

export function lookAtWallet(books: Books): Seen[] {
  const { wallet, entries, operations, policy } = books;
  const head = entries.at(-1) ?? { balanceAfter: 0, reservedAfter: 0 };
  const reversedCounts = !policy.totals.includes('LESS_REVERSALS');
  const counted = operations.filter(
    ({ status }) => status === 'SUCCEEDED' || (status === 'REVERSED' && reversedCounts),
  );
  const figure = policy.totals.startsWith('NET') ? 'netAmount' : 'amount';
  const sum = (type: string) =>
    counted.reduce((total, o) => total + (o.type === type ? o[figure] : 0), 0);
  const settled = operations.filter(
    ({ status }) => status === 'SUCCEEDED' || status === 'REVERSED',
  );
  const fees = (policy.reversal === 'PRINCIPAL' ? settled : counted).reduce(
    (total, o) => total + o.fees,
    0,
  );
  const open = operations.filter(
    ({ type, status }) => type === 'CASHOUT' && ['CREATED', 'PENDING'].includes(status),
  );
  const holds = entries
    .filter(
      ({ kind, operationReference }) =>
        kind === 'CASHOUT_HOLD' && open.some((o) => o.reference === operationReference),
    )
    .reduce((total, line) => total + line.amount, 0);
  const kinds = Object.entries({
    WALLET_IDENTITY_BROKEN: wallet.available !== wallet.balance - wallet.reserved,
    WALLET_BALANCE_MISMATCH: wallet.balance !== head.balanceAfter,
    WALLET_RESERVED_MISMATCH: wallet.reserved !== head.reservedAfter,
    OPEN_HOLDS_MISMATCH: head.reservedAfter !== holds,
    TOTAL_COLLECTED_MISMATCH: wallet.totalCollected !== sum('CASHIN'),
    TOTAL_DISBURSED_MISMATCH: wallet.totalDisbursed !== sum('CASHOUT'),
    TOTAL_FEES_MISMATCH: wallet.totalFees !== fees,
  });
  const seen = kinds.flatMap(([kind, holdsTrue]) =>
    holdsTrue ? [{ kind, sequence: null, operationReference: null }] : [],
  );
  return [...seen, ...lookAtDays(books)];
}

/**
 * Both counts must exceed the ceiling: executed and not reversed, without commissions, by creation
 * or by completion.
 */
function lookAtDays({ operations, merchant }: Books): Seen[] {
  const limit = merchant.limits.dailyCashoutLimit;
  const done = operations.filter(
    ({ type, status }) => type === 'CASHOUT' && status === 'SUCCEEDED',
  );
  const first = (field: 'createdAt' | 'completedAt') => {
    const at = done.map((o) => ({
      reference: o.reference,
      time: Date.parse(o[field]!),
      amount: o.amount,
    }));
    const over = at.filter(({ time }) => {
      const day = at.filter((o) => o.time <= time && o.time > time - 86_400_000);
      return limit > 0 && day.reduce((total, o) => total + o.amount, 0) > limit;
    });
    return over.sort((a, b) => a.time - b.time)[0]?.reference ?? null;
  };
  const [created, completed] = [first('createdAt'), first('completedAt')];
  if (created === null || completed === null) return [];
  const operationReference = created === completed ? created : null;
  return [{ kind: 'DAILY_CASHOUT_LIMIT_EXCEEDED', sequence: null, operationReference }];
}
