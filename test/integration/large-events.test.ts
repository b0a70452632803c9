// Notifications in a large file are read once, when they are judged. What they say of adjustments
// of the wallet, and which of them cannot be read, is known as from a small file.

import { afterAll, expect, test } from 'vitest';
import type { Snapshot } from '../../src/core/domain/snapshot.ts';
import { type Raw, rawEvent } from '../contract/source-rows.ts';
import { openFiles } from '../hostile/book-folder.ts';
import { SOUND } from '../hostile/notified-books.ts';

const opened: Snapshot[] = [];
afterAll(async () => {
  for (const snapshot of opened) await snapshot.close();
});

function adjusted(hour: number, more: Raw = {}): Raw {
  const createdAt = `2026-01-05T${String(hour).padStart(2, '0')}:00:00.000Z`;
  return { ...rawEvent({}), id: `evt_${hour}`, type: 'wallet.adjusted', createdAt, ...more };
}

/**
 * A notification of ours at two hours; one of another merchant; one that only mentions the type;
 * two that cannot be read.
 */
const ROWS: readonly Raw[] = [
  adjusted(1, { data: { note: 'é' } }),
  adjusted(2, { merchantReference: 'OTHER' }),
  rawEvent({ metadata: { says: 'wallet.adjusted' } }, { id: 'evt_3' }),
  adjusted(4, { createdAt: 'soon' }),
  adjusted(5),
  rawEvent({ amount: 12.5 }, { id: 'evt_6' }),
];

async function known(rows: readonly string[]) {
  const snapshot = await openFiles({ ...SOUND, 'events.jsonl': `${rows.join('\n')}\n` });
  opened.push(snapshot);
  const early = snapshot.rejected;
  const { rejected } = await snapshot.closing();
  const places = new Map([...early, ...rejected].map((row) => [row.place, row.reason]));
  return { adjustedAt: snapshot.adjustedAt, refused: [...places.values()] };
}

/** Returns the rows with seventeen megabytes of others, none of which is too long a line. */
function enlarged(rows: readonly Raw[]): readonly string[] {
  const filler = Array.from({ length: 20 }, (_, i) =>
    rawEvent({ metadata: 'x'.repeat(900_000) }, { id: `evt_f${i}` }),
  );
  return [...filler.slice(0, 10), ...rows, ...filler.slice(10)].map((row) => JSON.stringify(row));
}

test('a large file says what a small one does', async () => {
  const small = await known(ROWS.map((row) => JSON.stringify(row)));
  expect(small.adjustedAt).toEqual([Date.UTC(2026, 0, 5, 1), Date.UTC(2026, 0, 5, 5)]);
  expect(small.refused).toHaveLength(3);
  expect(await known(enlarged(ROWS))).toEqual(small);
});

test('an unreadable row is named by its line, in the order of the lines, wherever it is, and all else is read', async () => {
  const rows = Array.from({ length: 24 }, (_, i) =>
    rawEvent(
      { amount: i % 5 === 2 ? 12.5 : 100, metadata: 'x'.repeat(900_000) },
      { id: `evt_${i}` },
    ),
  );
  const events = `${rows.map((row) => JSON.stringify(row)).join('\n')}\nnot JSON`;
  const snapshot = await openFiles({ ...SOUND, 'events.jsonl': events });
  opened.push(snapshot);
  for (let pass = 0; pass < 2; pass += 1) {
    const ids: string[] = [];
    for await (const some of snapshot.notifications!.stream()) {
      for (let i = 0; i < some.count; i += 1) ids.push(some.at(i).notification.id);
      some.release();
    }
    const sound = rows.flatMap(({ id }, i) => (i % 5 === 2 ? [] : [id]));
    expect(ids.toSorted()).toEqual(sound.toSorted());
    const { rejected } = await snapshot.closing();
    expect(rejected.map(({ place }) => place)).toEqual(
      [3, 8, 13, 18, 23, 25].map((line) => `events.jsonl:${line}`),
    );
  }
});

test('also where its type is written with escapes', async () => {
  const lines = enlarged(ROWS).map((line) =>
    line.replaceAll('"wallet.adjusted"', '"wallet\\u002eadjusted"'),
  );
  expect(await known(lines)).toEqual(await known(ROWS.map((row) => JSON.stringify(row))));
});
