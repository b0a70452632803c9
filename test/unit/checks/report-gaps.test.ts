// Parts of a summary that cannot be compared although their names are known. They are named, and
// hide nothing else.

import { describe, expect, test } from 'vitest';
import type { Summary, SummaryValue } from '../../../src/core/domain/service-report.ts';
import type { NotChecked } from '../../../src/core/domain/snapshot.ts';
import { ENGLISH } from '../../../src/core/words/finding.ts';
import { wordReason } from '../../../src/core/words/names.ts';
import { LABELS } from '../../../src/core/words/tree.ts';
import { wordingOf } from '../../../src/io/formats/port/wording.ts';
import { englishIn } from '../../support/english-words.ts';
import { judge, pay, payments } from '../../support/judged-reports.ts';

const WAVE = { operator: 'wave', count: 2, amount: 1_050 };
const ORANGE = { operator: 'orange', count: 1, amount: 250 };
const noteOf = (why: string, incomplete: boolean) => ({
  what: 'report 2026-10',
  why: `${why}; that was not compared`,
  incomplete,
  code: 'REPORT_GAPS',
  figures: expect.anything(),
});
const { speech: FRENCH } = wordingOf('UTC', { labels: LABELS.fr, language: 'fr' });
/**
 * Returns the note in French, which must have no word of English. Its English must be the clause
 * itself.
 */
function inFrench(note: NotChecked | null): string {
  const said = wordReason(FRENCH, note!);
  expect(wordReason(ENGLISH, note!)).toBe(note!.why);
  expect(said).not.toContain('motif technique');
  expect(englishIn(said), said).toEqual([]);
  return said;
}

test('a figure that was not compared is named in French on a French page', () => {
  const rows = [WAVE, { count: 1 }, { operator: 'orange', count: 1, amount: null }];
  const many = {
    totalAmount: 'abc',
    pages: 3,
    byOperator: rows,
    byDay: [{ day: 'lundi', amount: 5 }],
    byCountry: [],
  };
  const said = inFrench(judge(many).note);
  expect(said).toMatch(
    /^son résumé contient ce qui n’est pas un nombre : totalAmount "abc" ; .* ; cela n’a pas été comparé$/,
  );
  for (const part of ['il ne nomme personne dans : ', 'AAAA-MM-JJ : byDay.lundi', 'à rien : pages'])
    expect(said).toContain(part);
  expect(inFrench(judge({ totalAmount: 5 }, { unread: 2 }).note)).toBe(
    'son résumé diffère des paiements lus, et 2 données de paiements n’ont pas pu être lues',
  );
  expect(inFrench(judge({ totalAmount: 5, paymentCount: 'x' }, { unread: 3 }).note)).toMatch(
    /^son résumé diffère .* 3 données .* ; son résumé contient ce qui n’est pas un nombre : paymentCount "x" ; cela/,
  );
});

describe('a figure that is no number', () => {
  test.each<[SummaryValue, string]>([
    ['999 999', '"999 999"'],
    ['abc', '"abc"'],
    ['', '""'],
    [true, 'true'],
    [[1_300], '[1300]'],
    [[], '[]'],
    ['\u001b[2J', '"\\u001b[2J"'],
    ['9'.repeat(200), `"${'9'.repeat(39)}…`],
  ])('%j is named with its value, and leaves the report in doubt', (value, shown) => {
    expect(judge({ totalAmount: value, paymentCount: 3 })).toEqual({
      draft: null,
      note: noteOf(`its summary holds what is no number: totalAmount ${shown}`, true),
    });
  });

  test('does not hide that others are wrong', () => {
    const { draft, note } = judge({ totalAmount: 'abc', paymentCount: 5, byStatus: { FAILED: 2 } });
    expect(draft).toMatchObject({ expected: '3', actual: '5' });
    expect(note).toMatchObject({
      why: expect.stringContaining('totalAmount "abc"'),
      incomplete: true,
    });
    const rows = [WAVE, { operator: 'WAVE', amount: '5 F' }, ORANGE];
    expect(judge({ byOperator: rows }).note).toMatchObject({
      why: expect.stringContaining('byOperator.WAVE.amount "5 F"'),
    });
  });

  test('and many of them are counted', () => {
    const byOperator = Object.fromEntries(
      Array.from({ length: 11 }, (_, i) => [`op${i}`, { amount: 'x' }]),
    );
    expect(judge({ totalAmount: 1_300, byOperator }).note!.why).toMatch(
      /op7.amount "x", … \(11\); that/,
    );
  });

  test('is shown beside rows of payments that could not be read', () => {
    const { draft, note } = judge({ totalAmount: 5, paymentCount: 'x' }, { unread: 2 });
    expect([draft, note!.incomplete]).toEqual([null, true]);
    expect(note!.why).toMatch(/2 rows of payments.*paymentCount "x"/);
  });
});

