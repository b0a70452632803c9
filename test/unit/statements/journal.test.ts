// The accounting entry of each kind of line, as an accountant would write it.

import { expect, test } from 'vitest';
import { DEFAULT_JOURNAL, type JournalSettings } from '../../../src/core/statements/journal.ts';
import { NO_LINKS } from '../../../src/service/workflows/month/read-links.ts';
import { handBooks } from '../../support/hand-books.ts';
import { auditBooks, stateBooks } from '../../support/month-of-books.ts';

async function entriesOf(text: string, journal: JournalSettings = DEFAULT_JOURNAL) {
  const { statement, lines } = await stateBooks(handBooks(text), {
    period: '2026-10',
    month: { journal },
  });
  const entries = [...lines.flatMap((line) => line.entry ?? []), ...statement.journal.others];
  const shown = entries.map(({ piece, rows }) => {
    const sides = rows.map(({ account, debit, credit }) =>
      debit > 0 ? `D ${account} ${debit}` : `C ${account} ${credit}`,
    );
    return `${piece}: ${sides.join(' / ')}`;
  });
  return { statement, entries, shown };
}

const CASHIN = `
  10-02T08:00 CASHIN_CREDIT 50000 GUI-CI-1
  10-02T08:00 CASHIN_FEE 1000 GUI-CI-1
  op GUI-CI-1 SUCCEEDED 50000 fees=1000 created=10-02T07:59 completed=10-02T08:00`;

test('a cash-in, a cash-out and their commissions; holds and releases have none', async () => {
  const { shown, entries, statement } = await entriesOf(`${CASHIN}
    10-03T08:00 CASHOUT_HOLD 10100 GUI-CO-2
    10-03T08:01 CASHOUT_DEBIT 10000 GUI-CO-2
    10-03T08:01 CASHOUT_FEE 100 GUI-CO-2
    10-04T08:00 CASHOUT_HOLD 500 GUI-CO-3
    10-04T08:00 CASHOUT_RELEASE 500 GUI-CO-3
    op GUI-CO-2 SUCCEEDED 10000 fees=100 created=10-03T08:00 completed=10-03T08:01
    op GUI-CO-3 FAILED 500 created=10-04T08:00 completed=10-04T08:00`);
  expect(shown).toEqual([
    'GUI-CI-1: D 552 50000 / C 411 50000',
    'GUI-CI-1: D 6317 1000 / C 552 1000',
    'GUI-CO-2: D 401 10000 / C 552 10000',
    'GUI-CO-2: D 6317 100 / C 552 100',
  ]);
  // Entries are numbered by the sequence of their lines; a hold has no entry, and so no number.
  expect(entries.map((entry) => entry.number)).toEqual(
    [1, 2, 4, 5].map((sequence) => `MM-2026-10-00000${sequence}`),
  );
  expect(statement.journal).toMatchObject({
    firstNumber: 'MM-2026-10-000001',
    lastNumber: 'MM-2026-10-000005',
  });
  expect(statement.journal.accounts.map(({ account, balance }) => [account, balance])).toEqual([
    ['401', 10_000],
    ['411', -50_000],
    ['552', 38_900],
    ['6317', 1_100],
  ]);
  expect(statement.journal.wallet).toMatchObject({ closing: 38_900, isInCredit: false });
});

test('a collection posted net of its commission states both', async () => {
  const { shown } = await entriesOf(`
    10-02T08:00 CASHIN_CREDIT 49000 GUI-CI-1
    op GUI-CI-1 SUCCEEDED 50000 fees=1000 created=10-02T07:59 completed=10-02T08:00`);
  expect(shown).toEqual(['GUI-CI-1: D 552 49000 / D 6317 1000 / C 411 50000']);
});

