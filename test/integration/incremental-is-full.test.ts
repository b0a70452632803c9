// To go on from a checkpoint and to start from the first line must say the same, however the books
// were split into runs, pages and batches, and wherever a run was killed: a run that remembers must
// not know better than a run that looks.

import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CATALOGUE } from '../../src/core/kernel/checks/port/kinds.ts';
import { openFileSource } from '../../src/io/sources/file/open-file-source.ts';
import { auditSnapshot } from '../../src/service/workflows/audit/audit-snapshot.ts';
import { arraySource, BrokenOff } from '../support/array-source.ts';
import { assertProperty } from '../support/assert-property.ts';
import { comparable, comparableState } from '../support/comparable-report.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { booksAt } from '../support/growing-books.ts';
import { optionsAt, runNight } from '../support/nightly.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { writeBundle } from '../support/sandbox-bundle.ts';
import { booksOfWorld, type Visit, type World, worlds } from '../support/split-worlds.ts';

const HISTORY: readonly string[] = CATALOGUE.find(({ section }) => section === 'history')!.kinds;

let opened: TestStore;
let folder: string;
let cases = 0;

beforeAll(async () => {
  opened = await openTestStore();
  folder = mkdtempSync(join(tmpdir(), 'pointage-split-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await opened.close();
});

async function holds(world: World): Promise<void> {
  cases += 1;
  const { books, faultAt } = booksOfWorld(world, `SPLIT_${cases}`);
  const final = decodeBooks(books);
  const merchant = final.profile.reference;
  // Notifications are left out here: a run judges those that it received itself, an audit of files
  // those that lie there. Other tests show that both agree.
  await writeBundle(join(folder, merchant), { ...books, notifications: [] });
  await rm(join(folder, merchant, 'events.jsonl'));
  const files = await openFileSource(folder);
  const snapshot = await files.open(merchant, null);
  const audited = await auditSnapshot(snapshot, optionsAt(final.asOf));
  const source = arraySource(final);
  source.absent = snapshot.absent;
  await snapshot.close();
  const count = final.entries.length;
  const visits = world.visits
    .map((visit) => ({ ...visit, lines: linesUntil(visit, { count, faultAt }) }))
    .sort((a, b) => a.lines - b.lines);
  for (const visit of [...visits, { ...world.last, lines: count, ends: 'whole' as const }]) {
    source.books = booksAt(final, visit);
    source.batchRows = visit.batchRows;
    source.onlyNew = visit.onlyNew;
    source.refusesEvery = visit.lines === count ? null : visit.refusesEvery;
    source.breaksAfter = typeof visit.ends === 'number' ? visit.ends : null;
    const night = {
      store: opened.store,
      source,
      merchant,
      now: source.books.asOf,
      pageRows: visit.pageRows,
      diesBeforeSaving: visit.ends === 'before-saving',
    };
    try {
      const { report, full, states } = await runNight(night);
      const when = `after ${visit.lines} of ${count} lines`;
      expect(comparableState(states.carried), when).toEqual(comparableState(states.full));
      expect(comparable(report), when).toEqual(comparable(full));
      if (visit.lines !== count) continue;
      // Files remember nothing of what was served on the way.
      const told = report.findings.filter(({ kind }) => !HISTORY.includes(kind));
      const alike =
        told.length === report.findings.length
          ? report
          : { ...report, verdict: audited.verdict, findings: told };
      expect(comparable(alike), 'against the files').toEqual(comparable(audited));
    } catch (failure) {
      if (!(failure instanceof BrokenOff)) throw failure;
    }
  }
}

function linesUntil(
  { until }: Visit,
  ledger: { readonly count: number; readonly faultAt: number },
): number {
  const lines =
    'share' in until ? Math.floor(until.share * ledger.count) : ledger.faultAt + until.fromFault;
  return Math.min(Math.max(0, lines), ledger.count);
}

test('any split into runs, pages and batches, and any run killed on the way, gives the report of one full audit', async () => {
  await assertProperty(fc.asyncProperty(worlds, holds), {
    runs: 6,
    // Each case is some runs on a database. PROPERTY_SHRINK=1 makes a failing case as small as it
    // gets.
    endOnFailure: process.env.PROPERTY_SHRINK === undefined,
  });
}, 1_200_000);
