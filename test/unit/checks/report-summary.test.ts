import { describe, expect, test } from 'vitest';
import { reportFigures } from '../../../src/core/domain/figures.ts';
import { DAY, formatInstant, HOUR } from '../../../src/core/domain/instant.ts';
import {
  boundsOfReport,
  type ServiceReport,
  type Summary,
} from '../../../src/core/domain/service-report.ts';
import { chooseReports } from '../../../src/core/kernel/checks/reports/choose-reports.ts';
import {
  beginPaymentTally,
  takePayment,
} from '../../../src/core/kernel/checks/reports/payment-tally.ts';
import { ENGLISH, wordFinding } from '../../../src/core/words/finding.ts';
import { wordNote } from '../../../src/core/words/names.ts';
import { END, judge, pay, payments, report, START } from '../../support/judged-reports.ts';

describe('a summary that is right stays quiet', () => {
  test.each<[string, Summary]>([
    ['totals', { totalAmount: 1_300, paymentCount: 3 }],
    ['decimal text', { totalAmount: '1300.00', paymentCount: '3' }],
    ['all payments counted', { totalAmount: 1_370, paymentCount: 4 }],
    ['all counted, succeeded summed', { totalAmount: 1_300, paymentCount: 4 }],
    [
      'a list by operator',
      {
        byOperator: [
          { operator: 'Wave', count: 2, amount: 1_050 },
          { operator: 'ORANGE', count: 1, amount: 250 },
        ],
      },
    ],
    ['an object by operator', { byOperator: { wave: { amount: 1_050 }, Orange: { amount: 250 } } }],
    [
      'by day',
      {
        byDay: [
          { day: '2026-10-01', count: 2, amount: 1_250 },
          { day: '2026-10-02', count: 1, amount: 50 },
        ],
      },
    ],
    [
      'all payments counted, also in a breakdown',
      {
        totalAmount: 1_300,
        paymentCount: 4,
        byCountry: { CI: { count: 3, amount: 1_050 }, BF: { count: 1, amount: 250 } },
      },
    ],
    ['nothing stated where there is nothing', { totalAmount: 1_300, byStatus: { PENDING: null } }],
    ['text beside the figures', { totalAmount: 1_300, currency: 'XOF', label: 'octobre' }],
    ['by status', { byStatus: { SUCCESS: 3, FAILED: 1, PENDING: 0 } }],
    [
      'an operator without payments',
      { byOperator: { wave: { count: 2 }, orange: { count: 1 }, mtn: { count: 0 } } },
    ],
  ])('%s', (_, summary) => {
    expect(judge(summary)).toEqual({ draft: null, note: null });
  });
});

