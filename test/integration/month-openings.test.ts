// Months stated from the mirror, one after the other, from the openings that the months before have
// kept. They have the same bytes as when stated from the first line, and take only the lines of the
// month. Also what makes an opening void.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parsePeriod } from '../../src/core/domain/period.ts';
import { openZone } from '../../src/core/domain/zone.ts';
import { DEFAULT_JOURNAL, type PostingRule } from '../../src/core/statements/journal.ts';
import { formatNamed } from '../../src/io/formats/register.ts';
import { openFileSource } from '../../src/io/sources/file/open-file-source.ts';
import { withMerchantLock } from '../../src/io/storage/merchants/merchant-lock.ts';
import { openMirrorSnapshot } from '../../src/io/storage/mirror/read/mirror-snapshot.ts';
import { savePage } from '../../src/io/storage/mirror/save/save-page.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { type Books, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { seedRandom } from '../../src/sandbox/model/random.ts';
import { nothingPublished } from '../../src/service/workflows/month/service-month.ts';
import {
  repositoryOfMirror,
  writeStatements,
} from '../../src/service/workflows/month/write-statements.ts';
import { runMerchants } from '../../src/service/workflows/nightly/run-merchants.ts';
import { line, lines } from '../support/database-books.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { optionsAt } from '../support/nightly.ts';
import { writeBundle } from '../support/sandbox-bundle.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { TEMPLATE } from '../support/written-document.ts';

const ENGINE = 'pointage test';
const READ_AT = Date.UTC(2026, 11, 2);
const PERIODS = ['2026-09', '2026-10', '2026-11'];
const PLANTED = [
  'CREDIT_DUPLICATED',
  'HOLD_NOT_RELEASED',
  'SEQUENCE_DUPLICATE',
  'DEBIT_MISSING',
  'BALANCE_DRIFT/persistent',
];
const merchants = ['SAIN', 'FAUTE'];
/** An account that opens with earlier lines, which are found by their operations. */
const WALLET: PostingRule = {
  role: 'wallet',
  when: { operator: ['ORANGE', 'WAVE'] },
  account: { number: '5521', label: 'Orange et Wave' },
  auxiliary: null,
};

let opened: TestStore;
const scratch = mkdtempSync(join(tmpdir(), 'pointage-openings-'));

beforeAll(async () => {
  opened = await openTestStore();
  for (const reference of merchants) {
    const traffic = {
      ...ORDINARY_TRAFFIC,
      operationsPerDay: 3,
      reversalRate: 0.2,
      cashoutShare: 0.4,
    };
    const plan = planMerchant({ reference, opensAt: Date.UTC(2026, 8, 5), traffic });
    const sound = simulateBooks(plan, { seed: reference, until: READ_AT });
    const faults = reference === 'SAIN' ? [] : FAULTS.filter(({ name }) => PLANTED.includes(name));
    const plant = (books: Books, fault: (typeof FAULTS)[number]) =>
      fault.plant(books, seedRandom(fault.name))?.books ?? books;
    await writeBundle(join(scratch, 'books', reference), faults.reduce(plant, sound));
  }
  const source = openFileSource(join(scratch, 'books'));
  await runMerchants({
    store: opened.store,
    source,
    engine: ENGINE,
    clock: () => READ_AT,
    merchants,
    optionsFor: (_, asOf) => optionsAt(asOf),
    onMerchant: () => () => {},
  });
  await source.close();
});
afterAll(async () => {
  await opened.close();
  rmSync(scratch, { recursive: true });
});

/** Returns the bytes of the month's documents, and the most lines that one pass took. */
async function state(merchant: string, period: string) {
  let most = 0;
  const folder = mkdtempSync(join(scratch, 'stated-'));
  const outcomes = await writeStatements({
    repository: repositoryOfMirror(opened.store),
    merchants: [merchant],
    period: parsePeriod(period)!,
    folder,
    formats: [formatNamed('json')!, formatNamed('csv')!, formatNamed('journal')!],
    options: { language: 'fr', verifyAt: null, template: TEMPLATE },
    phoneNumbers: 'masked',
    zoneFor: () => openZone('UTC')!,
    journalFor: () => ({ ...DEFAULT_JOURNAL, rules: [WALLET] }),
    partiesFor: () => ({ issuer: null, holder: null }),
    auditFor: () => optionsAt(READ_AT),
    serviceMonthOf: nothingPublished,
    engine: ENGINE,
    now: READ_AT,
    onMerchant: () => (taken) => {
      most = Math.max(most, taken);
    },
  });
  const files = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
  expect(files.length, JSON.stringify(outcomes)).toBe(3);
  return { files: Object.fromEntries(files) as Record<string, string>, most };
}

