// Nightly runs over books in which a credit is missing one night and there the next. The finding
// stays, settled by the line that came late, and a run that goes on from its checkpoint says what a
// run from the first line says.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { arraySource } from '../support/array-source.ts';
import { comparable, comparableState } from '../support/comparable-report.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { booksAt } from '../support/growing-books.ts';
import { handBooks, instant } from '../support/hand-books.ts';
import { runNight } from '../support/nightly.ts';

let opened: TestStore;
beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(async () => {
  await opened.close();
});

const FINAL = handBooks(
  `10-02T08:00 CASHIN_CREDIT 50000 GUI-CI-1
   10-02T08:00 CASHIN_FEE 1000 GUI-CI-1
   op GUI-CI-1 SUCCEEDED 50000 fees=1000 created=10-02T07:59 completed=10-02T08:00
   op GUI-CI-2 SUCCEEDED 7000 fees=140 created=10-03T07:59 completed=10-03T08:00
   10-05T08:00 CASHIN_CREDIT 50000 GUI-CI-3
   10-05T08:00 CASHIN_FEE 1000 GUI-CI-3
   op GUI-CI-3 SUCCEEDED 50000 fees=1000 created=10-05T07:59 completed=10-05T08:00
   10-06T08:00 CASHIN_CREDIT 7000 GUI-CI-2
   10-06T08:00 CASHIN_FEE 140 GUI-CI-2
   10-07T08:00 ADJUSTMENT_CREDIT 10 GUI-CI-2 says=geste`,
  '10-08T00:00',
);

test('the root is open, then settled by the lines that came late, and stays so', async () => {
  const source = arraySource(FINAL);
  const said: string[] = [];
  for (const [lines, now] of [
    [4, '10-05T20:00'],
    [6, '10-06T20:00'],
    [7, '10-08T00:00'],
  ] as const) {
    source.books = { ...booksAt(FINAL, { lines, manner: 'orderly' }), asOf: instant(now) };
    const merchant = FINAL.profile.reference;
    const night = {
      store: opened.store,
      source,
      merchant,
      now: instant(now),
      pageRows: 2,
      diesBeforeSaving: false,
    };
    const { report, full, states, changes } = await runNight(night);
    expect(comparable(report)).toEqual(comparable(full));
    expect(comparableState(states.carried)).toEqual(comparableState(states.full));
    const root = report.findings.find(({ kind }) => kind === 'CREDIT_MISSING')!;
    said.push(
      `${root.fingerprint} ${root.settledBy?.lines.join(' ') ?? 'open'} ${changes!.settled.length}`,
    );
  }
  const [print] = said[0]!.split(' ');
  expect(said).toEqual([`${print} open 0`, `${print} 5 6 1`, `${print} 5 6 0`]);
});
