// The chain of recorded figures: each line's balanceAfter and reservedAfter must follow from the line before.

import type { FindingDraft } from '../../domain/finding.ts';
import { ANOMALY, type ReplayedLine } from '../../replay/replayed-line.ts';
import { compared, draftOf, type KindPage, type LineCheck, lineEvidence } from '../check.ts';

const balance: KindPage<'BALANCE_DRIFT'> = {
  kind: 'BALANCE_DRIFT',
  explanation:
    'balanceAfter is not the balance before plus or minus this line’s amount. Reported at the first line where it appears; the replay then goes on from the recorded figure. A drift that a later line undoes exactly is one finding with both ends.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_CREDIT 500 1547/0 CI-2
    op CI-1 SUCCEEDED 1000
    op CI-2 SUCCEEDED 500`,
  quiet: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_CREDIT 500 1500/0 CI-2
    op CI-1 SUCCEEDED 1000
    op CI-2 SUCCEEDED 500`,
};

function placeOf({ entry }: ReplayedLine) {
  return { sequence: entry.sequence, operationReference: entry.operationReference, newestEvidence: entry.createdAt };
}

/** `undoneBy` is filled where the drifts of the whole ledger are seen together. */
function figuresOf({ entry }: ReplayedLine, { expected, actual, difference }: ReturnType<typeof compared>) {
  const { sequence, kind, amount } = entry;
  return { sequence, kind, amount, expected: BigInt(expected), actual: BigInt(actual), difference, undoneBy: [] };
}

export const balanceDriftCheck: LineCheck = {
  says: [balance],
  wokenBy: ANOMALY.balance,
  find(line) {
    if (line.anomalies & ANOMALY.jump) return [];
    const { entry } = line;
    const amounts = compared({ expected: BigInt(entry.balanceAfter) - line.balanceDrift, actual: entry.balanceAfter });
    const evidence = [
      lineEvidence(line.before!.sequence, `balanceAfter ${line.before!.balance}`),
      lineEvidence(entry.sequence),
    ];
    return [draftOf(balance, figuresOf(line, amounts), { ...amounts, ...placeOf(line), evidence })];
  },
};

export const reservedDriftPage: KindPage<'RESERVED_DRIFT'> = {
  kind: 'RESERVED_DRIFT',
  explanation:
    'reservedAfter moves in a way that no surviving interpretation of how holds are settled allows for this kind of line. Compare with the operation’s hold, debit, fee and release.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHOUT_HOLD 300 1000/333 CO-2
    op CI-1 SUCCEEDED 1000
    op CO-2 PENDING 300
    at +1h`,
  quiet: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHOUT_HOLD 300 1000/300 CO-2
    op CI-1 SUCCEEDED 1000
    op CO-2 PENDING 300
    at +1h`,
};

export const reservedDriftCheck: LineCheck = {
  says: [reservedDriftPage],
  wokenBy: ANOMALY.reserved,
  find(line) {
    return line.anomalies & ANOMALY.jump ? [] : [reservedDrift(line)];
  },
};

/** Also of the first known line, which has none before it. */
function reservedDrift(line: ReplayedLine): FindingDraft {
  const { entry, before, reservedDrift: difference } = line;
  const amounts = compared({ expected: BigInt(entry.reservedAfter) - difference, actual: entry.reservedAfter });
  const figures = { fault: 'off', ...figuresOf(line, amounts) } as const;
  const evidence =
    before === null
      ? [lineEvidence(entry.sequence, 'first known line')]
      : [lineEvidence(before.sequence, `reservedAfter ${before.reserved}`), lineEvidence(entry.sequence)];
  return draftOf(reservedDriftPage, figures, { ...amounts, ...placeOf(line), evidence });
}

const opening: KindPage<'OPENING_BALANCE_UNEXPLAINED'> = {
  kind: 'OPENING_BALANCE_UNEXPLAINED',
  explanation:
    'The first known line does not start from zero, and no opening balance was declared for the merchant. Either earlier lines are missing, or an opening balance has to be declared in the configuration.',
  fires: `
    line 1 CASHIN_CREDIT 1000 6000/0 CI-1
    op CI-1 SUCCEEDED 1000`,
  quiet: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000`,
};

export const openingCheck: LineCheck = {
  says: [opening],
  wokenBy: ANOMALY.opening,
  find(line) {
    const { entry } = line;
    // A reserved amount carried in with a balance belongs to it; where the books begin with this line, nothing is carried in.
    if (line.balanceDrift === 0n) return [reservedDrift(line)];
    const amounts = compared({ expected: BigInt(entry.balanceAfter) - line.balanceDrift, actual: entry.balanceAfter });
    const figures = { sequence: entry.sequence, opening: line.balanceDrift, undoneBy: [] };
    const evidence = [lineEvidence(entry.sequence, 'first known line')];
    return [
      draftOf(opening, figures, { ...amounts, sequence: entry.sequence, evidence, newestEvidence: entry.createdAt }),
    ];
  },
};
