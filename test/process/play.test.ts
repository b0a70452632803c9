// Ten short plays of the whole service: books that grow, faults, corrections, nights, decisions of
// two people, months, outages, kills, a restored copy, in an order that a seed draws. After every
// step all must be as a small model says. `npm run play` plays longer, from any seed.

import { expect, inject, test } from 'vitest';
import { databaseAt } from '../support/database-address.ts';
import { play } from '../support/play/play.ts';

const { url, template } = inject('testServer');
const databases = { url: (name: string) => databaseAt(url, name), template };
const STEPS = 16;

test.each(['12', '15', '18', '20', '23', '24', '29', '36', '37', '39'])(
  `holds after each step of the play of seed %s, ${STEPS} steps`,
  async (seed) => {
    const steps: string[] = [];
    const wrong = await play({
      databases,
      seed,
      steps: STEPS,
      onStep: (line) => void steps.push(line),
    });
    expect(steps).not.toEqual([]);
    expect(wrong, `npm run play -- --seed ${seed} --steps ${STEPS}\n${steps.join('\n')}`).toEqual(
      [],
    );
  },
  120_000,
);
