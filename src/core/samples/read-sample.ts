// Small ledgers as short text rows: for the catalogue's samples, for `pointage explain`, and for tests. Not a file format.
//
//   line 1 CASHIN_CREDIT 1000 1000/0 CI-1 [key=value …]   sequence kind amount balance/reserved operation (- for none)
//   op CI-1 SUCCEEDED 1000 [fees=20 …]                    CI-n is GUI-CI-n, a cash-in; CO-n is GUI-CO-n, a cash-out
//   was CI-1 PENDING 1000 [fees=20 …]                     the same operation, as it was served before
//   wallet 1000/0 [key=value …]                           profile [key=value …]
//   reject PLACE REASON…                                  at +1h   (the books are judged at this instant)
//   payment …, notice …, report …                                 payments by link and monthly reports (`read-published.ts`)
//   limits …, payout …, balance …, count …                what a dashboard says of payouts (`read-payouts.ts`)
//   event …                                               notifications (`read-events.ts`); none: they are not judged
//
// Instants are written +2m, +1h, +5d after 2026-10-01T00:00:00Z. Line n is dated +n minutes.

import type { AuditReport } from '../domain/finding.ts';
import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../domain/instant.ts';
import { directionOf, isEntryKind, type LedgerEntry } from '../domain/ledger-entry.ts';
import type { Merchant } from '../domain/merchant.ts';
import {
  type Notification,
  type NotificationContent,
  type NotifiedOperation,
  stateNotifiedBy,
} from '../domain/notification.ts';
import {
  type Departure,
  hasDeparted,
  hasSettled,
  isFinal,
  lifetimeOf,
  type Operation,
  type OperationStatus,
  type OperationType,
  typeOfReference,
} from '../domain/operation.ts';
import type { RejectedRow } from '../domain/snapshot.ts';
import type { Wallet } from '../domain/wallet.ts';
import { PAYOUT_WORDS, readPublished } from './read-published.ts';
import { reconcileInMemory, type SmallBooks } from './reconcile-in-memory.ts';

const START: Instant = Date.UTC(2026, 9, 1);
const WORDS = [
  'line',
  'op',
  'was',
  'wallet',
  'profile',
  'reject',
  'at',
  'payment',
  'notice',
  'report',
  'event',
  ...PAYOUT_WORDS,
];
const UNITS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };

export interface Sample {
  readonly books: SmallBooks;
  readonly profiles: readonly Merchant[];
  readonly departures: readonly Departure[];
  readonly asOf: Instant;
}

/** Reads a sample; throws an Error that names the row when one cannot be read. */
export function readSample(text: string): Sample {
  const rows = text
    .split('\n')
    .map((row) => row.trim())
    .filter((row) => row !== '');
  const of = (word: string): string[] => rows.filter((row) => row.split(' ')[0] === word);
  const strange = rows.find((row) => !WORDS.includes(row.split(' ')[0]!));
  if (strange !== undefined) throw new Error(`a sample row must start with one of ${WORDS.join(', ')}: '${strange}'`);
  const entries = of('line').map(readLine);
  const operations = of('op').map((row) => readOperation(row, entries));
  const wallet = of('wallet')[0];
  const profile = of('profile')[0];
  const at = of('at')[0];
  const asOf = at === undefined ? START + 30 * DAY : readInstant(at.split(' ')[1]!);
  return {
    books: {
      entries,
      operations,
      wallet: wallet === undefined ? null : readWallet(wallet, { operations, asOf }),
      rejected: of('reject').map(readRejected),
      absent: [],
      notifications:
        of('event').length === 0
          ? null
          : readEvents(of('event'), { operations, start: START, readInstant, referenceOf }),
      published: readPublished(rows, { start: START, asOf, readInstant }),
    },
    departures: of('was').flatMap((row) => departureOf(readOperation(row, entries), operations)),
    profiles: profile === undefined ? [] : [readProfile(profile)],
    asOf,
  };
}

/** The report that the engine gives for a sample, judged without grace. */
export function reconcileSample(text: string): AuditReport {
  const { books, profiles, departures, asOf } = readSample(text);
  return reconcileInMemory(books, {
    merchant: 'SAMPLE',
    currency: books.wallet?.currency ?? 'XOF',
    statedCurrency: books.wallet?.currency ?? null,
    profiles,
    departures,
    adjustedAt: adjustmentsIn(books.notifications ?? null),
    opening: null,
    watermark: asOf,
    grace: 0,
    clockTolerance: 5 * MINUTE,
    pinned: {},
    keepsAll: false,
    present: { ledger: true, operations: true },
  });
}

/** Nothing where it has become what it may. */
function departureOf(before: Operation, operations: readonly Operation[]): readonly Departure[] {
  const now = operations.find(({ reference }) => reference === before.reference);
  return now !== undefined && hasDeparted({ before, now }) ? [{ before, now }] : [];
}

