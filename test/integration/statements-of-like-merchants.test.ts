// `pointage statement make --all` of merchants whose references become equal once a file's name has
// folded them. Each has its own files and its own chain of revisions, and goes on with what an
// earlier version wrote under a name that another merchant may have too.

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { statementName } from '../../src/core/domain/period.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { readFecRows } from '../support/bookkeeping-readers.ts';
import { pointage } from '../support/command.ts';
import { MEETING, onDisk } from '../support/meeting-names.ts';
import { writeBundle } from '../support/sandbox-bundle.ts';
import { simulateBooks } from '../support/simulate-books.ts';

const scratch = mkdtempSync(join(tmpdir(), 'pointage-like-merchants-'));
const books = join(scratch, 'books');
const LIKE = [
  'shop.ci',
  'shop_ci',
  'shop ci',
  'shop:ci',
  'SHOP_CI',
  'CON',
  'CAFÉ',
  'CAFE\u0301',
  MEETING[25],
  MEETING[26],
];

async function publish(
  reference: string,
  { seed, until = 6 }: { readonly seed: string; readonly until?: number },
) {
  const plan = planMerchant({
    reference,
    country: 'CI',
    opensAt: Date.UTC(2026, 9, 20),
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 2, paymentsPerDay: 0, failureRate: 0 },
  });
  await writeBundle(
    join(books, `m${LIKE.indexOf(reference)}`),
    simulateBooks(plan, { seed, until: Date.UTC(2026, 10, until) }),
  );
}

beforeAll(async () => {
  for (const reference of LIKE) await publish(reference, { seed: reference });
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const make = (out: string, words: readonly string[] = ['--all'], options: readonly string[] = []) =>
  pointage([
    ...['statement', 'make', ...words, '2026-10', '--source', `file:${books}`, '--out', out],
    ...['--format', 'fec,odoo', '--as-of', '2026-11-06T00:00:00Z', ...options],
  ]);

const nameOf = (merchant: string, revision = 1) =>
  statementName({ merchant, period: '2026-10' }, revision);
const formerNameOf = (merchant: string, revision = 1) =>
  statementName(
    { merchant, period: '2026-10' },
    revision,
    merchant.replace(/[^\p{L}\p{N}_-]/gu, '_'),
  );

test('each has files of its own, and no further run makes a revision', {
  timeout: 60_000,
}, async () => {
  const out = join(scratch, 'own');
  const first = await make(out);
  expect(first).toMatchObject({ status: 0, err: '' });
  expect(first.out.match(/revision 1, written/g)).toHaveLength(LIKE.length);
  const names = readdirSync(out, { recursive: true }) as string[];
  // The files: JSON, Odoo and a folder with its FEC.
  expect(names).toHaveLength(4 * LIKE.length);
  expect(new Set(names.map(onDisk)).size).toBe(names.length);
  expect(names).toContain('RELEVE_SHOP_CI_2026-10_r1.json');
  const again = await make(out);
  expect(again.out.match(/revision 1, unchanged/g)).toHaveLength(LIKE.length);
  expect(readdirSync(out, { recursive: true })).toEqual(names);
});

test('a chain under a former name goes on, and another merchant’s file in it is none of it', {
  timeout: 60_000,
}, async () => {
  const out = join(scratch, 'former');
  expect((await make(out)).status).toBe(0);
  // Files as an earlier version left them: one chain of two merchants.
  for (const name of readdirSync(out).filter((one) => !one.endsWith('.json')))
    rmSync(join(out, name), { recursive: true });
  renameSync(
    join(out, `${nameOf('shop.ci')}.json`),
    join(out, `${formerNameOf('shop.ci', 1)}.json`),
  );
  renameSync(
    join(out, `${nameOf('shop_ci')}.json`),
    join(out, `${formerNameOf('shop_ci', 2)}.json`),
  );
  expect(formerNameOf('shop.ci')).toBe(formerNameOf('shop_ci'));
  const same = await make(out);
  expect(same).toMatchObject({ status: 0 });
  expect(same.out).toContain('shop.ci 2026-10, revision 1, written');
  expect(same.out).toContain('shop_ci 2026-10, revision 1, written');
  await publish('shop.ci', { seed: 'other books' });
  expect((await make(out, ['shop.ci'])).out).toContain('shop.ci 2026-10, revision 2, written');
  expect(readdirSync(out)).toContain(`${nameOf('shop.ci', 2)}.json`);
  expect((await make(out, ['shop_ci'])).out).toContain('shop_ci 2026-10, revision 1, unchanged');
});

test('a name that holds another merchant’s statement is refused, and the others are written', {
  timeout: 60_000,
}, async () => {
  const out = join(scratch, 'taken');
  mkdirSync(out);
  expect((await make(join(scratch, 'whole'))).status).toBe(0);
  const foreign = readFileSync(join(scratch, 'whole', `${nameOf('shop.ci')}.json`));
  writeFileSync(join(out, `${nameOf('SHOP_CI')}.json`), foreign);
  const ended = await make(out);
  expect(ended.status).toBe(2);
  expect(ended.err).toBe(
    `✗ SHOP_CI: ${join(out, `${nameOf('SHOP_CI')}.json`)} is a statement of another merchant: move it away, or give --out.\n`,
  );
  expect(ended.out.match(/revision 1, written/g)).toHaveLength(LIKE.length - 1);
  expect(readFileSync(join(out, `${nameOf('SHOP_CI')}.json`))).toEqual(foreign);
});

test('two merchants of one company have FEC files of two names, and a code in common is named', {
  timeout: 60_000,
}, async () => {
  const out = join(scratch, 'company');
  const config = join(scratch, 'company.json');
  const settle = (journal: object) => {
    const holder = { taxNumber: '2600002 B' };
    writeFileSync(
      config,
      JSON.stringify({ merchants: { SHOP_CI: { holder }, 'shop.ci': { holder, journal } } }),
    );
  };
  settle({});
  const first = await make(out, ['SHOP_CI'], ['--config', config]);
  const warned =
    'SHOP_CI and shop.ci are of one company (2600002B), and the journals of both are MM: entries have the same numbers';
  expect(first).toMatchObject({
    status: 0,
    err: `! ${warned}: give merchants.shop.ci.journal a code and a links.code of its own, before its first month is issued\n`,
  });
  const looked = await pointage(['doctor', '--config', config]);
  expect(looked.out.replace(/\s+/g, ' ')).toContain(
    'journals: SHOP_CI and shop.ci are of one company',
  );
  settle({ code: 'MM2' });
  expect(await make(out, ['shop.ci'], ['--config', config])).toMatchObject({ status: 0, err: '' });
  const names = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.includes('FEC'),
  );
  expect(names.map((name) => name.replace(/^.*\/|[0-9A-Z]{10}(?=\.txt$)/g, '')).sort()).toEqual([
    '2600002BFEC20261031_SHOPCI.txt',
    '2600002BFEC20261031_shopci.txt',
  ]);
  const numbers = names.map(
    (name) => new Set(readFecRows(readFileSync(join(out, name))).map(({ entry }) => entry)),
  );
  expect([...numbers[0]!].filter((number) => numbers[1]!.has(number))).toEqual([]);
});
