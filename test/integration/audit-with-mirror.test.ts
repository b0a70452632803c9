// An audit of a source with a mirror at hand compares its lines with the mirror's. Whether of the
// API, of files or of tables, it names what the next run will name, and writes nothing.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AuditReport } from '../../src/core/domain/finding.ts';
import type { Source } from '../../src/io/sources/port/source.ts';
import { openPostgresSource } from '../../src/io/sources/postgres/open-postgres-source.ts';
import { openSource as openFiles } from '../../src/io/sources/register.ts';
import { auditSource } from '../../src/service/workflows/audit/audit-source.ts';
import { compareMirrored } from '../../src/service/workflows/mirror/compare-mirrored.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { type HttpBooks, makeHttpBooks } from '../support/http-books.ts';
import { openSource } from '../support/http-reader.ts';
import { startHttpService } from '../support/http-service.ts';
import { EVENING, JUDGED, outcomeOf, runSource } from '../support/nightly-run.ts';
import { insertBooks, openPostgresBooks } from '../support/postgres-books.ts';

const LINES = 60;

let opened: TestStore;
const closing: (() => Promise<void> | void)[] = [];
beforeEach(async () => {
  opened = await openTestStore();
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await opened.close();
});

/** Opens the books as they are served at that moment. */
type Serve = (books: HttpBooks) => Promise<Source>;

const SERVED: Readonly<Record<string, () => Promise<Serve>>> = {
  'the API': async () => {
    const service = await startHttpService({});
    closing.push(() => service.close());
    service.clockOffset = EVENING - Date.now();
    return async (books) => {
      service.books.M001 = books;
      return openSource(service, { clock: () => EVENING });
    };
  },
  files: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pointage-compared-'));
    closing.push(() => rmSync(folder, { recursive: true, force: true }));
    const lines = (rows: readonly object[]) =>
      rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    return async ({ profile, wallet, ledger, operations }) => {
      writeFileSync(join(folder, 'merchant.json'), JSON.stringify(profile));
      writeFileSync(join(folder, 'wallet.json'), JSON.stringify(wallet));
      writeFileSync(join(folder, 'ledger.jsonl'), lines(ledger));
      writeFileSync(join(folder, 'operations.jsonl'), lines(operations));
      return openFiles(`file:${folder}`, {});
    };
  },
  tables: async () => {
    const tables = await openPostgresBooks();
    closing.push(() => tables.close());
    return async ({ profile, wallet, ledger, operations }) => {
      await tables.client.query('truncate merchants, wallets, ledger_entries, operations');
      await insertBooks(tables.client, { merchant: profile, wallet, entries: ledger, operations });
      return openPostgresSource(tables.settings);
    };
  },
};

const rootsIn = ({ findings }: AuditReport): readonly string[] =>
  findings
    .filter(({ causedBy }) => causedBy === null)
    .map(({ kind, sequence }) => `${kind} ${sequence}`);

const contents = async () =>
  (
    await opened.store.pool.query(
      'select intake, entry_count, variant_count, alteration_count from merchant_heads',
    )
  ).rows;

const CHANGES: Readonly<
  Record<string, { readonly change: (books: HttpBooks) => void; readonly roots: readonly string[] }>
