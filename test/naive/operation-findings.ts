// Section B of the catalogue: each operation against its lines.

import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import type { Operation } from '../../src/core/domain/operation.ts';
import {
  CLOCKS_DIFFER,
  hasLapsed,
  hasSucceeded,
  type Interpretations,
  isFinal,
  type NaiveBooks,
  type NaiveFinding,
  sumOf,
} from './naive-books.ts';
import type { Replayed, Step } from './naive-replay.ts';
import { REVERSAL_KINDS, wrongWithReversal } from './reversal-findings.ts';

export const OPERATION_KINDS = [
  ...REVERSAL_KINDS,
  'CREDIT_MISSING',
  'CREDIT_WITHOUT_SUCCESS',
  'CREDIT_DUPLICATED',
  'CREDIT_AMOUNT_MISMATCH',
  'FEE_MISSING',
  'FEE_AMOUNT_MISMATCH',
  'FEE_WITHOUT_SUCCESS',
  'NET_AMOUNT_INCONSISTENT',
  'HOLD_MISSING',
  'HOLD_AMOUNT_MISMATCH',
  'HOLD_DUPLICATED',
  'HOLD_ON_CASHIN',
  'HOLD_NOT_RELEASED',
  'HOLD_PAST_EXPIRY',
  'RELEASE_WITHOUT_HOLD',
  'RELEASE_EXCEEDS_HOLD',
  'DEBIT_WITHOUT_HOLD',
  'DEBIT_MISSING',
  'DEBIT_DUPLICATED',
  'DEBIT_AMOUNT_MISMATCH',
  'DEBIT_WITHOUT_SUCCESS',
  'OPERATION_UNKNOWN',
  'REFERENCE_TYPE_MISMATCH',
  'COUNTRY_CURRENCY_MISMATCH',
  'EXTERNAL_REFERENCE_DUPLICATED',
  'ENTRY_BEFORE_OPERATION',
] as const;

/** An operation with its lines, sorted by kind. */
interface Case {
  readonly operation: Operation;
  readonly steps: readonly Step[];
  readonly of: (kind: string) => readonly LedgerEntry[];
  readonly held: number;
}

export function operationFindings(
  books: NaiveBooks,
  replayed: Replayed,
  standing: Interpretations,
): readonly NaiveFinding[] {
  const found: NaiveFinding[] = [];
  const known = new Set(books.operations.map(({ reference }) => reference));
  for (const [reference, steps] of replayed.byOperation) {
    if (!known.has(reference)) {
      found.push({
        kind: 'OPERATION_UNKNOWN',
        sequence: steps[0]!.line.sequence,
        operationReference: reference,
      });
    }
  }
  for (const operation of books.operations) {
    const steps = replayed.byOperation.get(operation.reference) ?? [];
    const of = (kind: string) =>
      steps.filter(({ line }) => line.kind === kind).map(({ line }) => line);
    const held = replayed.held.get(operation.reference) ?? 0;
    // With a line outside the document it is left unjudged.
    if (steps.some((step) => isOutside(step.line))) continue;
    const judged: Case = { operation, steps, of, held };
    found.push(...judgeOperation(judged, books, standing));
  }
  return [...found, ...sharedReferences(books)];
}

function judgeOperation(
  judged: Case,
  books: NaiveBooks,
  standing: Interpretations,
): readonly NaiveFinding[] {
  const found: [string, LedgerEntry | undefined][] = [...wrongWithItself(judged, books)];
  const isCashin = actsAs(judged) === 'CASHIN';
  if (isCashin) found.push(...wrongWithCashin(judged, standing));
  else found.push(...wrongWithCashout(judged, books, standing));
  found.push(
    ...wrongWithReversal({ operation: judged.operation, isCashin, of: judged.of, standing }),
  );
  const operationReference = judged.operation.reference;
  return found.map(([kind, line]) => ({
    kind,
    sequence: line?.sequence ?? null,
    operationReference,
  }));
}

