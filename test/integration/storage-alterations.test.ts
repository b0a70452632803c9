// The history of lines and operations in the store. What a reading served otherwise than before is
// kept, once, and given to every replay.

import { expect, test } from 'vitest';
import type { Alteration } from '../../src/core/domain/alteration.ts';
import { withMerchantLock } from '../../src/io/storage/merchants/merchant-lock.ts';
import { openMirrorSnapshot } from '../../src/io/storage/mirror/read/mirror-snapshot.ts';
import { saveAlteration } from '../../src/io/storage/mirror/save/save-alterations.ts';
import { savePage } from '../../src/io/storage/mirror/save/save-page.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import { line, lines } from '../support/database-books.ts';
import { withTestStore } from '../support/database-store.ts';

const UNSERVED: Alteration = {
  change: 'deleted',
  sequence: 4,
  lastSequence: 5,
  lines: 2,
  before: line(4),
  now: null,
  off: { balance: 0, reserved: 0 },
  fillsGap: false,
};

async function alterationsIn(store: Store) {
  const snapshot = await openMirrorSnapshot(store, {
    merchant: 'M001',
    after: null,
    watermark: null,
  });
  try {
    return snapshot.alterations;
  } finally {
    await snapshot.close();
  }
}

test('lines that are not served any more are kept as one alteration, however often they are found', async () => {
  await withTestStore(async (store) => {
    await withMerchantLock(store, 'M001', async (lease) => {
      await savePage(store, lease, { entries: lines(1, 6) });
      expect(await saveAlteration(store, lease, UNSERVED)).toBe(true);
      expect(await saveAlteration(store, lease, UNSERVED)).toBe(false);
    });
    expect(await alterationsIn(store)).toEqual([UNSERVED]);
  });
});

test('a run that is found in two parts is one alteration', async () => {
  await withTestStore(async (store) => {
    await withMerchantLock(store, 'M001', async (lease) => {
      await savePage(store, lease, { entries: lines(1, 6) });
      await saveAlteration(store, lease, UNSERVED);
      const first = { ...UNSERVED, sequence: 2, lastSequence: 3, before: line(2) };
      await saveAlteration(store, lease, first);
    });
    expect(await alterationsIn(store)).toEqual([
      { ...UNSERVED, sequence: 2, lines: 4, before: line(2) },
    ]);
  });
});

test('a quiet merchant has none', async () => {
  await withTestStore(async (store) => {
    await withMerchantLock(store, 'M001', (lease) =>
      savePage(store, lease, { entries: lines(1, 6) }),
    );
    expect(await alterationsIn(store)).toEqual([]);
  });
});
