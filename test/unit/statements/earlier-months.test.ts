// What goes wrong in a later month says nothing of an earlier one. The earlier month is stated as
// if nothing had gone wrong, to the hash.

import { expect, test } from 'vitest';
import { handBooks } from '../../support/hand-books.ts';
import { auditBooks, stateBooks } from '../../support/month-of-books.ts';

const OCTOBER = `
  10-02T08:00 CASHIN_CREDIT 50000 GUI-CI-1
  10-02T08:00 CASHIN_FEE 1000 GUI-CI-1
  10-20T08:00 CASHIN_CREDIT 7000 GUI-CI-2
  10-20T08:00 CASHIN_FEE 140 GUI-CI-2
  op GUI-CI-1 SUCCEEDED 50000 fees=1000 created=10-02T07:59 completed=10-02T08:00`;
const SUCCEEDED = `${OCTOBER}
  op GUI-CI-2 SUCCEEDED 7000 fees=140 created=10-20T07:59 completed=10-20T08:00`;

async function monthsOf(text: string) {
  const books = handBooks(text, '12-02T00:00');
  const report = auditBooks(books);
  const [october, november] = [
    await stateBooks(books, { period: '2026-10', report }),
    await stateBooks(books, { period: '2026-11', report }),
  ];
  const shownOf = ({ summary, due, integrity }: typeof october.statement) => ({
    verdict: summary.verdict.state,
    due: due.due!.balance,
    items: due.items.map(
      ({ kind, balance, isCarried }) => `${kind} ${balance}${isCarried ? ' carried' : ''}`,
    ),
    hash: integrity.contentHash,
  });
  return {
    report,
    october: shownOf(october.statement),
    november: shownOf(november.statement),
    journal: november,
  };
}

test('a reversal of a later month that has no line', async () => {
  const sound = await monthsOf(SUCCEEDED);
  const { october, november, journal } = await monthsOf(`${OCTOBER}
    op GUI-CI-2 REVERSED 7000 fees=140 created=10-20T07:59 completed=10-20T08:00 updated=11-10T08:00`);
  expect(october).toEqual(sound.october);
  expect(november).toMatchObject({
    verdict: 'broken',
    due: 49_000,
    items: ['REVERSAL_MISSING 6860'],
  });
  expect(journal.statement.journal.others.map(({ date }) => date)).toEqual(['2026-11-10']);
});

test('a line of a kind that the document does not know', async () => {
  const sound = await monthsOf(SUCCEEDED);
  const { october, november } = await monthsOf(
    `${SUCCEEDED}\n11-10T08:00 CASHIN_BONUS 10 GUI-CI-2`,
  );
  expect(october).toEqual(sound.october);
  expect(november.verdict).toBe('incomplete');
});
