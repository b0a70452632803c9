// Commissions of payments by link and fees of payouts have decimals; the books have none. Month
// after month, what is booked is the exact sum, rounded once. The receivable is what the payment
// service owes, and 0 when it has paid all out.

import { describe, expect, test } from 'vitest';
import type { Payment } from '../../src/core/domain/payment.ts';
import { boundsOf, parsePeriod, parseYear } from '../../src/core/domain/period.ts';
import type { DashboardSnapshot } from '../../src/core/domain/published/dashboard-snapshot.ts';
import type { Payout } from '../../src/core/domain/published/payout.ts';
import { openZone } from '../../src/core/domain/zone.ts';
import type { LinkAccount, LinksRead } from '../../src/core/statements/comparison.ts';
import type { JournalSettings } from '../../src/core/statements/journal.ts';
import { formatNamed } from '../../src/io/formats/register.ts';
import {
  chance,
  drawFrom,
  drawInteger,
  type Random,
  seedRandom,
} from '../../src/sandbox/model/random.ts';
import { checkConfiguration } from '../../src/service/config/check-configuration.ts';
import { journalFor } from '../../src/service/config/for-merchant.ts';
import {
  NO_LINKS,
  NOTHING_KNOWN,
  readLinks,
} from '../../src/service/workflows/month/read-links.ts';
import { runsOf } from '../support/assert-property.ts';
import { type BookedRow, readFecRows } from '../support/bookkeeping-readers.ts';
import { handBooks } from '../support/hand-books.ts';
import { auditBooks, documentOf, stateBooks } from '../support/month-of-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';
import { bytesOf } from '../support/written-document.ts';

const UTC = openZone('UTC')!;
const MONTHS = ['2026-08', '2026-09', '2026-10', '2026-11', '2026-12'];
const READ_AT = Date.UTC(2027, 0, 10);
const BOOKS = handBooks(
  `08-02T08:00 CASHIN_CREDIT 5000 GUI-CI-1
  08-02T08:00 CASHIN_FEE 100 GUI-CI-1
  op GUI-CI-1 SUCCEEDED 5000 fees=100 created=08-02T07:59 completed=08-02T08:00`,
  '2027-01-10T00:00',
);

interface Links {
  readonly payments: readonly Payment[];
  readonly payouts: readonly Payout[];
  /** Fees in thousandths, by reference or id; `null`: not known. */
  readonly fees: ReadonlyMap<string, number | null>;
}

/**
 * Draws payments and payouts at a price that gives halves, quarters or thirds of a unit. Some
 * commissions are not known. In some of the cases the last payout leaves nothing.
 */
function draw(random: Random): Links {
  const step = drawFrom(random, [500, 500, 250, 333, 1]);
  const fees = new Map<string, number | null>();
  const at = (): number =>
    drawInteger(random, { from: Date.UTC(2026, 7, 2), to: Date.UTC(2026, 11, 20) });
  const payments = Array.from(
    { length: drawInteger(random, { from: 5, to: 60 }) },
    (_, i): Payment => {
      const reference = `PAY${String(i).padStart(6, '0')}`;
      const isKnown = !chance(random, 0.1);
      fees.set(reference, isKnown ? drawInteger(random, { from: 0, to: 40 }) * step : null);
      const createdAt = at();
      const known = {
        orderId: null,
        description: null,
        senderNumber: null,
        createdAt,
        updatedAt: createdAt,
      };
      const of = {
        operator: drawFrom(random, ['orange', 'wave', null]),
        country: drawFrom(random, ['CI', 'CI', 'SN']),
      };
      return { reference, amount: 625, status: 'SUCCESS', ...of, ...known } as unknown as Payment;
    },
  );
  const payouts = Array.from(
    { length: drawInteger(random, { from: 0, to: 4 }) },
    (_, i): Payout => {
      fees.set(`d-${i}`, drawInteger(random, { from: 0, to: 9 }) * step);
      return payoutOf(`d-${i}`, { at: at(), amount: 700 + i, fees: fees.get(`d-${i}`)! });
    },
  );
  return { payments, payouts, fees };
}

function payoutOf(
  id: string,
  { at, amount, fees }: { at: number; amount: number; fees: number },
): Payout {
  const of = {
    reference: null,
    mode: 'T0',
    payoutAccountId: null,
    accountType: 'BANK',
    failureReason: null,
  };
  return {
    id,
    amount,
    fees: String(fees / 1_000),
    status: 'SUCCESS',
    createdAt: at,
    completedAt: at,
    ...of,
  };
}