describe('a member that is listed is not left out', () => {
  test.each<[string, Summary, string, boolean]>([
    [
      'text',
      { ...ORANGE, amount: '250 FCFA' },
      'its summary holds what is no number: byOperator.orange.amount "250 FCFA"',
      true,
    ],
    ['null', { ...ORANGE, amount: null }, 'it states nothing of: byOperator.orange.amount', false],
    [
      'absent',
      { operator: 'orange', count: 1 },
      'it states nothing of: byOperator.orange.amount',
      false,
    ],
    [
      'alone',
      { operator: 'orange' },
      'it states nothing of: byOperator.orange.amount, byOperator.orange.count',
      false,
    ],
  ])('with an amount that is %s', (_, row, why, incomplete) => {
    expect(judge({ totalAmount: 1_300, byOperator: [WAVE, row] })).toEqual({
      draft: null,
      note: noteOf(why, incomplete),
    });
  });

  test('one that is not, is', () => {
    const { draft, note } = judge({ totalAmount: 1_300, byOperator: [WAVE] });
    expect(draft!.evidence.map((one) => one.note)).toEqual([
      'byOperator.orange.amount: left out by the report, payments 250',
      'byOperator.orange.count: left out by the report, payments 1',
    ]);
    expect(note).toBeNull();
  });
});

describe('an empty breakdown', () => {
  test('is named where payments belong in it', () => {
    for (const byOperator of [[], {}]) {
      const note = noteOf('it lists nothing in: byOperator', false);
      expect(judge({ totalAmount: 1_300, byOperator })).toEqual({ draft: null, note });
    }
    const byDay = judge({ totalAmount: 1_300, byDay: [], byStatus: {} }).note;
    expect(byDay).toMatchObject({ why: expect.stringContaining('byDay, byStatus') });
  });

  test('is right where none do', () => {
    const unpaid = [pay(1, { status: 'FAILED', operator: null })];
    expect(judge({ paymentCount: 1, byOperator: [] }, { paid: unpaid })).toEqual({
      draft: null,
      note: null,
    });
    const failed = [pay(1, { status: 'FAILED' })];
    expect(judge({ paymentCount: 0, byOperator: [], byDay: {} }, { paid: failed })).toEqual({
      draft: null,
      note: null,
    });
    expect(judge({ paymentCount: 0, byOperator: [], byDay: {} }, { paid: [] })).toEqual({
      draft: null,
      note: null,
    });
  });
});

describe('a row without a name', () => {
  test('is not compared, and the others are', () => {
    const rows = (wave: number): Summary => ({
      byOperator: [
        { ...WAVE, amount: wave },
        { count: 1, amount: 250 },
      ],
    });
    const note = noteOf('it names nobody in: byOperator row 2', false);
    expect(judge(rows(1_050))).toEqual({ draft: null, note });
    expect(judge(rows(1_051))).toMatchObject({ draft: { expected: '1050', actual: '1051' }, note });
  });

  test('may count payments that do not exist', () => {
    const byOperator = [
      WAVE,
      { ...ORANGE, count: 2, amount: 320 },
      { operator: null, count: 1, amount: 9 },
    ];
    const paid = [...payments, pay(3, { status: 'FAILED', operator: null, amount: 9 })];
    expect(judge({ totalAmount: 1_379, byOperator }, { paid })).toMatchObject({
      draft: null,
      note: { incomplete: false },
    });
  });

  test('is never taken for an operator called 0, nor its list for empty', () => {
    const byOperator = [{ count: 2 }, { count: 1 }];
    const note = noteOf('it names nobody in: byOperator row 1, byOperator row 2', false);
    expect(judge({ totalAmount: 1_300, byOperator })).toEqual({ draft: null, note });
    expect(judge({ totalAmount: 1_300, byCountry: [1_050, 250] }).draft).toBeNull();
  });

  test('is known by the field that its list is called after, before any other', () => {
    const byOperator = [
      { country: 'CI', ...WAVE },
      { country: 'CI', operator: null, count: 9 },
      { country: 'BF', ...ORANGE },
    ];
    expect(judge({ byOperator })).toEqual({
      draft: null,
      note: noteOf('it names nobody in: byOperator row 2', false),
    });
  });
});

describe('days', () => {
  test('that are not written YYYY-MM-DD are not interpreted', () => {
    for (const byDay of [[{ day: '1', count: 9 }], { '1': { count: 2 } }]) {
      const note = noteOf('it has days that are not written YYYY-MM-DD: byDay.1', false);
      expect(judge({ totalAmount: 1_300, byDay })).toEqual({ draft: null, note });
    }
    const numbers = noteOf('it names nobody in: byDay row 1', false);
    expect(judge({ totalAmount: 1_300, byDay: [{ day: 1, count: 2 }] })).toEqual({
      draft: null,
      note: numbers,
    });
  });

  test('may be date-times, and those that can be read are compared', () => {
    const byDay = { '2026-10-01T00:00:00.000Z': { count: 2 }, '2026-10-02T00:00': { count: 1 } };
    expect(judge({ byDay })).toEqual({ draft: null, note: null });
    const { draft, note } = judge({ byDay: { '2026-10-01': { count: 3 }, '02/10': { count: 1 } } });
    expect(draft).toMatchObject({ expected: '2', actual: '3' });
    expect(note!.why).toContain('byDay.02/10');
  });
});
