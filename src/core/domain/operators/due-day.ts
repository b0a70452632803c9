// The day by which a finding is to be dealt with: as a person set it, else by the first rule of the
// configuration that fits. A rule with amounts never fits a currency that it does not name.

import { type FindingState, type Item, isOpen, type Severity } from '../finding.ts';
import { DAY, formatInstant, type Instant } from '../instant.ts';

export interface DueRule {
  readonly severity: Severity;
  /** By currency, the least amount in whole units without sign. */
  readonly minAmount?: Readonly<Record<string, number>> | undefined;
  /** After the day, UTC, on which a run saw it first. */
  readonly days: number;
}

interface Owed {
  readonly state: FindingState;
  readonly dueOn: string | null;
  readonly firstSeenAt: Instant | null;
  readonly currency: string | null;
  readonly finding: { readonly severity: Severity; readonly item: Item | null };
}

/** `YYYY-MM-DD`, UTC; null: no rule fits, or nothing is left to do. */
export function dueDayOf(
  { state, dueOn, firstSeenAt, currency, finding }: Owed,
  rules: readonly DueRule[],
): string | null {
  if (!isOpen({ state })) return null;
  if (dueOn !== null || firstSeenAt === null) return dueOn;
  const { balance, reserved } = finding.item ?? { balance: '0', reserved: '0' };
  const amount = Math.max(Math.abs(Number(balance)), Math.abs(Number(reserved)));
  const rule = rules.find(({ severity, minAmount }) => {
    if (severity !== finding.severity) return false;
    return (
      minAmount === undefined || amount >= (minAmount[currency ?? ''] ?? Number.POSITIVE_INFINITY)
    );
  });
  return rule === undefined ? null : formatInstant(firstSeenAt + rule.days * DAY).slice(0, 10);
}
