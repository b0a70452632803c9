// The checks on single lines: what a line states of itself, the chain of recorded figures, the
// order of sequences, and figures below zero.

import type { FindingDraft } from '../../../domain/finding.ts';
import type { FindingFigures, FindingKind } from '../../../domain/finding-kind.ts';
import { directionOf, isEntryKind, type LedgerEntry } from '../../../domain/ledger-entry.ts';
import type { Wallet } from '../../../domain/merchant.ts';
import { ANOMALY, type ReplayedLine } from '../../replay/replay-state.ts';
import {
  draftOf,
  type LineCheck,
  lineEvidence,
  operationEvidence,
  type Parts,
} from '../port/check.ts';

/** The checks, in the order in which the findings of one line are listed. */
export const LINE_CHECKS: readonly LineCheck[] = [
  { wokenBy: ANOMALY.jump, find: findJump },
  { wokenBy: ANOMALY.duplicate, find: findDuplicate },
  { wokenBy: ANOMALY.balance, find: findBalanceDrift },
  {
    wokenBy: ANOMALY.reserved,
    find: (line) => (line.anomalies & ANOMALY.jump ? null : reservedDraft(line)),
  },
  { wokenBy: ANOMALY.opening, find: findOpening },
  {
    wokenBy: ANOMALY.amount,
    find: (line) => contentDraft('AMOUNT_NOT_POSITIVE', line, postedOf(line)),
  },
  { wokenBy: ANOMALY.direction, find: findDirection },
  { wokenBy: ANOMALY.unknown, find: findUnknownKind },
  { wokenBy: ANOMALY.currency, find: findCurrency },
  { wokenBy: ANOMALY.holdTooLarge, find: findHoldTooLarge },
  {
    wokenBy: ANOMALY.reservedBelow | ANOMALY.balanceBelow | ANOMALY.availableBelow,
    find: findBelowZero,
  },
  {
    wokenBy: ANOMALY.reference,
    find: (line) => contentDraft('REFERENCE_MISSING', line, postedOf(line)),
  },
];

/** Returns a draft at one line. The line is its evidence, unless `parts` has other evidence. */
function lineDraft<Kind extends FindingKind>(
  kind: Kind,
  { entry }: ReplayedLine,
  figures: FindingFigures[Kind],
  parts: Parts = {},
): FindingDraft {
  const { sequence, operationReference, createdAt: newestEvidence } = entry;
  const own = {
    sequence,
    operationReference,
    evidence: [lineEvidence(sequence)],
    newestEvidence,
    about: entry,
  };
  return draftOf(kind, figures, { ...own, ...parts });
}

function postedOf({ entry: { sequence, kind, amount } }: ReplayedLine) {
  return { sequence, kind, amount };
}

// Checks on what a line says about itself: its amount, kind, direction, currency and reference.

function contentDraft<Kind extends FindingKind>(
  kind: Kind,
  line: ReplayedLine,
  figures: FindingFigures[Kind],
) {
  const { sequence, operationReference } = line.entry;
  const operation = operationReference === null ? [] : [operationEvidence(operationReference)];
  return lineDraft(kind, line, figures, { evidence: [lineEvidence(sequence), ...operation] });
}

function findDirection(line: ReplayedLine): FindingDraft {
  const { sequence, kind, direction } = line.entry;
  const due = isEntryKind(kind) ? directionOf(kind) : '';
  return contentDraft('KIND_DIRECTION_MISMATCH', line, {
    sequence,
    kind,
    due,
    direction,
    taken: line.direction,
  });
}

function findUnknownKind(line: ReplayedLine): FindingDraft {
  const { sequence, kind, direction } = line.entry;
  return contentDraft('UNKNOWN_KIND', line, { sequence, kind, direction, effect: line.effect });
}

function findCurrency(line: ReplayedLine): FindingDraft {
  const { sequence, currency } = line.entry;
  return contentDraft('CURRENCY_MISMATCH', line, { of: 'line', sequence, currency });
}

/**
 * Returns the finding for books in which no line is in the wallet's currency: then the wallet is
 * wrong, and not each line. `sequence` is that of the first line, at which the finding is placed.
 */
export function describeForeignWallet(
  { currency, updatedAt }: Wallet,
  sequence: number | null,
): FindingDraft {
  const evidence = [{ what: 'wallet', sequence: null, reference: null, note: currency } as const];
  const parts = { sequence, actual: currency, evidence, newestEvidence: updatedAt };
  return draftOf('CURRENCY_MISMATCH', { of: 'wallet', currency }, parts);
}

// The chain of recorded figures: each line's balanceAfter and reservedAfter must follow from the
// line before.

function findBalanceDrift(line: ReplayedLine): FindingDraft | null {
  if (line.anomalies & ANOMALY.jump) return null;
  const { sequence, balance } = line.before!;
  const evidence = [
    lineEvidence(sequence, `balanceAfter ${balance}`),
    lineEvidence(line.entry.sequence),
  ];
  const amounts = offBy(line.entry.balanceAfter, line.balanceDrift);
  return lineDraft('BALANCE_DRIFT', line, driftFigures(line, amounts), { ...amounts, evidence });
}

/**
 * Returns the drift of the reserved amount, also for the first known line, before which there is no
 * other.
 */
