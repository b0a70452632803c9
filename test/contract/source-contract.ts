// What every source promises, run over each of them: the same small books are published in the way
// of the source, and must come out in the same words.

import { afterEach, describe, expect, test } from 'vitest';
import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import type { Operation } from '../../src/core/domain/operation.ts';
import type { Batch, Recall, RejectedRow, Snapshot } from '../../src/core/domain/snapshot.ts';
import type { Since, Source } from '../../src/io/sources/port/source.ts';
import { readInOrder } from '../support/read-in-order.ts';
import { type Raw, rawEntry, rawMerchant, rawOperation, rawWallet } from './source-rows.ts';

/**
 * Books in the form of the source document, rows in the order in which the outside place holds
 * them.
 */
export interface RawBooks {
  /** Its `reference` names the books, also where the source has no profile. */
  readonly merchant: Raw;
  readonly wallet: Raw | null;
  readonly entries: readonly Raw[];
  readonly operations: readonly Raw[];
}

export interface Published {
  readonly source: Source;
  /** Takes the outside place down; the source is closed before. */
  readonly withdraw: () => Promise<void>;
}

export interface SourceUnderContract {
  readonly publish: (books: readonly RawBooks[]) => Promise<Published>;
  /** True where the outside place can hold rows whose fields have the wrong type. */
  readonly holdsIllTypedRows: boolean;
  /** True where it can hold a row twice, or several versions of an operation. */
  readonly holdsRepeatedRows: boolean;
  /**
   * What the source says of itself: its books are a copy taken at one moment, and do not live on.
   */
  readonly isStateless: boolean;
}

export function describeSource(name: string, under: SourceUnderContract): void {
  describe(`${name}, as a source`, () => {
    const published: Published[] = [];
    const publish = async (...books: RawBooks[]): Promise<Source> => {
      const place = await under.publish(books);
      published.push(place);
      return place.source;
    };
    afterEach(async () => {
      for (const { source, withdraw } of published.splice(0)) {
        await source.close();
        await withdraw();
      }
    });
    describeMerchants(publish);
    describeStreams(publish);
    describeTexts(publish, under.holdsIllTypedRows);
    describeState(publish, under.isStateless);
    describeRecall(publish);
    if (under.holdsRepeatedRows) describeRepetition(publish);
    if (under.holdsIllTypedRows) describeRejection(publish);
  });
}

type Publish = (...books: RawBooks[]) => Promise<Source>;

/** Five lines over two operations, published out of order. */
function smallBooks(reference = 'M001'): RawBooks {
  const line = (sequence: number, change: Raw) =>
    rawEntry({ sequence, createdAt: `2026-01-05T08:00:0${sequence}.000Z`, ...change });
  const cashin = { operationReference: 'GUI-CI-000001' };
  const cashout = { operationReference: 'GUI-CO-000002' };
  const lines = [
    line(1, { ...cashin, amount: 1_000, balanceAfter: 1_000 }),
    line(2, { ...cashin, kind: 'CASHIN_FEE', direction: 'DEBIT', amount: 20, balanceAfter: 980 }),
    line(4, {
      ...cashout,
      kind: 'CASHOUT_HOLD',
      direction: 'HOLD',
      amount: 500,
      balanceAfter: 980,
      reservedAfter: 500,
    }),
    line(5, {
      ...cashout,
      kind: 'CASHOUT_DEBIT',
      direction: 'DEBIT',
      amount: 500,
      balanceAfter: 480,
    }),
    line(7, {
      kind: 'ADJUSTMENT_CREDIT',
      amount: 20,
      balanceAfter: 500,
      operationReference: null,
      description: 'Régularisation',
    }),
  ];
  const operations = [
    rawOperation({
      reference: 'GUI-CI-000001',
      externalReference: 'CMD-1',
      createdAt: '2026-01-05T08:00:00.000Z',
    }),
    rawOperation({
      reference: 'GUI-CO-000002',
      type: 'CASHOUT',
      amount: 500,
      fees: 0,
      netAmount: 500,
      externalReference: 'CMD-2',
      createdAt: '2026-01-05T08:00:03.000Z',
    }),
  ];
  return {
    merchant: rawMerchant({ reference }),
    wallet: rawWallet({ balance: 500, reserved: 0, available: 500 }),
    entries: [lines[2]!, lines[0]!, lines[4]!, lines[1]!, lines[3]!],
    operations: [operations[1]!, operations[0]!],
  };
}