const DIRECTIONS = ['CREDIT', 'DEBIT', 'HOLD', 'RELEASE'];
const KINDS = [
  'CASHIN_CREDIT',
  'CASHIN_FEE',
  'CASHOUT_HOLD',
  'CASHOUT_DEBIT',
  'CASHOUT_FEE',
  'CASHOUT_RELEASE',
  'REVERSAL_CREDIT',
  'REVERSAL_DEBIT',
  'ADJUSTMENT_CREDIT',
  'ADJUSTMENT_DEBIT',
];

function isOutside(line: LedgerEntry): boolean {
  return !KINDS.includes(line.kind) || !DIRECTIONS.includes(line.direction);
}

/** What it says it is, unless its reference and all its lines say otherwise. */
export function actsAs({ operation, of }: Pick<Case, 'operation' | 'of'>): string {
  const announced = typeOfReference(operation.reference);
  if (announced === null || announced === operation.type) return operation.type;
  const cashin = of('CASHIN_CREDIT').length + of('CASHIN_FEE').length;
  const cashout = of('CASHOUT_HOLD').length + of('CASHOUT_DEBIT').length;
  if (announced === 'CASHIN') return cashin > 0 && cashout === 0 ? 'CASHIN' : operation.type;
  return cashout > 0 && cashin === 0 ? 'CASHOUT' : operation.type;
}

function typeOfReference(reference: string): string | null {
  if (reference.startsWith('GUI-CI-')) return 'CASHIN';
  if (reference.startsWith('GUI-CO-')) return 'CASHOUT';
  return null;
}

/** Of the nine countries; what another one pays in is not known. */
const CURRENCIES: Readonly<Record<string, string>> = {
  CM: 'XAF',
  GN: 'GNF',
  ...Object.fromEntries(
    ['CI', 'BF', 'ML', 'SN', 'TG', 'BJ', 'NE'].map((country) => [country, 'XOF']),
  ),
};

function wrongWithItself(
  judged: Case,
  { wallet }: NaiveBooks,
): [string, LedgerEntry | undefined][] {
  const { operation, steps } = judged;
  const found: [string, LedgerEntry | undefined][] = [];
  const { amount, fees, netAmount, currency, country } = operation;
  if (netAmount !== (operation.type === 'CASHIN' ? amount - fees : amount + fees)) {
    found.push(['NET_AMOUNT_INCONSISTENT', undefined]);
  }
  if (currency !== (CURRENCIES[country] ?? currency) || currency !== wallet.currency) {
    found.push(['COUNTRY_CURRENCY_MISMATCH', undefined]);
  }
  const early = steps.find(({ line }) => line.createdAt < operation.createdAt - CLOCKS_DIFFER);
  if (early !== undefined) found.push(['ENTRY_BEFORE_OPERATION', early.line]);
  const announced = typeOfReference(operation.reference);
  const other = operation.type === 'CASHIN' ? 'CASHOUT_' : 'CASHIN_';
  // A hold or a release on a cash-in has a kind of its own.
  const stranger = steps.find(
    ({ line }) =>
      line.kind.startsWith(other) &&
      line.kind !== 'CASHOUT_HOLD' &&
      line.kind !== 'CASHOUT_RELEASE',
  );
  if (announced !== null && announced !== operation.type)
    found.push(['REFERENCE_TYPE_MISMATCH', undefined]);
  else if (stranger !== undefined) found.push(['REFERENCE_TYPE_MISMATCH', stranger.line]);
  return found;
}

