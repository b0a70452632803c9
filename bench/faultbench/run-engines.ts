// Runs pointage and the baselines over cases, in slices, and scores each. Keeps counts alone, so
// that memory stays flat.

import { setImmediate } from 'node:timers/promises';
import pLimit from 'p-limit';
import type pg from 'pg';
import { type Case, type Claim, findingRows, truthRows } from './case.ts';
import { assertBalances, claimAtRandom, queryWindows } from './engines/baselines.ts';
import { auditCase } from './engines/pointage.ts';
import type { NightAuditor } from './engines/pointage-nights.ts';
import { addCase, addTallies, emptyTally } from './score.js';

export type Tally = ReturnType<typeof emptyTally>;

export const ENGINES = ['pointage', 'sql', 'ledger-cli', 'random', 'nothing'] as const;
export type Engine = (typeof ENGINES)[number];
/** The tallies of the engines that ran. */
export type Tallies = Readonly<Partial<Record<Engine, Tally>>>;

export interface Bench {
  /** A connection to PostgreSQL for the window query; `null`: this baseline is left out. */
  readonly client: pg.Client | null;
  /** Audits several readings; null: cases of several readings are left out. */
  readonly nightAuditor: NightAuditor | null;
  /** The kinds that chance draws from. */
  readonly kinds: readonly string[];
  /**
   * The baselines read so many cases of each fault at most, and ten times as many clean ledgers.
   */
  readonly baselines: number;
  /** Called with every case and what pointage claims of it. */
  readonly see?: (one: Case, claims: readonly Claim[]) => void;
}

const SLICE = 200;

export async function runEngines(cases: Iterable<Case>, bench: Bench): Promise<Tallies> {
  let tallies: Tallies = {};
  let slice: Case[] = [];
  const read = new Map<string, number>();
  const isForAll = ({ group, truths, about }: Case): boolean => {
    const name = `${group} ${truths.length === 1 ? truths[0]!.fault : about}`;
    const count = (read.get(name) ?? 0) + 1;
    read.set(name, count);
    return count <= bench.baselines * (group === 'clean' ? 10 : 1);
  };
  for (const one of cases) {
    if (one.nights.length > 1 && bench.nightAuditor === null) continue;
    slice.push(one);
    if (slice.length < SLICE) continue;
    tallies = joinTallies(tallies, await runSlice(slice, bench, slice.filter(isForAll)));
    slice = [];
  }
  return slice.length === 0
    ? tallies
    : joinTallies(tallies, await runSlice(slice, bench, slice.filter(isForAll)));
}

export function joinTallies(one: Tallies, other: Tallies): Tallies {
  const all = ENGINES.flatMap((engine) => {
    const [first, second] = [one[engine], other[engine]];
    if (first === undefined || second === undefined) return [[engine, first ?? second] as const];
    return [[engine, addTallies(first, second)] as const];
  });
  return Object.fromEntries(all.filter(([, tally]) => tally !== undefined));
}

/** Runs the engines over a slice of cases. `some` are the cases that the baselines read. */
async function runSlice(
  cases: readonly Case[],
  bench: Bench,
  some: readonly Case[],
): Promise<Tallies> {
  const { client, kinds, see } = bench;
  const baselines = Promise.all([
    client === null ? null : queryWindows(client, some),
    assertBalances(some),
  ]);
  const audited = await auditAll(cases, bench);
  const [queried, asserted] = await baselines;
  const claims: Readonly<Record<Engine, ((one: Case) => readonly Claim[]) | null>> = {
    pointage: ({ name }) => audited.get(name)!,
    sql: queried && (({ name }) => queried.get(name) ?? []),
    'ledger-cli': asserted && (({ name }) => asserted.get(name) ?? []),
    random: (one) => claimAtRandom(one, kinds),
    nothing: () => [],
  };
  const tallies: Partial<Record<Engine, Tally>> = {};
  for (const engine of ENGINES) {
    const claim = claims[engine];
    if (claim === null) continue;
    const tally = emptyTally();
    for (const one of engine === 'pointage' ? cases : some) {
      const claimed = claim(one);
      if (engine === 'pointage') see?.(one, claimed);
      addCase(tally, truthRows(one), findingRows(one.name, claimed));
    }
    tallies[engine] = tally;
  }
  return tallies;
}

/** Merchants with several readings that are worked on side by side, as a night does. */
const SIDE_BY_SIDE = 8;

async function auditAll(
  cases: readonly Case[],
  { nightAuditor }: Bench,
): Promise<ReadonlyMap<string, readonly Claim[]>> {
  const limit = pLimit(SIDE_BY_SIDE);
  const audited = cases.map(async (one): Promise<[string, readonly Claim[]]> => {
    const [first, second] = one.nights;
    if (second !== undefined) return [one.name, await limit(() => nightAuditor!.audit(one))];
    // Let the baselines go on when what they wait for has come.
    await setImmediate();
    return [one.name, auditCase(first!)];
  });
  return new Map(await Promise.all(audited));
}
