// What is said of an operation does not depend on how many lines lie between its own. With
// thousands of sound operations put between them, a session that settles and recalls operations
// says what a session says that keeps all of them in memory, and what is said of the books as they
// were; from files, from memory and from the mirror, in one run and in many.

import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditReport } from '../../src/core/domain/finding.ts';
import { openFileSource } from '../../src/io/sources/file/open-file-source.ts';
import { LAWFUL_POLICIES, namePolicy } from '../../src/sandbox/model/policy.ts';
import { auditSnapshot } from '../../src/service/workflows/audit/audit-snapshot.ts';
import { arraySource } from '../support/array-source.ts';
import { assertProperty } from '../support/assert-property.ts';
import { comparable } from '../support/comparable-report.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { booksAt } from '../support/growing-books.ts';
import { memorySnapshot } from '../support/memory-snapshot.ts';
import {
  interpretationsOf,
  naiveBooksUntold,
  saidByEngine,
  saidByNaive,
} from '../support/naive-comparison.ts';
import { optionsAt, runNight } from '../support/nightly.ts';
import { type DecodedBooks, decodeBooks } from '../support/sandbox-books.ts';
import { writeBundle } from '../support/sandbox-bundle.ts';
import { booksOfWorld, type FaultyWorld, faultyWorlds } from '../support/split-worlds.ts';
import { type StretchedBooks, stretchBooks } from '../support/stretched-books.ts';

interface FarWorld {
  readonly world: FaultyWorld;
  /** Where sound operations are put, as a share of the lines. */
  readonly place: number;
  /** Which line is not served, as a share of the lines; `null`: all are served. */
  readonly lost: number | null;
}

const share = fc.double({ min: 0.02, max: 0.98, noNaN: true });
const farWorlds: fc.Arbitrary<FarWorld> = fc.record({
  world: faultyWorlds,
  place: share,
  lost: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: share }),
});

/** More lines than a session keeps in memory before it looks for what has settled. */
const FAR = 1_100;
const MOST_PLACES = 3;

function booksOf(
  { world, place, lost }: FarWorld,
  reference: string,
): { near: DecodedBooks; far: StretchedBooks } {
  // Lines have other numbers where others stand between them, so that a correction names its fault
  // in another way.
  const corrections = world.corrections.map((wish) =>
    wish.names === 'line' ? { ...wish, names: 'operation' as const } : wish,
  );
  const made = booksOfWorld({ ...world, corrections }, reference);
  const count = made.books.entries.length;
  const at = lost === null ? -1 : Math.floor(lost * count);
  const books = { ...made.books, entries: made.books.entries.filter((_, i) => i !== at) };
  const known = new Set(made.sound.entries.map(({ id }) => id));
  const touched = new Set(made.planted.map(({ operationReference }) => operationReference));
  for (const { id, operationReference } of books.entries)
    if (!known.has(id)) touched.add(operationReference);
  const places = books.entries.flatMap(({ operationReference }, i) =>
    operationReference !== null && touched.has(operationReference) ? [i] : [],
  );
  const chosen = [Math.floor(place * count), ...places.slice(1 - MOST_PLACES)];
  return { near: decodeBooks(books), far: stretchBooks(books, { places: chosen, count: FAR }) };
}

async function audit(books: DecodedBooks, keepsAll: boolean): Promise<AuditReport> {
  const snapshot = memorySnapshot(
    { books, profiles: [books.profile], asOf: books.asOf },
    { keepsAll, batchRows: 250 },
  );
  return auditSnapshot(snapshot, optionsAt(books.asOf));
}

/**
 * Returns what is said, and where in the books as they were. The cause is left out, because it is
 * looked for among the lines around a finding.
 */
function said(
  { findings }: AuditReport,
  was: ReadonlyMap<number, number> | null,
): readonly unknown[] {
  return findings
    .map(({ kind, severity, sequence, operationReference, expected, actual, settledBy }) => {
      const placeOf = (line: string) =>
        was === null ? line : String(was.get(Number(line)) ?? `new ${line}`);
      const place = sequence === null ? null : placeOf(sequence);
      const settled = settledBy?.lines.map(placeOf) ?? null;
      return JSON.stringify({
        kind,
        severity,
        place,
        operationReference,
        expected,
        actual,
        settled,
      });
    })
    .sort();
}

function nameOf(far: FarWorld): string {
  return `${namePolicy(LAWFUL_POLICIES[far.world.policy]!)} ${JSON.stringify(far)}`;
}

test('settled and recalled, an operation is judged as one that was at hand all the time', async () => {
  await assertProperty(
    fc.asyncProperty(farWorlds, async (world) => {
      const { near, far } = booksOf(world, 'FAR');
      const books = decodeBooks(far.books);
      const settled = await audit(books, false);
      const kept = await audit(books, true);
      expect(comparable(settled), nameOf(world)).toEqual(comparable(kept));
      expect(said(settled, far.was), nameOf(world)).toEqual(said(await audit(near, true), null));
      expect(saidByEngine(settled), nameOf(world)).toEqual(
        saidByNaive(naiveBooksUntold(books), interpretationsOf(settled)),
      );
    }),
    { runs: 2, endOnFailure: process.env.PROPERTY_SHRINK === undefined },
  );
}, 7_200_000);

let opened: TestStore;
let folder: string;
let cases = 0;

beforeAll(async () => {
  opened = await openTestStore();
  folder = mkdtempSync(join(tmpdir(), 'pointage-far-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await opened.close();
});

/**
 * Mirrors the books in runs that end after these shares of the lines, and returns what the last run
 * says.
 */
async function lastRun(
  books: DecodedBooks,
  absent: ReturnType<typeof arraySource>['absent'],
  ends: readonly number[],
) {
  const source = arraySource(books);
  source.absent = absent;
  const night = { store: opened.store, source, merchant: books.profile.reference, pageRows: 2_000 };
  for (const end of ends) {
    source.books = booksAt(books, {
      lines: Math.floor(end * books.entries.length),
      manner: 'orderly',
    });
    await runNight({
      ...night,
      now: source.books.asOf,
      diesBeforeSaving: false,
      withoutFull: true,
    });
  }
  source.books = books;
  return runNight({ ...night, now: books.asOf, diesBeforeSaving: false });
}

test('from files, and from the mirror in one run and in many, the findings are the same', async () => {
  await assertProperty(
    fc.asyncProperty(
      farWorlds,
      fc.array(share, { minLength: 1, maxLength: 3 }),
      async (world, ends) => {
        cases += 1;
        const { far } = booksOf(world, `FAR_${cases}`);
        const books = decodeBooks(far.books);
        const { reference } = books.profile;
        await writeBundle(join(folder, reference), { ...far.books, notifications: [] });
        await rm(join(folder, reference, 'events.jsonl'));
        const files = await openFileSource(folder);
        const snapshot = await files.open(reference, null);
        const audited = await auditSnapshot(snapshot, optionsAt(books.asOf));
        await snapshot.close();
        expect(
          audited.findings.map(({ fingerprint }) => fingerprint),
          nameOf(world),
        ).toEqual((await audit(books, true)).findings.map(({ fingerprint }) => fingerprint));
        const { report, full } = await lastRun(
          books,
          snapshot.absent,
          ends.toSorted((a, b) => a - b),
        );
        expect(comparable(report), `in runs, ${nameOf(world)}`).toEqual(comparable(audited));
        expect(comparable(full), `in one run, ${nameOf(world)}`).toEqual(comparable(audited));
      },
    ),
    { runs: 1, endOnFailure: process.env.PROPERTY_SHRINK === undefined },
  );
}, 7_200_000);