function reservedDraft(line: ReplayedLine): FindingDraft {
  const { entry, before } = line;
  const evidence =
    before === null
      ? [lineEvidence(entry.sequence, 'first known line')]
      : [
          lineEvidence(before.sequence, `reservedAfter ${before.reserved}`),
          lineEvidence(entry.sequence),
        ];
  const amounts = offBy(entry.reservedAfter, line.reservedDrift);
  const figures = { fault: 'off', ...driftFigures(line, amounts) } as const;
  return lineDraft('RESERVED_DRIFT', line, figures, { ...amounts, evidence });
}

function offBy(recorded: number, difference: bigint) {
  const actual = BigInt(recorded);
  return { expected: actual - difference, actual, difference };
}

/**
 * Returns the figures of a drift. `undoneBy` is empty here; the search for roots fills it, once it
 * knows the drifts of the whole ledger.
 */
function driftFigures(line: ReplayedLine, amounts: ReturnType<typeof offBy>) {
  return { ...postedOf(line), ...amounts, undoneBy: [] };
}

/**
 * Judges a first known line that does not follow from the opening. Where its balance is off, the
 * reserved amount that it carries in belongs to the same finding. Where only the reserved amount is
 * off, nothing was carried in, and it is a drift.
 */
function findOpening(line: ReplayedLine): FindingDraft {
  const { entry, balanceDrift: opening } = line;
  if (opening === 0n) return reservedDraft(line);
  return lineDraft(
    'OPENING_BALANCE_UNEXPLAINED',
    line,
    { sequence: entry.sequence, opening, undoneBy: [] },
    {
      ...offBy(entry.balanceAfter, opening),
      operationReference: null,
      evidence: [lineEvidence(entry.sequence, 'first known line')],
    },
  );
}

// The order of lines: jumps with and without missing money, and two contents under one sequence.

function findJump(line: ReplayedLine): FindingDraft {
  const { entry, before, balanceDrift: balance, reservedDrift: reserved } = line;
  const from = before!.sequence;
  const absent = { first: from + 1, last: entry.sequence - 1 };
  const evidence = [
    lineEvidence(from, 'last line before the jump'),
    lineEvidence(entry.sequence, 'first line after it'),
  ];
  const place = { operationReference: null, evidence };
  if (balance === 0n && reserved === 0n) return lineDraft('SEQUENCE_GAP', line, absent, place);
  const amounts =
    balance === 0n ? offBy(entry.reservedAfter, reserved) : offBy(entry.balanceAfter, balance);
  return lineDraft(
    'LINES_MISSING',
    line,
    { ...absent, balance, reserved, undoneBy: [] },
    { ...amounts, ...place },
  );
}

function findDuplicate(line: ReplayedLine): FindingDraft {
  const { entry, others } = line;
  const all = [entry, ...others];
  const contentOf = ({ kind, amount, id }: LedgerEntry) => ({ kind, amount, id });
  const figures = {
    sequence: entry.sequence,
    ...contentOf(entry),
    others: others.map((one) => ({ ...contentOf(one), ...likeness(one, entry) })),
  };
  const shared = others.every((one) => one.operationReference === entry.operationReference);
  return lineDraft('SEQUENCE_DUPLICATE', line, figures, {
    operationReference: shared ? entry.operationReference : null,
    evidence: all.map(({ sequence, id, kind, amount, balanceAfter }) =>
      lineEvidence(sequence, `id ${id}: ${kind} ${amount}, balanceAfter ${balanceAfter}`),
    ),
    newestEvidence: Math.max(...all.map((one) => one.createdAt)),
  });
}

/**
 * Says how a line differs from the line of the same sequence that the replay follows. `text` and
 * `figures` mean that one line was served in two versions; `another` means two lines.
 */
function likeness(one: LedgerEntry, entry: LedgerEntry) {
  const balance = one.balanceAfter - entry.balanceAfter;
  const reserved = one.reservedAfter - entry.reservedAfter;
  const isSame = (['id', 'kind', 'direction', 'amount', 'currency'] as const).every(
    (name) => one[name] === entry[name],
  );
  const of = !isSame ? 'another' : balance !== 0 || reserved !== 0 ? 'figures' : 'text';
  return { of, balance, reserved } as const;
}

// Figures that may not be below zero, and the rule that the service refuses a cash-out when less is
// available (402).

function findHoldTooLarge(line: ReplayedLine): FindingDraft {
  const { sequence, amount } = line.entry;
  const available = line.availableBefore;
  const figures = { fault: 'hold', sequence, amount, available } as const;
  return lineDraft('HOLD_EXCEEDS_AVAILABLE', line, figures, {
    expected: available,
    actual: amount,
  });
}

function findBelowZero(line: ReplayedLine): FindingDraft {
  const { entry, anomalies, excused } = line;
  const posted = postedOf(line);
  const parts = excused ? ({ severity: 'info' } as const) : {};
  if (anomalies & ANOMALY.balanceBelow) {
    return lineDraft(
      'BALANCE_NEGATIVE',
      line,
      { ...posted, excused, balance: entry.balanceAfter },
      parts,
    );
  }
  if (anomalies & ANOMALY.availableBelow) {
    const available = line.availableAfter ?? 0n;
    return lineDraft('AVAILABLE_NEGATIVE', line, { ...posted, excused, available }, parts);
  }
  return lineDraft('RESERVED_NEGATIVE', line, { ...posted, reserved: entry.reservedAfter });
}
