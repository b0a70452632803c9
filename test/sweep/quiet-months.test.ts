// A month of a mirrored merchant without findings is stated only from what straddles the month's
// end. Wherever it is stated so, the books judged at the cut from their first line say the same.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openMirrorSnapshot } from '../../src/io/storage/mirror/read/mirror-snapshot.ts';
import { auditAtCut, auditFromCheckpoint } from '../../src/service/workflows/month/month-rows.ts';
import { auditQuietMonth } from '../../src/service/workflows/month/quiet-month.ts';
import { arraySource } from '../support/array-source.ts';
import { assertProperty } from '../support/assert-property.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { ENGINE, optionsAt, runNight } from '../support/nightly.ts';
import {
  END,
  READ_AT,
  type StraddlingWorld,
  straddlingBooks,
  straddlingWorlds,
} from '../support/straddling-books.ts';

let opened: TestStore;
beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(() => opened.close());

let merchants = 0;

/** Returns whether the month was stated from what straddles its end. */
async function isQuiet(world: StraddlingWorld): Promise<boolean> {
  const { books } = straddlingBooks(world);
  merchants += 1;
  const reference = `A_CHEVAL_${merchants}`;
  const source = arraySource({ ...books, profile: { ...books.profile, reference } });
  const { store } = opened;
  await runNight({
    store,
    source,
    merchant: reference,
    now: READ_AT,
    pageRows: 2_000,
    diesBeforeSaving: false,
    withoutFull: true,
  });
  const mirror = await openMirrorSnapshot(store, {
    merchant: reference,
    after: null,
    watermark: READ_AT,
  });
  try {
    const options = optionsAt(READ_AT);
    const cut = { end: END, closed: [], withWallet: false };
    const now = await auditFromCheckpoint(mirror, { engine: ENGINE, options });
    const quiet = await auditQuietMonth(mirror, now, cut);
    if (quiet === null) return false;
    const { report } = await auditAtCut(mirror, options, cut);
    expect(report.findings).toEqual([]);
    expect(quiet.report.notChecked).toEqual(report.notChecked);
    return true;
  } finally {
    await mirror.close();
  }
}

/**
 * Worlds that are right, though some of their operations straddle the end. In such books the
 * wallet's totals do not follow from the operations.
 */
const sound = straddlingWorlds.map(({ odd, ...world }): StraddlingWorld => {
  const right = { how: 'right', late: 0, later: 0 } as const;
  return {
    ...world,
    odd: odd.map((one) => ({ ...one, isOneDate: false, settling: right, reversal: right })),
  };
});

test('sound months are, but for reversals since; no other one is that the whole books find something of', async () => {
  let [quiet, all] = [0, 0];
  const look = async (world: StraddlingWorld): Promise<void> => {
    all += 1;
    quiet += (await isQuiet(world)) ? 1 : 0;
  };
  await assertProperty(fc.asyncProperty(sound, look), { runs: 25 });
  expect(quiet / all).toBeGreaterThan(0.3);
  await assertProperty(fc.asyncProperty(straddlingWorlds, look), { runs: 25 });
}, 120_000);
