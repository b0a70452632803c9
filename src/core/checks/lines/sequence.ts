// The order of lines: jumps with and without missing money, and two contents under one sequence.

import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import { ANOMALY } from '../../replay/replayed-line.ts';
import { compared, draftOf, type KindPage, type LineCheck, lineEvidence } from '../check.ts';

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
