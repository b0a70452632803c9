// Makes the report of one merchant: figures recorded and recomputed, what is left unexplained, the
// interpretations that stood, what was not checked, findings with their roots, and the verdict.

import { interpretationsIn, QUESTIONS, type Standing } from '../../domain/assumptions.ts';
import { type NamedFigures, reportFigures } from '../../domain/figures.ts';
import {
  type AuditReport,
  type Finding,
  isGrave,
  rootOf,
  standingOf,
  unreadRows,
  type Verdict,
  verdictOf,
} from '../../domain/finding.ts';
import { TOTALS } from '../../domain/merchant.ts';
import { printable } from '../../domain/printable.ts';
import type { ReportWording } from '../../domain/report-wording.ts';
import type { CodedNote, NotChecked, Note, ReasonCode } from '../../domain/snapshot.ts';
import { notesOnClock, strangeNote } from '../checks/across/circumstances.ts';
import { notesOnDeliveries } from '../checks/notifications/missing-and-reused.ts';
import type { WalletCase } from '../checks/port/check.ts';
import { fittingInterpretations, totalBefore } from '../checks/wallet/wallet.ts';
import { type Conclusion, hasNoRows } from './conclude.ts';
import { proposeEntries } from './corrections/propose-entries.ts';
import { applyDecisions, settleRoots } from './corrections/settle-roots.ts';
import { judgedBefore, lateOperations, settleLate } from './corrections/split-corrections.ts';
import {
  dueOf,
  recomputedFigures,
  recordedFigures,
  remainder,
  unexplainedNote,
  whyNotDue,
} from './figures.ts';
import { assertFindings } from './laws.ts';
import type { Memory } from './memory.ts';
import { notesOn } from './notifications/describe-notified.ts';
import { findRoots } from './roots/find-roots.ts';
import { gatherDeviations } from './roots/gather.ts';
import { usesOf, weigh } from './roots/items.ts';
import type { Judged, StatusTerms } from './roots/material.ts';

export function reportOf(memory: Memory, conclusion: Conclusion): AuditReport {
  const { books, settings, cutBooks } = memory;
  const { replay } = books;
  // A decision about one finding of many is about that one, so it must not be gathered.
  const decided = new Set(settings.decisions?.map(({ fingerprint }) => fingerprint));
  const { findings: roots, unserved } = findRoots(
    judgedBy(memory, conclusion),
    termsOfStatus(memory),
    decided,
  );
  const { operations } = conclusion;
  const corrections = { adjustments: books.adjustments, operations };
  // A decision's term ends at its instant, even where the books were read before that.
  const decidedAt = Math.max(settings.watermark, settings.askedUntil ?? settings.watermark);
  const cutAt = cutBooks?.cut.end ?? null;
  const decide = (some: readonly Finding[]) =>
    applyDecisions(some, settings.decisions ?? [], decidedAt, cutAt);
  const settled = settleRoots(roots, corrections, settings.decisions ?? []);
  assertFindings(settled);
  const found = decide(settled);
  const all = [...found, ...lateFindings(memory, conclusion)];
  const proposing = { operations, standing: memory.context.standing };
  const counted = usesOf(found);
  const perhapsPosted = new Set(
    all
      .filter(
        (one) =>
          one.settledBy !== null ||
          one.proposedSettlement?.lines.some((line) => !counted.has(line)),
      )
      .map(({ fingerprint }) => fingerprint),
  );
  // A gathered finding names more than the finding that it was made of, so it has decisions of its
  // own.
  const gathered = gatherDeviations(all).flatMap((one) =>
    one.figures.gathered ? decide([one]) : [one],
  );
  const findings = sortFindings(gathered).map((finding) => ({
    ...weigh(finding, settings.currency),
    message: settings.wording.finding(finding.kind, finding.figures),
    // No proposal where a line that fits, though not confirmed yet, may be the correction: it could
    // be posted twice. Nor for a gathered finding, which is corrected for each of its members.
    proposal:
      perhapsPosted.has(finding.fingerprint) || finding.figures.gathered
        ? null
        : proposeEntries(finding, proposing),
  }));
  const notDue = whyNotDue(memory, conclusion);
  const due = notDue === null ? dueOf(memory, conclusion, { found, unserved }) : null;
  const dueNote = due === null ? notDue : unexplainedNote(due);
  const notChecked = [
    ...absentNotes(memory, conclusion),
    ...unjudgedNotes(memory, conclusion, {
      findings,
      unknownLines: all.filter(isOfUnknownKind).length,
    }),
    ...(dueNote === null ? [] : [dueNote]),
  ];
  const recomputed = recomputedFigures(memory, conclusion);
  const recorded = recordedFigures(conclusion);
  return {
    merchant: settings.merchant,
    currency: settings.currency,
    verdict: judge(findings, notChecked),
    entries: cutBooks?.entries ?? replay.entries,
    operations: books.operations,
    firstSequence: replay.firstSequence,
    lastSequence: cutBooks === null ? (replay.last?.sequence ?? null) : cutBooks.cut.head,
    recomputed,
    recorded,
    unexplained: {
      balance: remainder(memory, conclusion, 'balance'),
      reserved: remainder(memory, conclusion, 'reserved'),
    },
    due,
    assumptions: assumptionsOf(books.standing, conclusion.walletCase),
    notChecked: notChecked.map((note) => shownNote(note, settings.wording)),
    findings,
  };
}