describe('a summary that is wrong is found, with the figure, both values and the difference', () => {
  test.each<[string, Summary, string, string, bigint | null, RegExp]>([
    [
      'a total',
      { totalAmount: 1_301, paymentCount: 3 },
      '1300',
      '1301',
      1n,
      /totalAmount 1 301, .* 1 300\./,
    ],
    ['a count', { totalAmount: 1_300, paymentCount: 2 }, '3', '2', -1n, /paymentCount 2/],
    ['a fraction', { totalAmount: '1300.50' }, '1300', '1300.5', null, /totalAmount 1300.5/],
    ['a negative', { totalAmount: -1_300 }, '1300', '-1300', -2_600n, /−1 300/],
    ['neighbouring months mixed in', { totalAmount: 11_299 }, '1300', '11299', 9_999n, /11 299/],
    [
      'an operator',
      { totalAmount: 1_300, byOperator: { wave: { amount: 1_000 }, orange: { amount: 300 } } },
      '1050',
      '1000',
      -50n,
      /wave.amount/,
    ],
    [
      'an operator that is left out',
      { byOperator: { wave: { amount: 1_050 } } },
      '250',
      '0',
      -250n,
      /leaves out byOperator.orange.amount, .* 250\./,
    ],
    [
      'a total of all, with a breakdown of those that succeeded',
      {
        totalAmount: 1_370,
        paymentCount: 3,
        byOperator: { wave: { amount: 1_050 }, orange: { amount: 250 } },
      },
      '1300',
      '1370',
      70n,
      /totalAmount 1 370/,
    ],
    [
      'a total of all that is off by one, beside a breakdown of all',
      {
        totalAmount: 1_371,
        paymentCount: 4,
        byOperator: { wave: { amount: 1_050 }, orange: { amount: 320 } },
      },
      '1370',
      '1371',
      1n,
      /totalAmount 1 371, .* 1 370\.$/,
    ],
    [
      'an operator that has none',
      { byOperator: { wave: { count: 2 }, orange: { count: 1 }, mtn: { count: 5 } } },
      '0',
      '5',
      5n,
      /mtn.count 5/,
    ],
    ['a status', { byStatus: { SUCCESS: 3, FAILED: 2 } }, '1', '2', 1n, /FAILED 2/],
    [
      'a day',
      { byDay: { '2026-10-01': { count: 3 }, '2026-10-02': { count: 0 } } },
      '2',
      '3',
      1n,
      /2026-10-01/,
    ],
  ])('%s', (_, summary, expected, actual, difference, message) => {
    const { draft } = judge(summary);
    expect(draft).toMatchObject({
      kind: 'REPORT_SUMMARY_MISMATCH',
      severity: 'error',
      expected,
      actual,
      difference,
    });
    const said = wordFinding(ENGLISH, draft!.kind, reportFigures(draft!.figures));
    expect(said).toMatch(message);
    expect(said).toMatch(/^The report of 2026-10 (states|leaves out) .*\.$/);
    expect(draft).toMatchObject({
      sequence: null,
      operationReference: null,
      inputPlace: 'report 2026-10',
    });
  });

  test('one finding a month, however many figures differ, the total first', () => {
    const { draft } = judge({
      byOperator: { wave: { amount: 50 }, orange: { amount: 250 } },
      totalAmount: 300,
    });
    expect(draft).toMatchObject({ expected: '1300', actual: '300' });
    expect(draft!.evidence.map(({ note }) => note)).toEqual([
      'totalAmount: report 300, payments 1300',
      'byOperator.wave.amount: report 50, payments 1050',
    ]);
  });
});

describe('payments that were younger than a day when the report was made', () => {
  const early = { change: { generatedAt: END + HOUR } };
  const paid = [
    ...payments,
    pay(31 * 24 - 2, { amount: 400 }),
    pay(31 * 24 - 3, { amount: 30, status: 'FAILED' }),
  ];

  test('may have been pending then, whatever they are now', () => {
    for (const [totalAmount, paymentCount] of [
      [1_300, 3],
      [1_700, 4],
    ]) {
      expect(
        judge({ totalAmount: totalAmount!, paymentCount: paymentCount! }, { ...early, paid }).draft,
      ).toBeNull();
    }
    expect(
      judge({ byStatus: { SUCCESS: 3, FAILED: 1, PENDING: 2 } }, { ...early, paid }).draft,
    ).toBeNull();
    expect(
      judge({ byStatus: { SUCCESS: 4, FAILED: 2, PENDING: 0 } }, { ...early, paid }).draft,
    ).toBeNull();
  });

  test('are still young an hour past their day, and no longer', () => {
    const links = (hours: number) => [pay(1), pay(40 - hours, { status: 'FAILED', amount: 300 })];
    const judged = (hours: number) =>
      judge(
        { byStatus: { SUCCESS: 1, FAILED: 0, PENDING: 1 } },
        { change: { generatedAt: START + 40 * HOUR }, paid: links(hours) },
      ).draft;
    expect([judged(24), judged(25)]).toEqual([null, null]);
    expect(judged(25 + 1 / 60)).not.toBeNull();
  });

  test('explain no more than they are worth', () => {
    expect(judge({ totalAmount: 1_701 }, { ...early, paid }).draft).toMatchObject({
      difference: 1n,
    });
    expect(judge({ totalAmount: 1_299 }, { ...early, paid }).draft).toMatchObject({
      difference: -1n,
    });
    // Each payment counts as a whole or not at all.
    expect(judge({ totalAmount: 1_350 }, { ...early, paid }).draft).toMatchObject({
      expected: '1300',
      difference: 50n,
    });
    expect(judge({ totalAmount: 1_650 }, { ...early, paid }).draft).toMatchObject({
      expected: '1700',
      difference: -50n,
    });
    expect(judge({ totalAmount: 1_300 }, { paid }).draft).toMatchObject({ expected: '1700' });
  });

  test('leave all figures between the ends open where there are too many', () => {
    const many = Array.from({ length: 40 }, (_, i) =>
      pay(31 * 24 - 2, { amount: 3 ** (i % 30) + 7 * i }),
    );
    const most = many.reduce((sum, { amount }) => sum + amount, 1_300);
    const given = { ...early, paid: [...payments, ...many] };
    expect(judge({ totalAmount: most - 1 }, given).draft).toBeNull();
    expect(judge({ totalAmount: most + 1 }, given).draft).toMatchObject({ difference: 1n });
  });

  test('do not excuse a total that is not the sum of its own breakdown', () => {
    const summary = {
      totalAmount: 1_700,
      byOperator: { wave: { amount: 1_050 }, orange: { amount: 250 } },
    };
    expect(judge(summary, { ...early, paid }).draft).toMatchObject({
      expected: '1300',
      actual: '1700',
    });
    const unpaid = pay(5, { status: 'FAILED', operator: null });
    expect(judge(summary, { ...early, paid: [...paid, unpaid] }).draft).toMatchObject({
      actual: '1700',
    });
    const partly = {
      ...summary,
      byOperator: { wave: { amount: 1_050 }, orange: { amount: '250 F' } },
    };
    expect(judge(partly, { ...early, paid })).toMatchObject({
      draft: null,
      note: { incomplete: true },
    });
  });
});

