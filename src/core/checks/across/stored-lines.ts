// Findings about what the store keeps: a line no longer fits the engine's own hash chain, another row its digest, or an issued month
// what the mirror has now.

import type { Evidence, FindingDraft } from '../../domain/finding.ts';
import type { ChangedMonth, TamperedLines } from '../../domain/snapshot.ts';
import { draftOf, lineEvidence } from '../port/check.ts';

export function judgeStoredLines({ first, last, until, table = null }: TamperedLines): FindingDraft {
  if (table !== null) return draftOf('MIRROR_TAMPERED', { first, last, until, table }, {});
  const evidence = [
    lineEvidence(first ?? until, 'first of the lines among which the change is'),
    ...(last === null || last === first ? [] : [lineEvidence(last, 'last of them')]),
  ];
  return draftOf('MIRROR_TAMPERED', { first, last, until, table }, { sequence: first, evidence });
}

/** The balance at the end of the month says most. */
const MOST_TELLING = 'closingBalance';

export function judgeChangedMonth({ period, revision, count, figures }: ChangedMonth): FindingDraft {
  const { figure, before, after } = figures.find((one) => one.figure === MOST_TELLING) ?? figures[0]!;
  const isMoney = figure === MOST_TELLING && before !== null && after !== null;
  const [expected, actual] = isMoney ? [BigInt(before), BigInt(after)] : [before, after];
  const evidence = figures.map((one): Evidence => {
    const note = `${one.figure}: ${one.before ?? '-'} as issued, ${one.after ?? '-'} now`;
    return { what: 'report', sequence: null, reference: period, note };
  });
  const parts = { inputPlace: `month ${period}`, expected, actual, evidence };
  return draftOf('CLOSED_PERIOD_CHANGED', { period, revision, figure, before, now: after, more: count - 1 }, parts);
}
