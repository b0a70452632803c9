// An entry of a FEC keeps the day on which it was first written, through any revisions of its
// month, and in the file of the year. Entries that are new or changed have the day of their own
// edition, and so have deltas.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import { parsePeriod, parseYear } from '../../src/core/domain/period.ts';
import { openZone } from '../../src/core/domain/zone.ts';
import { DEFAULT_JOURNAL } from '../../src/core/statements/journal.ts';
import { fecFormat } from '../../src/io/formats/bookkeeping/entry-layouts.ts';
import { jsonFormat } from '../../src/io/formats/text/json.ts';
import type { Source } from '../../src/io/sources/port/source.ts';
import { nothingPublished } from '../../src/service/workflows/month/service-month.ts';
import {
  repositoryOfSource,
  writeStatements,
} from '../../src/service/workflows/month/write-statements.ts';
import { assertProperty } from '../support/assert-property.ts';
import { handBooks } from '../support/hand-books.ts';
import { snapshotOf } from '../support/month-of-books.ts';
import { optionsAt } from '../support/nightly.ts';
import type { DecodedBooks } from '../support/sandbox-books.ts';
import { TEMPLATE } from '../support/written-document.ts';

const MERCHANT = 'A_LA_MAIN';
const NOW = Date.UTC(2027, 0, 2);

interface Collection {
  readonly month: '10' | '11';
  readonly day: number;
  readonly amount: number;
}

const collection = fc.record({
  month: fc.constantFrom('10', '11'),
  day: fc.integer({ min: 1, max: 28 }),
  amount: fc.integer({ min: 1, max: 90 }).map((hundreds) => hundreds * 100),
}) as fc.Arbitrary<Collection>;
const step = fc.oneof(
  collection.map((one) => ({ do: 'add' as const, one })),
  fc.nat(9).map((at) => ({ do: 'change' as const, at })),
  fc.constantFrom('2026-10', '2026-11', '2026').map((period) => ({ do: 'make' as const, period })),
);

/**
 * Returns books with these collections in the order in which they were posted. A late one is dated
 * before the line before it.
 */
function booksOf(all: readonly Collection[], asOf: number): DecodedBooks {
  const rows = all.flatMap(({ month, day, amount }, i) => {
    const at = `${month}-${String(day).padStart(2, '0')}`;
    const reference = `GUI-CI-${i + 1}`;
    return [
      `op ${reference} SUCCEEDED ${amount} fees=${amount / 50} created=${at}T07:00 completed=${at}T08:00`,
      `${at}T08:00 CASHIN_CREDIT ${amount} ${reference}`,
      `${at}T08:00 CASHIN_FEE ${amount / 50} ${reference}`,
    ];
  });
  return { ...handBooks(rows.join('\n')), asOf };
}

async function make(folder: string, period: string, books: DecodedBooks): Promise<void> {
  const source = {
    merchants: async () => [MERCHANT],
    open: async () => snapshotOf(books),
  } as unknown as Source;
  const [outcome] = await writeStatements({
    repository: repositoryOfSource(source),
    merchants: [MERCHANT],
    period: parsePeriod(period) ?? parseYear(period)!,
    folder,
    formats: [jsonFormat, fecFormat],
    options: { language: 'fr', verifyAt: null, template: TEMPLATE },
    phoneNumbers: 'masked',
    zoneFor: () => openZone('UTC')!,
    journalFor: () => DEFAULT_JOURNAL,
    partiesFor: () => ({ issuer: null, holder: null }),
    auditFor: () => optionsAt(books.asOf),
    serviceMonthOf: nothingPublished,
    engine: 'pointage test',
    now: books.asOf,
    onMerchant: () => () => {},
  });
  if ('refused' in outcome!) throw new Error(outcome.refused);
}

