// Which findings one fault explains. Links are made by place (one line, one operation) and by money: a missing line is
// recognized in the jump or drift that it leaves, an orphan under the operation that lacks it.

import type { FindingDraft } from '../domain/finding.ts';
import { DAY, MINUTE } from '../domain/instant.ts';
import type { RejectedRow } from '../domain/reading.ts';
import type { Gap } from './books.ts';
import { type Clusters, join } from './clusters.ts';
import type { Need, Shortfall } from './shortfall.ts';

export interface LinkMaterial {
  readonly drafts: readonly FindingDraft[];
  /** Of every operation that has a finding, by reference. */
  readonly shortfalls: ReadonlyMap<string, Shortfall>;
  readonly gaps: readonly Gap[];
  /** Jumps across which the figures continue. */
  readonly harmlessJumps: readonly Gap[];
  readonly rejected: readonly RejectedRow[];
  /** Lines without a reference, by sequence. */
  readonly orphans: ReadonlyMap<number, Need>;
  readonly lastSequence: number;
  /** The wallet was last written before the last line was. */
  readonly walletIsOlder: boolean;
}

const NEAR = 10 * MINUTE;
/** Note of the evidence that a drift ends at a later line. */
export const UNDONE = 'undoes the drift';

/** Findings that say something harmless explain nothing and follow from nothing. */
export function standsAlone(draft: FindingDraft): boolean {
  return draft.severity === 'info' || draft.kind === 'EXTERNAL_REFERENCE_DUPLICATED';
}

export function linkFindings(clusters: Clusters, material: LinkMaterial): void {
  linkByPlace(clusters, material.drafts);
  linkGaps(clusters, material);
  linkRejected(clusters, material);
  linkOrphans(clusters, material);
}

function linkByPlace(clusters: Clusters, drafts: readonly FindingDraft[]): void {
  const first = new Map<string, number>();
  drafts.forEach((draft, i) => {
    if (standsAlone(draft)) return;
    const places = [
      draft.sequence === null ? null : `line ${draft.sequence}`,
      draft.operationReference === null ? null : `operation ${draft.operationReference}`,
      // One disorder may show in both figures: the ends of its drift are its places too.
      ...draft.evidence.filter((one) => one.note === UNDONE).map((one) => `line ${one.sequence}`),
    ];
    for (const place of places) {
      if (place === null) continue;
      const known = first.get(place);
      if (known === undefined) first.set(place, i);
      else join(clusters, i, known);
    }
  });
}

/** Index of each operation's first linkable finding. */
function indexByOperation(drafts: readonly FindingDraft[]): ReadonlyMap<string, number> {
  const index = new Map<string, number>();
  drafts.forEach((draft, i) => {
    const { operationReference: reference } = draft;
    if (reference !== null && !standsAlone(draft) && !index.has(reference)) index.set(reference, i);
  });
  return index;
}

const GAP_KINDS = new Set(['LINES_MISSING', 'BALANCE_DRIFT', 'RESERVED_DRIFT', 'OPENING_BALANCE_UNEXPLAINED']);

export function isDrift(kind: string): boolean {
  return GAP_KINDS.has(kind);
}

/** A jump or a drift explains the operations whose missing lines would fill it exactly. */
function linkGaps(clusters: Clusters, { drafts, shortfalls, gaps }: LinkMaterial): void {
  const byOperation = indexByOperation(drafts);
  for (const gap of gaps) {
    const draft = drafts.findIndex((one) => GAP_KINDS.has(one.kind) && one.sequence === gap.sequence);
    if (draft < 0) continue;
    const near = [...shortfalls.values()].filter((one) => byOperation.has(one.reference) && liesAt(gap, one));
    for (const one of filling(gap, near)) join(clusters, draft, byOperation.get(one.reference)!);
  }
}

/** Some instant of the operation lies between the lines around the gap, or one of its lines is next to it. */
export function liesAt(gap: Gap, { instants, posted }: Shortfall): boolean {
  if (posted.some((line) => line.sequence === gap.after || line.sequence === gap.sequence)) return true;
  const jumped = gap.after === null || gap.sequence > gap.after + 1;
  const from = gap.from === null ? Number.NEGATIVE_INFINITY : gap.from - (jumped ? NEAR : DAY);
  return instants.some((at) => at >= from && at <= gap.to + NEAR);
}

