// COPY out of the mirror that breaks off: each failure reaches the reader, the connection is gone
// afterwards, and the server waits for a slow reader.

import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { nextRow } from '../../src/core/bytes/copy-binary/copy-rows.ts';
import { copySlots } from '../../src/io/storage/mirror/copy/copy.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';

const ROWS = 200_000;
/** A query of some 50 MB. */
const LONG = `select i, repeat('x', 250) from generate_series(1, ${ROWS}) as i`;

let opened: TestStore;
let client: pg.Client;
let socket: NodeJS.Socket & { readonly bytesRead: number; destroy(): void };
let hasEnded: boolean;
beforeAll(async () => {
  opened = await openTestStore();
});
beforeEach(async () => {
  client = new pg.Client({ connectionString: opened.databaseUrl });
  hasEnded = false;
  client.on('error', () => {});
  client.on('end', () => {
    hasEnded = true;
  });
  await client.connect();
  socket = (client as unknown as { connection: { stream: typeof socket } }).connection.stream;
});
afterAll(() => opened.close());

/** Reads a query's rows and returns their number. `onRows` is called after each chunk. */
async function read(
  query: string,
  onRows: (rows: number) => Promise<void> | void = () => {},
): Promise<number> {
  let count = 0;
  for await (const rows of copySlots(client, query, 2)) {
    while (nextRow(rows)) count += 1;
    await onRows(count);
  }
  return count;
}

test('all rows come, and the connection takes the next query', async () => {
  expect(await read(LONG)).toBe(ROWS);
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await client.end();
});

test('an error of the server after many rows is the reader’s, and ends the connection', async () => {
  let rows = 0;
  const reading = read(
    `select i, 1 / (${ROWS / 2} - i) from generate_series(1, ${ROWS}) as i`,
    (count) => {
      rows = count;
    },
  );
  await expect(reading).rejects.toMatchObject({ code: '22012' });
  expect(rows).toBeGreaterThan(1_000);
  await expect.poll(() => hasEnded).toBe(true);
});

test('a query that the server refuses is the reader’s error', async () => {
  await expect(read('select no_such_column, 1')).rejects.toMatchObject({ code: '42703' });
});

test.each([
  ['while the reader waits', 0],
  ['while the reader works', 50],
])('a connection that is cut without a word is an error, not an end: %s', async (_, pause) => {
  let chunks = 0;
  const reading = read(LONG, async () => {
    chunks += 1;
    if (chunks === 3) socket.destroy();
    if (chunks === 3) await sleep(pause);
  });
  await expect(reading).rejects.toThrow();
});

test('a reader that stops early ends the connection', async () => {
  for await (const _ of copySlots(client, LONG, 2)) break;
  await expect.poll(() => hasEnded).toBe(true);
});

test('at most a megabyte is received ahead of a slow reader', async () => {
  let isFirst = true;
  const reading = read(LONG, async () => {
    if (isFirst) await sleep(300);
    if (isFirst) expect(socket.bytesRead).toBeLessThan(1_048_576);
    isFirst = false;
  });
  expect(await reading).toBe(ROWS);
  expect(socket.bytesRead).toBeGreaterThan(ROWS * 250);
  await client.end();
});
