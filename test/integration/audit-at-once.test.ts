// An audit of many merchants that waits for answers has several under way at once. Its document is
// that of an audit of one after the other, to the byte, and one merchant's failure stays its own.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { formatInstant } from '../../src/core/domain/instant.ts';
import type { AuditDocument } from '../../src/core/kernel/reconcile/audit-document.ts';
import { SourceFailed } from '../../src/io/sources/port/source.ts';
import { auditEach, unreachable } from '../../src/service/workflows/audit/audit-source.ts';
import { pointage } from '../support/command.ts';
import { NUMERO, PASSWORD, startDashboardService } from '../support/dashboard-service.ts';
import { withTestStore } from '../support/database-store.ts';
import { type HttpBooks, makeHttpBooks } from '../support/http-books.ts';
import { credentialsOf, startHttpService } from '../support/http-service.ts';
import { EVENING, JUDGED } from '../support/nightly-run.ts';
import { insertBooks, openPostgresBooks } from '../support/postgres-books.ts';

const MERCHANTS = Array.from({ length: 16 }, (_, i) => `M${String(i + 1).padStart(3, '0')}`);
const scratch = mkdtempSync(join(tmpdir(), 'pointage-at-once-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/**
 * Returns books in which every fourth merchant lacks a line, and the wallet of every seventh is
 * off.
 */
function manyBooks(): Record<string, HttpBooks> {
  const all = MERCHANTS.map((merchant, i) => {
    const books = makeHttpBooks(merchant, 3 + (i % 9));
    if (i % 4 === 0) books.ledger.splice(1, 1);
    if (i % 7 === 0) books.wallet = { ...books.wallet, balance: 7, available: 7 };
    return [merchant, books] as const;
  });
  return Object.fromEntries(all);
}

/**
 * Returns the document of an audit with so many merchants at once, without the numbers that
 * requests get.
 */
async function auditOf(
  atOnce: number,
  words: readonly string[],
  settings: object = {},
): Promise<string> {
  const config = join(scratch, 'config.json');
  writeFileSync(config, JSON.stringify({ ...settings, worker: { concurrency: atOnce } }));
  const asOf = ['--as-of', formatInstant(EVENING), '--format', 'json', '--config', config];
  const { status, out, err } = await pointage(['audit', ...words, ...asOf], {
    clock: () => EVENING,
  });
  expect([status, err]).toEqual([1, '']);
  return out.replaceAll(/request [\da-f-]{36}/g, 'request');
}

const kindsOf = (text: string): Readonly<Record<string, number>> => {
  const { merchants } = JSON.parse(text) as AuditDocument;
  const kinds = merchants.flatMap(({ findings }) => findings.map(({ kind }) => kind));
  return Object.fromEntries(
    [...Map.groupBy(kinds, (kind) => kind)].map(([kind, all]) => [kind, all.length]),
  );
};

test('tables, without a mirror, with one to compare with, and the mirror itself', async () => {
  const tables = await openPostgresBooks();
  try {
    const books = manyBooks();
    for (const { profile, wallet, ledger, operations } of Object.values(books))
      await insertBooks(tables.client, { merchant: profile, wallet, entries: ledger, operations });
    const source = ['--source', tables.settings.connectionString];
    const data = ['--data-directory', join(scratch, 'none')];
    const alone = await auditOf(1, [...source, ...data]);
    expect(await auditOf(16, [...source, ...data])).toBe(alone);
    const { totals, merchants } = JSON.parse(alone) as AuditDocument;
    expect(merchants.map(({ merchant }) => merchant)).toEqual(MERCHANTS);
    expect(totals).toMatchObject({ merchants: 16, broken: 6, clean: 10 });
    await withTestStore(async (_, databaseUrl) => {
      const mirror = ['--database-url', databaseUrl];
      await pointage(['run', ...source, ...mirror], { clock: () => EVENING });
      await tables.client.query(
        "update ledger_entries set description = 'later' where sequence = 3",
      );
      const compared = await auditOf(1, [...source, ...mirror]);
      expect(kindsOf(compared).ENTRY_REWRITTEN).toBe(16);
      expect(await auditOf(16, [...source, ...mirror])).toBe(compared);
      const mirrored = await auditOf(1, mirror);
      expect(JSON.parse(mirrored).totals).toMatchObject({ merchants: 16, broken: 6 });
      expect(await auditOf(16, mirror)).toBe(mirrored);
    });
  } finally {
    await tables.close();
  }
}, 120_000);

test('the API, one merchant refused, and its dashboard', async () => {
  const service = await startHttpService(manyBooks());
  const dashboard = await startDashboardService();
  service.clockOffset = EVENING - Date.now();
  service.before = ({ headers, path }) => {
    if (headers['x-api-key'] === credentialsOf('M010').apiKey)
      return { do: 'error', status: 403, code: 'FORBIDDEN' };
    return path === '/wallet' ? { do: 'drip', pause: 20 } : null;
  };
  const merchants = MERCHANTS.map((merchant) => {
    const login = merchant === 'M001' ? { dashboard: { numero: NUMERO, password: PASSWORD } } : {};
    return [merchant, { ...credentialsOf(merchant), ...login }] as const;
  });
  const settings = {
    merchants: Object.fromEntries(merchants),
    dashboard: { baseUrl: dashboard.baseUrl },
  };
  const words = ['--source', service.baseUrl, '--data-directory', join(scratch, 'none')];
  try {
    const alone = await auditOf(1, words, settings);
    const mostAlone = service.mostOpen;
    expect(dashboard.asked.length).toBeGreaterThan(1);
    expect(await auditOf(16, words, settings)).toBe(alone);
    expect(service.mostOpen, 'more at a time than of one merchant').toBeGreaterThan(mostAlone);
    const { merchants: reports } = JSON.parse(alone) as AuditDocument;
    const refused = reports.filter(({ notChecked }) =>
      notChecked.some(({ what }) => what === 'everything'),
    );
    expect(refused.map(({ merchant }) => merchant)).toEqual(['M010']);
  } finally {
    await dashboard.close();
    await service.close();
  }
}, 120_000);

test('so many at once and no more; the progress counts merchants', async () => {
  let [open, most] = [0, 0];
  const shown: unknown[] = [];
  const onMerchant = (label: string, of: number | null) => {
    shown.push(label, of);
    return (done: number) => void shown.push(done);
  };
  const options = { merchants: [], optionsFor: () => JUDGED, onMerchant, atOnce: 3 };
  const reports = await auditEach(MERCHANTS.slice(0, 7), options, async (merchant, each) => {
    most = Math.max(most, ++open);
    each.onMerchant(merchant, 1)(1);
    await new Promise((resolve) => setTimeout(resolve, merchant === 'M001' ? 40 : 5));
    open -= 1;
    return unreachable(merchant, 'a test');
  });
  expect(reports.map(({ merchant }) => merchant)).toEqual(MERCHANTS.slice(0, 7));
  expect([most, shown]).toEqual([3, ['merchants', 7, 1, 2, 3, 4, 5, 6, 7]]);
});

test('after a failure none is begun', async () => {
  const begun: string[] = [];
  const options = {
    merchants: [],
    optionsFor: () => JUDGED,
    onMerchant: () => () => {},
    atOnce: 2,
  };
  const ended = auditEach(MERCHANTS, options, async (merchant) => {
    begun.push(merchant);
    await new Promise((resolve) => setTimeout(resolve, merchant === 'M001' ? 1 : 20));
    if (merchant === 'M001') throw new SourceFailed('REFUSED', 'no more');
    return unreachable(merchant, 'a test');
  });
  await expect(ended).rejects.toThrow('no more');
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(begun).toEqual(['M001', 'M002']);
});
