// A decision that a person takes while a night works on the merchant, after the night has read the
// decisions and before it saves what it found. The decision stands, the finding is not said to be
// back, and the next night judges by the decision.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { MINUTE } from '../../src/core/domain/instant.ts';
import { NO_TRACING, type Tracing } from '../../src/core/domain/measures.ts';
import {
  type DecisionWish,
  decideAbout,
  findOne,
} from '../../src/service/workflows/operators/decide-findings.ts';
import { arraySource } from '../support/array-source.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { handBooks } from '../support/hand-books.ts';
import { outcomeOf, runSource } from '../support/nightly-run.ts';

const SOUND = `
  10-02T09:00 CASHIN_CREDIT 5000 GUI-CI-1
  10-02T09:00 CASHIN_FEE 100 GUI-CI-1
  op GUI-CI-1 SUCCEEDED 5000 fees=100 created=10-02T08:55 completed=10-02T09:00`;
const TWICE = `${SOUND}
  10-02T09:01 CASHIN_CREDIT 5000 GUI-CI-1`;
const CORRECTED = `${TWICE}
  10-03T09:00 ADJUSTMENT_DEBIT 5000 GUI-CI-1`;

let opened: TestStore;
beforeEach(async () => {
  opened = await openTestStore();
});
afterEach(() => opened.close());

/** Works a night. `meanwhile` is called when everything is judged and nothing is saved yet. */
async function night(text: string, meanwhile: () => Promise<unknown> = async () => {}) {
  const books = handBooks(text, '11-02T00:00');
  const span: Tracing['span'] = async (name, attributes, work) => {
    if (name === 'save') await meanwhile();
    return NO_TRACING.span(name, attributes, work);
  };
  const run = await runSource(opened.store, arraySource(books), {
    clock: () => books.asOf,
    tracing: { span },
    optionsFor: (_, asOf) => ({
      asOf,
      grace: 0,
      clockTolerance: 5 * MINUTE,
      pinned: {},
      opening: null,
    }),
  });
  return outcomeOf(run, books.profile.reference);
}

const AT = Date.UTC(2026, 10, 3);

async function decide(
  fingerprint: string,
  wish: Pick<DecisionWish, 'action' | 'limit' | 'until'>,
): Promise<void> {
  const found = await findOne(opened.store, fingerprint);
  const words = { reason: 'seen with the service', by: 'awa', at: AT, announce: undefined };
  await decideAbout(opened.store, {}, { found, wish: { ...words, ...wish } });
}

function rootOf(report: Awaited<ReturnType<typeof night>>['report']): string {
  const [root, ...others] = report.findings.filter(
    ({ causedBy, kind }) => causedBy === null && kind.startsWith('CREDIT'),
  );
  expect(others).toEqual([]);
  return root!.fingerprint;
}

const UNCHANGED = { added: [], resolved: [], settled: [], reopened: [], changed: [] };

test.each([
  { action: 'settle', state: 'settled' },
  { action: 'accept', state: 'accepted', until: AT + 40 * 86_400_000 },
] as const)('$action is not taken back', async ({ state, ...wish }) => {
  const root = rootOf((await night(TWICE)).report);
  const during = await night(TWICE, () => decide(root, wish));
  // The night judged before anyone had decided.
  expect([during.report.verdict, during.changes]).toEqual(['broken', UNCHANGED]);
  const { state: now, decisions } = await findOne(opened.store, root);
  expect([now, decisions.map(({ by }) => by)]).toEqual([state, ['awa']]);
  const after = await night(TWICE);
  expect([after.report.verdict, after.changes]).toEqual(['clean', UNCHANGED]);
});

test('a correction that a person refuses meanwhile settles nothing', async () => {
  const root = rootOf((await night(TWICE)).report);
  expect((await night(CORRECTED)).report.verdict).toBe('clean');
  await decide(root, { action: 'reopen' });
  await night(CORRECTED);
  await decide(root, { action: 'settle' });
  expect((await night(CORRECTED)).report.verdict).toBe('clean');
  const during = await night(CORRECTED, () => decide(root, { action: 'reopen' }));
  expect(during.changes).toEqual(UNCHANGED);
  expect((await findOne(opened.store, root)).state).toBe('open');
  expect((await night(CORRECTED)).report.verdict).toBe('broken');
});

test('what a person settles while it ends by its terms is judged by the next night', async () => {
  const root = rootOf((await night(TWICE)).report);
  await decide(root, { action: 'accept', limit: '5000' });
  expect((await night(TWICE)).report.verdict).toBe('clean');
  const thrice = `${TWICE}
  10-02T09:02 CASHIN_CREDIT 5000 GUI-CI-1`;
  const during = await night(thrice, () => decide(root, { action: 'settle' }));
  expect(during.changes.reopened).toEqual([]);
  const after = await night(thrice);
  // The settlement was about 5,000, and the root has come to 10,000: it is open again.
  expect([after.report.verdict, after.changes.reopened]).toEqual(['broken', [root]]);
});
