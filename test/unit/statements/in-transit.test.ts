// What lies across the end of a month: operations that ended before it and were posted after it,
// and faults that are put right in several lines of several months. Each month states what was so
// at its end, and names the lines.

import { describe, expect, test } from 'vitest';
import type { IssuedStatement } from '../../../src/core/statements/revision.ts';
import { LABELS } from '../../../src/core/words/tree.ts';
import { figureWordingOf } from '../../../src/io/formats/port/wording.ts';
import {
  asksAnswer,
  inOurWords,
  openPosts,
} from '../../../src/io/formats/sentences/verdict-reasons.ts';
import { verdictSentences } from '../../../src/io/formats/sentences/verdict-sentences.ts';
import { toDoLines } from '../../../src/io/formats/text/letter.ts';
import { handBooks } from '../../support/hand-books.ts';
import { auditBooks, stateBooks } from '../../support/month-of-books.ts';

const SOUND = `
  10-02T08:00 CASHIN_CREDIT 50000 GUI-CI-1
  10-02T08:00 CASHIN_FEE 1000 GUI-CI-1
  op GUI-CI-1 SUCCEEDED 50000 fees=1000 created=10-02T07:59 completed=10-02T08:00
  10-02T09:00 CASHOUT_HOLD 1010 GUI-CO-1
  10-02T09:01 CASHOUT_DEBIT 1000 GUI-CO-1
  10-02T09:01 CASHOUT_FEE 10 GUI-CO-1
  op GUI-CO-1 SUCCEEDED 1000 fees=10 created=10-02T09:00 completed=10-02T09:01`;

async function monthsOf(text: string, issued: IssuedStatement | null = null) {
  const books = handBooks(`${SOUND}\n${text}`, '12-02T00:00');
  const report = auditBooks(books);
  const stated = async (period: string) =>
    (await stateBooks(books, { period, report, issued: period === '2026-10' ? issued : null }))
      .statement;
  const [october, november] = [await stated('2026-10'), await stated('2026-11')];
  return { report, october, november };
}

type Month = Awaited<ReturnType<typeof monthsOf>>['october'];

function shownOf({ summary, due, journal }: Month) {
  expect(journal.wallet.closing).toBe(due.recorded.balance);
  for (const control of Object.values(journal.controls!)) expect(control.rest).toBe(0);
  const open = due.items.filter(({ state }) => state !== 'settled');
  for (const side of ['balance', 'reserved'] as const) {
    expect(due.recorded[side] - open.reduce((sum, item) => sum + item[side], 0)).toBe(
      due.due![side],
    );
  }
  return {
    state: summary.verdict.state,
    due: `${due.due!.balance}/${due.due!.reserved}`,
    items: due.items.map(({ kind, state, balance, reserved, settledBy }) =>
      [kind ?? 'TRANSIT', state, `${balance}/${reserved}`, ...(settledBy?.lines ?? [])].join(' '),
    ),
  };
}

const sentencesOf = ({ summary }: Month) =>
  verdictSentences(summary, LABELS.fr, figureWordingOf(LABELS.fr.numbers).amount).map((one) =>
    one.replaceAll(/[\u202f\u00a0]/g, ' '),
  );

const LATE = `
  op GUI-CI-2 SUCCEEDED 7000 fees=140 created=10-31T23:50 completed=10-31T23:59
  11-01T00:01 CASHIN_CREDIT 7000 GUI-CI-2
  11-01T00:01 CASHIN_FEE 140 GUI-CI-2`;

