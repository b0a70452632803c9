// Small ledgers as short rows of text, for the catalogue's samples, for `pointage explain` and for
// tests. It is not a file format.
//
//   line 1 CASHIN_CREDIT 1000 1000/0 CI-1 [key=value …]
//     sequence, kind, amount, balance/reserved, operation (- for none)
//   line … stored=altered                   the line was changed in the mirror after it was stored
//   op CI-1 SUCCEEDED 1000 [fees=20 …]      CI-n is GUI-CI-n, a cash-in; CO-n is a cash-out
//   was CI-1 PENDING 1000 [fees=20 …]       the operation as it was served before; without a row
//                                           `op`, it is not served any more
//   again 1 CASHIN_CREDIT 1000 1000/0 CI-1  the line of this sequence as a later reading served it
//   gone 2                                  no later reading served the line of this sequence
//   wallet 1000/0 [was=wallet-0 …]          balance/reserved; was: the wallet had this id before
//   profile [key=value …]
//   reject PLACE REASON…                    a row that could not be read
//   at +1h                                  the instant at which the books are judged
//   event cashin.succeeded CI-1 1000 [key=value …]
//     a notification; without any, notifications are not judged
//   event wallet.adjusted at=+2m            types without an operation have type and time alone
//   issued 2026-09 closingBalance=0 now=1000
//     the issued statement of a month, and its closing balance as it would be stated now
//   payment …, notice …, report …, limits …, payout …   published rows (`read-published.ts`)
//
// Line n is dated n minutes after the start. An event without these has the state of its type, the
// date of its operation's last change (else its number in minutes), the type of operation of its
// reference, and an id made of reference and type. Two events with one id and different words
// have different contents.

import { type Alteration, type AlteredLine, alterationOf, runsIn } from '../domain/alteration.ts';
import type { AuditReport } from '../domain/finding.ts';
import { DAY, type Instant, MINUTE } from '../domain/instant.ts';
import { directionOf, isEntryKind, type LedgerEntry } from '../domain/ledger-entry.ts';
import type { Merchant, Wallet } from '../domain/merchant.ts';
import {
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
  netAmountOf,
  type Operation,
  type OperationStatus,
  type OperationType,
  typeOfReference,
} from '../domain/operation.ts';
import { sameEntry } from '../domain/rows/entry-fields.ts';
import type {
  ChangedMonth,
  RejectedRow,
  Remembered,
  Snapshot,
  TamperedLines,
} from '../domain/snapshot.ts';
import type { ReconcileSettings } from '../kernel/reconcile/books.ts';
import { reconcileInMemory, type SmallBooks } from '../kernel/reconcile-in-memory.ts';
import { ENGLISH_WORDING } from '../words/names.ts';
import { PUBLISHED_WORDS, readPublished } from './read-published.ts';
import {
  instantIn,
  numberIn,
  type Row,
  readInstant,
  readRow,
  START,
  textIn,
} from './sample-row.ts';

const WORDS = [
  'line',
  'again',
  'gone',
  'op',
  'was',
  'wallet',
  'profile',
  'reject',
  'at',
  'event',
  'issued',
  ...PUBLISHED_WORDS,
];

export interface Sample extends Required<Pick<Snapshot, 'profiles' | Remembered>> {
  readonly books: SmallBooks;
  readonly asOf: Instant;
}

