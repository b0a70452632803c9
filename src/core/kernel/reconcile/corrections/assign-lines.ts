// Decides which root each correcting line is for: the root that the line names, the root whose
// lines it names, or the root that a person gave it to. Each line is used once. A line that names
// several roots settles none by itself, and is shared out among them so that their sum is right.
// The result does not depend on the order in which lines or roots come, because both are put into
// an order of their own.

import { type Finding, rootOf } from '../../../domain/finding.ts';
import { parseInstant } from '../../../domain/instant.ts';
import { isAdjustment, signedAmount } from '../../../domain/ledger-entry.ts';
import type { DecidedLine, StandingDecision } from '../../../domain/settlement.ts';
import { valueIn } from '../../../domain/value-in.ts';
import {
  lineNamed,
  nameOfLine,
  namesFinding,
  SHORTEST_FINGERPRINT,
} from '../../checks/across/identities.ts';
import { sideOf } from '../../checks/port/kinds.ts';
import { isOff } from '../roots/items.ts';
import { type CorrectionLine, correctionLineOf } from './correction-lines.ts';
import type { SplitOperation } from './split-corrections.ts';

export interface Corrections {
  /**
   * The newest adjustments, and reversals without an operation, in ledger order. Older ones are
   * still in the tallies of their operations.
   */
  readonly adjustments: readonly CorrectionLine[];
  /** Operations at hand, by reference. Every operation that has a finding must be among them. */
  readonly operations: ReadonlyMap<string, SplitOperation>;
}

/** The lines that correct one root, each list in ledger order. */
export interface RootLines {
  /** Lines that name this root alone, or that name such a line. */
  readonly own: readonly CorrectionLine[];
  /** This root's shares of lines that name other roots as well. */
  readonly shared: readonly CorrectionLine[];
  /** Lines that a person gave to this root, and lines that name them. */
  readonly given: readonly CorrectionLine[];
}

/** Returns the correcting lines by root. Roots that no line corrects are left out. */
export function assignLines(
  findings: readonly Finding[],
  corrections: Corrections,
  decisions: readonly StandingDecision[],
): ReadonlyMap<Finding, RootLines> {
  const given = givenLines(findings, decisions);
  const named = namedRoots(findings, corrections, given);
  followNames(corrections.adjustments, named, given);
  const table = new Map<
    Finding,
    { own: CorrectionLine[]; shared: CorrectionLine[]; given: CorrectionLine[] }
  >();
  const linesOf = (root: Finding) =>
    valueIn(table, root, () => ({ own: [], shared: [], given: [] }));
  for (const { line, root } of inOrder(given)) linesOf(root).given.push(line);
  const inTurn = inOrder(named);
  for (const { line, roots } of inTurn) if (roots.length === 1) linesOf(roots[0]!).own.push(line);
  for (const { line, roots } of inTurn) {
    if (roots.length === 1) continue;
    const shares = shareOut(
      line,
      roots.map((root) => balanceLeft(root, table.get(root))),
    );
    for (const [i, effect] of shares.entries()) linesOf(roots[i]!).shared.push({ ...line, effect });
  }
  return table;
}

function inOrder<One extends { readonly line: CorrectionLine }>(
  lines: ReadonlyMap<number, One>,
): readonly One[] {
  return [...lines.values()].sort((a, b) => a.line.sequence - b.line.sequence);
}

type Given = Map<number, { readonly line: CorrectionLine; readonly root: Finding }>;
type Named = Map<number, { readonly line: CorrectionLine; readonly roots: Finding[] }>;

/**
 * Returns the lines by which people settled a root, as long as those settlements hold. Where
 * several decisions use a line, the first has it.
 */
function givenLines(findings: readonly Finding[], decisions: readonly StandingDecision[]): Given {
  const given: Given = new Map();
  const settling = decisions.filter(
    ({ action, over, linesStand }) => action === 'settle' && over === null && linesStand,
  );
  if (settling.length === 0) return given;
  const roots = new Map(
    findings.flatMap((one) => (one.item === null ? [] : [[one.fingerprint, one] as const])),
  );
  for (const { fingerprint, terms } of settling.toSorted((a, b) => (a.at < b.at ? -1 : 1))) {
    const root = roots.get(fingerprint);
    if (root === undefined || terms.lines.some(({ sequence }) => given.has(Number(sequence))))
      continue;
    for (const line of terms.lines)
      given.set(Number(line.sequence), { line: decidedLine(line), root });
  }
  return given;
}

function decidedLine({ sequence, direction, amount, at }: DecidedLine): CorrectionLine {
  const effect = signedAmount({ direction, amount: Number(amount) });
  return {
    sequence: Number(sequence),
    createdAt: parseInstant(at)!,
    effect,
    held: 0,
    reference: null,
    names: [],
  };
}

/**
 * Returns the roots that each line names, in the order of the findings. A line that a person gave
 * to a root is left out.
 */
