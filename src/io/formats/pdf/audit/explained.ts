// From the recorded balance and reserved amount, difference by difference, to the recomputed ones: what adds up in words and
// figures, with what nothing explains printed also when it is 0. It lists differences, and seeks none.

import type { AuditReport, Finding } from '../../../../core/domain/finding.ts';

export interface Explained {
  readonly recorded: bigint;
  /** Differences that a finding names, in the order of the report. */
  readonly items: readonly { readonly finding: Finding; readonly amount: bigint }[];
  /** Named differences that are not among them: of findings that were left out, or that name none by themselves. */
  readonly others: bigint;
  readonly unexplained: bigint;
  readonly recomputed: bigint;
}

type Side = 'balance' | 'reserved';

/** The kinds whose difference is the recorded figure's own step away from the recomputed one. */
const KINDS: Readonly<Record<Side, readonly string[]>> = {
  balance: ['BALANCE_DRIFT', 'LINES_MISSING', 'OPENING_BALANCE_UNEXPLAINED', 'WALLET_BALANCE_MISMATCH'],
  reserved: ['RESERVED_DRIFT', 'WALLET_RESERVED_MISMATCH', 'OPEN_HOLDS_MISMATCH'],
};

/** Null where the wallet or the lines were not read. recorded − items − others − unexplained = recomputed, exactly. */
export function explain(report: AuditReport, side: Side): Explained | null {
  const [recorded, recomputed, unexplained] = [report.recorded, report.recomputed, report.unexplained].map(
    (figures) => figures[side],
  ) as [string | null, string | null, string | null];
  if (recorded === null || recomputed === null || unexplained === null) return null;
  const named = BigInt(recorded) - BigInt(recomputed) - BigInt(unexplained);
  const items = report.findings.flatMap((finding) => {
    const amount = stepOf(finding, side);
    return amount === null || amount === 0n ? [] : [{ finding, amount }];
  });
  return {
    recorded: BigInt(recorded),
    items,
    others: named - items.reduce((sum, { amount }) => sum + amount, 0n),
    unexplained: BigInt(unexplained),
    recomputed: BigInt(recomputed),
  };
}

function stepOf({ kind, difference, causedBy }: Finding, side: Side): bigint | null {
  if (!KINDS[side].includes(kind) || difference === null || !/^-?\d+$/.test(difference)) return null;
  // Holds that are off because of something else are shown where that is.
  if (kind === 'OPEN_HOLDS_MISMATCH' && causedBy !== null) return null;
  return BigInt(difference);
}
