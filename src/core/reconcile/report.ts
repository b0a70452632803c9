// The report of one merchant: figures recorded and recomputed, the difference explained to a printed remainder, interpretations
// that stood, what was not checked, findings with their roots, and the verdict.

import { notesOnClock, saidStrange } from '../checks/across/circumstances.ts';
import { notesOnDeliveries } from '../checks/notifications/missing-and-reused.ts';
import type { WalletCase } from '../checks/port/check.ts';
import { fittingInterpretations, TOTALS } from '../checks/wallet/wallet.ts';
import { interpretationsIn, QUESTIONS, type Standing } from '../domain/assumptions.ts';
import { reportFigures } from '../domain/figures.ts';
import type { AuditReport, Finding, Verdict } from '../domain/finding.ts';
import { printable } from '../domain/printable.ts';
import type { NotChecked } from '../domain/snapshot.ts';
import type { Conclusion } from './conclude.ts';
import { proposeEntries } from './corrections/propose-entries.ts';
import { applyDecisions, settleRoots } from './corrections/settle-roots.ts';
import { judgedBefore, lateOperations, settleLate } from './corrections/split-corrections.ts';
import { dueOf, recomputedFigures, recordedFigures, remainder, unexplainedNote, whyNotDue } from './figures.ts';
import { type AfterCutOff, leaveOutLater, openedBefore, placeMoved } from './leave-out.ts';
import type { Memory } from './memory.ts';
import { notesOn } from './notifications/describe-notified.ts';
import { findRoots } from './roots/find-roots.ts';
import { gatherDeviations } from './roots/gather.ts';
import type { Judged, StatusTerms } from './roots/material.ts';

/** `cutOff`: what lies later is left out; null: nothing is. */
export function reportOf(memory: Memory, conclusion: Conclusion, cutOff: AfterCutOff | null = null): AuditReport {
  const { books, settings } = memory;
  const { replay } = books;
  // Before a cut-off each is placed by itself; and what was decided about one of many is of that one.
  const decided = cutOff === null ? new Set(settings.decisions?.map(({ fingerprint }) => fingerprint)) : null;
  const { findings: roots, unserved } = findRoots(judgedBy(memory, conclusion), termsOf(memory), decided);
  const { operations } = conclusion;
  const corrections = { adjustments: books.adjustments, operations };
  const decide = (some: readonly Finding[]) => applyDecisions(some, settings.decisions ?? [], settings.watermark);
  const found = decide(settleRoots(roots, corrections));
  const all = [...found, ...lateFindings(memory, conclusion)];
  const later = cutOff === null ? null : placeMoved(cutOff, all);
  const { kept, notes } = later === null ? { kept: all, notes: [] } : leaveOutLater(all, later);
  const proposing = { operations, standing: memory.context.standing };
  const perhapsPosted = new Set(
    kept.filter((one) => (one.settledBy ?? one.proposedSettlement) !== null).map(({ fingerprint }) => fingerprint),
  );
  const asOfThen = later === null ? kept : openedBefore(kept, later);
  // What speaks for many is decided about as such: it names more than the finding that it was made of.
  const gathered = gatherDeviations(asOfThen).flatMap((one) => (one.figures.gathered ? decide([one]) : [one]));
  const findings = sortFindings(gathered).map((finding) => ({
    ...finding,
    // A line that fits, and is not confirmed yet, may be the correction: asked for once more it would be posted twice.
    proposal: perhapsPosted.has(finding.fingerprint) ? null : proposeEntries(finding, proposing),
  }));
  const notDue = whyNotDue(memory, conclusion);
  const due = notDue === null ? dueOf(memory, conclusion, { found, kept, unserved }) : null;
  const dueNote = due === null ? notDue : unexplainedNote(due);
  const notChecked = [
    ...absentNotes(memory, conclusion),
    ...unjudgedNotes(memory, conclusion, findings),
    ...(dueNote === null ? [] : [dueNote]),
    ...notes,
  ];
  const recomputed = recomputedFigures(memory, conclusion);
  const recorded = recordedFigures(conclusion);
  return {
    merchant: settings.merchant,
    currency: settings.currency,
    verdict: verdictOf(findings, notChecked),
    entries: replay.entries,
    operations: books.operations,
    firstSequence: replay.firstSequence,
    lastSequence: replay.last?.sequence ?? null,
    recomputed,
    recorded,
    unexplained: {
      balance: remainder(memory, conclusion, 'balance'),
      reserved: remainder(memory, conclusion, 'reserved'),
    },
    due,
    assumptions: assumptionsOf(books.standing, conclusion.walletCase),
    notChecked: notChecked.map(shownNote),
    findings,
  };
}

