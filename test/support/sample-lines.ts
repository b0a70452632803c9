// Made-up lines of one month, October 2026, for samples of statements: cash-ins, cash-outs of which
// one is still open at the end, a reversal of a September operation, an adjustment. The same number
// always gives the same lines.

import {
  type AccountRole,
  DEFAULT_JOURNAL,
  type JournalEntry,
} from '../../src/core/statements/journal.ts';
import type { StatementLine } from '../../src/core/statements/statement-line.ts';

export const SAMPLE_START = Date.UTC(2026, 9, 1);
export const SAMPLE_END = Date.UTC(2026, 10, 1);
export const SAMPLE_OPENING = { balance: 1_250_000, reserved: 0, sequence: 4_300 };
const SAMPLE_OPERATORS = ['ORANGE', 'MTN', 'MOOV', 'WAVE', 'DJAMO'] as const;
/** 1.75 % on cash-ins, 1 % + 50 on cash-outs, halves rounded up. */
export const SAMPLE_PRICING = { cashin: { bps: 175, flat: 0 }, cashout: { bps: 100, flat: 50 } };

const PLAIN = [
  'Commande en ligne',
  'Réabonnement – forfait été',
  null,
  'Acompte 50 % "chambre double"',
  null,
];
const HOSTILE = [
  '=HYPERLINK("http://exemple.invalid";"clic")',
  '+225 07 •• •• •• 45 a payé',
  '@SUM(A1:A9)',
  '-2+3',
  '\t=1+1',
  '\r\n=cmd|"/C calc"!A0',
  'Dupont & Fils <SARL> "l\'été"; suite',
  'مرحبا 🎉🙏🏾 ‮txt.exe',
  `${'très long '.repeat(60)}fin`,
  '<script>alert(1)</script>',
  'ligne 1\nligne 2\u2028ligne 3',
  '\u0000\u0007 nul et cloche, e\u0301 décomposé, \ud800 seul',
  '(parenthèse \\) de PDF',
  '',
];

interface Posting {
  readonly kind: string;
  readonly direction: 'CREDIT' | 'DEBIT' | 'HOLD' | 'RELEASE';
  readonly amount: number;
  readonly reservedMove: number;
  readonly roles: readonly [AccountRole, AccountRole] | null;
}

/** Returns exactly `count` lines. */
export function sampleLines(count: number, texts: 'plain' | 'hostile'): readonly StatementLine[] {
  const lines: StatementLine[] = [];
  let { balance, reserved } = SAMPLE_OPENING;
  for (let operation = 1; lines.length < count; operation++) {
    const { reference, postings } = operationOf(operation);
    for (const posting of postings) {
      if (lines.length === count) break;
      const effect =
        posting.direction === 'CREDIT'
          ? posting.amount
          : posting.direction === 'DEBIT'
            ? -posting.amount
            : 0;
      balance += effect;
      reserved += posting.reservedMove;
      lines.push(
        lineOf(lines.length, count, {
          operation,
          reference,
          posting,
          effect,
          balance,
          reserved,
          texts,
        }),
      );
    }
  }
  return lines;
}

export function commissionOf(
  amount: number,
  price: { readonly bps: number; readonly flat: number },
): number {
  return Math.floor((amount * price.bps + 5_000) / 10_000) + price.flat;
}