describe('an operation of the month’s end that is posted within a day', () => {
  test('is in transit at the cut-off, is due, and breaks no month', async () => {
    const { october, november } = await monthsOf(LATE);
    expect(shownOf(october)).toEqual({
      state: 'clean',
      due: '54850/0',
      items: ['TRANSIT transit -6860/0 6 7'],
    });
    expect(shownOf(november)).toEqual({
      state: 'clean',
      due: '54850/0',
      items: ['TRANSIT settled -6860/0 6 7'],
    });
    expect(october.summary.inTransit).toEqual({ balance: 6_860, reserved: 0 });
    expect('inTransit' in november.summary).toBe(false);
    expect(sentencesOf(october)).toEqual([
      'Livres conformes : solde comptabilisé par le service 47 990 XOF, solde dû 54 850.',
      'Le solde dû comprend 6 860 XOF d’opérations de la fin du mois, comptabilisées après l’arrêté.',
    ]);
  });

  test('as a cash-out whose hold is still there, and as one whose release comes', async () => {
    const cashout = await monthsOf(`
      10-31T23:00 CASHOUT_HOLD 505 GUI-CO-2
      op GUI-CO-2 SUCCEEDED 500 fees=5 created=10-31T23:00 completed=10-31T23:59
      11-01T20:00 CASHOUT_DEBIT 500 GUI-CO-2
      11-01T20:00 CASHOUT_FEE 5 GUI-CO-2`);
    expect(shownOf(cashout.october)).toEqual({
      state: 'clean',
      due: '47485/0',
      items: ['TRANSIT transit 505/505 7 8'],
    });
    const release = await monthsOf(`
      10-31T23:00 CASHOUT_HOLD 505 GUI-CO-2
      op GUI-CO-2 CANCELLED 500 fees=5 created=10-31T23:00 completed=10-31T23:59
      11-01T20:00 CASHOUT_RELEASE 505 GUI-CO-2`);
    expect(shownOf(release.october)).toEqual({
      state: 'clean',
      due: '47990/0',
      items: ['TRANSIT transit 0/505 7'],
    });
    expect(sentencesOf(release.october)).toEqual([
      'Livres conformes : le solde comptabilisé par le service, 47 990 XOF, est le solde dû.',
      'Le réservé dû comprend −505 XOF d’opérations de la fin du mois, comptabilisées après l’arrêté.',
    ]);
  });

  test('beside a fault, which alone is owed', async () => {
    const { october } = await monthsOf(`10-05T08:00 CASHIN_CREDIT 50000 GUI-CI-1${LATE}`);
    expect(shownOf(october)).toMatchObject({ state: 'broken', due: '54850/0' });
    expect(sentencesOf(october)[1]).toBe(
      'Le marchand doit 50 000 XOF au service : solde comptabilisé 97 990, solde dû 54 850.',
    );
  });

  test('revises a month that was issued before it was posted, and the revision says what changed', async () => {
    const before = await monthsOf(LATE.split('\n').slice(0, 2).join('\n'));
    expect(shownOf(before.october)).toMatchObject({ state: 'broken', due: '54850/0' });
    const { october } = await monthsOf(LATE, before.october);
    expect(october.revision.number).toBe(2);
    expect(october.revision.changes).toContainEqual({
      figure: 'verdict.state',
      before: 'broken',
      after: 'clean',
    });
    expect(october.revision.changes.map(({ figure }) => figure)).not.toContain('due.balance');
    const again = await monthsOf(`${LATE}\n11-20T08:00 ADJUSTMENT_CREDIT 5 - says=geste`, october);
    expect(again.october.revision).toEqual(october.revision);
    expect(again.october.integrity).toEqual(october.integrity);
  });
});

test('a line that comes more than a day late leaves the month as it was stated, and the later one names it', async () => {
  const end = 'op GUI-CI-2 SUCCEEDED 7000 fees=140 created=10-31T23:50 completed=10-31T23:59';
  const before = await monthsOf(end);
  const { october, november } = await monthsOf(
    `${end}\n11-05T08:00 CASHIN_CREDIT 7000 GUI-CI-2\n11-05T08:00 CASHIN_FEE 140 GUI-CI-2`,
    before.october,
  );
  expect(october.revision.number).toBe(1);
  expect(shownOf(october)).toMatchObject({
    state: 'broken',
    items: ['CREDIT_MISSING open -6860/0'],
  });
  // What was put right since is told, and not asked for a second time.
  const [post] = openPosts(october);
  expect([post!.kind, asksAnswer(post!)]).toEqual(['CREDIT_MISSING', false]);
  const toDo = inOurWords(october, toDoLines);
  expect(toDo.fr).toHaveLength(1);
  expect(toDo.fr[0]).toMatch(/Régularisé depuis, .* par la ligne n° 6, 7\. Date de la ligne/);
  expect(inOurWords(before.october, toDoLines).fr[0]).toMatch(/^Écrire au service/);
  expect(shownOf(november)).toEqual({
    state: 'clean',
    due: '54850/0',
    items: ['CREDIT_MISSING settled -6860/0 6 7'],
  });
});

test('a fault that is put right in two months: each states what was left, and names its line', async () => {
  const { october, november } = await monthsOf(`
    10-05T08:00 CASHIN_CREDIT 50000 GUI-CI-1
    10-20T08:00 ADJUSTMENT_DEBIT 20000 GUI-CI-1 says=reprise
    11-10T08:00 ADJUSTMENT_DEBIT 30000 GUI-CI-1 says=reprise`);
  expect(shownOf(october)).toEqual({
    state: 'broken',
    due: '47990/0',
    items: ['CREDIT_DUPLICATED open 30000/0 7'],
  });
  expect(shownOf(november)).toEqual({
    state: 'clean',
    due: '47990/0',
    items: ['CREDIT_DUPLICATED settled 30000/0 8'],
  });
});