export function termsOfStatus({
  settings,
  context,
}: Memory): StatusTerms & { readonly wording: ReportWording } {
  return { ...settings, latest: context.latest };
}

/**
 * Returns what was wrong with operations until lines came that corrected it, later than is lawful.
 */
function lateFindings(memory: Memory, { operations }: Conclusion): readonly Finding[] {
  const { books, context } = memory;
  const late = lateOperations(books.late, operations, context);
  return late.size === 0
    ? []
    : settleLate(findRoots(judgedBefore(late, context), termsOfStatus(memory)).findings, late);
}

export function shownNote(coded: Note, wording: ReportWording): NotChecked {
  const { what, why, incomplete, code, figures } = wording.note(coded);
  const note = { what: printable(what), why: printable(why), incomplete };
  return code === undefined ? note : { ...note, code, figures: reportFigures(figures ?? {}) };
}

/** Returns the notes of the snapshot. For published parts, those of the comparison replace them. */
function absentNotes(
  { books, settings }: Memory,
  { compared, undelivered }: Conclusion,
): readonly Note[] {
  const notified = books.notified === null ? [] : notesOn(books.notified, settings.profiles);
  const unlisted = undelivered === null ? [] : notesOnDeliveries(undelivered);
  const notes = [...books.notChecked.values(), ...notified, ...unlisted];
  if (compared === null) return notes;
  return [...notes.filter(({ what }) => !PUBLISHED_PARTS.has(what)), ...compared.notes];
}

/** Parts that the comparison has its own notes for. */
const PUBLISHED_PARTS: ReadonlySet<string> = new Set(['reports', 'payments', 'payouts']);

function judgedBy(
  { books, context, settings }: Memory,
  { drafts, operations, wallet, demand }: Conclusion,
): Judged {
  const { last, lastCreatedAt } = books.replay;
  return {
    drafts,
    tallies: [...operations.values()].map(({ tally }) => tally),
    standing: context.standing,
    drifts: books.drifts,
    excesses: demand.excesses,
    alterations: settings.alterations ?? [],
    harmlessJumps: books.harmlessJumps,
    leftOut: books.leftOut,
    rejected: [...books.rejected.values(), ...(books.notified?.rejected.values() ?? [])],
    orphans: books.orphans,
    firstSequence: books.replay.firstSequence,
    lastSequence: last?.sequence ?? 0,
    walletIsOlder: wallet !== null && lastCreatedAt !== null && wallet.updatedAt < lastCreatedAt,
  };
}

/**
 * Sorts by place: findings at lines in the order of the lines, then all others. At one place, roots
 * come before what follows from another finding.
 */
function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  const place = (finding: Finding): number =>
    finding.sequence === null ? Number.MAX_SAFE_INTEGER : Number(finding.sequence);
  return [...findings].sort(
    (a, b) =>
      place(a) - place(b) ||
      Number(a.causedBy !== null) - Number(b.causedBy !== null) ||
      (a.fingerprint < b.fingerprint ? -1 : 1),
  );
}

/** How many operations with unknown lines are noted one by one. */
const MOST_NAMED = 20;