function describeMerchants(publish: Publish): void {
  test('names its merchants in order, and opens each by its reference', async () => {
    const source = await publish(smallBooks('M002'), smallBooks('M001'));
    expect(await source.merchants()).toEqual(['M001', 'M002']);
    for (const merchant of ['M001', 'M002']) {
      const snapshot = await source.open(merchant, null);
      expect(snapshot.merchant).toBe(merchant);
      expect((await entriesOf(snapshot)).map((entry) => entry.sequence)).toEqual([1, 2, 4, 5, 7]);
      await snapshot.close();
    }
  });

  test('refuses to open a merchant that it does not know', async () => {
    const source = await publish(smallBooks());
    await expect(source.open('M999', null)).rejects.toMatchObject({ name: 'SourceFailed' });
  });

  test('says that complete books lack nothing that a verdict needs', async () => {
    const source = await publish(smallBooks());
    const snapshot = await source.open('M001', null);
    expect(snapshot.absent.filter(({ incomplete }) => incomplete)).toEqual([]);
    expect(snapshot.rejected).toEqual([]);
    await snapshot.close();
  });

  test('names what it does not have beside the books', async () => {
    const source = await publish(smallBooks());
    const snapshot = await source.open('M001', null);
    expect(snapshot.notifications).toBe(null);
    const named = snapshot.absent.map(({ what }) => what);
    expect(named).toEqual(expect.arrayContaining(['history', 'reports', 'payments', 'events']));
    await snapshot.close();
  });

  test('gives one operation as it is now, and null for one that does not exist', async () => {
    const source = await publish(smallBooks());
    expect(await source.askOperation('M001', 'GUI-CO-000002')).toMatchObject({
      amount: 500,
      type: 'CASHOUT',
    });
    expect(await source.askOperation('M001', 'GUI-CO-999999')).toBe(null);
  });
}

function describeStreams(publish: Publish): void {
  test('delivers every line by ascending sequence, decoded into the words of the domain', async () => {
    const snapshot = await (await publish(smallBooks())).open('M001', null);
    const entries = await entriesOf(snapshot);
    expect(entries.map((entry) => entry.sequence)).toEqual([1, 2, 4, 5, 7]);
    expect(entries[4]).toEqual({
      ...rawEntry({ sequence: 7 }),
      kind: 'ADJUSTMENT_CREDIT',
      amount: 20,
      balanceAfter: 500,
      operationReference: null,
      description: 'Régularisation',
      createdAt: Date.UTC(2026, 0, 5, 8, 0, 7),
    });
    await snapshot.close();
  });

  test('delivers every operation by ascending createdAt, never replayed before', async () => {
    const snapshot = await (await publish(smallBooks())).open('M001', null);
    expect((await operationsOf(snapshot)).map(({ reference }) => reference)).toEqual([
      'GUI-CI-000001',
      'GUI-CO-000002',
    ]);
    await snapshot.close();
  });

  test('delivers the same a second time', async () => {
    const snapshot = await (await publish(smallBooks())).open('M001', null);
    expect(await entriesOf(snapshot)).toEqual(await entriesOf(snapshot));
    expect(await operationsOf(snapshot)).toEqual(await operationsOf(snapshot));
    await snapshot.close();
  });

  test('delivers the same after a caller has stopped half-way', async () => {
    const snapshot = await (await publish(smallBooks())).open('M001', null);
    await readInOrder(async () => {
      for await (const _ of snapshot.entries()) break;
    });
    await readInOrder(async () => {
      for await (const _ of snapshot.operations()) break;
    });
    expect(await entriesOf(snapshot)).toHaveLength(5);
    expect(await operationsOf(snapshot)).toHaveLength(2);
    await snapshot.close();
  });

  test('delivers at least what is new to a caller who has read before', async () => {
    const since: Since = {
      lastSequence: 4,
      entryCount: 3,
      operationCount: 1,
      newestOperationCreatedAt: Date.UTC(2026, 0, 5, 8),
      newestOperationUpdatedAt: Date.UTC(2026, 0, 5, 8, 1),
      reversedCount: null,
      open: [{ reference: 'GUI-CO-000002', status: null, createdAt: null }],
    };
    const snapshot = await (await publish(smallBooks())).open('M001', since);
    const sequences = (await entriesOf(snapshot)).map((entry) => entry.sequence);
    expect(sequences).toEqual(expect.arrayContaining([5, 7]));
    const references = (await operationsOf(snapshot)).map(({ reference }) => reference);
    expect(references).toContain('GUI-CO-000002');
    await snapshot.close();
  });

  test('closes with the wallet as stated', async () => {
    const snapshot = await (await publish(smallBooks())).open('M001', null);
    await entriesOf(snapshot);
    const { wallet, laterEntries, rejected } = await snapshot.closing();
    expect(wallet).toMatchObject({
      balance: 500,
      reserved: 0,
      available: 500,
      currency: 'XOF',
      status: 'ACTIVE',
    });
    expect({ laterEntries, rejected }).toEqual({ laterEntries: [], rejected: [] });
    await snapshot.close();
  });

  test('gives the profile in force', async () => {
    const snapshot = await (await publish(smallBooks())).open('M001', null);
    expect(snapshot.profiles.at(-1)).toMatchObject({
      reference: 'M001',
      pricing: { cashin: { bps: 200, flat: 0 } },
    });
    await snapshot.close();
  });

  test('says so when there is no wallet', async () => {
    const snapshot = await (await publish({ ...smallBooks(), wallet: null })).open('M001', null);
    await entriesOf(snapshot);
    const { wallet, rejected } = await snapshot.closing();
    expect(wallet).toBe(null);
    const isSaid = snapshot.absent.some(({ what, incomplete }) => what === 'wallet' && incomplete);
    expect(isSaid || rejected.length > 0).toBe(true);
    await snapshot.close();
  });
}