type Extras = Readonly<Record<string, string>>;

/** Splits a row into its plain words and its key=value words. */
function splitRow(row: string): { words: string[]; extras: Extras } {
  const words = row.split(/\s+/).slice(1);
  const extras = words
    .filter((word) => /^[a-zA-Z]+=/.test(word))
    .map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]);
  return { words: words.filter((word) => !/^[a-zA-Z]+=/.test(word)), extras: Object.fromEntries(extras) as Extras };
}

function readInstant(text: string): Instant {
  const parts = /^\+(\d+)([smhd])$/.exec(text);
  if (parts === null) throw new Error(`a sample instant looks like +2m, +1h or +5d: '${text}'`);
  return START + Number(parts[1]) * UNITS[parts[2]!]!;
}

function referenceOf(word: string): string | null {
  return word === '-' ? null : /^C[IO]-/.test(word) ? `GUI-${word}` : word;
}

function textOr(value: string | undefined, otherwise: string | null): string | null {
  return value === undefined ? otherwise : value === 'null' ? null : value;
}

function readLine(row: string): LedgerEntry {
  const { words, extras } = splitRow(row);
  const [sequence, kind, amount, figures, reference] = words;
  const [balance, reserved] = figures?.split('/') ?? [];
  if (reference === undefined || reserved === undefined)
    throw new Error(`a sample line needs sequence, kind, amount, balance/reserved and operation: '${row}'`);
  return {
    id: extras.id ?? `line-${sequence}-${kind}-${amount}`,
    sequence: Number(sequence),
    direction: extras.direction ?? (isEntryKind(kind!) ? directionOf(kind) : 'CREDIT'),
    kind: kind!,
    amount: Number(amount),
    currency: extras.currency ?? 'XOF',
    balanceAfter: Number(balance),
    reservedAfter: Number(reserved),
    operationReference: referenceOf(reference),
    description: textOr(extras.description, null),
    createdAt: extras.at === undefined ? START + Number(sequence) * MINUTE : readInstant(extras.at),
  };
}

function readOperation(row: string, entries: readonly LedgerEntry[]): Operation {
  const { words, extras } = splitRow(row);
  const reference = referenceOf(words[0]!)!;
  const status = words[1] as OperationStatus;
  const type = (extras.type as Operation['type'] | undefined) ?? typeOfReference(reference) ?? 'CASHIN';
  const amount = Number(words[2]);
  const fees = Number(extras.fees ?? 0);
  const own = entries.filter((entry) => entry.operationReference === reference).map((entry) => entry.createdAt);
  const createdAt =
    extras.createdAt === undefined
      ? Math.min(...own, START + Number(/\d+$/.exec(reference)?.[0] ?? 0) * MINUTE)
      : readInstant(extras.createdAt);
  const ended = isFinal(status) ? Math.max(createdAt, ...own.filter((at) => at < START + 300 * DAY)) : null;
  const instant = (key: string, otherwise: Instant | null): Instant | null =>
    extras[key] === undefined ? otherwise : extras[key] === 'null' ? null : readInstant(extras[key]);
  return {
    reference,
    type,
    status,
    amount,
    fees,
    netAmount: Number(extras.netAmount ?? (type === 'CASHIN' ? amount - fees : amount + fees)),
    currency: extras.currency ?? 'XOF',
    country: extras.country ?? 'CI',
    operator: extras.operator ?? 'WAVE',
    externalReference: textOr(extras.externalReference, null),
    payerActionUrl: textOr(extras.payerActionUrl, null),
    requiresPayerAction: extras.requiresPayerAction === 'true',
    failureCode: textOr(extras.failureCode, status === 'FAILED' ? 'OPERATOR_REFUSED' : null),
    createdAt,
    updatedAt: ended ?? createdAt,
    completedAt: instant('completedAt', ended),
    expiresAt: instant('expiresAt', createdAt + lifetimeOf(type)),
  };
}

function readWallet(row: string, { operations, asOf }: Pick<SmallBooks, 'operations'> & Pick<Sample, 'asOf'>): Wallet {
  const { words, extras } = splitRow(row);
  const [balance, reserved] = words[0]!.split('/').map(Number);
  const settled = operations.filter((operation) => hasSettled(operation.status));
  const sum = (type: Operation['type'], key: 'amount' | 'fees'): number =>
    settled.filter((operation) => operation.type === type).reduce((total, operation) => total + operation[key], 0);
  return {
    walletId: 'wallet-1',
    merchantId: 'merchant-1',
    currency: extras.currency ?? 'XOF',
    balance: balance!,
    reserved: reserved!,
    available: Number(extras.available ?? balance! - reserved!),
    status: (extras.status ?? 'ACTIVE') as Wallet['status'],
    totalCollected: Number(extras.totalCollected ?? sum('CASHIN', 'amount')),
    totalDisbursed: Number(extras.totalDisbursed ?? sum('CASHOUT', 'amount')),
    totalFees: Number(extras.totalFees ?? sum('CASHIN', 'fees') + sum('CASHOUT', 'fees')),
    updatedAt: extras.updatedAt === undefined ? Math.min(START + 20 * DAY, asOf) : readInstant(extras.updatedAt),
  };
}

