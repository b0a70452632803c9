// The day by which a finding must be dealt with: the day that a person set, else the day that the
// first fitting rule of the configuration gives. A rule with amounts never fits a currency that it
// does not name.

import { type FindingState, type Item, isOpen, type Severity } from '../finding.ts';
import { DAY, formatInstant, type Instant } from '../instant.ts';

export interface DueRule {
  readonly severity: Severity;
  /**
   * The rule fits findings of at least this amount: whole units without sign, by currency. Absent:
   * of any amount.
   */
  readonly minAmount?: Readonly<Record<string, number>> | undefined;
  /** Days after the day, in UTC, on which a run first saw the finding. */
  readonly days: number;
}

interface Owed {
  readonly state: FindingState;
  readonly dueOn: string | null;
  readonly firstSeenAt: Instant | null;
  readonly currency: string | null;
  readonly finding: { readonly severity: Severity; readonly item: Item | null };
}

/** Returns `YYYY-MM-DD` in UTC; `null` when no rule fits, or the finding is not open any more. */
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