const NO_TEXTS = {
  counterpartyNumber: null,
  counterpartyName: null,
  description: null,
  failureMessage: null,
  metadata: null,
};

function describeTexts(publish: Publish, holdsIllTypedRows: boolean): void {
  const said = {
    counterparty: { phoneNumber: '+2250712345678', name: 'Awa "la grande" Koné' },
    description: 'Loyer\nd’octobre',
    metadata: { panier: 7, note: null },
  };
  const failed = {
    status: 'FAILED',
    failure: { code: 'PAYER_CANCELLED', message: 'refusé par le payeur' },
  };
  const second = { reference: 'GUI-CI-000002', createdAt: '2026-01-05T08:00:01.000Z' };
  const wanted = {
    counterpartyNumber: '+2250712345678',
    counterpartyName: 'Awa "la grande" Koné',
    description: 'Loyer\nd’octobre',
    failureMessage: null,
    metadata: '{"panier":7,"note":null}',
  };

  test('tells the texts of operations to who asks for them, in streams and one by one', async () => {
    const operations = [
      rawOperation(said),
      rawOperation({ ...second, ...failed, counterparty: null }),
    ];
    const source = await publish({ ...smallBooks(), operations });
    const snapshot = await source.open('M001', null, 'described');
    const message = { ...NO_TEXTS, failureMessage: 'refusé par le payeur' };
    expect(await operationsOf(snapshot)).toMatchObject([wanted, message]);
    expect(await source.askOperation('M001', 'GUI-CI-000001')).toMatchObject(wanted);
    const references = new Set(['GUI-CI-000002']);
    const recalled = await snapshot.recall({
      references,
      entryIds: NOTHING,
      externalReferences: NOTHING,
    });
    expect(recalled.operations).toMatchObject([{ operation: message }]);
    await snapshot.close();
  });

  if (!holdsIllTypedRows) return;
  test('refuses no operation for texts of another type, and keeps what can be kept', async () => {
    const odd = {
      counterparty: { phoneNumber: 77, name: ['A', 1] },
      description: true,
      metadata: 'as text',
    };
    const none = { ...second, counterparty: 'Awa', description: 'x'.repeat(10_001), failure: null };
    const source = await publish({
      ...smallBooks(),
      operations: [rawOperation(odd), rawOperation(none)],
    });
    for (const detail of ['judged', 'described'] as const) {
      const snapshot = await source.open('M001', null, detail);
      const { rows, rejected } = await drain(() => snapshot.operations());
      expect(rejected).toEqual([]);
      if (detail === 'described') {
        const texts = { counterpartyNumber: '77', description: 'true', metadata: 'as text' };
        expect(rows.map(({ operation }) => operation)).toMatchObject([texts, NO_TEXTS]);
      }
      await snapshot.close();
    }
  });
}