/** The operations that together lack exactly what the gap shows: all, else one, else two or three of them. */
function filling(gap: Gap, near: readonly Shortfall[]): readonly Shortfall[] {
  const fits = (some: readonly Shortfall[]): boolean =>
    some.length > 0 &&
    BigInt(some.reduce((sum, one) => sum + one.balance, 0)) === BigInt(gap.balance) &&
    BigInt(some.reduce((sum, one) => sum + one.reserved, 0)) === BigInt(gap.reserved);
  const byBalance = (one: Shortfall): boolean => one.balance !== 0 && BigInt(one.balance) === BigInt(gap.balance);
  if (fits(near)) return near;
  const single = near.find((one) => fits([one])) ?? near.find(byBalance);
  if (single !== undefined) return [single];
  const few = near.slice(0, 12);
  for (const a of few) {
    for (const b of few) {
      if (a === b) continue;
      if (fits([a, b])) return [a, b];
      const third = few.find((c) => c !== a && c !== b && fits([a, b, c]));
      if (third !== undefined) return [a, b, third];
    }
  }
  // Before the first known line anything may be missing, unless it carries the first number there is.
  const absent = gap.sequence - (gap.after ?? 0) - 1;
  const lacking = near.filter((one) => one.needs.length > 0);
  return lacking.length <= absent ? lacking : [];
}

/** A row that could not be read explains the jump that it stands in, and the operations that lack it. */
function linkRejected(clusters: Clusters, { drafts, rejected, gaps, shortfalls, lastSequence }: LinkMaterial): void {
  const byOperation = indexByOperation(drafts);
  const claimed = new Set<number>();
  for (const row of rejected) {
    const self = drafts.findIndex(
      (draft) => draft.kind === 'INPUT_REJECTED' && draft.evidence[0]?.note?.startsWith(`${row.place}:`),
    );
    if (self < 0) continue;
    if (row.part === 'operations' && row.reference === null) {
      drafts.forEach((draft, i) => {
        if (draft.kind === 'OPERATION_UNKNOWN') join(clusters, i, self);
      });
    }
    if (row.part !== 'ledger') continue;
    const gap = gaps.find(
      (one) =>
        !claimed.has(one.sequence) &&
        (row.sequence === null ? one.after === null || one.sequence > one.after + 1 : standsIn(row.sequence, one)),
    );
    if (gap !== undefined) {
      claimed.add(gap.sequence);
      drafts.forEach((draft, i) => {
        if (GAP_KINDS.has(draft.kind) && draft.sequence === gap.sequence) join(clusters, i, self);
      });
    } else if (row.sequence === null || row.sequence > lastSequence) {
      for (const [reference, one] of shortfalls) {
        const index = byOperation.get(reference);
        if (index !== undefined && one.needs.length > 0) join(clusters, index, self);
      }
    }
  }
}

function standsIn(sequence: number, gap: Gap): boolean {
  return sequence < gap.sequence && (gap.after === null || sequence > gap.after);
}

/** A line under no, an unknown or another operation's name is recognized by kind and amount where it is missing. */
function linkOrphans(clusters: Clusters, { drafts, shortfalls, orphans }: LinkMaterial): void {
  const byOperation = indexByOperation(drafts);
  const claimed = new Set<string>();
  for (const [reference, lacking] of shortfalls) {
    const self = byOperation.get(reference);
    if (self === undefined || lacking.needs.length === 0) continue;
    const wanted = (line: Need): boolean =>
      lacking.needs.some((need) => need.kind === line.kind && need.amount === line.amount);
    for (const [sequence, line] of orphans) {
      const index = drafts.findIndex((draft) => draft.sequence === sequence);
      if (index >= 0 && !claimed.has(`${sequence}`) && wanted(line)) {
        claimed.add(`${sequence}`);
        join(clusters, index, self);
        break;
      }
    }
    for (const [other, having] of shortfalls) {
      const index = byOperation.get(other);
      if (other === reference || index === undefined || claimed.has(other)) continue;
      if (!hasTooMuch(having, drafts, other) || !having.posted.some(wanted)) continue;
      claimed.add(other);
      join(clusters, index, self);
      break;
    }
  }
}

const TOO_MUCH = /_DUPLICATED$|_MISMATCH$|_WITHOUT_|_UNKNOWN$|_ON_CASHIN$|_EXCE|_UNANNOUNCED$/;

function hasTooMuch(having: Shortfall, drafts: readonly FindingDraft[], reference: string): boolean {
  return (
    having.posted.length > 0 &&
    drafts.some((draft) => draft.operationReference === reference && TOO_MUCH.test(draft.kind))
  );
}
