// Known lines are read again night after night. An edit in place, which moves no figure, is found
// within the configured nights. Nights of sound books cost few calls and find nothing, whatever
// changes while they are read.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import { SourceFailed } from '../../src/io/sources/port/source.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import {
  BOOKS_BEGIN,
  makeHttpBooks,
  makeLine,
  makeOperation,
  referenceOf,
} from '../support/http-books.ts';
import { type HttpService, startHttpService } from '../support/http-service.ts';
import { alteredRows, mirrorNight } from '../support/mirror-nights.ts';
import { numericSeed } from '../support/test-seed.ts';

const NIGHTS = 14;
/** The books have as many of these short pages as larger books have pages of a thousand lines. */
const PAGE = 50;
const LINES = 250;
/** Nights over sound books, in each order; `POINTAGE_NIGHTS=1000` for more. */
const SOUND_NIGHTS = Number(process.env.POINTAGE_NIGHTS ?? 24);

let opened: TestStore;
let service: HttpService;
beforeAll(async () => {
  opened = await openTestStore();
  service = await startHttpService({});
});
afterAll(async () => {
  await service.close();
  await opened.close();
});

const rotation = { nights: NIGHTS, random: () => 0.5 };

test.each(['ascending', 'descending'] as const)(
  'an edit in place is found within the nights that coverage states, in a ledger served %s',
  async (order) => {
    const merchant = `EDITED-${order}`;
    service.order = order;
    service.books[merchant] = { ...makeHttpBooks(merchant, LINES), operations: [] };
    const night = (number: number) =>
      mirrorNight({
        store: opened.store,
        service,
        merchant,
        now: BOOKS_BEGIN + number * DAY,
        rotation,
        pageSize: PAGE,
      });
    await night(0);
    let calls = 0;
    for (let number = 1; number <= NIGHTS; number += 1) calls += (await night(number)).calls;
    // Six pages are read twice in all nights, beside what each night reads anyway.
    expect(calls).toBeLessThanOrEqual(NIGHTS * 2 + 2 * 6 + 2);
    expect(await alteredRows(opened.store, merchant)).toMatchObject({ contents: 0, gone: [] });
    const { ledger } = service.books[merchant]!;
    ledger[104] = { ...ledger[104]!, description: 'edited in place' };
    ledger.splice(62, 1);
    ledger.splice(150, 0, { ...makeLine(151), sequence: 151 });
    ledger[150] = { ...ledger[150]!, id: '00000000-0000-4000-8000-00000000aaaa' };
    let found = 0;
    for (let number = 1; found === 0 && number <= NIGHTS; number += 1) {
      const { mirrored } = await night(NIGHTS + number);
      const note = mirrored.absent.find(({ code }) => code === 'LINES_READ_WITHIN');
      expect(note).toMatchObject({ incomplete: false });
      expect(Number(note!.figures!.nights)).toBeLessThanOrEqual(NIGHTS);
      if ((await alteredRows(opened.store, merchant)).contents > 0) found = number;
    }
    expect(found).toBeGreaterThan(0);
    expect(await alteredRows(opened.store, merchant)).toMatchObject({
      gone: [{ change: 'deleted', sequence: 63, lines: 1 }],
    });
  },
);

/** Returns what draws whole numbers from 0 up to below `limit`, from a seed. */
function chanceFrom(seed: number): (limit: number) => number {
  let state = seed >>> 0 || 1;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

test.each(['ascending', 'descending'] as const)(
  'sound nights find nothing: pages shift, lines are committed late and delivered twice, in a ledger served %s',
  async (order) => {
    const merchant = `SOUND-${order}`;
    const chance = chanceFrom(numericSeed());
    service.order = order;
    const books = makeHttpBooks(merchant, 225);
    service.books[merchant] = books;
    const ledger = (): ReturnType<typeof makeLine>[] => books.ledger;
    // An operation may be listed a while after its line, among operations that were created later.
    const unlisted: number[] = [];
    const list = (number: number): void => {
      const at =
        books.operations.findLastIndex(({ reference }) => String(reference) < referenceOf(number)) +
        1;
      books.operations.splice(at, 0, makeOperation(number));
    };
    let next = 226;
    const late: number[] = [];
    const post = (): void => {
      if (chance(12) === 0) late.push(next++);
      if (chance(6) === 0) unlisted.push(next);
      else list(next);
      ledger().push(makeLine(next++));
    };
    service.before = ({ path }) => {
      if (unlisted.length > 0 && chance(3) === 0) list(unlisted.shift()!);
      if (path !== '/ledger' && path !== '/operations') return null;
      if (chance(4) === 0) post();
      if (late.length > 0 && chance(12) === 0) {
        const sequence = late.shift()!;
        const at = ledger().findLastIndex((line) => Number(line.sequence) < sequence) + 1;
        ledger().splice(at, 0, makeLine(sequence));
      }
      return null;
    };
    service.wrap = (items) => {
      const twice = chance(10) === 0 && items.length > 2 ? [items[chance(items.length)]!] : [];
      return { data: items.flatMap((item) => (twice.includes(item) ? [item, item] : [item])) };
    };
    const quick = { nights: 4, random: () => chance(100) / 100 };
    let [read, failed] = [0, 0];
    for (let number = 0; number < SOUND_NIGHTS; number += 1) {
      for (let lines = chance(8); lines > 0; lines -= 1) post();
      const now = BOOKS_BEGIN + number * DAY;
      try {
        const { mirrored } = await mirrorNight({
          store: opened.store,
          service,
          merchant,
          now,
          rotation: quick,
        });
        if (mirrored.absent.every(({ code }) => code !== 'LINES_NOT_READ_AGAIN')) read += 1;
      } catch (failure) {
        if (!(failure instanceof SourceFailed)) throw failure;
        failed += 1;
      }
    }
    service.before = () => null;
    service.wrap = (items) => ({ data: items });
    expect(await alteredRows(opened.store, merchant)).toMatchObject({ contents: 0, gone: [] });
    const missed = await opened.store.pool.query(
      `select missing, operation_round is not null as rotated from line_watches natural join merchants where reference = $1`,
      [merchant],
    );
    expect(missed.rows).toEqual([{ missing: {}, rotated: true }]);
    expect([read + failed <= SOUND_NIGHTS, read > SOUND_NIGHTS / 2]).toEqual([true, true]);
  },
  5_000 * SOUND_NIGHTS,
);