/** Reads a sample. Throws an Error that names the row when a row cannot be read. */
export function readSample(text: string): Sample {
  const texts = text.split('\n').map((row) => row.trim());
  const rows = texts.filter((row) => row !== '').map(readRow);
  const strange = rows.find(({ word }) => !WORDS.includes(word));
  if (strange !== undefined)
    throw new Error(`a sample row must start with one of ${WORDS.join(', ')}: '${strange.text}'`);
  const of = (wanted: string): readonly Row[] => rows.filter(({ word }) => word === wanted);
  const entries = of('line').map(readLine);
  const operations = of('op').map((row) => readOperation(row, entries));
  const [at] = of('at');
  const asOf = at === undefined ? START + 30 * DAY : readInstant(at.words[0]!);
  const events = of('event');
  const wallet = of('wallet').map((row) => readWallet(row, { operations, asOf }))[0] ?? null;
  const walletId = of('wallet')[0]?.extras.was;
  return {
    books: {
      entries,
      operations,
      wallet,
      rejected: of('reject').map(readRejected),
      absent: [],
      notifications: events.length === 0 ? null : events.map((row) => readEvent(row, operations)),
      published: readPublished(rows, asOf),
    },
    alterations: alterationsIn(entries, { again: of('again').map(readLine), gone: of('gone') }),
    departures: of('was').flatMap((row) => departureOf(readOperation(row, entries), operations)),
    missing: of('was').flatMap((row) => {
      const operation = readOperation(row, entries);
      const isServed = operations.some(({ reference }) => reference === operation.reference);
      return isServed ? [] : [{ operation, missedAt: asOf - DAY, missedAgainAt: asOf, lines: [] }];
    }),
    replaced:
      wallet === null || walletId === undefined
        ? null
        : { before: { ...wallet, walletId }, now: wallet, since: asOf },
    tampered: tamperedIn(of('line')),
    changedMonths: of('issued').map(readIssued),
    profiles: of('profile').slice(0, 1).map(readProfile),
    asOf,
  };
}

const RULES: SampleRules = { grace: 0, clockTolerance: 5 * MINUTE, pinned: {} };

export type SampleRules = Pick<ReconcileSettings, 'grace' | 'clockTolerance' | 'pinned'>;

/** Returns the engine's report on a sample; by default without a grace period. */
export function reconcileSample(
  text: string,
  { grace, clockTolerance, pinned } = RULES,
): AuditReport {
  const { books, asOf, ...history } = readSample(text);
  return reconcileInMemory(books, {
    merchant: 'SAMPLE',
    wording: ENGLISH_WORDING,
    currency: books.wallet?.currency ?? 'XOF',
    statedCurrency: books.wallet?.currency ?? null,
    ...history,
    adjustedAt: adjustmentsIn(books.notifications ?? null),
    opening: null,
    watermark: asOf,
    grace,
    clockTolerance,
    pinned,
    keepsAll: false,
    present: { ledger: true, operations: true },
  });
}

function tamperedIn(lines: readonly Row[]): TamperedLines | null {
  const altered = lines
    .filter(({ extras }) => extras.stored === 'altered')
    .map(({ words }) => Number(words[0]));
  const [first] = altered;
  return first === undefined ? null : { first, last: altered.at(-1)!, until: lines.length };
}

function readIssued({ words: [period], extras: { closingBalance, now } }: Row): ChangedMonth {
  const figures = [{ figure: 'closingBalance', before: closingBalance!, after: now! }];
  return { period: period!, revision: 1, count: 1, figures };
}

/** Returns what the change breaks; empty for a lawful change. */
function departureOf(before: Operation, operations: readonly Operation[]): readonly Departure[] {
  const now = operations.find(({ reference }) => reference === before.reference);
  return now !== undefined && hasDeparted({ before, now }) ? [{ before, now }] : [];
}

