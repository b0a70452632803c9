// The chain of recorded figures: each line's balanceAfter and reservedAfter must follow from the line before.

import type { FindingDraft } from '../../domain/finding.ts';
import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import { ANOMALY, type ReplayedLine } from '../../replay/replay-state.ts';
import { compared, draftOf, type KindPage, type LineCheck, lineEvidence } from '../port/check.ts';

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

// The order of lines: jumps with and without missing money, and two contents under one sequence.

const missing: KindPage<'LINES_MISSING'> = {
  kind: 'LINES_MISSING',
  explanation:
    'The sequence jumps and the recorded figures do not continue across the jump: lines that moved money are not in what was read. The difference is their net amount. Ask the service for the missing sequences.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 3 CASHIN_CREDIT 500 1700/0 CI-3
    op CI-1 SUCCEEDED 1000
    op CI-3 SUCCEEDED 500`,
  quiet: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 3 CASHIN_CREDIT 500 1500/0 CI-3
    op CI-1 SUCCEEDED 1000
    op CI-3 SUCCEEDED 500`,
};

const gap: KindPage<'SEQUENCE_GAP'> = {
  kind: 'SEQUENCE_GAP',
  explanation:
    'The sequence jumps, and the balance and the reserved amount continue: a rolled-back number. The document promises strictly increasing sequences, not contiguous ones. Nothing to do.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 3 CASHIN_CREDIT 500 1500/0 CI-3
    op CI-1 SUCCEEDED 1000
    op CI-3 SUCCEEDED 500`,
  quiet: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_CREDIT 500 1500/0 CI-2
    op CI-1 SUCCEEDED 1000
    op CI-2 SUCCEEDED 500`,
};

export const jumpCheck: LineCheck = {
  says: [missing, gap],
  wokenBy: ANOMALY.jump,
  find(line) {
    const { entry, before } = line;
    const from = before!.sequence;
    const absent = { first: from + 1, last: entry.sequence - 1 };
    const evidence = [
      lineEvidence(from, 'last line before the jump'),
      lineEvidence(entry.sequence, 'first line after it'),
    ];
    const place = { sequence: entry.sequence, evidence, newestEvidence: entry.createdAt };
    if (line.balanceDrift === 0n && line.reservedDrift === 0n) {
      return [draftOf(gap, absent, place)];
    }
    const inBalance = line.balanceDrift !== 0n;
    const actual = inBalance ? entry.balanceAfter : entry.reservedAfter;
    const difference = inBalance ? line.balanceDrift : line.reservedDrift;
    const figures = { ...absent, balance: line.balanceDrift, reserved: line.reservedDrift, undoneBy: [] };
    const amounts = compared({ expected: BigInt(actual) - difference, actual });
    return [draftOf(missing, figures, { ...place, ...amounts })];
  },
};

const duplicate: KindPage<'SEQUENCE_DUPLICATE'> = {
  kind: 'SEQUENCE_DUPLICATE',
  explanation:
    'Two lines of different content carry one sequence, or a line that was read before is served otherwise now: a posted line is never modified. Where the later lines were served anew with the figures that follow from it, they follow from the first. A line that is merely delivered twice is lawful and not reported. The replay follows the one that fits the chain and names the other.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 1 CASHIN_CREDIT 1200 1200/0 CI-1
    line 2 CASHIN_CREDIT 500 1500/0 CI-2
    op CI-1 SUCCEEDED 1000
    op CI-2 SUCCEEDED 500`,
  quiet: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000`,
};

export const duplicateCheck: LineCheck = {
  says: [duplicate],
  wokenBy: ANOMALY.duplicate,
  find(line) {
    const { entry, others } = line;
    const shown = ({ kind, amount, id }: LedgerEntry) => ({ kind, amount, id });
    const figures = {
      sequence: entry.sequence,
      ...shown(entry),
      others: others.map((one) => ({ ...shown(one), ...likeness(one, entry) })),
    };
    const evidence = [entry, ...others].map((one) =>
      lineEvidence(one.sequence, `id ${one.id}: ${one.kind} ${one.amount}, balanceAfter ${one.balanceAfter}`),
    );
    const newestEvidence = Math.max(entry.createdAt, ...others.map((one) => one.createdAt));
    const shared = others.every((one) => one.operationReference === entry.operationReference);
    const operationReference = shared ? entry.operationReference : null;
    return [draftOf(duplicate, figures, { sequence: entry.sequence, operationReference, evidence, newestEvidence })];
  },
};

/** How far a line is the one that is followed: `text` and `figures` are of one line that was served in two ways. */
function likeness(one: LedgerEntry, entry: LedgerEntry) {
  const balance = one.balanceAfter - entry.balanceAfter;
  const reserved = one.reservedAfter - entry.reservedAfter;
  const isSame = (['id', 'kind', 'direction', 'amount', 'currency'] as const).every(
    (name) => one[name] === entry[name],
  );
  const of = !isSame ? 'another' : balance !== 0 || reserved !== 0 ? 'figures' : 'text';
  return { of, balance, reserved } as const;
}

