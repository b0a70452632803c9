import { expect, test } from 'vitest';
import type { Summary } from '../../../src/core/domain/service-report.ts';
import { compareSummaries } from '../../../src/core/kernel/checks/reports/choose-reports.ts';

const ours: Summary = {
  currency: 'XOF',
  totalAmount: 12_500,
  paymentCount: 3,
  byOperator: [
    { operator: 'WAVE', count: 2, amount: 10_000 },
    { operator: 'ORANGE', count: 1, amount: 2_500 },
  ],
  byStatus: { SUCCEEDED: 3, FAILED: 0 },
  firstSequence: null,
};

test('equal figures are equal in every lawful spelling, and in any order', () => {
  const service = {
    currency: 'XOF',
    paymentCount: '3',
    totalAmount: '12500.00',
    byOperator: {
      Orange: { amount: 2.5e3, count: '1.0' },
      wave: { count: '+2', amount: '10000' },
    },
    byStatus: { succeeded: 3 },
    firstSequence: null,
  };
  const { compared, differences, onlyInService, onlyInOurs } = compareSummaries(service, ours);
  expect(differences).toEqual([]);
  expect([onlyInService, onlyInOurs]).toEqual([[], []]);
  expect(compared).toBe(10);
});

test('each difference has its key, both figures, and the service’s less ours', () => {
  const service = {
    ...ours,
    currency: 'XAF',
    totalAmount: '12499.50',
    byStatus: { SUCCEEDED: 4, FAILED: 0 },
  };
  expect(compareSummaries(service, ours).differences).toEqual([
    { key: 'currency', service: 'XAF', ours: 'XOF', difference: null },
    { key: 'totalAmount', service: '12499.5', ours: '12500', difference: '-0.5' },
    { key: 'byStatus.SUCCEEDED', service: '4', ours: '3', difference: '1' },
  ]);
});

test('a figure past 2^53 is compared to its last digit', () => {
  const differ = (a: string, b: string) => compareSummaries({ total: a }, { total: b }).differences;
  expect(differ('9007199254740993', '9007199254740992')).toMatchObject([{ difference: '1' }]);
  expect(differ('90071992547409930.10', '90071992547409930.1')).toEqual([]);
});

test('a member that one side leaves out is a difference when it has something, and none when it has nothing', () => {
  const without = { ...ours, byOperator: [{ operator: 'WAVE', count: 2, amount: 10_000 }] };
  expect(compareSummaries(without, ours).differences).toEqual([
    { key: 'byOperator.ORANGE.count', service: null, ours: '1', difference: '-1' },
    { key: 'byOperator.ORANGE.amount', service: null, ours: '2500', difference: '-2500' },
  ]);
  const more = {
    ...ours,
    byOperator: [...(ours.byOperator as Summary[]), { operator: 'MTN', count: 0, amount: 0 }],
  };
  expect(compareSummaries(more, ours).differences).toEqual([]);
});

test('what only one side has is named and not taken for equal; a field beside others is no member', () => {
  const service = { label: 'octobre', totalAmount: 12_500, control: { a: 0, c: 7 } };
  const own = { totalAmount: 12_500, pages: 4, control: { a: 0, b: 5 } };
  expect(compareSummaries(service, own)).toEqual({
    compared: 2,
    differences: [],
    onlyInService: ['label', 'control.c'],
    onlyInOurs: ['pages', 'control.b'],
  });
  expect(compareSummaries({}, own).compared).toBe(0);
});

test('members whose names differ in casing alone are one, and lists without names go by their place', () => {
  const twice = {
    byOperator: [
      { operator: 'Wave', amount: 4 },
      { operator: 'WAVE', amount: '6.0' },
    ],
  };
  expect(compareSummaries(twice, { byOperator: { wave: { amount: 10 } } }).differences).toEqual([]);
  expect(compareSummaries({ days: [1, 2, 3] }, { days: [1, 2, 4] }).differences).toMatchObject([
    { key: 'days.2', service: '3', ours: '4' },
  ]);
});

test('a row without a name is compared with nothing, and then no member is missing from its list', () => {
  const service = { byOperator: [{ operator: 'wave', amount: 9_999 }, { amount: 2_500 }] };
  const compared = compareSummaries(service, ours);
  expect(compared.differences).toMatchObject([{ key: 'byOperator.wave.amount', ours: '10000' }]);
  expect(compared.onlyInService).toEqual(['byOperator.#2.amount']);
  expect(compared.onlyInOurs).toContain('byOperator.ORANGE.amount');
  expect(compareSummaries(ours, service).differences).toHaveLength(1);
  expect(compareSummaries({ byOperator: [{ amount: 5 }] }, ours).compared).toBe(0);
});

test('hostile keys and values are compared like any other', () => {
  const odd = JSON.parse('{"__proto__":{"x":1},"constructor":2,"a.b":3}') as Summary;
  expect(compareSummaries(odd, odd)).toMatchObject({ compared: 3, differences: [] });
  const wild = { a: '1e999999999', b: '0x10', c: ' 5 ', d: 'Infinity', e: true, f: '' };
  expect(
    compareSummaries(wild, { a: '1e999999998', b: 16, c: 5, d: 'Infinity', e: 'true', f: 0 })
      .differences,
  ).toHaveLength(5);
});
