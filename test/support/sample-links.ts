// A made-up section of payments by link whose tables agree with their totals, with a report of the service that differs in one.

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
    unread: 0,
    comparison: {
      notCompared: null,
      compared: 9,
      differences: [{ key: `byOperator.${operator}.amount`, service: '7000001', ours: '7000000' }],
    },
  };
}
