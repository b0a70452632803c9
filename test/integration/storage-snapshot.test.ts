// Books read back from the mirror: everything, or what came after a checkpoint. They are in order,
// exact, and of one snapshot.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Snapshot } from '../../src/core/domain/snapshot.ts';
import { withMerchantLock } from '../../src/io/storage/merchants/merchant-lock.ts';
import { openMirrorSnapshot } from '../../src/io/storage/mirror/read/mirror-snapshot.ts';
import type { Page } from '../../src/io/storage/mirror/save/find-new.ts';
import { savePage } from '../../src/io/storage/mirror/save/save-page.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import { BEGIN, line, lines, operation, placesIn, rowsOf } from '../support/database-books.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { notOnCitus } from '../support/not-on-citus.ts';

let opened: TestStore;
let store: Store;

beforeAll(async () => {
  opened = await openTestStore();
  store = opened.store;
});
afterAll(() => opened.close());

/**
 * Every check is made twice: for mirrors that are read on this thread, and for mirrors that a
 * second thread reads.
 */
const WAYS = [
  { way: 'read on one thread', threadFrom: Number.POSITIVE_INFINITY },
  { way: 'read on a second thread', threadFrom: 1 },
];

/** Name of the merchant whose books are shared by tests that need long streams. */
const LONG = 'long';
let isLongSaved: Promise<void> | null = null;

