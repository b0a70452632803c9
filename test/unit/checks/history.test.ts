// What is said of a line that came late, and of a month that differs from what was issued.

import { expect, test } from 'vitest';
import {
  judgeAlteration,
  judgeChangedMonth,
} from '../../../src/core/kernel/checks/across/history.ts';
import { readSample } from '../../../src/core/samples/read-sample.ts';

const [line] = readSample('line 5 CASHIN_CREDIT 1000 1000/0 CI-1').books.entries;

test.each([
  [true, 'info'],
  [false, 'critical'],
])('a line that came late, and fills a gap (%s), is %s', (fillsGap, severity) => {
  const draft = judgeAlteration({
    ...{ change: 'inserted', sequence: 5, lastSequence: 5, lines: 1, fillsGap },
    ...{ before: null, now: line! },
  } as never);
  expect(draft).toMatchObject({ kind: 'ENTRY_INSERTED_LATE', severity, sequence: 5 });
});

const changed = (...figures: readonly (readonly [string, string | null, string | null])[]) =>
  judgeChangedMonth({
    ...{ period: '2026-09', revision: 2, count: figures.length },
    figures: figures.map(([figure, before, after]) => ({ figure, before, after })),
  });

test('of a month that changed, the balance at its end is told before any other figure', () => {
  const draft = changed(['verdict.state', 'clean', 'broken'], ['closingBalance', '100', '160']);
  expect(draft).toMatchObject({ expected: '100', actual: '160', difference: 60n });
  expect(draft.figures).toMatchObject({ figure: 'closingBalance', more: 1 });
  expect(draft.evidence.map(({ note }) => note)).toEqual([
    'verdict.state: clean as issued, broken now',
    'closingBalance: 100 as issued, 160 now',
  ]);
});

test('a figure that is no money, or is not there any more, has no difference', () => {
  expect(changed(['verdict.state', 'clean', 'broken'])).toMatchObject({
    ...{ expected: 'clean', actual: 'broken', difference: null },
  });
  expect(changed(['closingBalance', '100', null])).toMatchObject({ difference: null });
});
