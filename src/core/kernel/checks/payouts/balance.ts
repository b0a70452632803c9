// The balance of what was collected by link: the payments that succeeded, less their fees, less
// what was paid out. Every lawful way to count is tried. Where fees are unknown, each way gives
// bounds, and a balance within them is no finding.

import { asDecimal, type Decimal, decimalText, wholeOf } from '../../../domain/decimal.ts';
import type { Payout } from '../../../domain/published/payout.ts';
import { isSame, type Judgement, joined, judged, NOT_JUDGED, noted } from '../port/judgement.ts';
import type { PaymentTotals } from './payment-totals.ts';
import { isStill, type PayoutCase, payoutEvidence, seenAt, wholeList } from './payout-case.ts';

const PLACE = 'balance by link';
const MOST_SHOWN = 20;

/** Every balance from the least to the most is lawful. */
interface Bounds {
  readonly least: Decimal;
  readonly most: Decimal;
}

export function judgeBalance(subject: PayoutCase): Judgement {
  const { read, payments } = subject;
  const stated = read.before.balance;
  if (stated === null) return NOT_JUDGED;
  const whole = wholeList(subject);
  if (payments === null || whole === null) {
    const of = payments === null ? 'payments' : 'payouts';
    return noted({ what: PLACE, code: 'BALANCE_WITHOUT_ALL', figures: { of } });
  }
  if (!isStill(read)) return NOT_JUDGED;
  const balance = asDecimal(stated.balance)!;
  const bounds = readingsOf(payments, whole, isSame(read.before.balance, read.after.balance));
  const isWithin = bounds.some(({ least, most }) => balance.gte(least) && balance.lte(most));
  const untold = payments.fees.certain.unknown.count + payments.fees.young.unknown.count;
  if (!isWithin)
    return judged(
      'LINK_BALANCE_MISMATCH',
      PLACE,
      describe(subject, { balance, bounds, untold, whole }),
    );
  const isExact = bounds.some(({ least, most }) => least.eq(balance) && most.eq(balance));
  const bounded = noted({ what: PLACE, code: 'BALANCE_BOUNDED', figures: { count: untold } });
  return joined([
    judged('LINK_BALANCE_MISMATCH', PLACE, null),
    isExact || untold === 0 ? NOT_JUDGED : bounded,
  ]);
}

/**
 * Returns the bounds of each way to count: gross or net of fees, pending payouts subtracted or not,
 * fees of payouts added or not. For `isExact` see `collected`.
 */
function readingsOf(
  payments: PaymentTotals,
  payouts: readonly Payout[],
  isExact: boolean,
): readonly Bounds[] {
  return [collected(payments, isExact, 'net'), collected(payments, isExact, 'gross')].flatMap(
    ({ least, most }) =>
      [true, false].flatMap((takesPending) =>
        [false, true].map((addsFees) => {
          const out = paidOut(payouts, { takesPending, addsFees });
          return { least: least.minus(out), most: most.minus(out) };
        }),
      ),
  );
}

/**
 * Returns what was collected. `isExact` says that the balance did not change while payments were
 * read. Otherwise a young success may be newer than the balance, and counts only towards `most`.
 */
function collected({ all, fees }: PaymentTotals, isExact: boolean, by: 'net' | 'gross'): Bounds {
  const sum = (age: 'certain' | 'young'): Bounds => {
    const amount = decimalOf(all[age].SUCCESS.amount);
    if (by === 'gross') return { least: amount, most: amount };
    const most = amount.minus(fees[age].known);
    return { least: most.minus(decimalOf(fees[age].unknown.amount)), most };
  };
  const [certain, young] = [sum('certain'), sum('young')];
  return {
    least: isExact ? certain.least.plus(young.least) : certain.least,
    most: certain.most.plus(young.most),
  };
}

function paidOut(
  payouts: readonly Payout[],
  { takesPending, addsFees }: { readonly takesPending: boolean; readonly addsFees: boolean },
): Decimal {
  return payouts
    .filter(({ status }) => status === 'SUCCESS' || (takesPending && status === 'PENDING'))
    .reduce((sum, { amount, fees }) => {
      const out = sum.plus(decimalOf(BigInt(amount)));
      return addsFees ? out.plus(asDecimal(fees ?? '0')!) : out;
    }, decimalOf(0n));
}

function decimalOf(amount: bigint): Decimal {
  return asDecimal(amount.toString())!;
}

function describe(
  { read, payments }: PayoutCase,
  found: {
    readonly balance: Decimal;
    readonly bounds: readonly Bounds[];
    readonly untold: number;
    readonly whole: readonly Payout[];
  },
) {
  const { balance, bounds, untold, whole } = found;
  const offs = bounds.map(({ least, most }) =>
    balance.lt(least) ? balance.minus(least) : balance.minus(most),
  );
  const nearest = offs.reduce((best, one) => (one.abs().lt(best.abs()) ? one : best));
  const due = balance.minus(nearest);
  const { count, amount } = payments!.all.certain.SUCCESS;
  const figures = {
    balance: decimalText(balance),
    due: decimalText(due),
    difference: decimalText(nearest),
    untold,
  };
  return {
    figures,
    expected: decimalText(due),
    actual: decimalText(balance),
    difference: wholeOf(nearest),
    differences: [...new Set(offs.flatMap((one) => wholeOf(one) ?? []))],
    evidence: [
      seenAt(PLACE, read.from, `balance ${decimalText(balance)}`),
      seenAt('payments', read.until, `${count} succeeded, ${amount}`),
      ...whole.slice(0, MOST_SHOWN).map(payoutEvidence),
    ],
  };
}
