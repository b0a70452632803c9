// Joins findings that one fault explains into sets. Which member of a set is its root is decided in
// `find-roots.ts`.

import type { FindingDraft } from '../../../domain/finding.ts';
import { DAY, type Instant, MINUTE } from '../../../domain/instant.ts';
import type { RejectedRow } from '../../../domain/snapshot.ts';
import { valueIn } from '../../../domain/value-in.ts';
import { declared, standsAlone } from '../../checks/port/kinds.ts';
import type { Drift } from '../../replay/choose-lines.ts';
import { fewThatFit } from './excess.ts';
import { type FollowRule, findingOf, type Material } from './material.ts';
import { driftThrough } from './places.ts';
import type { Need, Shortfall } from './shortfall.ts';

export type LinkRule = (links: Links, material: Material) => void;

interface Links {
  join(a: number, b: number): void;
  /** Returns the members of each set, in the order of the drafts. */
  sets(): Iterable<readonly number[]>;
}

export function beginLinks(size: number): Links {
  const parents = Array.from({ length: size }, (_, i) => i);
  const setOf = (member: number): number => {
    let at = member;
    while (parents[at] !== at) {
      // Each step halves the way for the next search.
      parents[at] = parents[parents[at]!]!;
      at = parents[at]!;
    }
    return at;
  };
  return {
    join(a, b) {
      parents[setOf(a)] = setOf(b);
    },
    sets: () => Map.groupBy(parents.keys(), setOf).values(),
  };
}

// Findings at one line, or of one operation, are of one fault. So are all findings that a line
// under another's number causes: at its recorded place, and at the place where it is missing.

export function linkByPlace(links: Links, { drafts }: Material): void {
  const lines = new Map<number, number>();
  const operations = new Map<string, number>();
  const join = <Key>(places: Map<Key, number>, place: Key | null, i: number): void => {
    const known = place === null ? undefined : places.get(place);
    if (known !== undefined) links.join(i, known);
    else if (place !== null) places.set(place, i);
  };
  drafts.forEach((draft, i) => {
    if (standsAlone(draft)) return;
    join(lines, draft.sequence, i);
    join(operations, draft.operationReference, i);
    // A drift that later lines undo counts at their places too, because one disorder may show in
    // both figures.
    for (const end of draft.undoneAt ?? []) join(lines, end, i);
  });
}

export function linkMisplaced(links: Links, { misplaced, places }: Material): void {
  for (const { operationReference, home, breaks } of misplaced) {
    const self = driftThrough(home, places);
    if (self === undefined) continue;
    const others = breaks.map(
      (sequence) => driftThrough(sequence, places) ?? places.bySequence.get(sequence),
    );
    if (operationReference !== null) others.push(places.byOperation.get(operationReference));
    for (const other of others) if (other !== undefined) links.join(other, self);
  }
}

const OF_UNKNOWN = ['OPERATION_UNKNOWN', 'EVENT_UNKNOWN_OPERATION'] as const;

/** Whether the finding says that an operation is unknown. */
export function isOfUnknown({ kind }: FindingDraft): boolean {
  return OF_UNKNOWN.some((one) => one === kind);
}

// A row that could not be read explains the jump at its place, and the operations that lack lines.
// A line without a reference, or under an unknown or another operation's reference, is recognized
// by its kind and amount at the operation that lacks it.

export function linkUnread(links: Links, material: Material): void {
  const { rejected, firstDrifts, places, lastSequence } = material;
  const lacking = material.short.filter((one) => one.needs.length > 0);
  const claimed = new Set<Drift>();
  for (const row of rejected) {
    const self = places.unreadAt.get(row.place);
    if (self === undefined) continue;
    if (row.part === 'operations' && row.reference === null) {
      for (const kind of OF_UNKNOWN)
        for (const unknown of places.byKind.get(kind) ?? []) links.join(unknown, self);
    }
    if (row.part !== 'ledger') continue;
    const drift = firstDrifts.find((one) => !claimed.has(one) && mayStandIn(row, one));
    if (drift !== undefined) claimed.add(drift);
    const found = drift === undefined ? undefined : places.driftAt.get(drift.sequence);
    if (found !== undefined) links.join(found, self);
    else if (drift === undefined && (row.sequence === null || row.sequence > lastSequence)) {
      for (const one of lacking) links.join(findingOf(material, one), self);
    }
  }
}

function mayStandIn({ sequence }: RejectedRow, drift: Drift): boolean {
  if (sequence === null) return drift.after === null || drift.sequence > drift.after + 1;
  return sequence < drift.sequence && (drift.after === null || sequence > drift.after);
}

/**
 * Joins a stray line with an operation that lacks a line of its kind and amount, and that was going
 * on when the line was posted or within a day before. Each stray line is given to one operation
 * only, and of several lines the first offered is taken.
 */
export function linkStrays(links: Links, material: Material): void {
  const { places, orphans, short } = material;
  const strays = new Map<string, Map<number, Instant | null>>();
  const offer = (line: Need, at: Instant | null, draft: number | undefined): void => {
    if (draft === undefined) return;
    valueIn(strays, keyOf(line), () => new Map<number, Instant | null>()).set(draft, at);
  };
  for (const [sequence, line] of orphans) {
    const draft = places.bySequence.get(sequence);
    offer(line, draft === undefined ? null : material.drafts[draft]!.newestEvidence, draft);
  }
  for (const one of short) {
    if (places.overfull.has(one.reference))
      for (const line of one.posted) offer(line, line.at, findingOf(material, one));
  }
  const claimed = new Set<number>();
  for (const one of short) {
    const self = findingOf(material, one);
    const found = claim(one, { strays, claimed, self });
    if (found !== null) links.join(found, self);
  }
}

