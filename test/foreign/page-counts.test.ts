// How many pages a month's PDF has: of none to 455 operations, from files and from the store, with
// and without payments by link, with and without an issuer and a tax, in both languages.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openZone } from '../../src/core/domain/zone.ts';
import { DEFAULT_JOURNAL } from '../../src/core/statements/journal.ts';
import type { Language } from '../../src/core/statements/statement.ts';
import type { StatementFormat } from '../../src/io/formats/port/format.ts';
import { pdfFormat } from '../../src/io/formats/register.ts';
import { openFileDashboard } from '../../src/io/sources/file/open-file-dashboard.ts';
import { openFileSource } from '../../src/io/sources/file/open-file-source.ts';
import { askServiceMonthAt } from '../../src/service/workflows/month/service-month.ts';
import {
  type BookRepository,
  repositoryOfMirror,
  repositoryOfSource,
  writeStatements,
} from '../../src/service/workflows/month/write-statements.ts';
import { runMerchants } from '../../src/service/workflows/nightly/run-merchants.ts';
import { COUNTED, type Counted, countedBooks, referenceOf } from '../support/counted-books.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { areInstalled } from '../support/installed.ts';
import { optionsAt } from '../support/nightly.ts';
import { pagesOf } from '../support/pdf-tools.ts';
import { writeBundle } from '../support/sandbox-bundle.ts';
import { bytesOf, TEMPLATE } from '../support/written-document.ts';

/** By operations; `links`: with some 150 payments by link beside them. */
const MOST_PAGES: Readonly<Record<number, Readonly<Record<'bare' | 'links', number>>>> = {
  0: { bare: 1, links: 2 },
  1: { bare: 2, links: 2 },
  10: { bare: 2, links: 2 },
  60: { bare: 4, links: 4 },
  455: { bare: 12, links: 12 },
};
const LANGUAGES: readonly Language[] = ['fr', 'en'];
const READ_AT = Date.UTC(2026, 10, 4);
const ISSUED = {
  journal: {
    ...DEFAULT_JOURNAL,
    taxes: [
      { name: 'TVA', bps: 1800, from: null, countries: null, account: null, isRecoverable: true },
    ],
  },
  parties: {
    issuer: {
      legalName: 'Monnaie Exemple CI SA',
      registration: 'CI-ABJ-03-2026-B12-00001',
      taxNumber: { label: 'NCC', number: '2600001 A' },
      address: ['Boulevard de l’Exemple 1', 'Abidjan'],
    },
    holder: {
      legalName: 'Exemple SARL',
      registration: null,
      taxNumber: { label: 'NCC', number: '2600002 B' },
      address: [],
    },
  },
};
const BARE = { journal: DEFAULT_JOURNAL, parties: { issuer: null, holder: null } };

const mostOf = ({ operations, withLinks }: Counted): number =>
  MOST_PAGES[operations]![withLinks ? 'links' : 'bare'];

const folder = mkdtempSync(join(tmpdir(), 'pointage-counts-'));
const books = join(folder, 'books');
let opened: TestStore;

beforeAll(async () => {
  for (const counted of COUNTED)
    await writeBundle(join(books, referenceOf(counted)), countedBooks(counted));
  opened = await openTestStore();
  const source = await openFileSource(books);
  await runMerchants({
    store: opened.store,
    source,
    engine: 'pointage test',
    clock: () => READ_AT,
    merchants: [],
    optionsFor: (_, asOf) => optionsAt(asOf),
    onMerchant: () => () => {},
  });
  await source.close();
}, 60_000);
afterAll(async () => {
  await opened?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The PDF of each language, of one statement. */
async function writtenBy(
  repository: BookRepository,
  { journal, parties }: typeof BARE | typeof ISSUED,
  name: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const files = new Map<string, readonly string[]>();
  const inBoth: StatementFormat = {
    ...pdfFormat,
    write: async (document, options, out) => {
      for (const language of LANGUAGES) {
        const { reference } = document.statement.merchant;
        const file = join(folder, `${name}-${reference}-${language}.pdf`);
        writeFileSync(file, await bytesOf(pdfFormat, document, { language }));
        files.set(`${reference} ${language}`, pagesOf(file));
      }
      await pdfFormat.write(document, options, out);
    },
  };
  const outcomes = await writeStatements({
    repository,
    merchants: COUNTED.map(referenceOf),
    period: { year: 2026, month: 10 },
    folder: join(folder, name),
    formats: [inBoth],
    options: { language: 'fr', verifyAt: null, template: TEMPLATE },
    phoneNumbers: 'masked',
    zoneFor: () => openZone('UTC')!,
    journalFor: () => journal as typeof DEFAULT_JOURNAL,
    partiesFor: () => parties,
    auditFor: () => optionsAt(READ_AT),
    serviceMonthOf: askServiceMonthAt({ dashboard: openFileDashboard(books), summaryKeys: {} }),
    engine: 'pointage test',
    now: READ_AT,
    onMerchant: () => () => {},
  });
  expect(outcomes.flatMap((one) => ('refused' in one ? [one.refused] : []))).toEqual([]);
  return files;
}

describe.skipIf(!areInstalled('pdftotext'))('a month’s PDF (needs pdftotext)', () => {
  test.each([
    ['files', 'bare'],
    ['files', 'issued'],
    ['store', 'bare'],
    ['store', 'issued'],
  ] as const)(
    'from %s, %s, has no more pages than its operations need',
    async (from, how) => {
      const source = await openFileSource(books);
      const repository =
        from === 'files' ? repositoryOfSource(source) : repositoryOfMirror(opened.store);
      const pages = await writtenBy(repository, how === 'bare' ? BARE : ISSUED, `${from}-${how}`);
      await source.close();
      expect(pages.size).toBe(COUNTED.length * LANGUAGES.length);
      const found = COUNTED.flatMap((counted) =>
        LANGUAGES.map((language) => {
          const name = `${referenceOf(counted)} ${language}`;
          return [name, pages.get(name)!.length, mostOf(counted)] as const;
        }),
      );
      expect(found.filter(([, count, most]) => count > most)).toEqual([]);
    },
    60_000,
  );
});
