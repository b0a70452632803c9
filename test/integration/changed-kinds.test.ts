// A fault that is of another kind or at another line the next night, such as a missing debit that
// is posted too small and then twice, is one story. It keeps when it was first seen, owner, labels,
// due day and history, and is said to be neither new nor resolved. A decision about it no longer
// holds.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FindingKind } from '../../src/core/domain/finding-kind.ts';
import { MINUTE } from '../../src/core/domain/instant.ts';
import { successorsOf } from '../../src/io/storage/conclusions/changed-kinds.ts';
import {
  type DecisionWish,
  decideAbout,
  findOne,
} from '../../src/service/workflows/operators/decide-findings.ts';
import { arraySource } from '../support/array-source.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { handBooks } from '../support/hand-books.ts';
import { outcomeOf, runSource } from '../support/nightly-run.ts';

const MISSING = `
  10-01T09:00 CASHIN_CREDIT 500000 GUI-CI-1
  10-01T09:00 CASHIN_FEE 10000 GUI-CI-1
  op GUI-CI-1 SUCCEEDED 500000 fees=10000 created=10-01T08:55 completed=10-01T09:00
  10-02T09:00 CASHOUT_HOLD 101000 GUI-CO-1
  op GUI-CO-1 SUCCEEDED 100000 fees=1000 created=10-02T09:00 completed=10-02T09:05`;
const SMALL = `${MISSING}
  10-06T09:00 CASHOUT_DEBIT 90000 GUI-CO-1
  10-06T09:00 CASHOUT_FEE 1000 GUI-CO-1`;
const TWICE = `${SMALL}
  10-07T09:00 CASHOUT_DEBIT 90000 GUI-CO-1`;
const RIGHT = `${MISSING}
  10-08T09:00 CASHOUT_DEBIT 100000 GUI-CO-1
  10-08T09:00 CASHOUT_FEE 1000 GUI-CO-1`;

let opened: TestStore;
beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(() => opened.close());

/** Works a night over one merchant. A debit stands for one root of its operation. */
async function night(merchant: string, text: string) {
  const books = handBooks(text, '11-02T00:00');
  const source = arraySource({ ...books, profile: { ...books.profile, reference: merchant } });
  source.onlyNew = false;
  const run = await runSource(opened.store, source, {
    merchants: [merchant],
    clock: () => books.asOf,
    optionsFor: (_, asOf) => ({
      asOf,
      grace: 0,
      clockTolerance: 5 * MINUTE,
      pinned: {},
      opening: null,
    }),
  });
  const { report, changes } = outcomeOf(run, merchant);
  const root = report.findings.find(
    ({ causedBy, kind }) => causedBy === null && kind.startsWith('DEBIT_'),
  );
  return { runId: run.runId, root: root?.fingerprint ?? null, kind: root?.kind ?? null, changes };
}

async function decide(
  fingerprint: string,
  action: DecisionWish['action'],
  reason: string,
): Promise<void> {
  const found = await findOne(opened.store, fingerprint);
  const wish = { action, reason, by: 'awa', at: Date.UTC(2026, 10, 1), announce: undefined };
  await decideAbout(opened.store, {}, { found, wish });
}

test('is not said to be gone where one finding speaks for many since', async () => {
  const shared = async (count: number) => {
    const rows = Array.from({ length: count }, (_, i) => [
      `10-01T09:${10 + i} CASHIN_CREDIT 1000 GUI-CI-${i + 10}`,
      `op GUI-CI-${i + 10} SUCCEEDED 1000 fees=0 created=10-01T09:${10 + i} completed=10-01T09:${10 + i}`,
    ]);
    const books = handBooks(rows.flat().join('\n'), '11-02T00:00');
    const operations = books.operations.map((one) => ({ ...one, externalReference: 'NA' }));
    const source = arraySource({
      ...books,
      operations,
      profile: { ...books.profile, reference: 'SHARED' },
    });
    source.onlyNew = false;
    const run = await runSource(opened.store, source, {
      merchants: ['SHARED'],
      clock: () => books.asOf,
      optionsFor: (_, asOf) => ({
        asOf,
        grace: 0,
        clockTolerance: 5 * MINUTE,
        pinned: {},
        opening: null,
      }),
    });
    return outcomeOf(run, 'SHARED');
  };
  const apart = (await shared(20)).report.findings.filter(
    ({ kind }) => kind === 'EXTERNAL_REFERENCE_DUPLICATED',
  );
  expect(apart).toHaveLength(19);
  const { changes, report } = await shared(30);
  const [all, ...others] = report.findings.filter(
    ({ kind }) => kind === 'EXTERNAL_REFERENCE_DUPLICATED',
  );
  expect(others).toEqual([]);
  expect(all!.figures.gathered).toMatchObject({ of: 'operations', count: '29' });
  expect(changes).toMatchObject({ added: [], resolved: [], changed: [] });
  const joined = apart.find(({ fingerprint }) => fingerprint !== all!.fingerprint)!;
  expect((await findOne(opened.store, joined.fingerprint)).decisions.at(-1)).toMatchObject({
    action: 'become',
    reason: `It is EXTERNAL_REFERENCE_DUPLICATED ${all!.fingerprint} now.`,
  });
});

