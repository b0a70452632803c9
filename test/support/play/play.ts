// Plays the whole service from a seed: one step after another, with a check of all that must hold
// after each. The same seed and number of steps play the same.

import { DAY, HOUR } from '../../../src/core/domain/instant.ts';
import {
  drawInteger,
  drawUnit,
  type Random,
  seedRandom,
} from '../../../src/sandbox/model/random.ts';
import { addTraffic } from './books.ts';
import { type Play, wrongIn } from './invariants.ts';
import { openModel } from './model.ts';
import { STEPS, Wrong } from './steps.ts';
import { type Databases, MERCHANTS, openWorld } from './world.ts';

export interface PlayTask {
  readonly databases: Databases;
  readonly seed: string;
  readonly steps: number;
  /** Numbers, from 1, of steps that are left out, to shorten a play that fails. */
  readonly without?: ReadonlySet<number>;
  /** Called with a line about each step, once it is done. */
  readonly onStep: (line: string) => void;
}

/** Returns what is wrong after the first step that leaves something wrong; empty: no step does. */
export async function play({
  databases,
  seed,
  steps,
  without = new Set(),
  onStep,
}: PlayTask): Promise<readonly string[]> {
  // Commands that may be stopped add listeners for signals, which stay as long as this process
  // lives.
  process.setMaxListeners(0);
  const random = seedRandom(seed);
  const start = Date.UTC(2025, 2, drawInteger(random, { from: 27, to: 29 }), 12);
  const world = await openWorld(databases, start);
  try {
    for (const merchant of MERCHANTS)
      for (let day = 6; day >= 0; day -= 1)
        addTraffic(world.books[merchant]!, start - day * DAY - HOUR, [7, 60 + day, 9 + day, 33]);
    const run: Play = {
      world,
      model: openModel(world.books),
      copy: null,
      seen: { ids: new Map(), filed: new Map(), mails: 0, isRestored: false },
    };
    for (let number = 1; number <= steps; number += 1) {
      if (without.has(number)) continue;
      const draws = seedRandom(`${seed} ${number}`);
      const name = number === 1 ? 'night' : drawStep(run, draws);
      const began = performance.now();
      const said = await STEPS[name]!.do(run, draws).catch((failure: unknown) => {
        if (!(failure instanceof Wrong)) throw failure;
        return failure;
      });
      const wrong = said instanceof Wrong ? [said.message] : await wrongIn(run);
      onStep(
        `${number} ${name}: ${said instanceof Wrong ? 'WRONG' : said} (${Math.round(performance.now() - began)} ms)`,
      );
      if (wrong.length > 0) return wrong;
    }
    return [];
  } finally {
    await world.close();
  }
}

function drawStep(run: Play, random: Random): string {
  const possible = Object.entries(STEPS).filter(([, { can }]) => can?.(run) ?? true);
  let rest = drawUnit(random) * possible.reduce((sum, [, { weight }]) => sum + weight, 0);
  for (const [name, { weight }] of possible) {
    rest -= weight;
    if (rest < 0) return name;
  }
  return possible.at(-1)![0];
}
