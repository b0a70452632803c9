// A made-up statement whose figures agree with its lines, for tests of formats: small, or with as
// many lines as asked for, with ordinary texts or with texts that mean harm. Refuses nothing and
// proves nothing: real statements come from books.

import { directionOf, ENTRY_KINDS } from '../../src/core/domain/ledger-entry.ts';
import type { LegalIdentity } from '../../src/core/domain/merchant.ts';
import { journalTerms } from '../../src/core/statements/books-before.ts';
import {
  type AccountRole,
  DEFAULT_JOURNAL,
  type JournalControl,
  type JournalRow,
  type JournalSection,
} from '../../src/core/statements/journal.ts';
import type { MoneyColumns, OperatorRow } from '../../src/core/statements/section-movements.ts';
import type {
  CorrectionSection,
  ReconciliationSide,
} from '../../src/core/statements/section-reconciliation.ts';
import type { Statement } from '../../src/core/statements/statement.ts';
import type { StatementLine } from '../../src/core/statements/statement-line.ts';
import type { StatementDocument } from '../../src/io/formats/port/format.ts';
import {
  commissionOf,
  SAMPLE_END,
  SAMPLE_OPENING,
  SAMPLE_PRICING,
  SAMPLE_START,
  sampleLines,
} from './sample-lines.ts';
import { sampleLinks } from './sample-links.ts';
import { operationsOf } from './sample-operations.ts';

export interface SampleOptions {
  /** Lines of the month, by default 40; 0 is a month without lines. */
  readonly lines?: number;
  readonly texts?: 'plain' | 'hostile';
  /** Whether payments by link, and the file of the payment service's report, are in it. */
  readonly links?: boolean;
}

const SAMPLE_DOCUMENT = {
  reportId: '5a1b',
  fileName: 'rapport.pdf',
  statedSize: 1_001,
  kept: { size: 1_000, sha256: 'f'.repeat(64) },
  notKept: null,
};
const BATCH = 1_000;
const NO_FINDINGS = { total: 0, roots: 0, critical: 0, error: 0, warning: 0, info: 0 };
const DAY_MS = 86_400_000;

export function sampleDocument(options: SampleOptions = {}): StatementDocument {
  const texts = options.texts ?? 'plain';
  const lines = sampleLines(options.lines ?? 40, texts);
  const operations = operationsOf(lines, texts);
  return {
    statement: sampleStatement(options, lines),
    lines: async function* () {
      for (let from = 0; from < lines.length; from += BATCH) yield lines.slice(from, from + BATCH);
    },
    operations: async function* () {
      yield operations;
    },
  };
}

const sum = (lines: readonly StatementLine[], pick: (line: StatementLine) => number): number =>
  lines.reduce((total, line) => total + pick(line), 0);
const effectOf = (line: StatementLine): number => (line.credit ?? 0) - (line.debit ?? 0);
const ofKind = (lines: readonly StatementLine[], start: string) =>
  lines.filter((line) => line.kind.startsWith(start));

function columnsOf(lines: readonly StatementLine[]): MoneyColumns {
  const amount = (kind: string): number => sum(ofKind(lines, kind), (line) => line.amount);
  return {
    countIn: ofKind(lines, 'CASHIN_CREDIT').length,
    grossIn: amount('CASHIN_CREDIT'),
    feesIn: amount('CASHIN_FEE'),
    countOut: ofKind(lines, 'CASHOUT_DEBIT').length,
    grossOut: amount('CASHOUT_DEBIT'),
    feesOut: amount('CASHOUT_FEE'),
    reversals: sum(ofKind(lines, 'REVERSAL_'), effectOf),
    adjustments: sum(ofKind(lines, 'ADJUSTMENT_'), effectOf),
    other: 0,
    net: sum(lines, effectOf),
  };
}

function correctionsOf(lines: readonly StatementLine[]): CorrectionSection {
  const rows = lines
    .filter(({ kind }) => kind.startsWith('REVERSAL_') || kind.startsWith('ADJUSTMENT_'))
    .map((line) => ({
      sequence: line.sequence,
      at: line.createdAt,
      kind: line.kind,
      operationReference: line.operationReference,
      amount: effectOf(line),
      reason: line.label,
    }));
  return { rows: rows.slice(0, 1_000), count: rows.length };
}

