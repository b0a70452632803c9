// A kit of books with each fault that one reading shows. Its replay, from the kit alone, gives the
// content hash, the chain and the verdict that were issued.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentName } from '../../src/core/domain/naming/names.ts';
import { FORMATS } from '../../src/io/formats/register.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { publishingOf } from '../../src/service/compose/publishing.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { publishStatement } from '../../src/service/workflows/month/publish-statement.ts';
import { pointage } from '../support/command.ts';
import { pointageAs } from '../support/operator-token.ts';
import { plantNamed } from '../support/plant-named.ts';
import { OCTOBER, openReportBooks, READ_AT, type ReportBooks } from '../support/report-books.ts';
import { testFolder } from '../support/test-folder.ts';
import { TEST_SEED } from '../support/test-seed.ts';

/** A sample of the faults, unless all are wanted. */
const SHOWN = FAULTS.filter((_, i) => i % 10 === 0 || process.env.TEST_POLICIES === 'all');
/** The fault of each merchant. Names of faults have a slash, which no folder may have. */
const MERCHANTS = new Map(SHOWN.map(({ name }) => [name.replaceAll('/', '_'), name]));

let books: ReportBooks;
const planted = new Set<string>();

beforeAll(async () => {
  books = await openReportBooks([...MERCHANTS.keys()], (sound, merchant) => {
    const name = MERCHANTS.get(merchant)!;
    try {
      const { books: faulty } = plantNamed(sound, { names: [name], seed: `${TEST_SEED}/${name}` });
      planted.add(name);
      return faulty;
    } catch (failure) {
      if (failure instanceof RangeError) return sound;
      throw failure;
    }
  });
  // Issues the months as the command does, in the one format that a kit is replayed from.
  const configuration = await loadConfiguration({ databaseUrl: books.databaseUrl }, {});
  const stage = { clock: () => READ_AT, log: () => {}, published: null };
  const task = publishingOf(configuration, books.store, stage)(OCTOBER);
  const formats = FORMATS.filter(({ name }) => name === 'json');
  for (const merchant of MERCHANTS.keys()) await publishStatement({ ...task, formats }, merchant);
}, 600_000);
afterAll(() => books.close());

test('most faults were planted', () => {
  expect(planted.size).toBeGreaterThan(SHOWN.length / 2);
});

test.each([...MERCHANTS.keys()])('%s', async (name) => {
  const folder = testFolder('pointage-kit-');
  const words = [
    'audit-kit',
    name,
    '2026-10',
    '--out',
    folder,
    '--database-url',
    books.databaseUrl,
  ];
  const { status, err } = await pointageAs('awa', words, { clock: () => READ_AT });
  expect([status, err]).toEqual([0, '']);
  const { status: replayed, out } = await pointage([
    'audit-kit',
    'replay',
    `${folder}/${documentName('KIT', name, '2026-10')}.zip`,
  ]);
  expect([replayed, out]).toEqual([0, expect.stringMatching(/as issued/)]);
});
