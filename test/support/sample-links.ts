// A made-up section of payments by link whose tables agree with their totals, with a report of the
// payment service that differs in one figure.

import type { LinkSection } from '../../src/core/statements/comparison.ts';

export function sampleLinks(hostile: boolean): LinkSection {
  const operator = hostile ? '=HYPERLINK("http://x")' : 'wave';
  return {
    summary: {
      population: 'PAYMENTS_BY_LINK',
      currency: 'FCFA',
      totalAmount: 7_654_321,
      paymentCount: 43,
      byOperator: [
        { operator, count: 40, amount: 7_000_000 },
        { operator: 'orange', count: 3, amount: 654_321 },
      ],
      byCountry: [
        { country: 'CI', count: 31, amount: 7_600_021 },
        { country: 'CM', count: 12, amount: 54_300 },
      ],
      byDay: [
        { day: '2026-10-02', count: 29, amount: 7_600_000 },
        { day: '2026-10-31', count: 14, amount: 54_321 },
      ],
      byStatus: { PENDING: 2, SUCCESS: 43, FAILED: 5 },
    },
    account: {
      opening: 9_080_706,
      collected: 7_654_321,
      commissions: 98_712,
      paidOut: 5_432_109,
      payoutFees: 4_321,
      closing: 11_199_885,
      unknownCount: 7,
      unknownAmount: 765_432,
      perpetual: {
        count: 91,
        collected: 16_735_027,
        commissions: 98_712,
        unknownCount: 55,
        unknownAmount: 9_846_138,
        paidOut: 5_432_109,
        payoutFees: 4_321,
      },
      isWhole: true,
      service: {
        at: Date.UTC(2026, 10, 1, 2),
        balance: '11000000.75',
        ours: 11_199_885,
        difference: '-199884.25',
        pending: 150_000,
        unknown: 55,
        rate: 51,
        isExplained: true,
      },
    },
    payouts: [
      {
        id: '0b5f7d2e-6a3c-4f18-9d41-2e7c8a9b0c1d',
        reference: 'DEC-000012',
        at: Date.UTC(2026, 9, 12, 9),
        amount: 5_432_109,
        fees: '4321',
        accountType: 'BANK',
      },
    ],
    unread: 0,
    comparison: {
      notCompared: null,
      compared: 9,
      differences: [{ key: `byOperator.${operator}.amount`, service: '7000001', ours: '7000000' }],
    },
  };
}