function unjudgedNotes(
  memory: Memory,
  conclusion: Conclusion,
  {
    findings,
    unknownLines,
  }: { readonly findings: readonly Finding[]; readonly unknownLines: number },
): readonly CodedNote[] {
  const { unjudged, walletCase, hasNotBegun } = conclusion;
  const [young, ahead] = [
    unjudged.filter((one) => one.tooNew),
    unjudged.filter((one) => one.isAhead),
  ];
  const { clockBehind, books, settings } = memory;
  // The reading has noted the clock already.
  const isNoted = books.notChecked.values().some(({ code }) => code === 'CLOCK_BEHIND');
  const counts = {
    young: young.length - ahead.length,
    ahead: ahead.length,
    operations: books.operations,
  };
  const strange = unjudged.filter((one) => !one.tooNew);
  const once = (settings.missing ?? []).filter(({ missedAgainAt }) => missedAgainAt === null);
  const { rejectedCount, rejected, strangeOperators } = books;
  const notes = [
    ...notesOnClock(isNoted ? null : clockBehind, counts),
    ...strange.slice(0, MOST_NAMED).map(({ reference }): CodedNote => {
      const what = `operation ${reference}`;
      return { what, incomplete: true, code: 'OPERATION_OF_UNKNOWN_LINES', figures: { reference } };
    }),
    ...countNote(
      'operations with unknown lines',
      'OPERATIONS_OF_UNKNOWN_LINES',
      strange.length - MOST_NAMED,
    ),
    ...countNote('lines of unknown kinds', 'LINES_OF_UNKNOWN_KINDS', unknownLines),
  ];
  const names =
    strangeOperators.size === 0 ? [] : [strangeNote('operators of other names', strangeOperators)];
  const listed = rejectedCount > rejected.size ? rejected.size : null;
  const { reserved } = settings.opening ?? { reserved: 0 };
  const totals = TOTALS.filter((total) => totalBefore(settings.opening, total) === null);
  return [
    ...notes,
    ...names,
    ...countNote('list of operations', 'OPERATIONS_MISSED_ONCE', once.length, {
      first: once[0]?.operation.reference ?? null,
    }),
    ...countNote('refused rows', 'ROWS_REFUSED', rejectedCount, { listed }),
    ...(hasNoRows(memory) && !hasNotBegun
      ? [{ what: 'everything', incomplete: true, code: 'NOTHING_THERE' } as const]
      : []),
    // No operation of the books holds that amount: only the user can say for which it was held.
    ...(reserved === 0
      ? []
      : [{ what: 'opening', code: 'OPENING_RESERVED', figures: { reserved } } as const]),
    ...(walletCase === null || !settings.present.operations || totals.length === 0
      ? []
      : [
          {
            what: 'totals',
            code: 'OPENING_WITHOUT_TOTALS',
            figures: { totals: totals.join(', ') },
          } as const,
        ]),
    ...(memory.books.leavesOutEarlier
      ? [{ what: 'earlier operations', code: 'OPERATIONS_BEFORE_LINES' } as const]
      : []),
    ...waitingNote(findings),
  ];
}

/** Returns a note of the findings that would break the books once they are confirmed. */
function waitingNote(findings: readonly Finding[]): readonly CodedNote[] {
  const waiting = findings.filter(
    (finding) => finding.status === 'provisional' && isGrave(finding),
  );
  return countNote('provisional findings', 'PROVISIONAL', waiting.length);
}

/**
 * Returns the report with these findings in place of its own. The verdict and the note of
 * provisional findings are made anew; the due figures stay.
 */
export function withFindings(
  report: AuditReport,
  findings: readonly Finding[],
  wording: ReportWording,
): AuditReport {
  const others = report.notChecked.filter(({ code }) => code !== 'PROVISIONAL');
  const notChecked = [...others, ...waitingNote(findings).map((note) => shownNote(note, wording))];
  return {
    ...report,
    findings: sortFindings(findings),
    notChecked,
    verdict: judge(findings, notChecked),
  };
}

/** Returns a note that makes the verdict incomplete; none where the count is 0. */
function countNote(
  what: string,
  code: ReasonCode,
  count: number,
  figures: NamedFigures = {},
): readonly CodedNote[] {
  return count > 0 ? [{ what, incomplete: true, code, figures: { count, ...figures } }] : [];
}

/** Whether the finding is about a line of unknown kind that moved money and names no operation. */
function isOfUnknownKind({ kind, operationReference, itemParts }: Finding): boolean {
  return kind === 'UNKNOWN_KIND' && operationReference === null && itemParts.length > 0;
}

function judge(
  findings: readonly Finding[],
  notChecked: readonly Pick<CodedNote, 'incomplete'>[],
): Verdict {
  const standing = new Map(findings.map((finding) => [finding.fingerprint, standingOf(finding)]));
  const open = findings.filter(
    (finding) =>
      finding.status === 'confirmed' && (standing.get(rootOf(finding)) ?? 'open') === 'open',
  );
  return verdictOf(open, unreadRows(findings), notChecked);
}

function assumptionsOf(standing: Standing, walletCase: WalletCase | null): Record<string, unknown> {
  const answers = QUESTIONS.map((question) => {
    const interpretations = interpretationsIn(question, standing[question]);
    return [
      question,
      question === 'feeRounding' || interpretations.length > 1
        ? interpretations
        : interpretations[0],
    ];
  });
  return {
    ...Object.fromEntries(answers),
    totals: walletCase === null ? null : totalsAnswer(walletCase),
  };
}

/**
 * Returns the interpretation that all three totals fit, or the list of several; where they fit none
 * in common, the list for each total.
 */
function totalsAnswer(walletCase: WalletCase): unknown {
  const fits = TOTALS.map((total) => fittingInterpretations(walletCase, total));
  const shared = fits[0]!.filter((interpretation) =>
    fits.every((some) => some.includes(interpretation)),
  );
  if (shared.length > 0) return shared.length === 1 ? shared[0] : shared;
  return Object.fromEntries(TOTALS.map((total, i) => [total, fits[i]]));
}