function namedRoots(findings: readonly Finding[], corrections: Corrections, given: Given): Named {
  const sets = Map.groupBy(findings, rootOf);
  const byName = indexNames(corrections.adjustments);
  const named: Named = new Map();
  for (const root of findings.filter(isCorrectable)) {
    const begins = beginsAt(root, corrections);
    for (const line of naming(sets.get(root.fingerprint)!, corrections, byName)) {
      if (begins(line) && !given.has(line.sequence))
        valueIn(named, line.sequence, () => ({ line, roots: [] })).roots.push(root);
    }
  }
  return named;
}

/**
 * Assigns lines that name no root but an earlier correcting line to the root of that line: they
 * take the correction back, or repeat it.
 */
function followNames(adjustments: readonly CorrectionLine[], named: Named, given: Given): void {
  for (const line of adjustments) {
    if (named.has(line.sequence) || given.has(line.sequence)) continue;
    for (const name of line.names) {
      const before = lineNamed(name);
      if (before === null || before >= line.sequence) continue;
      const [of, roots] = [given.get(before), named.get(before)?.roots];
      if (of !== undefined) given.set(line.sequence, { line, root: of.root });
      else if (roots !== undefined) named.set(line.sequence, { line, roots });
      else continue;
      break;
    }
  }
}

/**
 * Shares the effect of a line among roots. `left` has what each root has left; each gets what it
 * lacks, as far as the line goes, and the first gets what is left over.
 */
function shareOut({ effect }: CorrectionLine, left: readonly number[]): readonly number[] {
  let rest = effect;
  const shares = left.map((off) => {
    const share =
      Math.sign(-off) === Math.sign(rest)
        ? Math.sign(rest) * Math.min(Math.abs(off), Math.abs(rest))
        : 0;
    rest -= share;
    return share;
  });
  return shares.with(0, shares[0]! + rest);
}

function balanceLeft(
  { item }: Finding,
  lines: Pick<RootLines, 'own' | 'shared'> | undefined,
): number {
  const corrected = [...(lines?.own ?? []), ...(lines?.shared ?? [])];
  return corrected.reduce((sum, { effect }) => sum + effect, Number(item!.balance));
}

/**
 * Whether a line may correct the root: money is off in the ledger, or may be off, since faults of
 * one operation may cancel out. No line corrects what the wallet states by itself.
 */
export function isCorrectable(root: Finding): boolean {
  const { item, itemParts, severity } = root;
  if (item === null || itemParts.some(({ of }) => of === 'wallet')) return false;
  return isOff(item) || (severity === 'critical' && sideOf(root) === 'balance');
}

/** Lines by the names in their descriptions, and by the first digits of fingerprints. */
type ByName = ReadonlyMap<string, readonly CorrectionLine[]>;

function indexNames(lines: readonly CorrectionLine[]): ByName {
  const named = lines.flatMap((line) => {
    const names = line.names.flatMap((one) => [one, one.slice(0, SHORTEST_FINGERPRINT)]);
    const own = line.reference === null ? [] : [line.reference.toLowerCase()];
    return [...new Set([...names, ...own])].map((name) => ({ name, line }));
  });
  const byName = Map.groupBy(named, ({ name }) => name);
  return new Map([...byName].map(([name, some]) => [name, some.map(({ line }) => line)]));
}

/** Returns the lines that name an operation, a line or a finding of the set, in ledger order. */
function naming(
  set: readonly Finding[],
  { operations }: Corrections,
  byName: ByName,
): readonly CorrectionLine[] {
  const found = new Map<number, CorrectionLine>();
  const take = (line: CorrectionLine): void =>
    void (found.has(line.sequence) || found.set(line.sequence, line));
  for (const { fingerprint, sequence, operationReference } of set) {
    for (const line of byName.get(fingerprint.slice(0, SHORTEST_FINGERPRINT)) ?? []) {
      if (namesFinding(line.names, fingerprint)) take(line);
    }
    if (sequence !== null) for (const line of byName.get(nameOfLine(sequence)) ?? []) take(line);
    if (operationReference === null) continue;
    for (const line of byName.get(operationReference.toLowerCase()) ?? []) {
      if (
        line.reference === operationReference ||
        line.names.includes(operationReference.toLowerCase())
      )
        take(line);
    }
    const own = operations.get(operationReference);
    for (const line of own?.apart ?? []) take(correctionLineOf(line, operationReference));
    for (const line of own?.tally.lines ?? []) {
      if (isAdjustment(line.entry.kind)) take(correctionLineOf(line, operationReference));
    }
  }
  return [...found.values()].sort((a, b) => a.sequence - b.sequence);
}

/**
 * Returns a function that says whether a line comes after the fault: after the finding's line, or
 * since its operation was created.
 */
export function beginsAt(
  { sequence, operationReference }: Finding,
  { operations }: Corrections,
): (line: CorrectionLine) => boolean {
  if (sequence !== null) return (line) => line.sequence > Number(sequence);
  const tally = operationReference === null ? undefined : operations.get(operationReference)?.tally;
  const since = tally?.operation?.createdAt ?? Number.NEGATIVE_INFINITY;
  return (line) => line.createdAt >= since;
}