function termsOf({ settings, context }: Memory): StatusTerms {
  return { ...settings, latest: context.latest };
}

/** What was wrong with operations until lines came that put it right, later than is lawful. */
function lateFindings(memory: Memory, { operations }: Conclusion): readonly Finding[] {
  const { books, context } = memory;
  const late = lateOperations(books.late, operations, context);
  return late.size === 0 ? [] : settleLate(findRoots(judgedBefore(late, context), termsOf(memory)).findings, late);
}

function shownNote({ what, why, incomplete, code, figures }: NotChecked): NotChecked {
  const note = { what: printable(what), why: printable(why), incomplete };
  return code === undefined ? note : { ...note, code, figures: reportFigures(figures ?? {}) };
}

/** What the snapshot lacks; of what was published beside it, what the comparison says. */
function absentNotes({ books, settings }: Memory, { compared, undelivered }: Conclusion): readonly NotChecked[] {
  const notified = books.notified === null ? [] : notesOn(books.notified, settings.profiles);
  const unlisted = undelivered === null ? [] : notesOnDeliveries(undelivered);
  const notes = [...books.notChecked.values(), ...notified, ...unlisted];
  if (compared === null) return notes;
  return [...notes.filter(({ what }) => !PUBLISHED_PARTS.has(what)), ...compared.notes];
}

/** Of which the comparison says itself what it lacks. */
const PUBLISHED_PARTS: ReadonlySet<string> = new Set(['reports', 'payments', 'payouts']);

function judgedBy({ books, context }: Memory, { drafts, operations, wallet, demand }: Conclusion): Judged {
  const { last, lastCreatedAt } = books.replay;
  return {
    drafts,
    tallies: [...operations.values()].map(({ tally }) => tally),
    standing: context.standing,
    drifts: books.drifts,
    excesses: demand.excesses,
    harmlessJumps: books.harmlessJumps,
    leftOut: books.leftOut,
    rejected: [...books.rejected.values(), ...(books.notified?.rejected.values() ?? [])],
    orphans: books.orphans,
    lastSequence: last?.sequence ?? 0,
    walletIsOlder: wallet !== null && lastCreatedAt !== null && wallet.updatedAt < lastCreatedAt,
  };
}

/** By place: lines in their order, then operations, then the wallet; a root before what follows from it. */
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