function wrongWithCashin(
  { operation, of }: Case,
  standing: Interpretations,
): [string, LedgerEntry | undefined][] {
  const found: [string, LedgerEntry | undefined][] = [];
  const { amount, fees } = operation;
  const [credits, feeLines] = [of('CASHIN_CREDIT'), of('CASHIN_FEE')];
  const stray = [...of('CASHOUT_HOLD'), ...of('CASHOUT_RELEASE')].toSorted(
    (a, b) => a.sequence - b.sequence,
  )[0];
  if (stray !== undefined) found.push(['HOLD_ON_CASHIN', of('CASHOUT_HOLD')[0] ?? stray]);
  if (!hasSucceeded(operation)) {
    if (credits.length > 0) found.push(['CREDIT_WITHOUT_SUCCESS', credits[0]]);
    if (feeLines.length > 0) found.push(['FEE_WITHOUT_SUCCESS', feeLines[0]]);
    return found;
  }
  const isNet =
    standing.cashinCredit.includes('NET') &&
    sumOf(credits) === amount - fees &&
    feeLines.length === 0;
  if (isNet) return found;
  const [due, feeDue] = standing.cashinCredit.includes('GROSS_AND_FEE')
    ? [amount, fees]
    : [amount - fees, 0];
  if (credits.length === 0) found.push(['CREDIT_MISSING', undefined]);
  else if (sumOf(credits) !== due) {
    const isMultiple = credits.length > 1 && sumOf(credits) % due === 0;
    found.push(
      isMultiple
        ? ['CREDIT_DUPLICATED', credits[1]]
        : ['CREDIT_AMOUNT_MISMATCH', lineTooMuch(credits, due)],
    );
  }
  if (feeDue > 0 && feeLines.length === 0) found.push(['FEE_MISSING', undefined]);
  else if (sumOf(feeLines) !== feeDue)
    found.push(['FEE_AMOUNT_MISMATCH', lineTooMuch(feeLines, feeDue)]);
  return found;
}

function wrongWithCashout(
  judged: Case,
  { asOf }: NaiveBooks,
  standing: Interpretations,
): [string, LedgerEntry | undefined][] {
  const found: [string, LedgerEntry | undefined][] = [];
  const { operation, of, held } = judged;
  const { amount, fees, status, expiresAt } = operation;
  const [holds, debits, feeLines] = [of('CASHOUT_HOLD'), of('CASHOUT_DEBIT'), of('CASHOUT_FEE')];
  const releases = of('CASHOUT_RELEASE');
  const due = standing.holdAmount.map((interpretation) =>
    interpretation === 'NET' ? amount + fees : amount,
  );
  if (holds.length === 0) {
    // One that was cancelled may never have been submitted.
    const mustHold = status !== 'CREATED' && (status !== 'CANCELLED' || releases.length > 0);
    if (mustHold) found.push(['HOLD_MISSING', undefined]);
    if (releases.length > 0) found.push(['RELEASE_WITHOUT_HOLD', releases[0]]);
  } else if (holds.length > 1) found.push(['HOLD_DUPLICATED', holds[1]]);
  else if (!due.includes(holds[0]!.amount)) found.push(['HOLD_AMOUNT_MISMATCH', holds[0]]);
  if (holds.length === 1 && holds[0]!.amount === amount && standing.holdAmount.includes('AMOUNT')) {
    // Its amount fits into what is available, but not its fees with it.
    const step = judged.steps.find(({ line }) => line === holds[0])!;
    const available = step.balanceBefore - step.reservedBefore + step.settling;
    if (amount <= available && amount + fees > available)
      found.push(['HOLD_EXCEEDS_AVAILABLE', holds[0]]);
  }
  // A hold that comes after the debit was not there for it.
  const unheld = debits.find(({ sequence }) => !holds.some((hold) => hold.sequence < sequence));
  if (unheld !== undefined) found.push(['DEBIT_WITHOUT_HOLD', unheld]);
  const tooMuch =
    firstThatExceeds(judged) ?? (hasSucceeded(operation) ? firstBesideDebit(judged) : undefined);
  if (holds.length > 0 && tooMuch !== undefined) found.push(['RELEASE_EXCEEDS_HOLD', tooMuch]);
  // Its hold was released as no other's is, and its debit left the reserved amount alone.
  const isReleasedHere = standing.holdSettlement.some((interpretation) =>
    interpretation.startsWith('RELEASE'),
  );
  const debit = judged.steps.find(({ line }) => line === debits[0]);
  const isLeftAlone = debit !== undefined && debit.line.reservedAfter === debit.reservedBefore;
  if (!isReleasedHere && holds.length > 0 && releases.length > 0 && isLeftAlone)
    found.push(['RESERVED_DRIFT', debits[0]]);
  if (held > 0 && isFinal(operation)) found.push(['HOLD_NOT_RELEASED', undefined]);
  if (held > 0 && !isFinal(operation) && expiresAt !== null && asOf > expiresAt)
    found.push(['HOLD_PAST_EXPIRY', undefined]);
  if (!hasSucceeded(operation)) {
    if (debits.length > 0) found.push(['DEBIT_WITHOUT_SUCCESS', debits[0]]);
    if (feeLines.length > 0) found.push(['FEE_WITHOUT_SUCCESS', feeLines[0]]);
    return found;
  }
  if (debits.length === 0) found.push(['DEBIT_MISSING', undefined]);
  else if (sumOf(debits) !== amount) {
    const isMultiple = debits.length > 1 && sumOf(debits) % amount === 0;
    found.push(
      isMultiple
        ? ['DEBIT_DUPLICATED', debits[1]]
        : ['DEBIT_AMOUNT_MISMATCH', lineTooMuch(debits, amount)],
    );
  }
  if (fees > 0 && feeLines.length === 0) found.push(['FEE_MISSING', undefined]);
  else if (sumOf(feeLines) !== fees)
    found.push(['FEE_AMOUNT_MISMATCH', lineTooMuch(feeLines, fees)]);
  return found;
}