test('a difference proves nothing while rows of payments could not be read', () => {
  expect(judge({ totalAmount: 5 }, { unread: 2 })).toEqual({
    draft: null,
    note: {
      what: 'report 2026-10',
      why: expect.stringContaining('2 rows of payments'),
      incomplete: true,
      code: 'REPORT_DOUBTFUL',
      figures: { doubt: 2 },
    },
  });
  expect(judge({ totalAmount: 1_300 }, { unread: 2 })).toEqual({ draft: null, note: null });
});

test('a summary without a figure is not compared, with a note', () => {
  for (const summary of [{}, { label: 'octobre' }]) {
    expect(judge(summary)).toEqual({
      draft: null,
      note: {
        what: 'report 2026-10',
        why: 'its summary holds no figure',
        incomplete: false,
        code: 'REPORT_WITHOUT_FIGURES',
      },
    });
  }
});

describe('keys of other names', () => {
  const keys = {
    'totaux.montant': 'amount',
    'totaux.nombre': 'count',
    nombreEchecs: 'count of FAILED',
    'parPays[pays]': 'amount by country',
    'operateurs[nom].chiffres.montant': 'amount by operator',
  } as const;
  const summary = (montant: number, ci: number) => ({
    totaux: { montant, nombre: 3 },
    nombreEchecs: 1,
    parPays: { CI: ci, bf: 250 },
    operateurs: [
      { nom: 'Wave', chiffres: { montant: 1_050 } },
      { nom: 'ORANGE', chiffres: { montant: 250 } },
    ],
  });

  test('are compared when they are mapped', () => {
    expect(judge(summary(1_300, 1_050), { keys })).toEqual({ draft: null, note: null });
    expect(judge(summary(1_301, 1_050), { keys }).draft).toMatchObject({
      expected: '1300',
      actual: '1301',
    });
    expect(judge(summary(1_300, 1_051), { keys }).draft!.figures).toMatchObject({
      name: 'parPays.CI',
      stated: '1051',
    });
    const without = { ...summary(1_300, 1_050), parPays: { CI: 1_050 } };
    expect(judge(without, { keys }).draft!.figures).toMatchObject({
      name: 'parPays.bf',
      stated: null,
    });
  });

  test('are named when they are not, and nothing is made of them', () => {
    expect(judge({ totalAmount: 1_300, ...summary(7, 7) })).toEqual({
      draft: null,
      note: {
        what: 'report 2026-10',
        why: 'summaryKeys does not map: totaux.montant, totaux.nombre, nombreEchecs, parPays.CI, parPays.bf, operateurs[].chiffres.montant; that was not compared',
        incomplete: false,
        code: 'REPORT_GAPS',
        figures: expect.objectContaining({ unstated: null }),
      },
    });
    expect(judge({ totalAmount: 1_301, pages: 3 }).draft).toMatchObject({ actual: '1301' });
  });

  test('a status that the document does not have is one', () => {
    const note = {
      what: 'report 2026-10',
      incomplete: false,
      why: expect.stringContaining('byStatus.REUSSI;'),
      code: 'REPORT_GAPS',
      figures: expect.anything(),
    };
    expect(judge({ byStatus: { REUSSI: 9, FAILED: 1 } })).toEqual({ draft: null, note });
    const rows = [{ status: 'REUSSI', nombre: 9 }];
    expect(
      judge({ byStatus: rows }, { keys: { 'byStatus[status].nombre': 'count by status' } }).note,
    ).toEqual(
      note && {
        ...note,
        why: expect.stringContaining('byStatus.REUSSI.nombre;'),
      },
    );
  });

  test('a default that is taken out is not compared', () => {
    const { draft, note } = judge(
      { totalAmount: 9, paymentCount: 3 },
      { keys: { totalAmount: null } },
    );
    expect([draft, note!.why]).toEqual([
      null,
      'summaryKeys does not map: totalAmount; that was not compared',
    ]);
  });
});