const NOTHING: ReadonlySet<string> = new Set();

function describeState(publish: Publish, isStateless: boolean): void {
  test(
    isStateless ? 'says that its books are a copy of one moment' : 'says that its books live on',
    async () => {
      const source = await publish(smallBooks());
      expect(source.isStateless('M001')).toBe(isStateless);
    },
  );

  const since: Since = {
    lastSequence: 7,
    entryCount: 5,
    operationCount: 2,
    newestOperationCreatedAt: Date.UTC(2026, 5, 1),
    newestOperationUpdatedAt: Date.UTC(2026, 5, 1),
    reversedCount: null,
    open: [],
  };
  test(
    isStateless
      ? 'leaves out nothing that was read before'
      : 'says that it leaves out what was read before',
    async () => {
      const snapshot = await (await publish(smallBooks())).open('M001', since);
      const history = snapshot.absent.find(({ what }) => what === 'history')!;
      expect(history.code === 'EARLIER_NOT_READ_AGAIN').toBe(!isStateless);
      await snapshot.close();
    },
  );

  if (!isStateless) return;
  test('serves everything, whatever was read before, and as one moment', async () => {
    const snapshot = await (await publish(smallBooks())).open('M001', since);
    expect(snapshot.moving).toBe(false);
    expect(await entriesOf(snapshot)).toHaveLength(5);
    expect(await operationsOf(snapshot)).toHaveLength(2);
    await snapshot.close();
  });
}

function describeRecall(publish: Publish): void {
  const nothing: Recall = {
    references: new Set(),
    entryIds: new Set(),
    externalReferences: new Set(),
  };

  test('recalls the lines of an operation, each with the figures before it', async () => {
    const snapshot = await (await publish(smallBooks())).open('M001', null);
    await entriesOf(snapshot);
    const { entries, operations } = await snapshot.recall({
      ...nothing,
      references: new Set(['GUI-CO-000002']),
    });
    expect(entries.map(({ entry, before }) => [entry.sequence, before])).toEqual([
      [4, { sequence: 2, balance: 980, reserved: 0 }],
      [5, { sequence: 4, balance: 980, reserved: 500 }],
    ]);
    expect(operations.map(({ operation }) => operation.reference)).toEqual(['GUI-CO-000002']);
    await snapshot.close();
  });

  test('recalls a line by its id, the first one with nothing before it, and an operation by its partner reference', async () => {
    const snapshot = await (await publish(smallBooks())).open('M001', null);
    await entriesOf(snapshot);
    const id = rawEntry({ sequence: 1 }).id as string;
    const found = await snapshot.recall({
      ...nothing,
      entryIds: new Set([id]),
      externalReferences: new Set(['CMD-1']),
    });
    expect(found.entries.map(({ entry, before }) => [entry.sequence, before])).toEqual([[1, null]]);
    expect(found.operations.map(({ operation }) => operation.reference)).toEqual(['GUI-CI-000001']);
    await snapshot.close();
  });

  test('recalls nothing that was not asked for', async () => {
    const snapshot = await (await publish(smallBooks())).open('M001', null);
    expect(await snapshot.recall({ ...nothing, references: new Set(['GUI-CI-999999']) })).toEqual({
      entries: [],
      operations: [],
    });
    await snapshot.close();
  });
}

