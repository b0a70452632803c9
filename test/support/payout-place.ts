// Places to read payouts from that hold what a test says, and nothing where it says nothing.

import type { Answered, PayoutPlace } from '../../src/core/domain/published/payout-place.ts';

const NOTHING: Answered<never> = { value: null, rejected: [], absent: null };

/** `answers`: by the name of the question; those that are left out are answered with nothing. */
export function payoutPlaceOf(
  answers: Partial<Record<keyof PayoutPlace, () => unknown>> = {},
): PayoutPlace {
  const ask = (name: keyof PayoutPlace) => async (): Promise<never> => {
    const answer = answers[name];
    return (answer === undefined ? NOTHING : { ...NOTHING, value: answer() }) as never;
  };
  return {
    limits: ask('limits'),
    counters: ask('counters'),
    balance: ask('balance'),
    list: ask('list'),
    accounts: ask('accounts'),
    settlement: ask('settlement'),
    statistics: ask('statistics'),
    deliveries: ask('deliveries'),
  };
}