function readProfile(row: string): Merchant {
  const { extras } = splitRow(row);
  const number = (key: string): number => Number(extras[key] ?? 0);
  return {
    reference: 'SAMPLE',
    name: 'Sample',
    legalName: null,
    country: 'CI',
    status: (extras.status ?? 'ACTIVE') as Merchant['status'],
    allowedCountries: extras.allowedCountries?.split(',') ?? [],
    pricing: {
      cashin: { bps: number('cashinFeeBps'), flat: number('cashinFeeFlat') },
      cashout: { bps: number('cashoutFeeBps'), flat: number('cashoutFeeFlat') },
    },
    limits: {
      minCashinAmount: number('minCashinAmount'),
      maxCashinAmount: number('maxCashinAmount'),
      minCashoutAmount: number('minCashoutAmount'),
      maxCashoutAmount: number('maxCashoutAmount'),
      dailyCashoutLimit: number('dailyCashoutLimit'),
    },
    createdAt: START - 365 * DAY,
  };
}

function readRejected(row: string): RejectedRow {
  const [, place, ...reason] = row.split(' ');
  const part = place!.startsWith('operations') ? 'operations' : 'ledger';
  return { part, place: place!, reason: reason.join(' '), refusal: null, sequence: null, reference: null, raw: '' };
}

// The notifications of a sample.
//
//   event cashin.succeeded CI-1 1000 [id=evt_1 status=FAILED type=CASHOUT at=+2m updatedAt=+1m fees=20 currency=XOF …]
//   event wallet.adjusted at=+2m                                  types that carry no operation: type and time alone
//
// Unless given: the state is that of the type, the date that of the operation's last change (else its number in minutes),
// the type of operation that of its reference, and the id is made of reference and type. Two rows with one id and other
// words are of other content.

interface SampleTime {
  readonly operations: readonly Operation[];
  readonly start: Instant;
  readonly readInstant: (text: string) => Instant;
  readonly referenceOf: (word: string) => string | null;
}

function readEvents(rows: readonly string[], time: SampleTime): readonly NotificationContent[] {
  return rows.map((row) => {
    const words = row.split(/\s+/).slice(1);
    const plain = words.filter((word) => !word.includes('='));
    const pairs = words.filter((word) => word.includes('=')).map((word) => word.split('=') as [string, string]);
    const extras: Readonly<Record<string, string | undefined>> = Object.fromEntries(pairs);
    const content = [...plain, ...pairs.map(([key, value]) => `${key}=${value}`).sort()].join(' ');
    return { notification: readEvent({ plain, extras }, time), content };
  });
}

interface Row {
  readonly plain: readonly string[];
  readonly extras: Readonly<Record<string, string | undefined>>;
}

function readEvent({ plain, extras }: Row, time: SampleTime): Notification {
  const { operations, start, readInstant, referenceOf } = time;
  const type = plain[0]!;
  const reference = plain[1] === undefined ? null : referenceOf(plain[1]);
  const known = operations.find((operation) => operation.reference === reference);
  const byNumber = start + Number(/\d+$/.exec(reference ?? '')?.[0] ?? 1) * MINUTE;
  const createdAt = extras.at === undefined ? (known?.updatedAt ?? byNumber) : readInstant(extras.at);
  const operation: NotifiedOperation | null =
    stateNotifiedBy(type) === null
      ? null
      : {
          reference: reference!,
          type: (extras.type as OperationType | undefined) ?? typeOfReference(reference!) ?? 'CASHIN',
          status: (extras.status as OperationStatus | undefined) ?? stateNotifiedBy(type)!.status,
          amount: Number(plain[2]),
          fees: extras.fees === undefined ? null : Number(extras.fees),
          netAmount: extras.netAmount === undefined ? null : Number(extras.netAmount),
          currency: extras.currency ?? null,
          externalReference: extras.externalReference ?? null,
          failureCode: extras.failureCode ?? null,
          createdAt: known?.createdAt ?? null,
          updatedAt: extras.updatedAt === undefined ? null : readInstant(extras.updatedAt),
        };
  const id = extras.id ?? `evt_${plain[1] ?? 'wallet'}.${type.split('.').at(-1)}`;
  return { id, type, createdAt, at: createdAt, operation };
}

/** When the wallet was adjusted, by the notifications; null when there are none at all. */
export function adjustmentsIn(notifications: readonly NotificationContent[] | null): readonly Instant[] | null {
  if (notifications === null) return null;
  return notifications.flatMap(({ notification: { type, createdAt } }) =>
    type === 'wallet.adjusted' ? [createdAt] : [],
  );
}