async function forgetAll(): Promise<void> {
  await opened.store.pool.query("update month_openings set engine = 'none'");
  await opened.store.pool.query("update checkpoints set engine = 'none'");
}

test('say the same to the byte, of fewer lines', { timeout: 120_000 }, async () => {
  for (const merchant of merchants) {
    const { rows } = await opened.store.pool.query<{ state: string }>(
      'select c.state from checkpoints c join merchants m using (merchant_id) where m.reference = $1',
      [merchant],
    );
    expect(rows.length).toBe(1);
    const first = [];
    for (const period of PERIODS) first.push(await state(merchant, period));
    const again = [];
    for (const period of PERIODS.toReversed()) again.unshift(await state(merchant, period));
    expect(again.map(({ files }) => files)).toEqual(first.map(({ files }) => files));
    // September is stated from all lines; November from its own, and from the lines elsewhere of an
    // operation that it has.
    const [september, , november] = again;
    expect(november!.most, merchant).toBeLessThan(september!.most / 2);
  }
  await forgetAll();
  for (const merchant of merchants) {
    for (const period of PERIODS.toReversed()) {
      await opened.store.pool.query("update month_openings set engine = 'none'");
      const whole = await state(merchant, period);
      const kept = await state(merchant, period);
      expect(kept.files, `${merchant} ${period}`).toEqual(whole.files);
    }
  }
});

test('an opening is void when a line arrives below it, and not kept when one has arrived meanwhile', async () => {
  const { store } = opened;
  const save = async (entries: ReturnType<typeof lines>) => {
    const saved = await withMerchantLock(store, 'LATE', (lease) =>
      savePage(store, lease, { entries }),
    );
    expect(saved.acquired).toBe(true);
  };
  const positions = async () => {
    const { rows } = await store.pool.query<{ position: number }>(
      `select position from month_openings join merchants using (merchant_id) where reference = 'LATE' and terms <> '' order by position`,
    );
    return rows.map(({ position }) => position);
  };
  const keepAt = async (position: number, meanwhile: () => Promise<void> = async () => {}) => {
    const mirror = await openMirrorSnapshot(store, {
      merchant: 'LATE',
      after: null,
      watermark: null,
    });
    await meanwhile();
    await mirror.month.openings.keep({
      startsAt: position,
      position,
      engine: ENGINE,
      terms: '[]',
      state: '{}',
    });
    await mirror.close();
  };
  await save([...lines(1, 10), ...lines(20, 40)]);
  for (const position of [5, 12, 20, 30]) await keepAt(position);
  // A line at the end of the ledger makes no opening void.
  await save(lines(41, 45));
  expect(await positions()).toEqual([5, 12, 20, 30]);
  await save([line(19)]);
  expect(await positions()).toEqual([5, 12]);
  await keepAt(40, () => save([line(18)]));
  expect(await positions()).toEqual([5, 12]);
  await keepAt(40, () => save([line(46)]));
  expect(await positions()).toEqual([5, 12, 40]);
  // Another content of a line that is there already is kept apart from what is judged.
  await save([line(5, { amount: 77 })]);
  expect(await positions()).toEqual([5, 12, 40]);
});

test('what a month does not concern is not read', async () => {
  const mirror = await openMirrorSnapshot(opened.store, {
    merchant: 'SAIN',
    after: null,
    watermark: null,
    described: true,
  });
  const bounds = { start: Date.UTC(2026, 10, 1), end: Date.UTC(2026, 11, 1) };
  const all = [];
  for await (const { rows } of mirror.operations())
    all.push(...rows.map(({ operation }) => operation));
  const given = [];
  for await (const rows of mirror.month.operations(bounds, [])) given.push(...rows);
  const concerned = all.filter(
    ({ createdAt, updatedAt, completedAt }) =>
      createdAt < bounds.end && Math.max(updatedAt, completedAt ?? 0) >= bounds.start,
  );
  const references = given.map(({ reference }) => reference);
  expect(references).toEqual(expect.arrayContaining(concerned.map(({ reference }) => reference)));
  expect(new Set(references).size).toBe(references.length);
  expect(references.length).toBeLessThan(all.length * 0.7);
  const created = given.map(({ createdAt }) => createdAt);
  expect(created).toEqual(created.toSorted((a, b) => a - b));
  await mirror.close();
});