/** Returns one alteration for each run of altered lines. */
function alterationsIn(
  entries: readonly LedgerEntry[],
  { again, gone }: { readonly again: readonly LedgerEntry[]; readonly gone: readonly Row[] },
): readonly Alteration[] {
  const altered = entries.filter(({ sequence }) =>
    gone.some(({ words }) => Number(words[0]) === sequence),
  );
  const isNews = (line: LedgerEntry): boolean => !entries.some((one) => sameEntry(one, line));
  const lines: readonly AlteredLine[] = [
    ...altered.map((before) => ({ sequence: before.sequence, before, now: null })),
    ...again.filter(isNews).map((now) => {
      const before = entries.find(({ sequence }) => sequence === now.sequence) ?? null;
      return { sequence: now.sequence, before, now };
    }),
  ];
  const sequences = [...new Set([...entries, ...again].map(({ sequence }) => sequence))].sort(
    (a, b) => a - b,
  );
  return runsIn(lines, sequences).map((run) => {
    const { sequence } = run[0]!;
    const from = entries.findLast((line) => line.sequence < sequence);
    const last = run.at(-1)!.sequence;
    const next = entries.find((line) => line.sequence > last && !altered.includes(line)) ?? null;
    const isAtFront =
      next !== null && !entries.some((one) => one.sequence < sequence && !altered.includes(one));
    return {
      ...alterationOf(run, {
        from: { balance: from?.balanceAfter ?? 0, reserved: from?.reservedAfter ?? 0 },
        isServedLater: (id) => again.some((line) => line.id === id && line.sequence > sequence),
        wasReadLater: (id) => entries.some((line) => line.id === id && line.sequence > sequence),
        fillsGap: false,
        isAtEnd: last === sequences.at(-1),
      }),
      ...(isAtFront && run[0]!.now === null ? { change: 'fallen', now: next } : {}),
      intake: 1,
    };
  });
}

function referenceOf(word: string): string | null {
  return word === '-' ? null : /^C[IO]-/.test(word) ? `GUI-${word}` : word;
}

/**
 * Returns the default date of a row: as many minutes after the start as the number at the end of
 * its name.
 */
const minuteOf = (name: string | null): Instant =>
  START + Number(/\d+$/.exec(name ?? '')?.[0] ?? 0) * MINUTE;

function readLine(row: Row): LedgerEntry {
  const { text, words, extras } = row;
  const [sequence, kind, amount, figures, reference] = words;
  const [balance, reserved] = figures?.split('/') ?? [];
  if (reference === undefined || reserved === undefined)
    throw new Error(
      `a sample line needs sequence, kind, amount, balance/reserved and operation: '${text}'`,
    );
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
    description: textIn(row, 'description', null),
    createdAt: instantIn(row, 'at', minuteOf(sequence!))!,
  };
}

function readOperation(row: Row, entries: readonly LedgerEntry[]): Operation {
  const { words, extras } = row;
  const reference = referenceOf(words[0]!)!;
  const status = words[1] as OperationStatus;
  const type =
    (extras.type as Operation['type'] | undefined) ?? typeOfReference(reference) ?? 'CASHIN';
  const amount = Number(words[2]);
  const fees = numberIn(row, 'fees') ?? 0;
  const own = entries
    .filter((entry) => entry.operationReference === reference)
    .map((entry) => entry.createdAt);
  const createdAt = instantIn(row, 'createdAt', Math.min(...own, minuteOf(reference)))!;
  const ended = isFinal(status)
    ? Math.max(createdAt, ...own.filter((at) => at < START + 300 * DAY))
    : null;
  return {
    reference,
    type,
    status,
    amount,
    fees,
    netAmount: numberIn(row, 'netAmount') ?? netAmountOf({ type, amount, fees }),
    currency: extras.currency ?? 'XOF',
    country: extras.country ?? 'CI',
    operator: extras.operator ?? 'WAVE',
    externalReference: textIn(row, 'externalReference', null),
    payerActionUrl: textIn(row, 'payerActionUrl', null),
    requiresPayerAction: extras.requiresPayerAction === 'true',
    failureCode: textIn(row, 'failureCode', status === 'FAILED' ? 'OPERATOR_REFUSED' : null),
    createdAt,
    updatedAt: instantIn(row, 'updatedAt', ended ?? createdAt)!,
    completedAt: instantIn(row, 'completedAt', ended),
    expiresAt: instantIn(row, 'expiresAt', createdAt + lifetimeOf(type)),
  };
}