test('a month ends with its last second or before its first instant, and may begin at a local midnight', () => {
  const until = (periodEnd: number) => boundsOfReport(report(null, { periodEnd })).until;
  expect([END, END - 1, END - 1_000, END - 500].map(until)).toEqual([END, END, END, END]);
  expect(boundsOfReport(report(null, { periodStart: null, periodEnd: null }))).toEqual({
    from: START,
    until: END,
  });
  const local = { periodStart: START - HOUR, periodEnd: END - HOUR - 1 };
  const paid = [pay(-1, { createdAt: START - HOUR }), pay(2, { createdAt: START + 23 * HOUR })];
  const byDay = { '2026-10-01': { count: 1 }, '2026-10-02': { count: 1 } };
  expect(judge({ paymentCount: 2, byDay }, { change: local, paid }).draft).toBeNull();
});

describe('days', () => {
  const byDay = (first: string, second: string) => ({
    byDay: { [first]: { count: 1 }, [second]: { count: 1 } },
  });
  const local = { periodStart: START - HOUR, periodEnd: END - HOUR - 1 };
  const paid = [pay(23.5, { country: 'CM' }), pay(50, { country: 'CM' })];

  test('may be those of the bounds, of UTC or of the payment’s country, but of one of them throughout', () => {
    for (const change of [{}, local]) {
      for (const first of ['2026-10-01', '2026-10-02']) {
        expect(judge(byDay(first, '2026-10-03'), { change, paid }).draft).toBeNull();
      }
    }
    expect(
      judge(byDay('2026-10-02', '2026-10-03'), { paid: [pay(23.5), pay(50)] }).draft,
    ).not.toBeNull();
    const twice = [...paid, pay(23.6 + 24, { country: 'CM' })];
    const mixed = { byDay: { '2026-10-01': { count: 1 }, '2026-10-03': { count: 2 } } };
    expect(judge(mixed, { change: local, paid: twice }).draft).not.toBeNull();
  });

  test('part the tally only where they differ', () => {
    const tally = beginPaymentTally(report({}, local));
    for (let hour = 0; hour < 24; hour += 0.25) takePayment(tally, pay(hour, { country: 'CM' }));
    expect(
      [...tally.cells.values()].map(({ days, count }) => [
        days.BOUNDS,
        days.UTC,
        days.COUNTRY,
        count,
      ]),
    ).toEqual([
      ['2026-10-01', '2026-10-01', '2026-10-01', 92],
      ['2026-10-02', '2026-10-01', '2026-10-02', 4],
    ]);
  });
});