function operatorRow(
  lines: readonly StatementLine[],
  operator: string | null,
  country: string | null,
): OperatorRow {
  const succeeded = ofKind(lines, 'CASHIN_CREDIT').length + ofKind(lines, 'CASHOUT_DEBIT').length;
  const final = succeeded + ofKind(lines, 'CASHOUT_RELEASE').length;
  const percent = final === 0 ? null : (Math.round((1_000 * succeeded) / final) / 10).toFixed(1);
  return { ...columnsOf(lines), operator, country, success: { succeeded, final, percent } };
}

function sideOf(figure: number, headSequence: number | null): ReconciliationSide {
  return {
    recordedAtHead: figure,
    headSequence,
    crossing: 0,
    recorded: figure,
    carriedForward: { count: 0, amount: 0 },
    items: [],
    others: { count: 0, amount: 0 },
    remainder: 0,
    recomputed: figure,
  };
}

function controlOf(role: AccountRole, sign: number, rows: readonly JournalRow[]): JournalControl {
  const own = rows.filter((row) => row.role === role).map((row) => sign * (row.debit - row.credit));
  const [stated, posted] = [own.filter((one) => one > 0), own].map((some) =>
    some.reduce((all, one) => all + one, 0),
  );
  return {
    posted: posted!,
    stated: stated!,
    otherMonth: 0,
    undone: stated! - posted!,
    priced: 0,
    rest: 0,
  };
}

function journalOf(lines: readonly StatementLine[], closing: number): JournalSection {
  const entries = lines.flatMap((line) => (line.entry === null ? [] : [line.entry]));
  const rows = entries.flatMap((entry) => entry.rows);
  const roles = [...new Set<AccountRole>(['wallet', ...rows.map((row) => row.role)])];
  const accounts = roles.map((role) => {
    const own = rows.filter((row) => row.role === role);
    const debit = own.reduce((total, row) => total + row.debit, 0);
    const credit = own.reduce((total, row) => total + row.credit, 0);
    const { number, label } = DEFAULT_JOURNAL.accounts[role];
    const opening = role === 'wallet' ? SAMPLE_OPENING.balance : null;
    return {
      role,
      account: number,
      label,
      opening,
      debit,
      credit,
      balance: (opening ?? 0) + debit - credit,
    };
  });
  const wallet = accounts[0]!;
  const total = rows.reduce((all, row) => all + row.debit, 0);
  return {
    code: 'MM',
    label: DEFAULT_JOURNAL.label,
    entries: 'line',
    opening: 'asserted',
    entryCount: entries.length,
    firstNumber: entries[0]?.number ?? null,
    lastNumber: entries.at(-1)?.number ?? null,
    lines: { count: entries.length, debit: wallet.debit, credit: wallet.credit },
    others: [],
    accounts: accounts.toSorted((a, b) => (a.account < b.account ? -1 : 1)),
    debit: total,
    credit: total,
    wallet: {
      account: wallet.account,
      opening: SAMPLE_OPENING.balance,
      debit: wallet.debit,
      credit: wallet.credit,
      closing,
      isInCredit: false,
      daysInCredit: [],
    },
    taxes: [],
    controls: {
      fees: controlOf('fees', 1, rows),
      customers: controlOf('customers', -1, rows),
      suppliers: controlOf('suppliers', 1, rows),
      suspended: { posted: 0, stated: 0, otherMonth: 0, undone: 0, priced: 0, rest: 0 },
    },
    named: [],
    terms: journalTerms(DEFAULT_JOURNAL),
  };
}

function sampleIdentity(hostile: boolean, name: string): LegalIdentity {
  return {
    legalName: hostile ? `=${name} <&> 🎉` : name,
    registration: 'CI-ABJ-03-2026-B12-00001',
    taxNumber: { label: 'NCC', number: '2600001 A' },
    address: ['Boulevard Inventé 1', 'Abidjan, Plateau'],
  };
}