function snapshotOf({ payments, payouts }: Links): DashboardSnapshot {
  const answered =
    <Value>(value: Value | null) =>
    async () => ({ value, rejected: [], absent: null });
  return {
    merchant: 'A_LA_MAIN',
    absent: [],
    reports: async () => ({ rows: [], rejected: [] }),
    reportFile: async () => null,
    async *payments({ from, until }) {
      yield {
        rows: payments.filter(({ createdAt }) => createdAt >= from && createdAt < until),
        rejected: [],
      };
    },
    payouts: {
      list: answered(payouts),
      balance: answered(null),
    } as unknown as DashboardSnapshot['payouts'],
    isCopy: true,
    close: async () => {},
  };
}

/** Returns the exact sums of all up to an instant, in thousandths. */
function dueAt({ payments, payouts, fees }: Links, end: number) {
  const paid = payments.filter(({ createdAt }) => createdAt < end);
  const out = payouts.filter(({ completedAt }) => completedAt! < end);
  const sum = (figures: readonly number[]): number =>
    figures.reduce((total, one) => total + one, 0);
  const charged = sum([
    ...paid.map(({ reference }) => fees.get(reference) ?? 0),
    ...out.map(({ id }) => fees.get(id)!),
  ]);
  const gross = sum(paid.map(({ amount }) => amount)) - sum(out.map(({ amount }) => amount));
  return { charged: Math.floor((charged + 500) / 1_000), gross };
}

async function statedOf(
  links: Links,
  period: string,
  opening: LinkAccount['perpetual'] | null,
  journal: JournalSettings,
) {
  const month = parsePeriod(period) ?? parseYear(period)!;
  const bounds = boundsOf(month, UTC);
  const { fees } = links;
  const feesOf = ({ reference }: Payment): string | null => {
    const fee = fees.get(reference);
    return fee == null ? null : String(fee / 1_000);
  };
  const from = opening === null ? NOTHING_KNOWN.from : bounds.start;
  const read: LinksRead = await readLinks(
    snapshotOf(links),
    {
      bounds,
      zone: UTC,
      currency: 'XOF',
      withoutReport: true,
      now: READ_AT,
      known: { ...NOTHING_KNOWN, opening, from, feesOf },
    },
    { ofMonth: [], summaryKeys: {} },
  );
  const stated = await stateBooks(BOOKS, {
    period,
    report: auditBooks(BOOKS),
    links: read,
    month: { journal },
  });
  return { stated, account: read.section?.account ?? null };
}

const sums = (rows: readonly BookedRow[]): ReadonlyMap<string, number> => {
  const groups = Map.groupBy(rows, ({ account }) => account);
  return new Map(
    [...groups].map(([account, own]) => [
      account,
      own.reduce((sum, row) => sum + row.debit - row.credit, 0),
    ]),
  );
};

describe.each(Array.from({ length: runsOf(8) }, (_, i) => `links ${i}`))(
  `TEST_SEED=${TEST_SEED}, %s`,
  (seed) => {
    test('month after month the receivable is what is owed', { timeout: 60_000 }, async () => {
      const random = seedRandom(`${TEST_SEED}/${seed}`);
      const drawn = draw(random);
      const end = Date.UTC(2026, 11, 30);
      const due = dueAt(drawn, end);
      // All is paid out, less what the payout costs.
      const last = payoutOf('d-last', { at: end, amount: due.gross - due.charged, fees: 0 });
      const isEmptied = chance(random, 0.5) && last.amount > 0;
      const links = isEmptied
        ? {
            ...drawn,
            payouts: [...drawn.payouts, last],
            fees: new Map([...drawn.fees, ['d-last', 0]]),
          }
        : drawn;
      const taxes = drawFrom(random, [
        [],
        [{ name: 'TVA', bps: 1800 }],
        [
          { name: 'TVA', bps: 1800 },
          { name: 'TVA', bps: 1900, from: '2026-10-12' },
        ],
      ]);
      const entries = drawFrom(random, ['line', 'day']);
      const configured = { merchants: { A_LA_MAIN: { journal: { taxes, entries } } } };
      const journal = journalFor(checkConfiguration(configured, 'test'), 'A_LA_MAIN');
      let before: LinkAccount | null = null;
      const total = { '5188': 0, '6317': 0, '4454': 0 };
      const months: BookedRow[] = [];
      for (const period of MONTHS) {
        const kept =
          before === null
            ? null
            : (JSON.parse(JSON.stringify(before.perpetual)) as LinkAccount['perpetual']);
        const { stated, account } = await statedOf(links, period, kept, journal);
        const whole = await statedOf(links, period, null, journal);
        const rows = readFecRows(await bytesOf(formatNamed('fec')!, documentOf(stated)));
        months.push(...rows);
        if (account === null) {
          expect(before?.closing ?? 0, period).toBe(0);
          before = null;
          continue;
        }
        const { opening, closing, collected, commissions, paidOut, payoutFees } = account;
        expect({ opening, closing, commissions, payoutFees }, period).toEqual({
          ...{
            opening: before?.closing ?? 0,
            closing: opening + collected - commissions - paidOut - payoutFees,
          },
          ...{ commissions: whole.account!.commissions, payoutFees: whole.account!.payoutFees },
        });
        const own = sums(rows.filter((row) => row.journal === 'PL'));
        for (const key of ['5188', '6317', '4454'] as const) total[key] += own.get(key) ?? 0;
        const { charged, gross } = dueAt(links, boundsOf(parsePeriod(period)!, UTC).end);
        expect([closing, total['5188'], total['6317'] + total['4454']], period).toEqual([
          gross - charged,
          gross - charged,
          charged,
        ]);
        before = account;
      }
      if (isEmptied) expect(total['5188']).toBe(0);
      const year = await statedOf(links, '2026', null, journal);
      const rows = readFecRows(await bytesOf(formatNamed('fec')!, documentOf(year.stated)));
      expect(sums(rows)).toEqual(sums(months));
    });
  },
);

