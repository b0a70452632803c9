// Makes places to read payouts from, which answer what a test says, and nothing to all other
// questions.

import type { Answered, PayoutPlace } from '../../src/core/domain/published/payout-place.ts';

const NOTHING: Answered<never> = { value: null, rejected: [], absent: null };

/**
 * `answers` are by the name of the question; a question that is left out is answered with nothing.
 */
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