function readWallet(
  row: Row,
  { operations, asOf }: Pick<SmallBooks, 'operations'> & Pick<Sample, 'asOf'>,
): Wallet {
  const { words, extras } = row;
  const [balance, reserved] = words[0]!.split('/').map(Number) as [number, number];
  const settled = operations.filter((operation) => hasSettled(operation.status));
  const sum = (type: Operation['type'], key: 'amount' | 'fees'): number =>
    settled
      .filter((operation) => operation.type === type)
      .reduce((total, operation) => total + operation[key], 0);
  return {
    walletId: extras.id ?? 'wallet-1',
    merchantId: 'merchant-1',
    currency: extras.currency ?? 'XOF',
    balance,
    reserved,
    available: numberIn(row, 'available') ?? balance - reserved,
    status: (extras.status ?? 'ACTIVE') as Wallet['status'],
    totalCollected: numberIn(row, 'totalCollected') ?? sum('CASHIN', 'amount'),
    totalDisbursed: numberIn(row, 'totalDisbursed') ?? sum('CASHOUT', 'amount'),
    totalFees: numberIn(row, 'totalFees') ?? sum('CASHIN', 'fees') + sum('CASHOUT', 'fees'),
    updatedAt: instantIn(row, 'updatedAt', Math.min(START + 20 * DAY, asOf))!,
  };
}

function readProfile(row: Row): Merchant {
  const number = (key: string): number => numberIn(row, key) ?? 0;
  return {
    reference: 'SAMPLE',
    name: 'Sample',
    legalName: null,
    country: 'CI',
    status: (row.extras.status ?? 'ACTIVE') as Merchant['status'],
    allowedCountries: row.extras.allowedCountries?.split(',') ?? [],
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
    createdAt: instantIn(row, 'createdAt', START - 365 * DAY)!,
  };
}

function readRejected({ text }: Row): RejectedRow {
  const [, place, ...reason] = text.split(' ');
  const part = place!.startsWith('operations') ? 'operations' : 'ledger';
  return {
    part,
    place: place!,
    reason: reason.join(' '),
    refusal: null,
    sequence: null,
    reference: null,
    raw: '',
  };
}

function readEvent(row: Row, operations: readonly Operation[]): NotificationContent {
  const { words, extras } = row;
  const [type, named, amount] = words;
  const reference = named === undefined ? null : referenceOf(named);
  const known = operations.find((operation) => operation.reference === reference);
  const createdAt = instantIn(row, 'at', known?.updatedAt ?? minuteOf(reference ?? '1'))!;
  const state = stateNotifiedBy(type!);
  const operation: NotifiedOperation | null = state && {
    reference: reference!,
    type: (extras.type as OperationType | undefined) ?? typeOfReference(reference!) ?? 'CASHIN',
    status: (extras.status as OperationStatus | undefined) ?? state.status,
    amount: Number(amount),
    fees: numberIn(row, 'fees'),
    netAmount: numberIn(row, 'netAmount'),
    currency: extras.currency ?? null,
    externalReference: extras.externalReference ?? null,
    failureCode: extras.failureCode ?? null,
    createdAt: known?.createdAt ?? null,
    updatedAt: instantIn(row, 'updatedAt', null),
  };
  const id = extras.id ?? `evt_${named ?? 'wallet'}.${type!.split('.').at(-1)}`;
  const pairs = Object.entries(extras).map(([key, value]) => `${key}=${value}`);
  return {
    notification: { id, type: type!, createdAt, at: createdAt, operation },
    content: [...words, ...pairs.sort()].join(' '),
  };
}

/**
 * Returns when notifications say that the wallet was adjusted; `null` when there are no
 * notifications.
 */
export function adjustmentsIn(
  notifications: readonly NotificationContent[] | null,
): readonly Instant[] | null {
  if (notifications === null) return null;
  return notifications.flatMap(({ notification: { type, createdAt } }) =>
    type === 'wallet.adjusted' ? [createdAt] : [],
  );
}