/** Returns the entries of the period's newest file, without what a letter changes. */
function entriesIn(folder: string, period: string): ReadonlyMap<string, string> {
  const isFec = (name: string): boolean =>
    name.includes(`_${period}_r`) && statSync(join(folder, name)).isDirectory();
  const revisionOf = (name: string): number => Number(/_r(\d+)$/.exec(name)![1]);
  const newest = readdirSync(folder)
    .filter(isFec)
    .toSorted((a, b) => revisionOf(a) - revisionOf(b))
    .at(-1)!;
  const [file] = readdirSync(join(folder, newest)).filter((name) => !name.includes('delta'));
  const [head, ...lines] = readFileSync(join(folder, newest, file!), 'latin1')
    .split('\r\n')
    .filter((line) => line !== '');
  const columns = head!.split('\t');
  const rows = lines.map((line) =>
    Object.fromEntries(line.split('\t').map((cell, i) => [columns[i]!, cell])),
  );
  const textOf = ({
    EcritureLet: _,
    DateLet: __,
    ValidDate: ___,
    ...row
  }: Record<string, string>): string => JSON.stringify(row);
  return new Map(
    [...Map.groupBy(rows, (row) => row.EcritureNum)].map(([number, some]) => {
      const days = new Set(some.map((row) => row.ValidDate));
      expect(days.size, number).toBe(1);
      return [`${number} ${some.map(textOf).join()}`, [...days][0]!];
    }),
  );
}

test('an entry keeps its day in every revision and in the year', { timeout: 120_000 }, async () => {
  let kept = 0;
  const plays = fc.record({
    first: fc.array(collection, { minLength: 2, maxLength: 5 }),
    steps: fc.array(step, { minLength: 4, maxLength: 10 }),
  });
  await assertProperty(
    fc.asyncProperty(plays, async ({ first, steps }) => {
      const folder = mkdtempSync(join(tmpdir(), 'pointage-validated-'));
      try {
        let all: readonly Collection[] = first;
        let asOf = NOW;
        const months = new Map<string, string>();
        const years = new Map<string, string>();
        for (const one of [
          ...steps,
          ...['2026-10', '2026'].map((period) => ({ do: 'make' as const, period })),
        ]) {
          if (one.do === 'add') all = [...all, one.one];
          if (one.do === 'change')
            all = all.map((each, i) =>
              i === one.at % all.length ? { ...each, amount: each.amount + 100 } : each,
            );
          if (one.do !== 'make') continue;
          // Months that are to be revised are revised before their year is made.
          const isMade = (period: string) =>
            existsSync(join(folder, `RELEVE_${MERCHANT}_${period}_r1.json`));
          const before = one.period === '2026' ? ['2026-10', '2026-11'].filter(isMade) : [];
          for (const period of [...before, one.period]) {
            asOf += DAY;
            const made = new Date(asOf).toISOString().slice(0, 10).replaceAll('-', '');
            await make(folder, period, booksOf(all, asOf));
            const isYear = period === '2026';
            const known = isYear ? years : months;
            for (const [entry, day] of entriesIn(folder, period)) {
              const days = [years, months]
                .slice(isYear ? 0 : 1)
                .flatMap((of) => of.get(entry) ?? []);
              const isUnchanged = days.length > 0;
              if (isUnchanged) kept += 1;
              // A year may know more of an operation whose dates are odd than its month did. The
              // entry keeps the day of its number.
              const number = entry.slice(0, entry.indexOf(' ') + 1);
              const ofNumber = isYear
                ? [...months].filter(([known]) => known.startsWith(number)).map(([, on]) => on)
                : [];
              if (!isUnchanged && ofNumber.length > 0)
                expect(ofNumber, `${period} ${entry}`).toContain(day);
              else expect(day, `${period} ${entry}`).toBe(isUnchanged ? days.toSorted()[0] : made);
              if (!known.has(entry)) known.set(entry, day);
            }
          }
        }
      } finally {
        rmSync(folder, { recursive: true });
      }
    }),
    { runs: 12 },
  );
  expect(kept).toBeGreaterThan(0);
});