function describeRepetition(publish: Publish): void {
  test('keeps equal sequences together when a line is delivered twice, and loses none of different content', async () => {
    const books = smallBooks();
    const other = rawEntry({ sequence: 4, id: 'another line', amount: 7 });
    const snapshot = await (
      await publish({ ...books, entries: [...books.entries, books.entries[0]!, other] })
    ).open('M001', null);
    const sequences = (await entriesOf(snapshot)).map((entry) => entry.sequence);
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
    expect(new Set(sequences)).toEqual(new Set([1, 2, 4, 5, 7]));
    const amounts = (await entriesOf(snapshot))
      .filter((entry) => entry.sequence === 4)
      .map((entry) => entry.amount);
    expect(new Set(amounts)).toEqual(new Set([500, 7]));
    const { entries } = await snapshot.recall({
      references: new Set(['GUI-CO-000002']),
      entryIds: new Set(),
      externalReferences: new Set(),
    });
    expect(entries.map(({ entry }) => entry.sequence)).toEqual([4, 5]);
    await snapshot.close();
  });

  test('delivers an operation once, in its newest version, wherever the older ones stand', async () => {
    const books = smallBooks();
    const [cashout, cashin] = books.operations as [Raw, Raw];
    const older = {
      ...cashin,
      status: 'PENDING',
      updatedAt: '2026-01-05T08:00:00.000Z',
      completedAt: null,
    };
    const newer = { ...cashout, status: 'REVERSED', updatedAt: '2026-01-06T08:00:00.000Z' };
    const operations = [cashout, cashin, older, cashin, newer];
    const snapshot = await (await publish({ ...books, operations })).open('M001', null);
    expect(
      (await operationsOf(snapshot)).map(({ reference, status }) => [reference, status]),
    ).toEqual([
      ['GUI-CI-000001', 'SUCCEEDED'],
      ['GUI-CO-000002', 'REVERSED'],
    ]);
    await snapshot.close();
  });
}

function describeRejection(publish: Publish): void {
  test('rejects by name each row that cannot be read, and keeps all the others', async () => {
    const books = smallBooks();
    const source = await publish({
      ...books,
      entries: [
        rawEntry({ sequence: 3, amount: 12.5 }),
        ...books.entries,
        rawEntry({ sequence: 6, createdAt: 'today' }),
      ],
      operations: [
        ...books.operations,
        rawOperation({ reference: 'GUI-CI-000009', status: 'DONE' }),
      ],
    });
    const snapshot = await source.open('M001', null);
    const entries = await drain(() => snapshot.entries());
    const operations = await drain(() => snapshot.operations());
    expect(entries.rows.map((entry) => entry.sequence)).toEqual([1, 2, 4, 5, 7]);
    expect(operations.rows).toHaveLength(2);
    const bySequence = [...entries.rejected].sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
    expect(bySequence.map(({ part, reason, sequence }) => ({ part, reason, sequence }))).toEqual([
      { part: 'ledger', reason: 'amount is 12.5, not a whole number', sequence: 3 },
      { part: 'ledger', reason: 'createdAt is "today", not a date-time with a zone', sequence: 6 },
    ]);
    expect(operations.rejected).toMatchObject([{ part: 'operations', reference: 'GUI-CI-000009' }]);
    const all = [...entries.rejected, ...operations.rejected];
    expect(new Set(all.map(({ place }) => place)).size).toBe(3);
    for (const { raw } of all) expect(raw).not.toBe('');
    await snapshot.close();
  });
}

/**
 * All rows of a stream and all that was rejected on the way; a place that is named twice counts
 * once.
 */
export async function drain<Row>(
  stream: () => AsyncIterable<Batch<Row>>,
): Promise<{ readonly rows: readonly Row[]; readonly rejected: readonly RejectedRow[] }> {
  return readInOrder(async () => {
    const rows: Row[] = [];
    const rejected = new Map<string, RejectedRow>();
    for await (const batch of stream()) {
      rows.push(...batch.rows);
      for (const row of batch.rejected) rejected.set(row.place, row);
    }
    return { rows, rejected: [...rejected.values()] };
  });
}

export async function entriesOf(snapshot: Snapshot): Promise<readonly LedgerEntry[]> {
  return (await drain(() => snapshot.entries())).rows;
}

export async function operationsOf(snapshot: Snapshot): Promise<readonly Operation[]> {
  return (await drain(() => snapshot.operations())).rows.map(({ operation }) => operation);
}