/** The line with which more was posted than was due; the last one, where too little was. */
function lineTooMuch(lines: readonly LedgerEntry[], due: number): LedgerEntry | undefined {
  let posted = 0;
  for (const line of lines) {
    posted += line.amount;
    if (posted > due) return line;
  }
  return lines.at(-1);
}

/** The release after which more was lifted than had been held. */
function firstThatExceeds({ steps }: Case): LedgerEntry | undefined {
  let held = 0;
  for (const { line, move } of steps) {
    const left = held;
    held += move;
    if (line.kind === 'CASHOUT_RELEASE' && left >= 0 && held < 0) return line;
  }
  return undefined;
}

/** The first release of what the debit and its fee took of the hold. */
function firstBesideDebit({ steps, of }: Case): LedgerEntry | undefined {
  const ending = [of('CASHOUT_DEBIT')[0], of('CASHOUT_FEE')[0]];
  const consuming = steps.filter(({ line }) => ending.includes(line));
  const consumed = -consuming.reduce((sum, { move }) => sum + move, 0);
  if (consumed === 0) return undefined;
  // Then RESERVED_NEGATIVE says so.
  if (consuming.some(({ line, reservedBefore }) => line.reservedAfter < 0 && reservedBefore >= 0))
    return undefined;
  let left = sumOf(of('CASHOUT_HOLD')) - consumed;
  return of('CASHOUT_RELEASE').find(({ amount }) => {
    const exceeds = amount > left;
    left -= amount;
    return exceeds;
  });
}

/** Found at every later operation that has the partner's reference of an earlier one. */
function sharedReferences({ operations }: NaiveBooks): readonly NaiveFinding[] {
  const first = new Set<string>();
  const found: NaiveFinding[] = [];
  for (const operation of operations.toSorted((a, b) => a.createdAt - b.createdAt)) {
    if (operation.externalReference === null || hasLapsed(operation)) continue;
    if (first.has(operation.externalReference)) {
      found.push({
        kind: 'EXTERNAL_REFERENCE_DUPLICATED',
        sequence: null,
        operationReference: operation.reference,
      });
    }
    first.add(operation.externalReference);
  }
  return found;
}