test('a reversal is the inverse under the same piece, in parts or in one line', async () => {
  const parts =
    await entriesOf(`${CASHIN.replace('SUCCEEDED', 'REVERSED').replace(/$/, ' updated=10-05T08:00')}
    10-05T08:00 REVERSAL_DEBIT 50000 GUI-CI-1
    10-05T08:00 REVERSAL_CREDIT 1000 GUI-CI-1`);
  expect(parts.shown.slice(2)).toEqual([
    'GUI-CI-1: D 411 50000 / C 552 50000',
    'GUI-CI-1: D 552 1000 / C 6317 1000',
  ]);
  const once =
    await entriesOf(`${CASHIN.replace('SUCCEEDED', 'REVERSED').replace(/$/, ' updated=10-05T08:00')}
    10-05T08:00 REVERSAL_DEBIT 49000 GUI-CI-1`);
  expect(once.shown.slice(2)).toEqual(['GUI-CI-1: D 411 50000 / C 552 49000 / C 6317 1000']);
  const paidBack = await entriesOf(`${CASHIN}
    10-03T08:00 CASHOUT_HOLD 10100 GUI-CO-2
    10-03T08:01 CASHOUT_DEBIT 10000 GUI-CO-2
    10-03T08:01 CASHOUT_FEE 100 GUI-CO-2
    10-05T08:01 REVERSAL_CREDIT 10100 GUI-CO-2
    op GUI-CO-2 REVERSED 10000 fees=100 created=10-03T08:00 completed=10-03T08:01 updated=10-05T08:01`);
  expect(paidBack.shown.at(-1)).toBe('GUI-CO-2: D 552 10100 / C 401 10000 / C 6317 100');
  for (const { statement } of [parts, once]) {
    const customers = statement.journal.accounts.find((account) => account.account === '411');
    expect(customers?.balance).toBe(0);
  }
});

test('an unexplained amount waits in suspense', async () => {
  const { shown } = await entriesOf(`
    10-02T08:00 ADJUSTMENT_CREDIT 300 - says=geste_commercial
    10-02T08:01 ADJUSTMENT_DEBIT 100 - says=correction
    10-02T08:02 BONUS 50 - direction=CREDIT
    10-02T08:03 REVERSAL_DEBIT 10 -`);
  expect(shown).toEqual([
    'LINE-1: D 552 300 / C 4712 300',
    'LINE-2: D 4711 100 / C 552 100',
    'LINE-3: D 552 50 / C 4712 50',
    'LINE-4: D 4711 10 / C 552 10',
  ]);
});

test('accounts and tax are configuration', async () => {
  const journal: JournalSettings = {
    ...DEFAULT_JOURNAL,
    code: 'ME',
    accounts: { ...DEFAULT_JOURNAL.accounts, wallet: { number: '5521', label: 'Portefeuille' } },
    taxes: [
      { name: 'TVA', bps: 1_800, from: null, countries: null, account: null, isRecoverable: true },
    ],
  };
  const { shown, entries } = await entriesOf(CASHIN, journal);
  // 1,000 with 18 % tax contains 152.54 of tax.
  expect(shown).toEqual([
    'GUI-CI-1: D 5521 50000 / C 411 50000',
    'GUI-CI-1: D 6317 847 / D 4454 153 / C 5521 1000',
  ]);
  expect(entries[0]!.number).toBe('ME-2026-10-000001');
});

test('a wallet below zero is in credit, and says so', async () => {
  const { statement } = await entriesOf('10-02T08:00 ADJUSTMENT_DEBIT 100 - says=correction');
  expect(statement.journal.wallet).toMatchObject({ closing: -100, isInCredit: true });
});

const SECOND = `${CASHIN}
  10-03T08:00 CASHIN_CREDIT 50000 GUI-CI-1`;

const SETTLED = {
  lines: ['4'],
  by: 'correction',
  at: '2026-10-05T08:00:00.000Z',
  person: null,
  reason: null,
} as const;

