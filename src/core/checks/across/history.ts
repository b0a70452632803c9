// What only memory can see: an operation that is served otherwise than it was, in what is fixed at its creation or final.

import type { FindingDraft } from '../../domain/finding.ts';
import { formatInstant } from '../../domain/instant.ts';
import { changedField, type Departure, type FixedField, hasRegressed, type Operation } from '../../domain/operation.ts';
import { draftOf, type KindPage, operationEvidence } from '../port/check.ts';

export const fieldChanged: KindPage<'OPERATION_FIELD_CHANGED'> = {
  kind: 'OPERATION_FIELD_CHANGED',
  explanation:
    'A field that is fixed when an operation is created is served otherwise than before: type, amount, fees, netAmount, currency, country, operator or createdAt. Only runs on the mirror and audits of it remember what was served.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    was CI-1 PENDING 1000 fees=20
    op CI-1 SUCCEEDED 1000`,
  quiet: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    was CI-1 PENDING 1000
    op CI-1 SUCCEEDED 1000`,
};

export const statusRegression: KindPage<'STATUS_REGRESSION'> = {
  kind: 'STATUS_REGRESSION',
  explanation:
    'An operation has left a final state: "a succeeded operation never becomes failed; the only move out of SUCCEEDED is to REVERSED". An answer that is older than one before it is passed over. Only runs on the mirror and audits of it remember what was served.',
  fires: `
    was CI-1 FAILED 1000
    op CI-1 EXPIRED 1000 completedAt=+31m`,
  quiet: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 REVERSAL_DEBIT 1000 0/0 CI-1
    was CI-1 SUCCEEDED 1000
    op CI-1 REVERSED 1000`,
};

/** In the order of the departures. */
export function judgeHistory(departures: readonly Departure[]): readonly FindingDraft[] {
  return departures.flatMap((departure) => [...describeField(departure), ...describeRegression(departure)]);
}

function describeField(departure: Departure): readonly FindingDraft[] {
  const field = changedField(departure);
  if (field === null) return [];
  const { before, now } = departure;
  const figures = { reference: now.reference, field, before: textOf(before, field), now: textOf(now, field) };
  return [draftOf(fieldChanged, figures, partsOf(departure, figures.before, figures.now))];
}

function describeRegression(departure: Departure): readonly FindingDraft[] {
  if (!hasRegressed(departure)) return [];
  const { before, now } = departure;
  const figures = { reference: now.reference, before: before.status, now: now.status };
  return [draftOf(statusRegression, figures, partsOf(departure, before.status, now.status))];
}

function partsOf({ now }: Departure, expected: string, actual: string) {
  const { reference } = now;
  return {
    operationReference: reference,
    expected,
    actual,
    evidence: [operationEvidence(reference, `was ${expected}, is ${actual}`)],
  };
}

function textOf(operation: Operation, field: FixedField): string {
  return field === 'createdAt' ? formatInstant(operation.createdAt) : String(operation[field]);
}