describe.each(WAYS)('a mirror that is $way', ({ threadFrom }) => {
  const named = (merchant: string) => (merchant === LONG ? LONG : `${merchant} ${threadFrom}`);

  async function save(merchant: string, ...pages: readonly Page[]): Promise<void> {
    const outcome = await withMerchantLock(store, named(merchant), async (lease) => {
      for (const page of pages) await savePage(store, lease, page);
    });
    expect(outcome.acquired).toBe(true);
  }

  async function snapshot<T>(
    merchant: string,
    after: { readonly sequence: number; readonly intake: number } | null,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    const opened = await openMirrorSnapshot(store, {
      merchant: named(merchant),
      after,
      watermark: null,
      threadFrom,
    });
    try {
      // The first pass is on the reader's own thread, whichever thread makes later ones.
      for await (const _ of opened.entries()) break;
      for await (const _ of opened.operations()) break;
      return await work(opened);
    } finally {
      await opened.close();
    }
  }

  /** Saves the long books once, for the first test that asks. Later tests find the same. */
  async function long(): Promise<string> {
    isLongSaved ??= save(LONG, { entries: lines(1, 30_000), operations: [operation(1)] });
    await isLongSaved;
    return LONG;
  }

  const NOTHING = {
    references: new Set<string>(),
    entryIds: new Set<string>(),
    externalReferences: new Set<string>(),
  };

  test('lines come by sequence and operations by creation, whatever the order of the pages', async () => {
    await save(
      'ordered',
      { entries: lines(50, 60), operations: [operation(9), operation(3)] },
      {
        entries: lines(1, 49),
        operations: [
          operation(5),
          operation(4, { createdAt: BEGIN + 3_000, reference: 'GUI-CI-0' }),
        ],
      },
    );
    await snapshot('ordered', null, async (books) => {
      const { sequences, references } = await placesIn(books);
      expect(sequences).toEqual(lines(1, 60).map((entry) => entry.sequence));
      expect(references).toEqual(['GUI-CI-0', 'GUI-CI-3', 'GUI-CI-5', 'GUI-CI-9']);
      expect(books.expectedEntries).toBe(60);
      expect((await rowsOf(books.entries())).length, 'a second call starts at the first line').toBe(
        60,
      );
    });
  });

  test('a full reading gives the newest version of each operation once, with nothing before it', async () => {
    const pending = operation(2, { status: 'PENDING', completedAt: null });
    const moved = operation(3, { createdAt: BEGIN + 9_000 });
    await save(
      'newest',
      { operations: [operation(1), pending, operation(3), operation(4)] },
      { operations: [operation(2, { status: 'FAILED' }), moved] },
      {
        operations: [
          operation(2, { status: 'REVERSED' }),
          operation(3, { createdAt: BEGIN + 9_000, fees: 5 }),
        ],
      },
      { operations: [operation(3, { fees: 6 })] },
    );
    await snapshot('newest', null, async (books) => {
      const versions = await rowsOf(books.operations());
      expect(versions).toEqual(
        [
          operation(1),
          operation(2, { status: 'REVERSED' }),
          operation(3, { fees: 6 }),
          operation(4),
        ].map((newest) => ({
          operation: newest,
          previous: null,
        })),
      );
    });
  });

  test('an operation whose creation was moved is at its new place only', async () => {
    await save(
      'moved',
      { operations: [operation(1), operation(2)] },
      { operations: [operation(1, { createdAt: BEGIN + 5_000 })] },
    );
    await snapshot('moved', null, async (books) => {
      expect((await placesIn(books)).references).toEqual(['GUI-CI-2', 'GUI-CI-1']);
    });
  });

  test('after a checkpoint: later lines, and operations changed since with what they were then', async () => {
    const pending = operation(2, { status: 'PENDING', completedAt: null });
    await save(
      'after',
      { entries: lines(1, 10), operations: [operation(1), pending] },
      { operations: [operation(1, { fees: 1 })] },
      { entries: lines(11, 15), operations: [operation(3), operation(2)] },
      { operations: [operation(3, { fees: 3 }), operation(1, { fees: 2 })] },
    );
    await snapshot('after', { sequence: 10, intake: 2 }, async (books) => {
      expect((await rowsOf(books.entries())).map((entry) => entry.sequence)).toEqual([
        11, 12, 13, 14, 15,
      ]);
      expect(await rowsOf(books.operations())).toEqual([
        { operation: operation(1, { fees: 2 }), previous: operation(1, { fees: 1 }) },
        { operation: operation(2), previous: pending },
        { operation: operation(3, { fees: 3 }), previous: null },
      ]);
      expect(books.expectedEntries).toBeNull();
    });
    await snapshot('after', { sequence: 15, intake: 4 }, async (books) => {
      expect(await placesIn(books)).toEqual({ sequences: [], references: [] });
    });
  });

  test('descriptions come with adjustments, and with every line once a sequence is duplicated', async () => {
    const noted = line(1, { description: 'lunch' });
    const adjusted = line(2, { kind: 'ADJUSTMENT_CREDIT', description: ' ' });
    await save('described', { entries: [noted, adjusted] });
    await snapshot('described', null, async (books) => {
      expect(await rowsOf(books.entries())).toEqual([line(1), adjusted]);
    });
    const other = line(1, { description: 'dinner' });
    await save('shared', { entries: [noted, other, adjusted] });
    await snapshot('shared', null, async (books) => {
      expect(await rowsOf(books.entries())).toEqual([noted, other, adjusted]);
    });
  });

  test('lines are recalled by reference or by id, with the figures before them', async () => {
    const other = line(2, { balanceAfter: 2_222, reservedAfter: 7 });
    await save('recalled', {
      entries: [line(1), line(2), other, line(3), line(4), line(5, { operationReference: null })],
    });
    await snapshot('recalled', null, async (books) => {
      const recalled = await books.recall({
        ...NOTHING,
        references: new Set(['GUI-CI-1', 'GUI-CI-3', 'GUI-CI-404']),
        entryIds: new Set(['entry-2', 'entry-3']),
      });
      const first = { sequence: 1, balance: 1_000, reserved: 0 };
      expect(recalled.entries).toEqual([
        { entry: line(1), before: null },
        { entry: line(2), before: first },
        { entry: other, before: first },
        { entry: line(3), before: { sequence: 2, balance: 2_222, reserved: 7 } },
      ]);
      expect(recalled.operations).toEqual([]);
    });
  });

  test('operations are recalled by either reference, in their newest version', async () => {
    const long = 'é'.repeat(5_000);
    await save(
      'recalled-operations',
      {
        operations: [
          operation(1),
          operation(2),
          operation(3),
          operation(4, { externalReference: long }),
        ],
      },
      { operations: [operation(1, { fees: 1 }), operation(3, { externalReference: 'order-2' })] },
      { operations: [operation(1, { fees: 2 }), operation(2, { externalReference: 'elsewhere' })] },
    );
    const asked = {
      ...NOTHING,
      references: new Set(['GUI-CI-1']),
      externalReferences: new Set(['order-2', long]),
    };
    const newest = [
      operation(1, { fees: 2 }),
      operation(3, { externalReference: 'order-2' }),
      operation(4, { externalReference: long }),
    ];
    await snapshot('recalled-operations', null, async (books) => {
      expect((await books.recall(asked)).operations).toEqual(
        newest.map((one) => ({ operation: one, previous: null })),
      );
    });
    await snapshot('recalled-operations', { sequence: 0, intake: 2 }, async (books) => {
      expect((await books.recall(asked)).operations).toEqual([
        { operation: newest[0], previous: operation(1, { fees: 1 }) },
        { operation: newest[1], previous: newest[1] },
        { operation: newest[2], previous: newest[2] },
      ]);
    });
  });

  test('a reading does not see what arrives after it was opened', async () => {
    notOnCitus('needs one moment of all connections, which a cluster does not give');
    await save('snapshot', { entries: lines(1, 3), operations: [operation(1)] });
    await snapshot('snapshot', null, async (books) => {
      await save('snapshot', {
        entries: lines(4, 6),
        operations: [operation(1, { fees: 1 }), operation(2)],
      });
      expect(await placesIn(books)).toEqual({ sequences: [1, 2, 3], references: ['GUI-CI-1'] });
      const recalled = await books.recall({
        ...NOTHING,
        references: new Set(['GUI-CI-1', 'GUI-CI-2', 'GUI-CI-4']),
      });
      expect(recalled.operations).toEqual([{ operation: operation(1), previous: null }]);
      expect(recalled.entries.map((one) => one.entry.sequence)).toEqual([1, 2]);
    });
  });

  test('one merchant never sees the rows of another', async () => {
    await save('mine', { entries: lines(1, 3), operations: [operation(1)] });
    await save('theirs', { entries: lines(1, 9), operations: [operation(7)] });
    await snapshot('mine', null, async (books) => {
      expect(await placesIn(books)).toEqual({ sequences: [1, 2, 3], references: ['GUI-CI-1'] });
      const recalled = await books.recall({
        ...NOTHING,
        references: new Set(['GUI-CI-9']),
        externalReferences: new Set(['order-7']),
      });
      expect(recalled).toEqual({ entries: [], operations: [] });
    });
  });

  test('an unknown merchant gives an empty reading', async () => {
    await snapshot('unheard-of', null, async (books) => {
      expect(await placesIn(books)).toEqual({ sequences: [], references: [] });
      expect(books.profiles).toEqual([]);
      expect((await books.closing()).wallet).toBeNull();
    });
  });

  test('a stream that is left early does not hold up the reading, and long streams come whole', async () => {
    await snapshot(await long(), null, async (books) => {
      for await (const batch of books.entries()) {
        expect(batch.rows.length).toBeGreaterThan(0);
        break;
      }
      const [entries, operations] = await Promise.all([
        rowsOf(books.entries()),
        rowsOf(books.operations()),
      ]);
      expect(entries.map((entry) => entry.sequence)).toEqual(
        lines(1, 30_000).map((entry) => entry.sequence),
      );
      expect(operations).toHaveLength(1);
    });
  });

  test('texts come back as they were, whatever they look like', async () => {
    const odd = [
      '',
      '\\N',
      'a\tb',
      'a\nb\r\\',
      'é',
      '\u{1f600}',
      'GUI-CI-1',
      'x'.repeat(5_000),
      '\u0001',
    ];
    const kind = 'ADJUSTMENT_CREDIT';
    const described = odd.map((description, i) =>
      line(i + 1, { kind, description, id: `led ${i} ${description}`.slice(0, 200) }),
    );
    const named = odd.map((externalReference, i) =>
      operation(i + 1, { externalReference, operator: externalReference }),
    );
    await save('odd', { entries: described, operations: named });
    await snapshot('odd', null, async (books) => {
      expect(await rowsOf(books.entries())).toEqual(described);
      expect((await rowsOf(books.operations())).map((version) => version.operation)).toEqual(named);
    });
  });

  test('a stream whose server goes away fails; it does not end', async () => {
    const merchant = named(await long());
    const books = await openMirrorSnapshot(store, {
      merchant,
      after: null,
      watermark: null,
      threadFrom,
    });
    for await (const _ of books.entries()) break;
    const taking = (async () => {
      let taken = 0;
      for await (const batch of books.entries()) {
        if (taken === 0)
          await store.pool.query(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'copy%'",
          );
        taken += batch.rows.length;
      }
      return taken;
    })();
    await expect(taking).rejects.toThrow();
    await books.close();
  });

  test('more readings than pooled connections can be open at once', async () => {
    await save('crowded', { entries: lines(1, 5), operations: [operation(1)] });
    const all = await Promise.all(
      Array.from({ length: 12 }, () =>
        openMirrorSnapshot(store, {
          merchant: named('crowded'),
          after: null,
          watermark: null,
          threadFrom,
        }),
      ),
    );
    const places = await Promise.all(all.map(placesIn));
    expect(new Set(places.map((one) => JSON.stringify(one))).size).toBe(1);
    await Promise.all(all.map((one) => one.close()));
  });
});