test('a second credit goes to suspense, never to the customer, and leaves it by the line that takes it back', async () => {
  const open = await entriesOf(SECOND);
  expect(open.shown.at(-1)).toBe('GUI-CI-1: D 552 50000 / C 4712 50000');
  const books = handBooks(`${SECOND}\n    10-05T08:00 ADJUSTMENT_DEBIT 50000 - says=reprise`);
  const report = auditBooks(books);
  const findings = report.findings.map((one) =>
    one.kind === 'CREDIT_DUPLICATED' ? { ...one, settledBy: SETTLED } : one,
  );
  const { statement, lines } = await stateBooks(books, {
    period: '2026-10',
    atCut: { ...report, findings },
  });
  const last = lines.at(-1)!.entry!;
  expect(last.piece).toBe('GUI-CI-1');
  expect(last.rows.map(({ account, debit, credit }) => [account, debit, credit])).toEqual([
    ['4712', 50_000, 0],
    ['552', 0, 50_000],
  ]);
  expect(statement.journal.accounts.find(({ account }) => account === '4712')!.balance).toBe(0);
  const suspense = lines.flatMap(
    ({ entry }) => entry?.rows.filter(({ account }) => account === '4712') ?? [],
  );
  expect(suspense.map(({ letter }) => letter)).toEqual(
    Array(2).fill({ code: 'AAD', date: '2026-10-05' }),
  );
});

test('what has no line is an entry of its own: a credit that is missing, a commission below its price', async () => {
  const { shown, entries, statement } = await entriesOf(`${CASHIN}
    op GUI-CI-2 SUCCEEDED 7000 fees=140 created=10-04T07:59 completed=10-04T08:00
    10-05T08:00 CASHIN_CREDIT 10000 GUI-CI-3
    10-05T08:00 CASHIN_FEE 150 GUI-CI-3
    op GUI-CI-3 SUCCEEDED 10000 fees=150 created=10-05T07:59 completed=10-05T08:00`);
  expect(shown.slice(-2)).toEqual([
    'GUI-CI-2: D 6317 140 / D 4711 6860 / C 411 7000',
    'GUI-CI-3: D 6317 50 / C 4712 50',
  ]);
  expect(entries.slice(-2).map(({ number, date }) => [number.slice(0, 13), date])).toEqual([
    ['MM-2026-10-S-', '2026-10-04'],
    ['MM-2026-10-S-', '2026-10-05'],
  ]);
  const { fees, customers } = statement.journal.controls!;
  expect(fees).toEqual({
    posted: 1_340,
    stated: 1_290,
    otherMonth: 0,
    undone: 0,
    priced: 50,
    rest: 0,
  });
  expect(customers).toEqual({
    posted: 67_000,
    stated: 67_000,
    otherMonth: 0,
    undone: 0,
    priced: 0,
    rest: 0,
  });
});

test('what was to be posted and undone, and is in no line either way, leaves no entry and no rest', async () => {
  const { shown, statement } = await entriesOf(`${CASHIN}
    op GUI-CI-2 REVERSED 7000 fees=140 created=10-04T07:59 completed=10-04T08:00 updated=10-06T08:00`);
  expect(shown).toHaveLength(2);
  const { fees, customers } = statement.journal.controls!;
  expect(fees).toEqual({
    posted: 1_000,
    stated: 1_140,
    otherMonth: 0,
    undone: 140,
    priced: 0,
    rest: 0,
  });
  expect(customers).toEqual({
    posted: 50_000,
    stated: 57_000,
    otherMonth: 0,
    undone: 7_000,
    priced: 0,
    rest: 0,
  });
});

test('a collection posted net by mistake is stated gross, though no money is off', async () => {
  const { shown, statement } = await entriesOf(`${CASHIN}
    ${CASHIN.replaceAll('GUI-CI-1', 'GUI-CI-3')}
    10-04T08:00 CASHIN_CREDIT 6860 GUI-CI-2
    op GUI-CI-2 SUCCEEDED 7000 fees=140 created=10-04T07:59 completed=10-04T08:00`);
  expect(shown.slice(4)).toEqual([
    'GUI-CI-2: D 552 6860 / C 411 6860',
    'GUI-CI-2: D 6317 140 / C 411 140',
  ]);
  expect(statement.journal.controls!.fees).toMatchObject({ posted: 2_140, stated: 2_140, rest: 0 });
  expect(statement.journal.controls!.customers).toMatchObject({
    posted: 107_000,
    stated: 107_000,
    rest: 0,
  });
});