function keyOf({ kind, amount }: Need): string {
  return `${kind} ${amount}`;
}

function claim(
  { needs, instants }: Shortfall,
  from: {
    readonly strays: ReadonlyMap<string, Map<number, Instant | null>>;
    readonly claimed: Set<number>;
    readonly self: number;
  },
): number | null {
  const [begun, ended] = [instants[0]! - NEAR, instants.at(-1)! + DAY];
  for (const need of needs) {
    const offered = from.strays.get(keyOf(need)) ?? [];
    for (const [draft, at] of offered) {
      if (draft === from.self || (at !== null && (at < begun || at > ended))) continue;
      // The line is claimed now, or was before: it is removed from the offers, so that later
      // searches need not pass over it.
      from.strays.get(keyOf(need))!.delete(draft);
      if (from.claimed.has(draft)) continue;
      from.claimed.add(draft);
      return draft;
    }
  }
  return null;
}

// A jump or a drift explains the operations whose missing lines would fill it exactly. A jump
// across which the figures continue is only evidence of an operation that lacks a line there.

const NEAR = 10 * MINUTE;

export function linkByMoney(links: Links, material: Material): void {
  const lacking = new Set(
    material.drafts.flatMap((one) =>
      declared(one).effect === 'lack' ? one.operationReference : [],
    ),
  );
  for (const drift of material.firstDrifts) {
    const self = material.places.driftAt.get(drift.sequence);
    if (self === undefined) continue;
    // An operation whose lines moved what they should explains no drift, unless it lacks lines that
    // undo each other.
    const mayExplain = ({ balance, reserved, reference }: Shortfall): boolean =>
      balance !== 0 || reserved !== 0 || (isAfterJump(drift) && lacking.has(reference));
    const near = material.short.filter((one) => mayExplain(one) && liesAt(drift, one));
    for (const one of filling(drift, near, lacking)) links.join(self, findingOf(material, one));
  }
}

export const followShort: FollowRule = (material) => {
  const jumps = new Map(material.harmlessJumps.map((jump) => [jump.sequence, jump]));
  const lacking = material.short.filter(({ needs }) => needs.length > 0);
  return (self) => {
    const { kind, sequence } = material.drafts[self]!;
    const jump = kind === 'SEQUENCE_GAP' ? jumps.get(sequence!) : undefined;
    const cause = jump === undefined ? undefined : lacking.find((one) => liesAt(jump, one));
    return cause === undefined ? null : findingOf(material, cause);
  };
};

function isAfterJump({ sequence, after }: Drift): boolean {
  return after === null || sequence > after + 1;
}

/**
 * Whether the operation may have lacked a line at the drift: one of its instants lies between the
 * lines around the drift, or one of its lines is next to it.
 */
function liesAt(drift: Drift, { instants, posted }: Shortfall): boolean {
  if (posted.some((line) => line.sequence === drift.after || line.sequence === drift.sequence))
    return true;
  const from =
    drift.from === null ? Number.NEGATIVE_INFINITY : drift.from - (isAfterJump(drift) ? NEAR : DAY);
  return instants.some((at) => at >= from && at <= drift.to + NEAR);
}

/**
 * Returns the operations that together lack exactly what the drift shows; empty where none do. It
 * tries, in this order: all of `near`; all that lack a line; one; two or three; all that lack a
 * line but for one, two or three, which are at fault by themselves.
 */
function filling(
  drift: Drift,
  near: readonly Shortfall[],
  lacking: ReadonlySet<string | null>,
): readonly Shortfall[] {
  const [balance, reserved] = [BigInt(drift.balance), BigInt(drift.reserved)];
  const fits = (some: readonly Shortfall[]): boolean =>
    some.length > 0 && sumOf(some, 'balance') === balance && sumOf(some, 'reserved') === reserved;
  const missing = near.filter(({ reference }) => lacking.has(reference));
  if (fits(near) || fits(missing)) return fits(near) ? near : missing;
  const single =
    near.find((one) => fits([one])) ??
    near.find((one) => one.balance !== 0 && BigInt(one.balance) === balance);
  if (single !== undefined) return [single];
  const few = fewThatFit(near, fits);
  if (few !== null) return few;
  const [tooMuch, tooMuchHeld] = [
    sumOf(missing, 'balance') - balance,
    sumOf(missing, 'reserved') - reserved,
  ];
  const isRest = (some: readonly Shortfall[]): boolean =>
    sumOf(some, 'balance') === tooMuch && sumOf(some, 'reserved') === tooMuchHeld;
  const other = missing.find((one) => isRest([one]));
  const others = other === undefined ? fewThatFit(missing, isRest) : [other];
  if (others !== null && others.length < missing.length)
    return missing.filter((one) => !others.includes(one));
  // Nothing adds up: then all operations that lack lines are taken, if the jump leaves out at least
  // as many numbers. Before the first known line that is every number below its own.
  const absent = drift.sequence - (drift.after ?? 0) - 1;
  const needy = near.filter((one) => one.needs.length > 0);
  return needy.length <= absent ? needy : [];
}

function sumOf(some: readonly Shortfall[], side: 'balance' | 'reserved'): bigint {
  return BigInt(some.reduce((sum, one) => sum + one[side], 0));
}
