// Figures that may not be below zero, and the rule that a cash-out is refused when less is available (402).

import { ANOMALY } from '../../replay/replayed-line.ts';
import { compared, draftOf, type KindPage, type LineCheck, lineEvidence } from '../check.ts';

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

const balance: KindPage<'BALANCE_NEGATIVE'> = {
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
  says: [reserved, balance, available],
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
      return [draftOf(balance, { ...figures, balance: balanceAfter }, { ...place, ...excused })];
    }
    if (anomalies & ANOMALY.availableBelow) {
      return [draftOf(available, { ...figures, available: line.availableAfter ?? 0n }, { ...place, ...excused })];
    }
    return [draftOf(reserved, { sequence, kind, amount, reserved: reservedAfter }, place)];
  },
};