test('a report that was made after the instant judged is not chosen, and the one before it is', () => {
  const [asOf, summary] = [END + 5 * DAY, { totalAmount: 1 }];
  const madeAt = (generatedAt: number) => report(summary, { generatedAt });
  const [before, at, after] = [madeAt(asOf - DAY), madeAt(asOf), madeAt(asOf + 1)];
  const chosen = (published: readonly ServiceReport[]) =>
    chooseReports(published, { asOf, most: null });
  expect(chosen([before, at, after]).reports).toEqual([at]);
  expect(chosen([before, after])).toEqual({ reports: [before], notes: [] });
  expect(chosen([after]).reports).toEqual([]);
  expect(chosen([after]).notes).toEqual([
    {
      what: 'report 2026-10',
      why: 'it was made only at 2026-11-06T00:00:00.001Z',
      incomplete: false,
      code: 'REPORT_LATER',
      figures: { at: '2026-11-06T00:00:00.001Z' },
    },
  ]);
});

test('two newest reports that state different figures leave the month in doubt, whichever is right', () => {
  const first = report({ totalAmount: 1_300 });
  const chosen = (other: typeof first) =>
    chooseReports([first, other], { asOf: END + 9 * DAY, most: null });
  const doubt = {
    what: 'report 2026-10',
    why: expect.stringContaining('the one served first'),
    incomplete: true,
    code: 'REPORT_CONTRADICTED',
    figures: { at: formatInstant(first.generatedAt!) },
  };
  expect(chosen(report({ totalAmount: 1_301 }))).toEqual({ reports: [first], notes: [doubt] });
  expect(chosen(report({ totalAmount: 1_300, paymentCount: 9 })).notes).toEqual([doubt]);
  expect(chosen(report({ totalAmount: '1300.00' })).notes).toEqual([]);
  expect(chosen(report({ totalAmount: 9 }, { generatedAt: END + DAY })).notes).toEqual([]);
  expect(chosen(report({ population: 'WALLET_OPERATIONS', totalAmount: 9 })).notes).toEqual([]);
  const unknown = { generatedAt: null };
  const both = [report({ totalAmount: 1 }, unknown), report({ totalAmount: 2 }, unknown)];
  expect(chooseReports(both, { asOf: END + 9 * DAY, most: null }).notes).toEqual([]);
});

test('of each month the newest report that is READY is chosen, and every other month is named', () => {
  const summary = { totalAmount: 1 };
  const published = [
    report(summary, { id: 'old', generatedAt: END }),
    report(summary, { id: 'new', generatedAt: END + DAY }),
    report(null, { id: 'again', status: 'PENDING', generatedAt: null }),
    report(null, { period: '2026-09', status: 'FAILED', error: 'disk full' }),
    report(null, { period: '2026-08', status: 'PENDING' }),
    report(null, { period: '2026-07' }),
    report(
      { population: 'WALLET_OPERATIONS' },
      { period: '2026-06', periodStart: null, periodEnd: null },
    ),
    report(summary, { period: '2026-11', periodStart: null, periodEnd: null }),
    report(summary, { period: '2026-05' }),
  ];
  const { reports, notes } = chooseReports(published, { asOf: END + 3 * DAY, most: 6 });
  expect(reports.map(({ id }) => id)).toEqual(['new']);
  expect(notes.map(wordNote).map(({ what, why }) => `${what}: ${why}`)).toEqual([
    'report 2026-11: its month ends only at 2026-12-01T00:00:00.000Z',
    'report 2026-09: its generation FAILED: disk full',
    'report 2026-08: it is not generated yet (PENDING)',
    'report 2026-07: it has no summary',
    'report 2026-06: it counts wallet operations, not payments by link',
    'reports before 2026-06: 1 older month is not compared again',
  ]);
  expect(chooseReports([], { asOf: END, most: null }).notes).toMatchObject([
    { what: 'reports', why: 'none is published' },
  ]);
});