function sampleStatement(
  { texts = 'plain', links = false }: SampleOptions,
  lines: readonly StatementLine[],
): Statement {
  const hostile = texts === 'hostile';
  const closing = SAMPLE_OPENING.balance + sum(lines, effectOf);
  const reserved = SAMPLE_OPENING.reserved + sum(lines, (line) => line.reservedMove);
  const all = columnsOf(lines);
  const credits = ofKind(lines, 'CASHIN_CREDIT');
  const feeOf = (line: StatementLine): number => commissionOf(line.amount, SAMPLE_PRICING.cashin);
  const collections = (some: readonly StatementLine[]) => ({
    count: some.length,
    amount: sum(some, (line) => line.amount),
    fees: sum(some, feeOf),
  });
  const operators = [...new Set(lines.flatMap((line) => line.operator ?? []))].sort();
  const dayOf = (line: StatementLine): string => line.localTime.slice(0, 10);
  const monthDays = Array.from(
    { length: 31 },
    (_, i) => `2026-10-${String(i + 1).padStart(2, '0')}`,
  );
  const collectionDays = monthDays.filter((day) => credits.some((line) => dayOf(line) === day));
  let opening = SAMPLE_OPENING.balance;
  let held = SAMPLE_OPENING.reserved;
  const days = monthDays.map((day) => {
    const own = lines.filter((line) => dayOf(line) === day);
    const columns = columnsOf(own);
    held += sum(own, (line) => line.reservedMove);
    const row = {
      day,
      entryCount: own.length,
      opening,
      closing: opening + columns.net,
      closingReserved: held,
      ...columns,
    };
    opening = row.closing;
    return row;
  });
  const name = hostile ? '=Dupont & Fils <SARL> "été" 🎉' : 'Librairie Kora-Fictive';
  const byReference = Map.groupBy(lines, (line) => line.operationReference ?? '');
  const holds = [...byReference.values()]
    .map((own) => ({ first: own[0]!, held: sum(own, (line) => line.reservedMove) }))
    .filter((one) => one.held !== 0);
  const reversals = ofKind(lines, 'REVERSAL_');
  const price = (type: 'CASHIN' | 'CASHOUT', own: readonly StatementLine[]) => {
    const { bps, flat } = type === 'CASHIN' ? SAMPLE_PRICING.cashin : SAMPLE_PRICING.cashout;
    const charged = sum(own, (line) => commissionOf(line.amount, { bps, flat }));
    const base = sum(own, (line) => line.amount);
    return {
      type,
      price: { bps, flat },
      count: own.length,
      base,
      charged,
      recomputed: charged,
      difference: 0,
      differenceCount: 0,
    };
  };
  const commissions = [price('CASHIN', credits), price('CASHOUT', ofKind(lines, 'CASHOUT_DEBIT'))];
  const digits = (digit: string): string => digit.repeat(64);
  const finding = {
    fingerprint: '1f2e3d4c5b6a7988',
    kind: 'ADJUSTMENT_UNEXPLAINED',
    severity: 'warning',
    when: 'month',
    sequence: SAMPLE_OPENING.sequence + 1,
    operationReference: null,
    at: SAMPLE_START + DAY_MS,
    expected: null,
    actual: null,
    difference: null,
    message: 'Line 4301 adjusts the balance by 250 (CREDIT) without a description.',
    figures: {
      sequence: '4301',
      amount: '250',
      direction: hostile ? '=1+1 & <b>line</b>\n(second)' : 'CREDIT',
    },
    causedBy: null,
    state: 'open',
  } as const;
  return {
    merchant: {
      reference: 'LIBRAIRIE_KORAFICTIVE',
      name,
      country: 'CI',
      holder: sampleIdentity(hostile, 'Kora SARL (fictive)'),
      profile: {
        reference: 'LIBRAIRIE_KORAFICTIVE',
        name,
        legalName: null,
        country: 'CI',
        status: 'ACTIVE',
        allowedCountries: ['CI'],
        pricing: SAMPLE_PRICING,
        limits: {
          minCashinAmount: 200,
          maxCashinAmount: 2_000_000,
          minCashoutAmount: 500,
          maxCashoutAmount: 1_500_000,
          dailyCashoutLimit: 0,
        },
        createdAt: Date.UTC(2026, 6, 2),
      },
    },
    issuer: sampleIdentity(hostile, 'Monnaie Inventée SA'),
    walletId: '11111111-2222-4333-8444-555555555555',
    currency: 'XOF',
    period: {
      period: '2026-10',
      label: { fr: 'octobre 2026', en: 'October 2026' },
      zone: 'Africa/Abidjan',
      start: SAMPLE_START,
      end: SAMPLE_END,
      startText: { utc: '2026-10-01T00:00:00.000Z', local: '2026-10-01 00:00:00' },
      endText: { utc: '2026-11-01T00:00:00.000Z', local: '2026-11-01 00:00:00' },
      boundsFrom: 'configuration',
    },
    revision: { number: 1, previous: null, changes: [], entries: null },
    engine: 'pointage 0.1.0',
    generatedAt: Date.UTC(2026, 10, 2, 3),
    phoneNumbers: 'masked',
    integrity: {
      chainHead: digits('a'),
      contentHash: digits('b'),
      shortHash: 'bbbbbbbbbbbb',
      documentHash: digits('c'),
    },
    summary: {
      currency: 'XOF',
      population: 'WALLET_OPERATIONS',
      totalAmount: all.grossIn,
      paymentCount: all.countIn,
      totalFees: sum(credits, feeOf),
      byOperator: operators
        .map((operator) => ({
          operator,
          ...collections(credits.filter((line) => line.operator === operator)),
        }))
        .filter((row) => row.count > 0),
      byCountry: credits.length === 0 ? [] : [{ country: 'CI', ...collections(credits) }],
      byDay: collectionDays.map((day) => ({
        day,
        ...collections(credits.filter((line) => dayOf(line) === day)),
      })),
      byStatus: {
        OPEN: holds.length,
        SUCCEEDED: all.countIn + all.countOut,
        FAILED: ofKind(lines, 'CASHOUT_RELEASE').length,
        EXPIRED: 0,
        CANCELLED: 0,
        REVERSED: 0,
      },
      collected: all.grossIn,
      disbursed: all.grossOut,
      fees: all.feesIn + all.feesOut,
      reversals: all.reversals,
      adjustments: all.adjustments,
      otherMovements: 0,
      openingBalance: SAMPLE_OPENING.balance,
      closingBalance: closing,
      openingReserved: SAMPLE_OPENING.reserved,
      closingReserved: reserved,
      availableAtClose: closing - reserved,
      firstSequence: lines[0]?.sequence ?? null,
      lastSequence: lines.at(-1)?.sequence ?? null,
      entryCount: lines.length,
      // 12,345,678 francs in and out again before the month, in 2,000 lines each.
      perpetual: {
        creditCount: 2_000 + lines.filter(({ credit }) => credit !== null).length,
        credits: 12_345_678 + SAMPLE_OPENING.balance + sum(lines, ({ credit }) => credit ?? 0),
        debitCount: 2_000 + lines.filter(({ debit }) => debit !== null).length,
        debits: 12_345_678 + sum(lines, ({ debit }) => debit ?? 0),
      },
      control: {
        openingPlusMovementsMinusClosing: 0,
        recordedMinusRecomputed: 0,
        reservedRecordedMinusRecomputed: 0,
      },
      recorded: { balance: closing, reserved, available: closing - reserved },
      due: { balance: closing, reserved, available: closing - reserved },
      verdict: { state: 'clean', missing: [] },
      findings: { total: 1, roots: 1, critical: 0, error: 0, warning: 1, info: 0 },
      revision: 1,
      chainHead: digits('a'),
    },
    paymentsByLink: links ? sampleLinks(hostile) : null,
    movements: ENTRY_KINDS.map((kind) => {
      const own = lines.filter((line) => line.kind === kind);
      return {
        kind,
        direction: directionOf(kind),
        count: own.length,
        amount: sum(own, (line) => line.amount),
        balanceEffect: sum(own, effectOf),
        reservedEffect: sum(own, (line) => line.reservedMove),
      };
    }),
    operators: {
      rows: [
        ...operators.map((operator) =>
          operatorRow(
            lines.filter((line) => line.operator === operator),
            operator,
            'CI',
          ),
        ),
        ...(lines.some((line) => line.operator === null)
          ? [
              operatorRow(
                lines.filter((line) => line.operator === null),
                null,
                null,
              ),
            ]
          : []),
      ],
      byOperator: operators.map((operator) =>
        operatorRow(
          lines.filter((line) => line.operator === operator),
          operator,
          null,
        ),
      ),
      byCountry:
        operators.length === 0
          ? []
          : [
              operatorRow(
                lines.filter((line) => line.country === 'CI'),
                null,
                'CI',
              ),
            ],
      total: operatorRow(lines, null, null),
    },
    days,
    months: null,
    commissions: {
      rows: commissions,
      total: commissions.reduce(
        (total, row) => ({
          count: total.count + row.count,
          base: total.base + row.base,
          charged: total.charged + row.charged,
          recomputed: total.recomputed + row.recomputed,
          difference: 0,
        }),
        { count: 0, base: 0, charged: 0, recomputed: 0, difference: 0 },
      ),
      posted: { cashin: all.feesIn, cashout: all.feesOut },
      roundings: ['HALF_UP'],
      differences: [],
      differenceCount: 0,
    },
    due: {
      recorded: { balance: closing, reserved, available: closing - reserved },
      recomputed: { balance: closing, reserved, available: closing - reserved },
      due: { balance: closing, reserved, available: closing - reserved },
      items: [],
      others: { count: 0, balance: 0, reserved: 0 },
    },
    reconciliation: {
      balance: sideOf(closing, lines.at(-1)?.sequence ?? null),
      reserved: sideOf(reserved, lines.at(-1)?.sequence ?? null),
      collections: { operations: all.grossIn, lines: all.grossIn, difference: 0 },
      disbursements: { operations: all.grossOut, lines: all.grossOut, difference: 0 },
    },
    findings: { rows: [finding], count: 1, earlier: NO_FINDINGS, standing: NO_FINDINGS },
    openHolds: {
      rows: holds.map((one) => ({
        operationReference: one.first.operationReference,
        sequence: one.first.sequence,
        since: one.first.createdAt,
        held: one.held,
        operator: one.first.operator,
        country: one.first.country,
      })),
      count: holds.length,
      total: reserved,
    },
    openOperations: {
      rows: holds.map((one) => ({
        reference: one.first.operationReference!,
        type: 'CASHOUT',
        statusAsRead: 'PENDING',
        amount: one.held,
        fees: 0,
        operator: one.first.operator!,
        country: 'CI',
        createdAt: one.first.createdAt,
        expiresAt: one.first.createdAt + DAY_MS / 4,
        completedAt: null,
      })),
      count: holds.length,
      amount: holds.reduce((total, one) => total + one.held, 0),
    },
    earlierReversals: {
      rows: reversals.map((line) => ({
        sequence: line.sequence,
        at: line.createdAt,
        operationReference: line.operationReference!,
        type: 'CASHIN',
        operator: line.operator!,
        operationCreatedAt: SAMPLE_START - 3 * DAY_MS,
        amount: effectOf(line),
      })),
      count: reversals.length,
      total: all.reversals,
    },
    crossing: { rows: [], count: 0 },
    corrections: correctionsOf(lines),
    operations: { count: operationsOf(lines, 'plain').length },
    journal: journalOf(lines, closing),
    circumstances: {
      verdict: 'clean',
      assumptions: {
        holdSettlement: 'DEBIT_AND_FEE',
        holdAmount: 'NET',
        cashinCredit: 'GROSS_AND_FEE',
        reversal: ['LINES', 'NET'],
        feeRounding: ['HALF_UP'],
        totals: 'GROSS',
      },
      coverage: {
        entries: SAMPLE_OPENING.sequence + lines.length,
        operations: 2_000 + lines.length,
        firstSequence: 1,
        lastSequence: SAMPLE_OPENING.sequence + lines.length,
        watermark: SAMPLE_END + DAY_MS,
        chain: {
          lines: SAMPLE_OPENING.sequence + lines.length,
          head: '1fb636a38fef6b8cad26fb8f1fc738b1b8a45c1b6f4c664144a65001f5e76fb4',
        },
      },
      notChecked: [
        {
          what: 'events',
          why: hostile ? '=events.jsonl & <none>' : 'events.jsonl is not there',
          incomplete: false,
        },
      ],
      serviceDocument: links ? SAMPLE_DOCUMENT : null,
      serviceReport: hostile
        ? {
            notCompared: null,
            compared: 4,
            differences: [{ key: '=byDay.<b>\u202e\u0007', service: '=1+1', ours: null }],
          }
        : null,
      walletAsRead: {
        wallet: {
          walletId: '11111111-2222-4333-8444-555555555555',
          merchantId: '66666666-7777-4888-8999-000000000000',
          currency: 'XOF',
          balance: closing,
          reserved,
          available: closing - reserved,
          status: 'ACTIVE',
          totalCollected: 9_000_000 + all.grossIn,
          totalDisbursed: 6_000_000 + all.grossOut,
          totalFees: 200_000 + all.feesIn + all.feesOut,
          updatedAt: SAMPLE_END - 60_000,
        },
        balance: bridge(closing),
        reserved: bridge(reserved),
      },
    },
  };
}

function bridge(figure: number) {
  return {
    closing: figure,
    sinceCutOff: 0,
    recomputedNow: figure,
    recordedNow: figure,
    wallet: figure,
    difference: 0,
    unexplained: '0',
  };
}
