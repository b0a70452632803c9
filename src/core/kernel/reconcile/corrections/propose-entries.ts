// Proposes the entries that would correct a root, if the service posted them after the last line:
// what an operation still lacks, the release of a hold that is still there, or an adjustment that
// undoes the item. Nothing is proposed where no entry would do it.

import type { Amount } from '../../../domain/amount.ts';
import { BITS, includes, type Standing, setOf } from '../../../domain/assumptions.ts';
import type { Finding } from '../../../domain/finding.ts';
import { directionOf, type EntryKind, signedAmount } from '../../../domain/ledger-entry.ts';
import { hasSettled, isFinal, type Operation } from '../../../domain/operation.ts';
import type { ProposedEntry } from '../../../domain/settlement.ts';
import { SHORTEST_FINGERPRINT } from '../../checks/across/identities.ts';
import { declared } from '../../checks/port/kinds.ts';
import {
  factsOf,
  type LineDue,
  type OperationFacts,
  requiredOf,
  settlingLines,
  undoingLines,
} from '../../replay/operation-facts.ts';
import type { Tally } from '../../replay/tally.ts';
import type { Off } from '../roots/excess.ts';
import type { SplitOperation } from './split-corrections.ts';

export interface Proposing {
  readonly operations: ReadonlyMap<string, SplitOperation>;
  readonly standing: Standing;
}

/**
 * Returns the entries that would correct the finding. `null` where it is no open, confirmed root
 * with money in it, and where the document has no entry that would correct it.
 */
export function proposeEntries(
  finding: Finding,
  { operations, standing }: Proposing,
): readonly ProposedEntry[] | null {
  const { item, itemParts, status, settledBy } = finding;
  if (item === null || status !== 'confirmed' || settledBy !== null) return null;
  const [balance, reserved] = [BigInt(item.balance), BigInt(item.reserved)];
  // No line corrects what the wallet alone states wrongly.
  if ((balance === 0n && reserved === 0n) || itemParts.some(({ of }) => of === 'wallet'))
    return null;
  if (declared(finding).toJustify === true) return null;
  const operation = operations.get(operationBehind(finding) ?? '')?.tally;
  const entries =
    (operation === undefined ? null : lackingEntries(operation, { balance, reserved }, standing)) ??
    undoing({ balance, reserved }, finding, { operation, standing });
  return entries === null ? null : entries.map((entry) => proposed(entry, finding));
}

/**
 * Returns the operation whose lines moved other money than they should, if it is exactly one; else
 * the finding's own.
 */
function operationBehind({ itemParts, operationReference }: Finding): string | null {
  const references = new Set(
    itemParts.filter(({ of }) => of === 'posted').map((part) => part.operationReference),
  );
  return references.size === 1 ? [...references][0]! : operationReference;
}

/**
 * Returns entries that undo the item: an adjustment for the balance; a release for what is held too
 * much, where such a hold is there; a hold for what was released or consumed beyond the hold.
 * `null` where entries cannot undo it.
 */
function undoing(
  { balance, reserved }: Off,
  finding: Finding,
  { operation, standing }: { readonly operation: Tally | undefined; readonly standing: Standing },
): readonly LackingEntry[] | null {
  const entries: LackingEntry[] = [];
  if (balance > 0n) entries.push({ kind: 'ADJUSTMENT_DEBIT', amount: balance });
  if (balance < 0n) entries.push({ kind: 'ADJUSTMENT_CREDIT', amount: -balance });
  if (reserved === 0n) return entries;
  // A release does not correct a hold that ought not to be there.
  const hasMoved = finding.itemParts.some((part) => part.of === 'posted' && part.balance !== '0');
  const isLeftOver = hasMoved || declared(finding).effect === 'lack';
  const state = operation?.operation ?? null;
  if (state === null || BigInt(operation!.held) !== reserved) return null;
  if (reserved < 0n) {
    return needsNoHold(operation!, standing)
      ? [...entries, { kind: 'CASHOUT_HOLD', amount: -reserved }]
      : null;
  }
  return isLeftOver && isFinal(state.status)
    ? [...entries, { kind: 'CASHOUT_RELEASE', amount: reserved }]
    : null;
}

/**
 * Whether the operation need not hold anything: it is over, or all that it must hold was released.
 * Then a hold that only undoes a release stays right.
 */
function needsNoHold({ operation, lines }: Tally, standing: Standing): boolean {
  const { status } = operation!;
  const submitted = { ...operation!, status: status === 'CREATED' ? ('PENDING' as const) : status };
  return requiredOf(submitted, factsOf(lines), standing).reserved === 0;
}

function proposed({ kind, amount }: LackingEntry, finding: Finding): ProposedEntry {
  const line = finding.sequence === null ? '' : ` #${finding.sequence}`;
  return {
    kind,
    direction: directionOf(kind),
    amount: amount.toString(),
    operationReference: operationBehind(finding),
    description: `Correction ${finding.fingerprint.slice(0, SHORTEST_FINGERPRINT)}${line}`,
  };
}

