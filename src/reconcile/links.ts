// Which findings one fault explains. Links are made by place (one line, one operation) and by money: a missing line is
// recognized in the jump or drift that it leaves, an orphan under the operation that lacks it.

import type { FindingDraft } from '../domain/finding.ts';
import { DAY, MINUTE } from '../domain/instant.ts';
import type { RejectedRow } from '../domain/snapshot.ts';
import { type Clusters, join } from './clusters.ts';
import { type DraftIndex, MOST_GAPS, standsAlone, UNDONE } from './draft-index.ts';
import type { Drift as Gap } from './drift.ts';
import { linkMisplaced, type MisplacedLine } from './misplaced.ts';
import type { Need, Shortfall } from './shortfall.ts';

export interface LinkMaterial {
  readonly drafts: readonly FindingDraft[];
  readonly index: DraftIndex;
  /** What operations that have a finding lack: the first of them, among which links by money are sought. */
  readonly foremost: readonly Shortfall[];
  readonly gaps: readonly Gap[];
  /** Jumps across which the figures continue. */
  readonly harmlessJumps: readonly Gap[];
  /** Lines that stand under another number than their own. */
  readonly misplaced: readonly MisplacedLine[];
  readonly rejected: readonly RejectedRow[];
  /** Lines without a reference, by sequence. */
  readonly orphans: ReadonlyMap<number, Need>;
  readonly lastSequence: number;
  /** The wallet was last written before the last line was. */
  readonly walletIsOlder: boolean;
}

const NEAR = 10 * MINUTE;

export function linkFindings(clusters: Clusters, material: LinkMaterial): void {
  linkByPlace(clusters, material.drafts);
  linkMisplaced(clusters, material.misplaced, material.index);
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

const MOST_SHORTFALLS = 5_000;

export function foremostOf(shortfalls: readonly Shortfall[], index: DraftIndex): readonly Shortfall[] {
  return shortfalls.filter((one) => index.byOperation.has(one.reference)).slice(0, MOST_SHORTFALLS);
}

/** A jump or a drift explains the operations whose missing lines would fill it exactly. */
function linkGaps(clusters: Clusters, material: LinkMaterial): void {
  const { index, gaps, foremost } = material;
  for (const gap of gaps.slice(0, MOST_GAPS)) {
    const drift = index.driftAt.get(gap.sequence);
    if (drift === undefined) continue;
    const near = foremost.filter((one) => liesAt(gap, one));
    for (const one of filling(gap, near)) join(clusters, drift, index.byOperation.get(one.reference)!);
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
function linkRejected(clusters: Clusters, material: LinkMaterial): void {
  const { rejected, gaps, index, lastSequence, foremost } = material;
  const lacking = foremost.filter((one) => one.needs.length > 0);
  const claimed = new Set<number>();
  for (const row of rejected) {
    const self = index.rejectedAt.get(row.place);
    if (self === undefined) continue;
    if (row.part === 'operations' && row.reference === null) {
      for (const unknown of [...index.unknownOperations, ...index.unknownNotified]) join(clusters, unknown, self);
    }
    if (row.part !== 'ledger') continue;
    const gap = gaps
      .slice(0, MOST_GAPS)
      .find(
        (one) =>
          !claimed.has(one.sequence) &&
          (row.sequence === null ? one.after === null || one.sequence > one.after + 1 : standsIn(row.sequence, one)),
      );
    const drift = gap === undefined ? undefined : index.driftAt.get(gap.sequence);
    if (gap !== undefined) claimed.add(gap.sequence);
    if (drift !== undefined) join(clusters, drift, self);
    else if (gap === undefined && (row.sequence === null || row.sequence > lastSequence)) {
      for (const one of lacking) join(clusters, index.byOperation.get(one.reference)!, self);
    }
  }
}

function standsIn(sequence: number, gap: Gap): boolean {
  return sequence < gap.sequence && (gap.after === null || sequence > gap.after);
}

/** A line under no, an unknown or another operation's name is recognized by kind and amount where it is missing. */
function linkOrphans(clusters: Clusters, material: LinkMaterial): void {
  const { index, orphans, foremost } = material;
  const strays = new Map<string, number[]>();
  const offer = (line: Need, draft: number | undefined): void => {
    if (draft === undefined) return;
    const key = `${line.kind} ${line.amount}`;
    const known = strays.get(key);
    if (known === undefined) strays.set(key, [draft]);
    else known.push(draft);
  };
  for (const [sequence, line] of orphans) offer(line, index.bySequence.get(sequence));
  for (const { reference, posted } of foremost) {
    if (index.overfull.has(reference)) for (const line of posted) offer(line, index.byOperation.get(reference));
  }
  const claims = beginClaims(strays);
  for (const { reference, needs } of foremost) {
    const self = index.byOperation.get(reference)!;
    const found = claims.claim(needs, self);
    if (found !== null) join(clusters, found, self);
  }
}

/** Gives each stray line to one operation only, the first offered first. */
function beginClaims(strays: ReadonlyMap<string, readonly number[]>): {
  readonly claim: (needs: readonly Need[], self: number) => number | null;
} {
  const claimed = new Set<number>();
  /** By kind and amount: how many at the front of the list have been claimed. */
  const past = new Map<string, number>();
  const firstFree = (key: string, self: number): number | null => {
    const list = strays.get(key) ?? [];
    let from = past.get(key) ?? 0;
    while (from < list.length && claimed.has(list[from]!)) from += 1;
    past.set(key, from);
    for (let at = from; at < list.length; at += 1) if (list[at] !== self && !claimed.has(list[at]!)) return list[at]!;
    return null;
  };
  return {
    claim(needs, self) {
      for (const { kind, amount } of needs) {
        const found = firstFree(`${kind} ${amount}`, self);
        if (found === null) continue;
        claimed.add(found);
        return found;
      }
      return null;
    },
  };
}
