// Findings that need memory: an operation is served otherwise than before, in a field fixed at its creation or in its final state.

import type { FindingDraft } from '../../domain/finding.ts';
import { formatInstant } from '../../domain/instant.ts';
import { changedField, type Departure, type FixedField, hasRegressed, type Operation } from '../../domain/operation.ts';
import { draftOf, operationEvidence } from '../port/check.ts';

/** In the order of the departures. */
export function judgeHistory(departures: readonly Departure[]): readonly FindingDraft[] {
  return departures.flatMap((departure) => [...describeField(departure), ...describeRegression(departure)]);
}

function describeField(departure: Departure): readonly FindingDraft[] {
  const field = changedField(departure);
  if (field === null) return [];
  const { before, now } = departure;
  const figures = { reference: now.reference, field, before: textOf(before, field), now: textOf(now, field) };
  return [draftOf('OPERATION_FIELD_CHANGED', figures, partsOf(departure, figures.before, figures.now))];
}

function describeRegression(departure: Departure): readonly FindingDraft[] {
  if (!hasRegressed(departure)) return [];
  const { before, now } = departure;
  const figures = { reference: now.reference, before: before.status, now: now.status };
  return [draftOf('STATUS_REGRESSION', figures, partsOf(departure, before.status, now.status))];
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