test('goes on with its age, owner, labels, due day and history, and its acceptance is over', async () => {
  const first = await night('LATE', MISSING);
  expect(first.kind).toBe('DEBIT_MISSING');
  await decide(first.root!, 'assign', 'moussa');
  await decide(first.root!, 'label', '+bank');
  await decide(first.root!, 'due', '2026-11-30');
  await decide(first.root!, 'comment', 'asked them');
  await decide(first.root!, 'accept', 'comes on Friday');
  const second = await night('LATE', SMALL);
  expect(second.kind).toBe('DEBIT_AMOUNT_MISMATCH');
  expect([second.changes.changed, second.changes.added.includes(second.root!)]).toEqual([
    [second.root],
    false,
  ]);
  expect(second.changes.resolved).not.toContain(first.root);
  const small = await findOne(opened.store, second.root!);
  expect(small).toMatchObject({
    ...{
      state: 'open',
      owner: 'moussa',
      labels: ['bank'],
      dueOn: '2026-11-30',
      firstSeenRun: first.runId,
    },
    earlier: ['assign', 'label', 'due', 'comment', 'accept', 'become'].map((action) => ({
      action,
    })),
    decisions: [],
  });
  expect(small.earlier.at(-1)).toMatchObject({
    by: 'pointage',
    reason: `It is DEBIT_AMOUNT_MISMATCH ${second.root} now.`,
  });
  await decide(second.root!, 'comment', 'too small');
  const third = await night('LATE', TWICE);
  expect([third.kind, third.root === second.root]).toEqual(['DEBIT_AMOUNT_MISMATCH', false]);
  const twice = await findOne(opened.store, third.root!);
  expect(twice).toMatchObject({ owner: 'moussa', firstSeenRun: first.runId });
  expect(twice.earlier.map(({ reason }) => reason)).toEqual(
    expect.arrayContaining(['asked them', 'too small']),
  );
});

test('is put right where the debit comes late and whole', async () => {
  const first = await night('MENDED', MISSING);
  const { changes } = await night('MENDED', RIGHT);
  expect(changes).toMatchObject({ changed: [], settled: [first.root], resolved: [] });
});

test.each([
  ['a debit', 'DEBIT_MISSING GUI-CO-1', 'DEBIT_AMOUNT_MISMATCH GUI-CO-1', true],
  ['a hold', 'HOLD_MISSING GUI-CO-1', 'HOLD_AMOUNT_MISMATCH GUI-CO-1', true],
  ['another part', 'FEE_MISSING GUI-CO-1', 'DEBIT_AMOUNT_MISMATCH GUI-CO-1', false],
  ['another operation', 'DEBIT_MISSING GUI-CO-1', 'DEBIT_AMOUNT_MISMATCH GUI-CO-2', false],
  ['no operation', 'BALANCE_DRIFT', 'BALANCE_NEGATIVE', false],
  [
    'what follows from another',
    'DEBIT_MISSING GUI-CO-1',
    'DEBIT_AMOUNT_MISMATCH GUI-CO-1 root',
    false,
  ],
])('of %s it is one story or two', (_, before, now, isOne) => {
  const rootOf = (text: string) => {
    const [kind, operationReference = null, causedBy = null] = text.split(' ');
    return { kind: kind as FindingKind, operationReference, causedBy, fingerprint: text };
  };
  const found = successorsOf([rootOf(before), rootOf(before)], [rootOf(now)]);
  expect([...found.values()].map(({ fingerprint }) => fingerprint)).toEqual(isOne ? [now] : []);
});