function operationOf(number: number): {
  readonly reference: string | null;
  readonly postings: readonly Posting[];
} {
  const code = number.toString(36).toUpperCase().padStart(8, '0');
  const amount = 2_000 + ((number * 7_919) % 90) * 500;
  if (number % 50 === 7) {
    return {
      reference: null,
      postings: [credit('ADJUSTMENT_CREDIT', 250, ['wallet', 'suspenseCredit'])],
    };
  }
  if (number % 60 === 11) {
    return {
      reference: `GUI-CI-S${code}`,
      postings: [debit('REVERSAL_DEBIT', 1_000, ['customers', 'wallet'])],
    };
  }
  if (number % 4 === 3) {
    const fees = commissionOf(amount, SAMPLE_PRICING.cashout);
    const hold: Posting = {
      kind: 'CASHOUT_HOLD',
      direction: 'HOLD',
      amount: amount + fees,
      reservedMove: amount + fees,
      roles: null,
    };
    const paid = [
      { ...debit('CASHOUT_DEBIT', amount, ['suppliers', 'wallet']), reservedMove: -amount },
      { ...debit('CASHOUT_FEE', fees, ['fees', 'wallet']), reservedMove: -fees },
    ];
    const lapsed: Posting = {
      ...hold,
      kind: 'CASHOUT_RELEASE',
      direction: 'RELEASE',
      reservedMove: -amount - fees,
    };
    return {
      reference: `GUI-CO-${code}`,
      postings: [hold, ...(number % 12 === 7 ? [lapsed] : paid)],
    };
  }
  const fees = commissionOf(amount, SAMPLE_PRICING.cashin);
  const postings = [
    credit('CASHIN_CREDIT', amount, ['wallet', 'customers']),
    debit('CASHIN_FEE', fees, ['fees', 'wallet']),
  ];
  return { reference: `GUI-CI-${code}`, postings };
}

function credit(kind: string, amount: number, roles: readonly [AccountRole, AccountRole]): Posting {
  return { kind, direction: 'CREDIT', amount, reservedMove: 0, roles };
}

function debit(kind: string, amount: number, roles: readonly [AccountRole, AccountRole]): Posting {
  return { kind, direction: 'DEBIT', amount, reservedMove: 0, roles };
}

interface Place {
  readonly operation: number;
  readonly reference: string | null;
  readonly posting: Posting;
  readonly effect: number;
  readonly balance: number;
  readonly reserved: number;
  readonly texts: 'plain' | 'hostile';
}

function lineOf(index: number, count: number, place: Place): StatementLine {
  const { posting, effect, balance, reserved } = place;
  const createdAt = SAMPLE_START + Math.floor(((SAMPLE_END - SAMPLE_START - 1) / count) * index);
  const sequence = SAMPLE_OPENING.sequence + index + 1;
  const labels = place.texts === 'hostile' ? HOSTILE : PLAIN;
  const localTime = new Date(createdAt).toISOString().slice(0, 19).replace('T', ' ');
  return {
    sequence,
    id: `00000000-0000-4000-8000-${String(sequence).padStart(12, '0')}`,
    createdAt,
    localTime,
    kind: posting.kind,
    direction: posting.direction,
    label: labels[index % labels.length]!,
    operationReference: place.reference,
    externalReference:
      place.reference === null ? null : `CMD-${String(place.operation).padStart(6, '0')}`,
    counterpartyName: place.reference === null ? null : `Awa ${place.operation}`,
    counterpartyNumber: place.reference === null ? null : '+225 07 •• •• •• 45',
    operator: place.reference === null ? null : SAMPLE_OPERATORS[place.operation % 5]!,
    country: place.reference === null ? null : 'CI',
    amount: posting.amount,
    currency: 'XOF',
    isMemo: effect === 0,
    debit: effect < 0 ? -effect : null,
    credit: effect > 0 ? effect : null,
    commission: 0,
    balance,
    reservedMove: posting.reservedMove,
    reserved,
    recordedBalance: balance,
    recordedReserved: reserved,
    flags: [],
    entry:
      posting.roles === null
        ? null
        : entryOf(place, posting.roles, { sequence, day: localTime.slice(0, 10) }),
  };
}

function entryOf(
  { posting, reference }: Place,
  [debited, credited]: readonly [AccountRole, AccountRole],
  at: { readonly sequence: number; readonly day: string },
): JournalEntry {
  const row = (role: AccountRole, debit: number, credit: number) => {
    const { number, label } = DEFAULT_JOURNAL.accounts[role];
    return { role, account: number, accountLabel: label, auxiliary: null, debit, credit };
  };
  return {
    number: `MM-2026-10-${String(at.sequence).padStart(6, '0')}`,
    date: at.day,
    piece: reference ?? `LINE-${at.sequence}`,
    source: 'line',
    sequence: at.sequence,
    operationReference: reference,
    operator: null,
    rows: [row(debited, posting.amount, 0), row(credited, 0, posting.amount)],
  };
}
