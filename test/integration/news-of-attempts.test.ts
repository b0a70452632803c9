// A night whose first attempt at a merchant stores its pages and fails before it concludes. What
// the attempt stored is news of the night, and of its leaf in the evidence log.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Store } from '../../src/io/storage/server/store.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { pointage } from '../support/command.ts';
import { withTestStore } from '../support/database-store.ts';
import { notOnCitus } from '../support/not-on-citus.ts';
import { writeBundle } from '../support/sandbox-bundle.ts';
import { simulateBooks } from '../support/simulate-books.ts';

const DAYS = [Date.UTC(2026, 9, 23), Date.UTC(2026, 9, 28)] as const;
const traffic = { ...ORDINARY_TRAFFIC, operationsPerDay: 4 };
const plan = planMerchant({
  reference: 'SOUND',
  country: 'SN',
  opensAt: Date.UTC(2026, 9, 20),
  traffic,
});

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'pointage-attempts-'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/**
 * Works two nights with a day's news between them. `before` may change the store before the second
 * night.
 */
async function leftByNights(before: (store: Store) => Promise<unknown>) {
  return withTestStore(async (store, databaseUrl) => {
    const config = join(scratch, 'pointage.config.json');
    writeFileSync(
      config,
      JSON.stringify({ databaseUrl, source: `file:${join(scratch, 'books')}` }),
    );
    const ended: number[] = [];
    for (const [number, until] of DAYS.entries()) {
      await writeBundle(
        join(scratch, 'books', 'SOUND'),
        simulateBooks(plan, { seed: 'attempts', until }),
      );
      if (number === 1) await before(store);
      ended.push(
        (await pointage(['worker', '--once', '--config', config], { clock: () => until })).status,
      );
    }
    const { rows: members } = await store.pool.query(
      `select run_id, attempts, entries_added as entries, operations_changed as operations from run_members order by run_id`,
    );
    const { rows: leaves } = await store.pool.query<{ subject: string }>(
      'select subject from log_leaves order by leaf_index',
    );
    return { ended, members, leaves: leaves.map(({ subject }) => subject) };
  });
}

const CONCLUDING_FAILS_ONCE = `
  create sequence conclusions;
  create function fail_once() returns trigger language plpgsql as $$
  begin
    if nextval('conclusions') = 1 then
      raise exception 'the disk is full';
    end if;
    return new;
  end
  $$;
  create trigger fail_once before insert on run_merchants for each row execute function fail_once()`;

test('what an attempt stored before it failed is news of the night, and of its leaf', async () => {
  notOnCitus('makes a trigger of its own, which needs a function on every node');
  const whole = await leftByNights(async () => {});
  const failing = await leftByNights((store) => store.pool.query(CONCLUDING_FAILS_ONCE));
  expect(whole.members.map(({ entries }) => entries > 0)).toEqual([true, true]);
  expect(whole.leaves).toContain('night SOUND 2');
  expect(failing.members[1]).toMatchObject({ attempts: whole.members[1]!.attempts + 1 });
  const counted = ({ members }: typeof whole) =>
    members.map(({ entries, operations }) => ({ entries, operations }));
  expect(counted(failing)).toEqual(counted(whole));
  expect(failing.leaves).toEqual(whole.leaves);
  expect(failing.ended).toEqual(whole.ended);
}, 180_000);
