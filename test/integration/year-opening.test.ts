// The opening of a year in plain text, which the close of the year before writes: included before
// the journals of the year's months, as they were issued, hledger and ledger check them all and come
// to what all months since the first have, also in books of another currency.

import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_JOURNAL, type JournalSettings } from '../../src/core/statements/journal.ts';
import type { Statement } from '../../src/core/statements/statement.ts';
import { formatNamed } from '../../src/io/formats/register.ts';
import { readReportFile } from '../../src/io/storage/issued/report-files.ts';
import { loadIssuedReport } from '../../src/io/storage/issued/reports.ts';
import { publishStatement } from '../../src/service/workflows/month/publish-statement.ts';
import { IN_UTF8 } from '../support/in-utf8.ts';
import { areInstalled } from '../support/installed.ts';
import { pointageAs } from '../support/operator-token.ts';
import { openReportBooks, publishTask, type ReportBooks } from '../support/report-books.ts';

const run = promisify(execFile);
const NOW = Date.UTC(2027, 2, 5, 12);
const MERCHANT = 'KIOSQUE';
const PERIODS = ['2026-10', '2026-11', '2026-12', '2027-01', '2027-02'];
const IN_EUROS: JournalSettings = {
  ...DEFAULT_JOURNAL,
  books: {
    currency: 'EUR',
    decimals: 2,
    rates: [1.52, 1.61, 1.4].map((worth, i) => {
      return {
        of: 'XOF',
        from: `${2026 + (i >> 1)}-${i === 1 ? '12' : '01'}-01`,
        units: 1_000,
        worth,
      };
    }),
  },
};

describe.each([
  ['in the wallet’s currency', DEFAULT_JOURNAL],
  ['in euros', IN_EUROS],
])('books %s', (_, journal) => {
  let books: ReportBooks;
  let folder: string;
  const statements: Statement[] = [];
  const fileOf = (name: string): string => join(folder, `${name}.journal`);

  beforeAll(async () => {
    books = await openReportBooks([MERCHANT]);
    await books.run(NOW);
    folder = mkdtempSync(join(tmpdir(), 'pointage-opening-'));
    const formats = [formatNamed('json')!, formatNamed('journal')!];
    for (const period of PERIODS) {
      const [year, month] = period.split('-').map(Number);
      const asked = { formats, period: { year: year!, month: month! }, now: NOW };
      const task = publishTask(books.store, asked);
      await publishStatement({ ...task, journalFor: () => journal }, MERCHANT);
      const report = await loadIssuedReport(books.store, { merchant: MERCHANT, period });
      const read = async (name: 'json' | 'journal') => {
        const chunks: Uint8Array[] = [];
        for await (const chunk of readReportFile(books.store, report!, name)) chunks.push(chunk);
        return Buffer.concat(chunks);
      };
      statements.push(JSON.parse((await read('json')).toString()).statement);
      writeFileSync(fileOf(period), await read('journal'));
    }
    const words = ['statement', 'close', MERCHANT, '2026', '--certificate', folder, '--yes'];
    const options = ['--reason', 'comptes approuvés', '--database-url', books.databaseUrl];
    const closed = await pointageAs('awa', [...words, ...options], { clock: () => NOW });
    expect([closed.status, closed.err]).toEqual([0, '']);
    expect(closed.out).toContain(fileOf(`OUVERTURE_${MERCHANT}_2027`));
  }, 120_000);
  afterAll(async () => {
    await books.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function joined(name: string, ...files: readonly string[]): string {
    writeFileSync(fileOf(name), files.map((file) => `include ${fileOf(file)}\n`).join(''));
    return fileOf(name);
  }

  async function balancesOf(file: string, ...options: readonly string[]) {
    const asked = ['-f', file, 'bal', '--flat', '-N', '-O', 'csv', ...options];
    const { stdout } = await run('hledger', asked, IN_UTF8);
    return Object.fromEntries(
      [...stdout.matchAll(/^"(\d+) .+?","(.+)"/gm)].map(([, account, amount]) => [account, amount]),
    );
  }
  const ofBalanceSheet = (balances: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(
      Object.entries(balances).filter(([account]) => !/^(?:[678]|130)/.test(account)),
    );

  test('it is written once the year is closed, and is the same made again', () => {
    expect(readdirSync(folder).filter((name) => name.startsWith('OUVERTURE'))).toEqual([
      `OUVERTURE_${MERCHANT}_2027.journal`,
    ]);
    const text = readFileSync(fileOf(`OUVERTURE_${MERCHANT}_2027`), 'utf8');
    expect(text).toContain('2027-01-01 Ouverture');
  });

  test.skipIf(!areInstalled('hledger'))(
    'hledger checks the year’s months behind it, and not without it',
    async () => {
      const months = PERIODS.slice(3);
      const opened = joined('opened', `OUVERTURE_${MERCHANT}_2027`, ...months);
      await run('hledger', ['-f', opened, 'check', '--strict', 'ordereddates'], IN_UTF8);
      await expect(
        run('hledger', ['-f', joined('bare', ...months), 'check'], IN_UTF8),
      ).rejects.toThrow(/assert/i);
      const all = joined('all', ...PERIODS);
      // What has no amount in francs has euros alone, and counts in what all is worth.
      for (const options of [['cur:XOF'], ['-B']]) {
        const [since, whole] = [
          await balancesOf(opened, ...options),
          await balancesOf(all, ...options),
        ];
        expect(Object.keys(ofBalanceSheet(since)).length).toBeGreaterThan(1);
        expect(ofBalanceSheet(since), options.join()).toEqual(ofBalanceSheet(whole));
      }
      const { closing } = statements.at(-1)!.journal.wallet;
      expect((await balancesOf(opened))['552']).toContain(`${closing} XOF`);
    },
  );

  test.skipIf(!areInstalled('ledger'))('ledger balances them to 0', async () => {
    const opened = joined('opened', `OUVERTURE_${MERCHANT}_2027`, ...PERIODS.slice(3));
    const asked = ['--pedantic', '--strict', '-f', opened, 'bal', '-B'];
    const { stdout } = await run('ledger', asked, IN_UTF8);
    expect(stdout.trimEnd().split('\n').at(-1)!.trim()).toBe('0');
  });
});