test('the wallet closes at what is recorded: a drift is an entry against suspense', async () => {
  const books = handBooks(`${CASHIN}\n  10-06T08:00 ADJUSTMENT_CREDIT 500 - says=geste`);
  const drifted = { ...books.entries[2]!, balanceAfter: books.entries[2]!.balanceAfter + 47 };
  const wallet = {
    ...books.wallet,
    balance: books.wallet.balance + 47,
    available: books.wallet.available + 47,
  };
  const wrong = { ...books, wallet, entries: [...books.entries.slice(0, 2), drifted] };
  const { statement } = await stateBooks(wrong, { period: '2026-10' });
  const [drift] = statement.journal.others;
  expect(drift).toMatchObject({
    number: 'MM-2026-10-000003-E',
    date: '2026-10-06',
    source: 'drift',
    sequence: 3,
  });
  expect(drift!.rows.map(({ account, debit, credit }) => [account, debit, credit])).toEqual([
    ['552', 47, 0],
    ['4712', 0, 47],
  ]);
  expect(statement.summary.closingBalance).toBe(49_500);
  expect(statement.journal.wallet).toMatchObject({ opening: 0, closing: 49_547 });
});

test('an operation whose lines are of another month is named, and a line that comes late moves no number', async () => {
  const text = `
    10-31T23:59 CASHIN_CREDIT 50000 GUI-CI-1
    11-01T00:00 CASHIN_FEE 1000 GUI-CI-1
    op GUI-CI-1 SUCCEEDED 50000 fees=1000 created=10-31T23:50 completed=10-31T23:59`;
  const { statement, entries } = await entriesOf(text);
  expect(statement.journal.controls!.fees).toMatchObject({
    posted: 0,
    stated: 1_000,
    otherMonth: -1_000,
    rest: 0,
  });
  const late = await entriesOf(`${text}\n    10-31T08:00 ADJUSTMENT_CREDIT 10 - says=tardive`);
  expect(entries.map(({ number }) => number)).toEqual(['MM-2026-10-000001']);
  expect(late.entries.map(({ number }) => number)).toEqual([
    'MM-2026-10-000001',
    'MM-2026-10-000003',
    'MM-2026-10-C',
  ]);
});

test('rules send what fits them to other accounts, the first that fits, with auxiliary accounts', async () => {
  const rules = [
    {
      role: 'wallet',
      when: { operator: ['wave'] },
      account: { number: '5521', label: 'Wave' },
      auxiliary: null,
    },
    {
      role: 'suppliers',
      when: { reference: ['GUI-CO-*'], kind: ['cashout_*'] },
      account: { number: '422', label: 'Personnel' },
      auxiliary: null,
    },
    {
      role: 'suppliers',
      when: {},
      account: { number: '585', label: 'Virements' },
      auxiliary: null,
    },
    { role: 'customers', when: {}, account: null, auxiliary: 'reference' },
  ] satisfies JournalSettings['rules'];
  const { shown, entries } = await entriesOf(
    `${CASHIN}
    10-03T08:00 CASHOUT_HOLD 10100 GUI-CO-2
    10-03T08:01 CASHOUT_DEBIT 10000 GUI-CO-2
    10-03T08:01 CASHOUT_FEE 100 GUI-CO-2
    op GUI-CO-2 SUCCEEDED 10000 fees=100 created=10-03T08:00 completed=10-03T08:01`,
    { ...DEFAULT_JOURNAL, rules },
  );
  expect(shown).toEqual([
    'GUI-CI-1: D 5521 50000 / C 411 50000',
    'GUI-CI-1: D 6317 1000 / C 5521 1000',
    'GUI-CO-2: D 422 10000 / C 5521 10000',
    'GUI-CO-2: D 6317 100 / C 5521 100',
  ]);
  expect(entries[0]!.rows.map(({ auxiliary }) => auxiliary?.number ?? null)).toEqual([
    null,
    'GUI-CI-1',
  ]);
});

const REASONS = [
  {
    role: 'suspenseDebit',
    when: { description: ['frais de dossier*'] },
    account: { number: '6318', label: 'Autres frais bancaires' },
    auxiliary: null,
  },
  {
    role: 'suspenseCredit',
    when: { description: ['*commercial'] },
    account: { number: '7718', label: 'Autres produits' },
    auxiliary: null,
  },
] satisfies JournalSettings['rules'];

