// The order of lines: jumps with and without missing money, and two contents under one sequence.

import { SIGN } from '../../replay/replayed-line.ts';
import { draftOf, figures, type KindPage, type LineCheck, lineEvidence, money } from '../check.ts';

const missing: KindPage = {
  kind: 'LINES_MISSING',
  severity: 'critical',
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

const gap: KindPage = {
  kind: 'SEQUENCE_GAP',
  severity: 'info',
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
  wokenBy: SIGN.jump,
  find(line) {
    const { entry, before } = line;
    const from = before!.sequence;
    const absent = entry.sequence - from - 1;
    const which = absent === 1 ? `Line ${from + 1} is` : `Lines ${from + 1} to ${entry.sequence - 1} are`;
    const evidence = [
      lineEvidence(from, 'last line before the jump'),
      lineEvidence(entry.sequence, 'first line after it'),
    ];
    const place = { sequence: entry.sequence, evidence, newestEvidence: entry.createdAt };
    if (line.balanceGap === 0n && line.reservedGap === 0n) {
      return [
        draftOf(
          gap,
          `${which} absent from the sequence; balance and reserved continue, so no money is missing.`,
          place,
        ),
      ];
    }
    const inBalance = line.balanceGap !== 0n;
    const actual = inBalance ? entry.balanceAfter : entry.reservedAfter;
    const difference = inBalance ? line.balanceGap : line.reservedGap;
    const what = inBalance
      ? `a net ${money(difference)} of balance${line.reservedGap === 0n ? '' : ` and ${money(line.reservedGap)} of reserved`}`
      : `${money(difference)} of reserved`;
    const amounts = figures({ expected: BigInt(actual) - difference, actual });
    return [
      draftOf(missing, `${which} missing, and with ${absent === 1 ? 'it' : 'them'} ${what}.`, { ...place, ...amounts }),
    ];
  },
};

const duplicate: KindPage = {
  kind: 'SEQUENCE_DUPLICATE',
  severity: 'critical',
  explanation:
    'Two lines of different content carry one sequence. A line that is merely delivered twice is lawful and not reported. The replay follows the one that fits the chain and names the other.',
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
  wokenBy: SIGN.duplicate,
  find(line) {
    const { entry, others } = line;
    const named = others.map((other) => `${other.kind} ${money(other.amount)} (id ${other.id})`).join(', ');
    const message = `Sequence ${entry.sequence} is carried by ${entry.kind} ${money(entry.amount)} (id ${entry.id}) and also by ${named}.`;
    const evidence = [entry, ...others].map((one) =>
      lineEvidence(one.sequence, `id ${one.id}: ${one.kind} ${one.amount}, balanceAfter ${one.balanceAfter}`),
    );
    const newestEvidence = Math.max(entry.createdAt, ...others.map((one) => one.createdAt));
    const shared = others.every((one) => one.operationReference === entry.operationReference);
    const operationReference = shared ? entry.operationReference : null;
    return [draftOf(duplicate, message, { sequence: entry.sequence, operationReference, evidence, newestEvidence })];
  },
};