test('the rests of a month in which the only tax begins have numbers of their own', async () => {
  const payments = [1, 2, 20, 21].map((day): Payment => {
    const createdAt = Date.UTC(2026, 9, day);
    const known = {
      orderId: null,
      description: null,
      senderNumber: null,
      createdAt,
      updatedAt: createdAt,
    };
    const of = {
      reference: `PAY${day}`,
      amount: 625,
      status: 'SUCCESS',
      operator: 'orange',
      country: 'CI',
    };
    return { ...of, ...known } as unknown as Payment;
  });
  const links = {
    payments,
    payouts: [],
    fees: new Map(payments.map(({ reference }) => [reference, 500])),
  };
  const taxes = [{ name: 'TVA', bps: 1800, from: '2026-10-15' }];
  const journal = journalFor(
    checkConfiguration({ merchants: { A_LA_MAIN: { journal: { taxes } } } }, 'test'),
    'A_LA_MAIN',
  );
  const { stated } = await statedOf(links, '2026-10', null, journal);
  const rests = stated.statement.journal.others.filter(({ source }) => source === 'feeRounding');
  expect(rests.map(({ number }) => number)).toEqual([
    'PL-2026-10-R-ORANGE-CI',
    'PL-2026-10-R-ORANGE-CI-T1',
  ]);
});

test.each(['line', 'day'])(
  'what comes when its month is closed has the taxes of its own day, by %s',
  async (entries) => {
    const taxes = [
      { name: 'TVA', bps: 1800 },
      { name: 'TVA', bps: 1900, from: '2026-10-01' },
    ];
    const configured = { merchants: { A_LA_MAIN: { journal: { taxes, entries } } } };
    const journal = journalFor(checkConfiguration(configured, 'test'), 'A_LA_MAIN');
    const at = Date.UTC(2026, 8, 30);
    const paid = {
      reference: 'PAY1',
      orderId: null,
      operator: 'orange',
      country: 'CI',
      amount: 5_000,
      fees: '118',
    };
    const out = { id: 'd-1', reference: null, amount: 4_000, fees: '118.4', accountType: null };
    const next = { ...paid, reference: 'PAY2', createdAt: at + 2 * 86_400_000 };
    const money = { payments: [{ ...paid, createdAt: at }, next], payouts: [{ ...out, at }] };
    const stated = await stateBooks(BOOKS, {
      period: '2026-10',
      month: { journal },
      links: { ...NO_LINKS, money },
    });
    const rows = readFecRows(await bytesOf(formatNamed('fec')!, documentOf(stated))).filter(
      ({ journal: of }) => of === 'PL',
    );
    expect(sums(rows)).toEqual(
      new Map([
        ['5188', 5_646],
        ['411', -10_000],
        ['6317', 299],
        ['4454', 55],
        ['585', 4_000],
      ]),
    );
    expect(new Set(rows.map(({ date }) => date))).toEqual(new Set(['2026-10-01', '2026-10-02']));
  },
);