test('the reason of an adjustment says by rule what it is for, and the others wait in suspense', async () => {
  const { shown } = await entriesOf(
    `
    10-02T08:00 ADJUSTMENT_DEBIT 300 - says=Frais_de_dossier_&_pénalités
    10-02T08:01 ADJUSTMENT_CREDIT 100 - says=Geste_commercial
    10-02T08:02 ADJUSTMENT_DEBIT 70 - says=Autres_frais_de_dossier
    10-02T08:03 ADJUSTMENT_DEBIT 5 -
    10-02T08:04 BONUS 50 - direction=CREDIT says=Geste_commercial`,
    { ...DEFAULT_JOURNAL, rules: REASONS },
  );
  expect(shown).toEqual([
    'LINE-1: D 6318 300 / C 552 300',
    'LINE-2: D 552 100 / C 7718 100',
    'LINE-3: D 4711 70 / C 552 70',
    'LINE-4: D 4711 5 / C 552 5',
    'LINE-5: D 552 50 / C 4712 50',
  ]);
});

test('no rule takes out of suspense what a finding names, nor the line that puts it right', async () => {
  const account = { number: '7718', label: 'Autres produits' };
  const rules = (['suspenseDebit', 'suspenseCredit'] as const).map((role) => ({
    role,
    when: {},
    account,
    auxiliary: null,
  }));
  const journal = { ...DEFAULT_JOURNAL, rules };
  const text = `${SECOND}\n    10-05T08:00 ADJUSTMENT_DEBIT 50000 - says=reprise\n    10-06T08:00 ADJUSTMENT_CREDIT 7 -`;
  const books = handBooks(`${text} drift=3`);
  const report = auditBooks(books);
  const findings = report.findings.map((one) =>
    one.kind === 'CREDIT_DUPLICATED' ? { ...one, settledBy: SETTLED } : one,
  );
  const { statement } = await stateBooks(books, {
    period: '2026-10',
    atCut: { ...report, findings },
    month: { journal },
  });
  expect(
    statement.journal.accounts.map(({ account: number, debit, credit }) => [number, debit, credit]),
  ).toEqual([
    ['411', 0, 50_000],
    ['4712', 50_000, 50_003],
    ['552', 100_010, 51_000],
    ['6317', 1_000, 0],
    ['7718', 0, 7],
  ]);
});

const REVERSED = `
  10-02T08:00 CASHIN_CREDIT 50000 GUI-CI-1
  10-02T08:00 CASHIN_FEE 1000 GUI-CI-1
  10-05T08:00 REVERSAL_DEBIT 50000 GUI-CI-1
  10-05T08:00 REVERSAL_CREDIT 1000 GUI-CI-1
  op GUI-CI-1 REVERSED 50000 fees=1000 created=10-02T07:59 completed=10-02T08:00 updated=10-05T08:00
  10-06T08:00 CASHIN_CREDIT 3000 GUI-CI-2
  10-06T08:00 CASHIN_FEE 60 GUI-CI-2
  op GUI-CI-2 SUCCEEDED 3000 fees=60 created=10-06T07:59 completed=10-06T08:00`;

const lettersOf = ({ entries }: Awaited<ReturnType<typeof entriesOf>>, account: string) =>
  entries.flatMap(({ rows }) =>
    rows
      .filter((row) => row.account === account)
      .map(({ auxiliary, letter }) => [
        auxiliary?.number ?? null,
        letter?.code ?? null,
        letter?.date ?? null,
      ]),
  );

test('a collection and its reversal clear each other under one letter; what is not undone is an open item', async () => {
  const stated = await entriesOf(REVERSED);
  expect(lettersOf(stated, '411')).toEqual([
    ['411WAVE', 'AAB', '2026-10-05'],
    ['411WAVE', 'AAB', '2026-10-05'],
    ['411WAVE', null, null],
  ]);
  expect(lettersOf(stated, '6317').flatMap(([, letter]) => letter)).toEqual([null, null, null]);
  const before = await entriesOf(
    REVERSED.replace('10-02T08:00 CASHIN_CREDIT', '09-02T08:00 CASHIN_CREDIT'),
  );
  expect(new Set(lettersOf(before, '411').map(([, letter]) => letter))).toEqual(new Set([null]));
  const without = await entriesOf(REVERSED, { ...DEFAULT_JOURNAL, auxiliaries: 'none' });
  expect(lettersOf(without, '411').map(([auxiliary]) => auxiliary)).toEqual([null, null, null]);
});

