// A rehearsal as a person reads it: what partners were answered, what was found of what was
// planted, what was not rehearsed.

import type { AuditReport, Finding } from '../../src/core/domain/finding.ts';
import { money } from '../../src/core/words/finding.ts';
import type { Expected } from '../../src/sandbox/model/plan.ts';
import { paint, type Terminal } from '../../src/service/cli/stage/terminal.ts';
import type { Rehearsed } from './rehearse.ts';

/** A fault that was not planted, and why. */
interface Unrehearsed {
  readonly name: string;
  readonly why: string;
}

type Rehearsing = Rehearsed['merchants'][number];

/**
 * Prints a rehearsal and returns the exit status. `left` are faults that cannot be planted here.
 */
export function printRehearsal(
  terminal: Terminal,
  rehearsed: Rehearsed,
  left: readonly Unrehearsed[],
): number {
  const unexpected = printLoad(terminal, rehearsed);
  const { merchants, night } = rehearsed;
  const wrong = merchants.filter((one) => !printWrong(terminal, one));
  const sound = merchants.filter(({ plan }) => plan.planted === null);
  const faulty = merchants.filter(
    ({ plan, unplanted }) => plan.planted !== null && unplanted === null,
  );
  const rightOf = (some: readonly Rehearsing[]) =>
    some.filter((one) => !wrong.includes(one)).length;
  terminal.out(
    `\n${paint(terminal, 'bold', `Night ${night.runId}`)}: ${rightOf(sound)} of ${sound.length} sound merchants are clean; ` +
      `${rightOf(faulty)} of ${faulty.length} planted faults were found at their place, and nothing else.\n`,
  );
  printLeft(terminal, merchants, left);
  return wrong.length === 0 && unexpected === 0 ? 0 : 1;
}

/**
 * Prints what partners were answered. Returns how many answers nothing in the document explains.
 */
function printLoad(terminal: Terminal, { partners }: Rehearsed): number {
  const sum = (pick: (tally: Rehearsed['partners'][number]['tally']) => number): number =>
    partners.reduce((total, { tally }) => total + pick(tally), 0);
  const refused = new Map<string, number>();
  for (const { tally } of partners)
    for (const [code, count] of tally.refused) refused.set(code, (refused.get(code) ?? 0) + count);
  const counted = [...refused]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, count]) => `${code} ${money(count)}`);
  terminal.out(
    `${partners.length} partners made ${money(sum(({ operations }) => operations))} operations and ` +
      `${money(sum(({ links }) => links))} links to pay by in ` +
      `${money(sum(({ calls }) => calls))} calls; refused as documented: ${counted.join(', ') || 'none'}.\n`,
  );
  const unexpected = partners.flatMap(({ tally }) => tally.unexpected);
  for (const one of unexpected.slice(0, 20))
    terminal.out(`  ${paint(terminal, 'red', '✗')} ${one}\n`);
  if (unexpected.length > 20) terminal.out(`  … and ${unexpected.length - 20} more such answers\n`);
  return unexpected.length;
}

/**
 * Prints what is wrong with the findings of a merchant. Returns `true` where exactly what was
 * planted was found.
 */
function printWrong(terminal: Terminal, { plan, expected, report }: Rehearsing): boolean {
  const mark = paint(terminal, 'red', '✗');
  const name =
    plan.planted === null ? plan.reference : `${plan.reference} ${plan.planted.fault.name}`;
  if (report === null) {
    terminal.out(`  ${mark} ${name}: it was not judged\n`);
    return false;
  }
  const { missed, surplus } = compareFound(expected, report);
  for (const { kind, sequence, operationReference, about = null } of missed) {
    const line = sequence === null ? null : `line ${sequence}`;
    const place = [operationReference, line, about].filter((part) => part !== null);
    terminal.out(
      `  ${mark} ${name}: ${kind} was not found${place.length > 0 ? ` at ${place.join(', ')}` : ''}\n`,
    );
  }
  for (const { kind, message } of surplus)
    terminal.out(`  ${mark} ${name}: ${kind} was found: ${message}\n`);
  const isClean = plan.planted !== null || report.verdict === 'clean';
  if (!isClean && surplus.length === 0)
    terminal.out(`  ${mark} ${name}: it is ${report.verdict}\n`);
  return missed.length + surplus.length === 0 && isClean;
}

function printLeft(
  terminal: Terminal,
  merchants: readonly Rehearsing[],
  left: readonly Unrehearsed[],
): void {
  const unplanted = merchants.flatMap(({ plan, unplanted: why }) =>
    why === null ? [] : [{ name: plan.planted!.fault.name, why }],
  );
  for (const { name, why } of [...left, ...unplanted])
    terminal.out(`  Not rehearsed: ${name}: ${why.replace(/\.$/, '')}.\n`);
}

/**
 * Compares what was found with what was planted. `missed` was planted and not found at its place;
 * `surplus` was found and not planted. Only roots are compared, and those that are only worth
 * knowing (info) only where their kind was planted.
 */
export function compareFound(
  expected: readonly Expected[],
  { findings }: Pick<AuditReport, 'findings'>,
) {
  const kinds = new Set(expected.map(({ kind }) => kind));
  const roots = findings.filter(
    ({ causedBy, severity, kind }) => causedBy === null && (severity !== 'info' || kinds.has(kind)),
  );
  const left = [...roots];
  const missed = expected.filter((one) => {
    const at = left.findIndex((root) => isAt(root, one));
    if (at === -1) return true;
    left.splice(at, 1);
    return false;
  });
  return { missed, surplus: left };
}

/**
 * Whether a root is at the place of a planted fault. The two ways of counting a day may pass the
 * ceiling with different cash-outs: then no place is expected. Of the lines of one group, the
 * report names the one that went too far, and the sandbox the last, so that they may be one apart.
 */
function isAt(root: Finding, { kind, sequence, operationReference, about }: Expected): boolean {
  if (root.kind !== kind) return false;
  if (about !== undefined && root.evidence[0]?.reference !== about) return false;
  if (kind === 'DAILY_CASHOUT_LIMIT_EXCEEDED' && operationReference === null) return true;
  if (root.operationReference !== operationReference) return false;
  if (sequence === null || root.sequence === null) return sequence === root.sequence;
  return kind === 'AVAILABLE_NEGATIVE'
    ? Math.abs(sequence - Number(root.sequence)) <= 1
    : String(sequence) === root.sequence;
}
