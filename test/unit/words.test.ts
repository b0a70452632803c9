// What findings are said in: every kind has words, made of figures as a stored report holds them.

import { describe, expect, test } from 'vitest';
import { PAGES } from '../../src/checks/registry.ts';
import { reportFigures } from '../../src/domain/figures.ts';
import { reconcileSample } from '../../src/samples/read-sample.ts';
import { ENGLISH } from '../../src/words/english/all.ts';
import { money } from '../../src/words/spelling.ts';
import { wordFinding } from '../../src/words/words.ts';

test('a finding that went through JSON is said again in the same words', () => {
  for (const { fires } of PAGES.values()) {
    const stored = JSON.parse(JSON.stringify(reconcileSample(fires).findings)) as ReturnType<
      typeof reconcileSample
    >['findings'];
    expect(stored.length).toBeGreaterThan(0);
    for (const { kind, figures, message } of stored) {
      expect(Object.keys(figures).length).toBeGreaterThan(0);
      expect(wordFinding(ENGLISH, kind, figures)).toBe(message);
      expect(message).not.toMatch(/undefined|NaN|\[object/);
    }
  }
});

test('there are words for every kind, and for one that speaks for many', () => {
  expect(Object.keys(ENGLISH).sort()).toEqual([...PAGES.keys(), 'gathered'].sort());
});

describe('figures in a report', () => {
  test('are exact beyond 2^53, at any depth, and hold no text that acts', () => {
    const figures = { sum: 2n ** 63n, at: 3, isMore: true, none: null, ends: [{ sequence: 7, name: 'a\u202eb' }] };
    expect(reportFigures(figures)).toEqual({
      sum: '9223372036854775808',
      at: '3',
      isMore: true,
      none: null,
      ends: [{ sequence: '7', name: 'a\\u202eb' }],
    });
  });

  test.each([
    [1234567, '1 234 567'],
    [-1000n, '−1 000'],
    ['-999', '−999'],
    ['0', '0'],
    ['9223372036854775808', '9 223 372 036 854 775 808'],
  ])('%s is written %s', (amount, written) => {
    expect(money(amount)).toBe(written);
  });
});

describe('a drift that later lines undo', () => {
  const books = `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_CREDIT 500 1547/0 CI-2
    line 3 CASHIN_CREDIT 500 2000/0 CI-3
    op CI-1 SUCCEEDED 1000
    op CI-2 SUCCEEDED 500
    op CI-3 SUCCEEDED 500`;

  test('names its other end, in figures and in words', () => {
    const [drift] = reconcileSample(books).findings;
    expect(drift).toMatchObject({
      kind: 'BALANCE_DRIFT',
      figures: { undoneBy: [{ sequence: '3', difference: '-47' }] },
    });
    expect(drift!.message).toMatch(/off by 47\. It is undone by line 3 \(−47\)\.$/);
  });
});