test('where collections are sales, each entry has its invoice, and customers come to 0', async () => {
  const sale = { number: '701', label: 'Ventes de marchandises' };
  const rules = [
    { role: 'customers', when: {}, account: null, auxiliary: null, counterpart: sale },
  ] as const;
  const stated = await entriesOf(REVERSED, { ...DEFAULT_JOURNAL, rules });
  expect(stated.shown.filter((one) => one.includes('701'))).toEqual([
    'GUI-CI-1: D 552 50000 / D 411 50000 / C 411 50000 / C 701 50000',
    'GUI-CI-1: D 411 50000 / D 701 50000 / C 552 50000 / C 411 50000',
    'GUI-CI-2: D 552 3000 / D 411 3000 / C 411 3000 / C 701 3000',
  ]);
  expect(lettersOf(stated, '411').map(([, letter]) => letter)).toEqual([
    'AAB',
    'AAB',
    'AAD',
    'AAD',
    'AAF',
    'AAF',
  ]);
  const { accounts, controls } = stated.statement.journal;
  expect(accounts.map(({ account, balance }) => [account, balance])).toEqual([
    ['411', 0],
    ['552', 2_940],
    ['6317', 60],
    ['701', -3_000],
  ]);
  expect(controls!.customers.rest).toBe(0);
  const byDay = await entriesOf(REVERSED, { ...DEFAULT_JOURNAL, rules, entries: 'day' });
  const day = byDay.statement.journal.others.find(({ number }) => number === 'MM-2026-10-06-WAVE')!;
  expect(
    day.rows.map(({ account, debit, credit, letter }) => [account, debit, credit, letter?.code]),
  ).toEqual([
    ['552', 3_000, 0, undefined],
    ['411', 3_000, 0, 'AAF'],
    ['6317', 60, 0, undefined],
    ['411', 0, 3_000, 'AAF'],
    ['701', 0, 3_000, undefined],
    ['552', 0, 60, undefined],
  ]);
});

test('taxes by date and country are rounded once a month and operator, and the entries stay as they are', async () => {
  const tax = { name: 'TVA', countries: ['CI'], account: null, isRecoverable: true };
  const taxes = [
    { ...tax, bps: 1_800, from: null },
    { ...tax, bps: 1_900, from: '2026-10-20' },
    { ...tax, bps: 1_700, from: null, name: 'TAF', countries: ['SN'] },
  ];
  const one = (day: string, n: number) => `
    10-${day}T08:00 CASHIN_CREDIT 5000 GUI-CI-${n}
    10-${day}T08:00 CASHIN_FEE 100 GUI-CI-${n}
    op GUI-CI-${n} SUCCEEDED 5000 fees=100 created=10-${day}T07:59 completed=10-${day}T08:00`;
  const text = [one('02', 1), one('03', 2), one('04', 3), one('21', 4)].join('');
  const { statement, shown } = await entriesOf(text, { ...DEFAULT_JOURNAL, taxes });
  // 100 contains 15.25 of tax, of which 15 in an entry; 300 contain 45.76.
  expect(statement.journal.taxes).toEqual([
    { operator: 'WAVE', name: 'TVA', bps: 1_800, net: 254, tax: 46, whole: 300 },
    { operator: 'WAVE', name: 'TVA', bps: 1_900, net: 84, tax: 16, whole: 100 },
  ]);
  expect(shown.at(-1)).toBe('MM-2026-10-T1-WAVE: D 4454 1 / C 6317 1');
  expect(statement.journal.accounts.find(({ account }) => account === '4454')!.debit).toBe(46 + 16);
  const kept = await entriesOf(text, {
    ...DEFAULT_JOURNAL,
    taxes: taxes.map((own) => ({ ...own, isRecoverable: false })),
  });
  expect(kept.shown[1]).toBe('GUI-CI-1: D 6317 100 / C 552 100');
  expect(kept.statement.journal.taxes).toEqual(statement.journal.taxes);
});

