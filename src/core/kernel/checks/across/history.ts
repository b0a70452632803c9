// Findings that need memory of earlier readings: lines are served otherwise than before, or an
// operation is, in a field fixed at its creation or in its final state.

import { type Alteration, alteredField, type LineField } from '../../../domain/alteration.ts';
import type { Evidence, FindingDraft } from '../../../domain/finding.ts';
import { formatInstant } from '../../../domain/instant.ts';
import type { LedgerEntry } from '../../../domain/ledger-entry.ts';
import {
  changedField,
  type Departure,
  type FixedField,
  hasRegressed,
  type Operation,
} from '../../../domain/operation.ts';
import type {
  ChangedMonth,
  ReplacedWallet,
  Snapshot,
  TamperedLines,
} from '../../../domain/snapshot.ts';
import {
  draftOf,
  lineEvidence,
  operationDraft,
  operationEvidence,
  type Parts,
} from '../port/check.ts';

/** Drafts what each departure shows, in their order. */
export function judgeHistory(departures: readonly Departure[]): readonly FindingDraft[] {
  return departures.flatMap((departure) => [
    ...describeField(departure),
    ...describeRegression(departure),
  ]);
}

function describeField(departure: Departure): readonly FindingDraft[] {
  const field = changedField(departure);
  if (field === null) return [];
  const { before, now } = departure;
  const figures = {
    reference: now.reference,
    field,
    before: textOf(before, field),
    now: textOf(now, field),
  };
  return [
    operationDraft(
      'OPERATION_FIELD_CHANGED',
      figures,
      partsOf(departure, figures.before, figures.now),
    ),
  ];
}

function describeRegression(departure: Departure): readonly FindingDraft[] {
  if (!hasRegressed(departure)) return [];
  const { before, now } = departure;
  const figures = { reference: now.reference, before: before.status, now: now.status };
  return [
    operationDraft('STATUS_REGRESSION', figures, partsOf(departure, before.status, now.status)),
  ];
}

function partsOf({ now }: Departure, expected: string, actual: string) {
  const evidence = [operationEvidence(now.reference, `was ${expected}, is ${actual}`)];
  return { about: now, expected, actual, evidence };
}

/**
 * Drafts the replacement of a wallet. The finding is placed at the new wallet's id, so that a later
 * replacement is another finding.
 */
export function judgeReplaced({ before, now }: ReplacedWallet): FindingDraft {
  const { balance, reserved, walletId } = before;
  const evidence: readonly Evidence[] = [
    { what: 'wallet', sequence: null, reference: null, note: `was ${walletId}` },
  ];
  const figures = { before: walletId, now: now.walletId, balance, reserved };
  return draftOf('WALLET_REPLACED', figures, { inputPlace: `wallet ${now.walletId}`, evidence });
}

/** Drafts the operations that two readings in a row did not serve. */
export function judgeMissing(missing: NonNullable<Snapshot['missing']>): readonly FindingDraft[] {
  return missing.flatMap(({ operation, missedAt, missedAgainAt, lines }) => {
    if (missedAgainAt === null) return [];
    const { reference, status, amount } = operation;
    const figures = { reference, status, amount, lines: lines.join(', ') || 'none' };
    const note = `not served at ${formatInstant(missedAt)}, nor at ${formatInstant(missedAgainAt)}`;
    const evidence = [
      operationEvidence(reference, note),
      ...lines.map((sequence) => lineEvidence(sequence)),
    ];
    return [operationDraft('OPERATION_VANISHED', figures, { evidence, about: operation })];
  });
}

// Altered lines: one finding for each alteration, at its first line.

export function judgeAlteration(alteration: Alteration): FindingDraft {
  const { change, sequence, lastSequence: last, lines, before, now, fillsGap } = alteration;
  const altered = { sequence, last, lines };
  const about = (change === 'inserted' ? now : before) ?? null;
  const { kind = '', amount = 0, operationReference = null } = about ?? {};
  const parts: Parts = {
    sequence,
    operationReference,
    evidence: servedEvidence(alteration),
    about,
  };
  switch (change) {
    case 'rewritten':
      return describeRewritten(alteration, parts);
    case 'deleted':
      return draftOf('ENTRY_DELETED', { ...altered, kind, amount }, parts);
    case 'inserted': {
      const severity = fillsGap ? 'info' : 'critical';
      return draftOf(
        'ENTRY_INSERTED_LATE',
        { ...altered, kind, amount, fillsGap },
        { ...parts, severity },
      );
    }
    case 'fallen': {
      const [oldest, since] = [now!.sequence, formatInstant(now!.createdAt)];
      // The evidence is the first line alone, however many follow. A person's decision rests on the
      // evidence, and must hold when more lines are no longer served.
      const evidence = [
        lineEvidence(sequence, `is not served; line ${oldest} is the oldest that is`),
      ];
      return draftOf(
        'HISTORY_NO_LONGER_SERVED',
        { ...altered, oldest, since },
        { sequence, evidence, about: before },
      );
    }
    case 'reset':
      return draftOf('SEQUENCE_RESET', altered, { ...parts, operationReference: null });
  }
}