// Figures that may not be below zero, and the rule that a cash-out is refused when less is available (402).

export const holdTooLargePage: KindPage<'HOLD_EXCEEDS_AVAILABLE'> = {
  kind: 'HOLD_EXCEEDS_AVAILABLE',
  explanation:
    'A hold is larger than what was available before it, or a cash-out’s amount and fees together are, where only the amount is held. The service must refuse such a cash-out (402 INSUFFICIENT_BALANCE).',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHOUT_HOLD 1300 1000/1300 CO-2
    op CI-1 SUCCEEDED 1000
    op CO-2 PENDING 1300
    at +1h`,
  quiet: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHOUT_HOLD 1000 1000/1000 CO-2
    op CI-1 SUCCEEDED 1000
    op CO-2 PENDING 1000
    at +1h`,
};

export const holdTooLargeCheck: LineCheck = {
  says: [holdTooLargePage],
  wokenBy: ANOMALY.holdTooLarge,
  find(line) {
    const { entry } = line;
    const { sequence, amount } = entry;
    const figures = { fault: 'hold', sequence, amount, available: line.availableBefore } as const;
    return [
      draftOf(holdTooLargePage, figures, {
        ...compared({ expected: line.availableBefore, actual: entry.amount }),
        sequence: entry.sequence,
        operationReference: entry.operationReference,
        evidence: [lineEvidence(entry.sequence)],
        newestEvidence: entry.createdAt,
      }),
    ];
  },
};

const reserved: KindPage<'RESERVED_NEGATIVE'> = {
  kind: 'RESERVED_NEGATIVE',
  explanation: 'The recorded reserved amount is below zero: more was released or consumed than was ever held.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHOUT_RELEASE 300 1000/-300 CO-2
    op CI-1 SUCCEEDED 1000
    op CO-2 CANCELLED 300`,
  quiet: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHOUT_HOLD 300 1000/300 CO-2
    line 3 CASHOUT_RELEASE 300 1000/0 CO-2
    op CI-1 SUCCEEDED 1000
    op CO-2 CANCELLED 300`,
};

const balanceNegative: KindPage<'BALANCE_NEGATIVE'> = {
  kind: 'BALANCE_NEGATIVE',
  explanation:
    'The recorded balance is below zero. Reported once for each time it goes under; when a reversal or an adjustment took it there it is only worth knowing (info).',
  fires: `
    line 1 CASHIN_CREDIT 100 100/0 CI-1
    line 2 CASHOUT_HOLD 100 100/100 CO-2
    line 3 CASHOUT_DEBIT 130 -30/0 CO-2
    op CI-1 SUCCEEDED 100
    op CO-2 SUCCEEDED 100`,
  quiet: `
    line 1 CASHIN_CREDIT 100 100/0 CI-1
    op CI-1 SUCCEEDED 100`,
};

const available: KindPage<'AVAILABLE_NEGATIVE'> = {
  kind: 'AVAILABLE_NEGATIVE',
  explanation:
    'More is reserved than the balance holds. Judged where the lines of one operation end, not between its debit and its release. Info when a reversal or an adjustment explains it.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHOUT_HOLD 1300 1000/1300 CO-2
    op CI-1 SUCCEEDED 1000
    op CO-2 PENDING 1300
    at +1h`,
  quiet: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHOUT_HOLD 1000 1000/1000 CO-2
    line 3 CASHOUT_DEBIT 1000 0/1000 CO-2
    line 4 CASHOUT_RELEASE 1000 0/0 CO-2
    op CI-1 SUCCEEDED 1000
    op CO-2 SUCCEEDED 1000`,
};

export const belowZeroCheck: LineCheck = {
  says: [reserved, balanceNegative, available],
  wokenBy: ANOMALY.reservedBelow | ANOMALY.balanceBelow | ANOMALY.availableBelow,
  find(line) {
    const { entry, anomalies } = line;
    const place = {
      sequence: entry.sequence,
      operationReference: entry.operationReference,
      evidence: [lineEvidence(entry.sequence)],
      newestEvidence: entry.createdAt,
    };
    const excused = line.excused ? ({ severity: 'info' } as const) : {};
    const { sequence, kind, amount, balanceAfter, reservedAfter } = entry;
    const figures = { sequence, kind, amount, excused: line.excused };
    if (anomalies & ANOMALY.balanceBelow) {
      return [draftOf(balanceNegative, { ...figures, balance: balanceAfter }, { ...place, ...excused })];
    }
    if (anomalies & ANOMALY.availableBelow) {
      return [draftOf(available, { ...figures, available: line.availableAfter ?? 0n }, { ...place, ...excused })];
    }
    return [draftOf(reserved, { sequence, kind, amount, reserved: reservedAfter }, place)];
  },
};