test('by day: collections and payouts of a day and operator are one entry, and the rest stays apart', async () => {
  const { statement, lines } = await stateBooks(
    handBooks(`${SECOND}
    10-02T09:00 CASHIN_CREDIT 3000 GUI-CI-5
    10-02T09:00 CASHIN_FEE 60 GUI-CI-5
    op GUI-CI-5 SUCCEEDED 3000 fees=60 created=10-02T08:59 completed=10-02T09:00
    10-02T10:00 CASHIN_CREDIT 2000 GUI-CI-6
    10-02T10:00 CASHIN_FEE 40 GUI-CI-6
    op GUI-CI-6 SUCCEEDED 2000 fees=40 created=10-02T09:59 completed=10-02T10:00
    10-04T08:00 ADJUSTMENT_CREDIT 7 - says=geste`),
    { period: '2026-10', month: { journal: { ...DEFAULT_JOURNAL, entries: 'day' } } },
  );
  const { journal } = statement;
  expect(journal.others.map(({ number, date, source }) => [number, date, source])).toEqual([
    ['MM-2026-10-02-WAVE', '2026-10-02', 'day'],
  ]);
  expect(
    journal.others[0]!.rows.map(({ account, debit, credit }) => [account, debit, credit]),
  ).toEqual([
    ['552', 5_000, 0],
    ['6317', 100, 0],
    ['411', 0, 5_000],
    ['552', 0, 100],
  ]);
  const own = lines.flatMap(({ entry }) =>
    entry?.source === 'line' ? [entry.number.slice(-6)] : [],
  );
  expect(own).toEqual(['000001', '000002', '000003', '000008']);
  expect([journal.entryCount, journal.wallet.closing]).toEqual([5, 103_907]);
  expect([journal.firstNumber, journal.lastNumber]).toEqual([
    'MM-2026-10-000001',
    'MM-2026-10-02-WAVE',
  ]);
  const { statement: adjusted } = await entriesOf(
    '10-02T08:00 ADJUSTMENT_CREDIT 300 - says=geste_commercial',
    { ...DEFAULT_JOURNAL, entries: 'day' },
  );
  expect(adjusted.journal).toMatchObject({
    entryCount: 1,
    firstNumber: 'MM-2026-10-000001',
    lastNumber: 'MM-2026-10-000001',
  });
});

test('days on which the account stood below zero are named', async () => {
  const { statement } = await entriesOf(`
    10-02T08:00 ADJUSTMENT_DEBIT 100 - says=correction
    10-03T08:00 ADJUSTMENT_CREDIT 300 - says=correction`);
  expect(statement.journal.wallet).toMatchObject({
    closing: 200,
    isInCredit: false,
    daysInCredit: ['2026-10-02'],
  });
});

test('a payment that is called as the commission of another has a number of its own', async () => {
  const at = Date.UTC(2026, 9, 5);
  const paid = { orderId: null, operator: 'orange', country: 'CI', amount: 625, createdAt: at };
  const names = ['A', 'A-F', 'R-ORANGE-CI', 'B'];
  const payments = names.map((reference) => ({ ...paid, reference, fees: '12.5' }));
  const out = { reference: null, amount: 400, fees: '7', accountType: null, at };
  const payouts = ['d-1', 'd-1-F'].map((id) => ({ ...out, id }));
  const { statement, payments: shown } = await stateBooks(handBooks(CASHIN), {
    period: '2026-10',
    links: { ...NO_LINKS, money: { payments, payouts } },
  });
  const entries = [...shown.flatMap((one) => one.entries), ...statement.journal.others];
  const numbers = entries.map(({ number }) => number);
  expect(numbers.length).toBe(statement.journal.entryCount - 2);
  expect(new Set(numbers).size).toBe(numbers.length);
  for (const name of ['A', 'A-F', 'B', 'B-F', 'd-1', 'd-1-F', 'R-ORANGE-CI'])
    expect(numbers).toContain(`PL-2026-10-${name}`);
});