function describeRewritten(
  { sequence, lastSequence: last, lines, before, now }: Alteration,
  parts: Parts,
) {
  const field = before === null || now === null ? 'id' : (alteredField(before, now) ?? 'id');
  const texts = { before: lineText(before, field), now: lineText(now, field) };
  const isMoney = field === 'amount' || field === 'balanceAfter' || field === 'reservedAfter';
  const [expected, actual] =
    isMoney && before !== null && now !== null
      ? [before[field], now[field]]
      : [texts.before, texts.now];
  return draftOf(
    'ENTRY_REWRITTEN',
    { sequence, last, lines, field, ...texts },
    { ...parts, expected, actual },
  );
}

/**
 * The evidence of an alteration: what was read before and is served now. An inserted or removed
 * line moves all lines after it, so that each reading shows another line at the same place.
 */
function servedEvidence({ sequence, lastSequence, before, now }: Alteration) {
  const first = [
    ...(before === null ? [] : [lineEvidence(sequence, `was read as ${wholeText(before)}`)]),
    lineEvidence(sequence, now === null ? 'is not served' : `is served as ${wholeText(now)}`),
  ];
  return lastSequence === sequence
    ? first
    : [...first, lineEvidence(lastSequence, 'last line altered')];
}

function wholeText({
  id,
  kind,
  amount,
  balanceAfter,
  reservedAfter,
  description,
}: LedgerEntry): string {
  const words = description === null ? '' : `, ${JSON.stringify(description)}`;
  return `id ${id}: ${kind} ${amount}, balanceAfter ${balanceAfter}, reservedAfter ${reservedAfter}${words}`;
}

/** Returns a field of the line as text; `null` where there is no line, or the field is empty. */
function lineText(line: LedgerEntry | null, field: LineField): string | null {
  if (line === null || line[field] === null) return null;
  return field === 'createdAt' ? formatInstant(line.createdAt) : String(line[field]);
}

function textOf(operation: Operation, field: FixedField): string {
  return field === 'createdAt' ? formatInstant(operation.createdAt) : String(operation[field]);
}

// Findings about our own store: a line no longer fits the engine's hash chain, another row does not
// fit its digest, or an issued month does not fit what the mirror has now.

export function judgeStoredLines({
  first,
  last,
  until,
  table = null,
}: TamperedLines): FindingDraft {
  if (table !== null) return draftOf('MIRROR_TAMPERED', { first, last, until, table }, {});
  const evidence = [
    lineEvidence(first ?? until, 'first of the lines among which the change is'),
    ...(last === null || last === first ? [] : [lineEvidence(last, 'last of them')]),
  ];
  return draftOf('MIRROR_TAMPERED', { first, last, until, table }, { sequence: first, evidence });
}

/** The figure that a finding shows before others: the balance at the end of the month. */
const MOST_TELLING = 'closingBalance';

export function judgeChangedMonth({
  period,
  revision,
  count,
  figures,
}: ChangedMonth): FindingDraft {
  const { figure, before, after } =
    figures.find((one) => one.figure === MOST_TELLING) ?? figures[0]!;
  const isMoney = figure === MOST_TELLING && before !== null && after !== null;
  const [expected, actual] = isMoney ? [BigInt(before), BigInt(after)] : [before, after];
  const evidence = figures.map((one): Evidence => {
    const note = `${one.figure}: ${one.before ?? '-'} as issued, ${one.after ?? '-'} now`;
    return { what: 'report', sequence: null, reference: period, note };
  });
  const parts = { inputPlace: `month ${period}`, expected, actual, evidence };
  return draftOf(
    'CLOSED_PERIOD_CHANGED',
    { period, revision, figure, before, now: after, more: count - 1 },
    parts,
  );
}