// The lines that an operation still lacks: those that its state asks for, less those that were
// posted. An operation that has anything too much is left out.

/** A line to post; `amount` is in whole units and positive. */
interface LackingEntry {
  readonly kind: EntryKind;
  readonly amount: bigint;
}

const DEBIT_CONSUMES = setOf('holdSettlement', 'DEBIT_AND_FEE', 'FEE_OUTSIDE');
const FEE_CONSUMES = setOf('holdSettlement', 'DEBIT_AND_FEE');

/** The sum among the operation's facts that has what was posted of a kind. */
const POSTED_AS = {
  CASHIN_CREDIT: 'credit',
  CASHIN_FEE: 'cashinFee',
  CASHOUT_DEBIT: 'debit',
  CASHOUT_FEE: 'cashoutFee',
} as const;

/**
 * Returns the lines that the operation lacks. `off` is by how much the figures are too high (+) or
 * too low (−). `null` where these lines do not undo just that.
 */
function lackingEntries(
  { operation, lines, held }: Tally,
  off: Off,
  standing: Standing,
): readonly LackingEntry[] | null {
  if (operation === null) return null;
  const facts = factsOf(lines);
  const hold = lackingHold(operation, facts, off);
  if (hold !== null) return [hold];
  const settling = settlementOf(operation, facts, standing);
  const isReversed = facts.reversalDebit.lines.length + facts.reversalCredit.lines.length > 0;
  // A line that was reversed already must not be posted after its reversal.
  if (isReversed && settling.some(({ amount }) => amount > 0)) return null;
  const lacking = [...settling, ...reversalOf(operation, facts, standing)];
  if (lacking.length === 0 || lacking.some(({ amount }) => amount < 0)) return null;
  const entries = lacking.filter(({ amount }) => amount > 0);
  const consumed = entries.reduce((sum, entry) => sum + consumedBy(entry, held - sum, standing), 0);
  const left = off.reserved - BigInt(consumed);
  if (entries.length === 0 || BigInt(movedBy(entries)) !== -off.balance || left < 0n) return null;
  const found = entries.map(({ kind, amount }) => ({ kind, amount: BigInt(amount) }));
  return left === 0n ? found : [...found, { kind: 'CASHOUT_RELEASE', amount: left }];
}

/** Returns the hold of a cash-out that is not final and holds nothing; else `null`. */
function lackingHold(
  operation: Operation,
  { hold, release }: OperationFacts,
  off: Off,
): LackingEntry | null {
  const isInFlight = operation.type === 'CASHOUT' && !isFinal(operation.status);
  if (
    !isInFlight ||
    hold.lines.length + release.lines.length > 0 ||
    off.balance !== 0n ||
    off.reserved >= 0n
  )
    return null;
  return { kind: 'CASHOUT_HOLD', amount: -off.reserved };
}

/**
 * Returns what success posts less what was posted, for each kind; negative where too much was
 * posted.
 */
function settlementOf(
  operation: Operation,
  facts: OperationFacts,
  standing: Standing,
): readonly LineDue[] {
  if (!hasSettled(operation.status)) return [];
  return settlingLines(operation, facts, standing).map(({ kind, amount }) => ({
    kind,
    amount: amount - facts[POSTED_AS[kind]].sum,
  }));
}

/**
 * Returns the lines that a reversal still lacks: all of them where nothing was reversed yet, else
 * one line with what is left.
 */
function reversalOf(
  operation: Operation,
  facts: OperationFacts,
  standing: Standing,
): readonly LineDue[] {
  if (operation.status !== 'REVERSED') return [];
  const lines = undoingLines(operation, facts, standing);
  const { reversalDebit, reversalCredit } = facts;
  if (reversalDebit.lines.length + reversalCredit.lines.length === 0) return lines;
  const left = movedBy(lines) + reversalDebit.sum - reversalCredit.sum;
  const { kind } = lines[0]!;
  return [{ kind, amount: kind === 'REVERSAL_CREDIT' ? left : -left }];
}

function movedBy(lines: readonly LineDue[]): Amount {
  return lines.reduce(
    (sum, { kind, amount }) => sum + signedAmount({ direction: directionOf(kind), amount }),
    0,
  );
}

/** Returns how much a line consumes of the hold that is left. */
function consumedBy({ kind, amount }: LineDue, held: Amount, { holdSettlement }: Standing): Amount {
  if (kind === 'CASHOUT_DEBIT') {
    if ((holdSettlement & DEBIT_CONSUMES) !== 0) return Math.min(amount, held);
    return includes(holdSettlement, BITS.holdSettlement.DEBIT_ALL) ? held : 0;
  }
  return kind === 'CASHOUT_FEE' && (holdSettlement & FEE_CONSUMES) !== 0
    ? Math.min(amount, held)
    : 0;
}