function unjudgedNotes(memory: Memory, { unjudged }: Conclusion, findings: readonly Finding[]): NotChecked[] {
  const [young, ahead] = [unjudged.filter((one) => one.tooNew), unjudged.filter((one) => one.isAhead)];
  const { clockBehind, books } = memory;
  const counts = { young: young.length - ahead.length, ahead: ahead.length, operations: books.operations };
  const notes = notesOnClock(clockBehind, counts);
  for (const { reference } of unjudged.filter((one) => !one.tooNew).slice(0, 20)) {
    notes.push({
      what: `operation ${reference}`,
      why: 'a line of a kind or direction that the document does not know',
      incomplete: true,
      code: 'OPERATION_OF_UNKNOWN_LINES',
      figures: { reference },
    });
  }
  const strangers = unjudged.filter((one) => !one.tooNew).length;
  if (strangers > 20)
    notes.push({
      what: 'operations with unknown lines',
      why: `${strangers - 20} more`,
      incomplete: true,
      code: 'OPERATIONS_OF_UNKNOWN_LINES',
      figures: { count: strangers - 20 },
    });
  notes.push(...unknownNotes(findings));
  const { rejectedCount, rejected, replay, operations, strangeOperators } = memory.books;
  if (strangeOperators.size > 0)
    notes.push({ what: 'operators of other names', incomplete: false, ...saidStrange(strangeOperators) });
  if (rejectedCount > 0) {
    const kept = rejectedCount > rejected.size ? `; the first ${rejected.size} are listed` : '';
    notes.push({
      what: 'refused rows',
      why: `${rejectedCount} rows could not be read exactly${kept}`,
      incomplete: true,
      code: 'ROWS_REFUSED',
      figures: { count: rejectedCount, listed: rejectedCount > rejected.size ? rejected.size : null },
    });
  }
  if (replay.entries === 0 && operations === 0)
    notes.push({
      what: 'everything',
      why: 'there is no line and no operation to check',
      incomplete: true,
      code: 'NOTHING_THERE',
    });
  const waiting = findings.filter((finding) => finding.status === 'provisional' && isGrave(finding)).length;
  if (waiting > 0)
    notes.push({
      what: 'provisional findings',
      why: `${waiting} rest on evidence too young to confirm`,
      incomplete: true,
      code: 'PROVISIONAL',
      figures: { count: waiting },
    });
  return notes;
}

function unknownNotes(findings: readonly Finding[]): readonly NotChecked[] {
  const unknown = findings.filter(({ kind, operationReference, itemParts }) => {
    return kind === 'UNKNOWN_KIND' && operationReference === null && itemParts.length > 0;
  });
  if (unknown.length === 0) return [];
  const why = `${unknown.length} moved money, and the document does not say what for`;
  const figures = { count: unknown.length };
  return [{ what: 'lines of unknown kinds', why, incomplete: true, code: 'LINES_OF_UNKNOWN_KINDS', figures }];
}

function isGrave({ severity }: Pick<Finding, 'severity'>): boolean {
  return severity === 'critical' || severity === 'error';
}

function verdictOf(findings: readonly Finding[], notChecked: readonly NotChecked[]): Verdict {
  // What follows from a row that we could not read does not prove the ledger wrong: it could not be checked.
  const unread = new Set(
    findings.filter((finding) => finding.kind === 'INPUT_REJECTED').map((finding) => finding.fingerprint),
  );
  const laidToRest = new Set(
    findings
      .filter(({ settledBy, accepted }) => settledBy !== null || accepted !== null)
      .map(({ fingerprint }) => fingerprint),
  );
  const proves = ({ status, severity, fingerprint, causedBy }: Finding): boolean =>
    status === 'confirmed' &&
    isGrave({ severity }) &&
    !laidToRest.has(causedBy ?? fingerprint) &&
    (causedBy === null || !unread.has(causedBy));
  if (findings.some(proves)) return 'broken';
  return notChecked.some((note) => note.incomplete) ? 'incomplete' : 'clean';
}

function assumptionsOf(standing: Standing, walletCase: WalletCase | null): Record<string, unknown> {
  const answers = QUESTIONS.map((question) => {
    const interpretations = interpretationsIn(question, standing[question]);
    return [question, question === 'feeRounding' || interpretations.length > 1 ? interpretations : interpretations[0]];
  });
  return { ...Object.fromEntries(answers), totals: walletCase === null ? null : totalsAnswer(walletCase) };
}

/** One interpretation that all three totals fit, the several that they do, or for each total what it fits. */
function totalsAnswer(walletCase: WalletCase): unknown {
  const fits = TOTALS.map((total) => fittingInterpretations(walletCase, total));
  const shared = fits[0]!.filter((interpretation) => fits.every((some) => some.includes(interpretation)));
  if (shared.length > 0) return shared.length === 1 ? shared[0] : shared;
  return Object.fromEntries(TOTALS.map((total, i) => [total, fits[i]]));
}