> = {
  'a description': {
    change: ({ ledger }) => {
      ledger[19] = { ...ledger[19]!, description: 'changed afterwards' };
    },
    roots: ['ENTRY_REWRITTEN 20'],
  },
  'two lines apart': {
    change: ({ ledger }) => {
      for (const at of [9, 39]) ledger[at] = { ...ledger[at]!, description: 'changed afterwards' };
    },
    roots: ['ENTRY_REWRITTEN 10', 'ENTRY_REWRITTEN 40'],
  },
  'the first line less': {
    change: ({ ledger }) => void ledger.shift(),
    roots: ['HISTORY_NO_LONGER_SERVED 1'],
  },
  'a line less': { change: ({ ledger }) => void ledger.splice(29, 1), roots: ['ENTRY_DELETED 30'] },
  'a line less, the later ones renumbered': {
    change: (books) => {
      const later = books.ledger.splice(19).slice(1);
      for (const line of later) {
        const [sequence, balance] = [Number(line.sequence) - 1, Number(line.balanceAfter) - 1_000];
        books.ledger.push({ ...line, sequence, balanceAfter: balance });
      }
      books.operations.splice(19, 1);
      books.wallet = {
        ...books.wallet,
        balance: 59_000,
        available: 59_000,
        totalCollected: 59_000,
      };
    },
    roots: ['ENTRY_DELETED 20'],
  },
  'the last ten lines less': {
    change: ({ ledger }) => void ledger.splice(50),
    roots: ['SEQUENCE_RESET 51'],
  },
};

const OF_ENDS = new Set([
  'the first line less',
  'the last ten lines less',
  'a line less, the later ones renumbered',
]);

test.each(Object.keys(SERVED))(
  'what %s serve otherwise than before',
  async (name) => {
    const serve = await SERVED[name]!();
    const audited = async (books: HttpBooks, mirror = true): Promise<AuditReport> => {
      const source = await serve(books);
      const optionsFor = () => JUDGED;
      const compared = mirror ? { compared: compareMirrored.bind(null, opened.store) } : {};
      const [report] = await auditSource(source, {
        merchants: [],
        optionsFor,
        onMerchant: () => () => {},
        ...compared,
      });
      await source.close();
      return report!;
    };
    const night = async (books: HttpBooks): Promise<AuditReport> => {
      const source = await serve(books);
      const { report } = outcomeOf(await runSource(opened.store, source), 'M001');
      await source.close();
      return report;
    };
    const sound = () => makeHttpBooks('M001', LINES);
    expect(rootsIn(await audited(sound())), 'nothing is mirrored yet').toEqual([]);
    expect((await audited(sound())).notChecked.map(({ what }) => what)).toContain('history');
    expect(rootsIn(await night(sound()))).toEqual([]);
    const before = await contents();
    const report = await audited(sound());
    expect(rootsIn(report)).toEqual([]);
    expect(report.notChecked.some(({ what }) => what === 'history')).toBe(name === 'files');
    const older = {
      ...sound(),
      ledger: sound().ledger.slice(0, 40),
      operations: sound().operations.slice(0, 40),
    };
    older.wallet = { ...older.wallet, balance: 40_000, available: 40_000, totalCollected: 40_000 };
    if (name === 'files') expect(rootsIn(await audited(older))).toEqual([]);
    for (const [what, { change, roots }] of Object.entries(CHANGES)) {
      // A copy may be older than the mirror, or only a part.
      if (name === 'files' && OF_ENDS.has(what)) continue;
      const books = sound();
      change(books);
      const found = await audited(books);
      expect(rootsIn(found), what).toEqual(roots);
      expect(found.verdict).toBe('broken');
      expect(rootsIn(await audited(books, false)), 'without a mirror').not.toEqual(roots);
    }
    const others = sound();
    others.ledger[19] = { ...others.ledger[19]!, description: 'of another service' };
    others.wallet = { ...others.wallet, walletId: '99999999-0000-4000-8000-000000000009' };
    const foreign = await audited(others);
    expect(rootsIn(foreign), 'books of another wallet').toEqual([]);
    const codes = foreign.notChecked.flatMap(({ code }) =>
      code === 'MIRROR_OF_ANOTHER_WALLET' ? [code] : [],
    );
    expect(codes).toHaveLength(1);
    expect(await contents(), 'nothing is written').toEqual(before);
    const books = sound();
    CHANGES['two lines apart']!.change(books);
    const told = rootsIn(await audited(books));
    expect(rootsIn(await night(books))).toEqual(told);
    expect(rootsIn(await audited(books)), 'what the mirror knows by now').toEqual(told);
  },
  120_000,
);
