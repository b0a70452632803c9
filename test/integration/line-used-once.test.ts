// One line settles one finding. By command, over HTTP and in the console, a second finding is
// refused by a sentence that says what the line settles already, and nothing is changed.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { MINUTE } from '../../src/core/domain/instant.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { ENGINE } from '../../src/service/engine.ts';
import { findOne } from '../../src/service/workflows/operators/decide-findings.ts';
import { arraySource } from '../support/array-source.ts';
import { type ConsoleBooks, openConsoleBooks } from '../support/console-books.ts';
import { logIn } from '../support/console-login.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { handBooks } from '../support/hand-books.ts';
import { runSource } from '../support/nightly-run.ts';
import { OPERATOR } from '../support/operator-books.ts';
import { pointageAs } from '../support/operator-token.ts';

/**
 * Two cash-ins that are credited twice, and one line that takes back one credit and names neither.
 */
const BOOKS = handBooks(
  `
  10-02T09:00 CASHIN_CREDIT 5000 GUI-CI-1
  10-02T09:00 CASHIN_FEE 100 GUI-CI-1
  op GUI-CI-1 SUCCEEDED 5000 fees=100 created=10-02T08:55 completed=10-02T09:00
  10-02T09:01 CASHIN_CREDIT 5000 GUI-CI-1
  10-03T09:00 CASHIN_CREDIT 5000 GUI-CI-2
  10-03T09:00 CASHIN_FEE 100 GUI-CI-2
  op GUI-CI-2 SUCCEEDED 5000 fees=100 created=10-03T08:55 completed=10-03T09:00
  10-03T09:01 CASHIN_CREDIT 5000 GUI-CI-2
  10-20T09:00 ADJUSTMENT_DEBIT 5000 -`,
  '11-02T00:00',
);

let store: TestStore;
let opened: ConsoleBooks;
let settled: string;
let other: string;
beforeAll(async () => {
  store = await openTestStore();
  const { report } = (
    await runSource(store.store, arraySource(BOOKS), {
      engine: ENGINE,
      clock: () => BOOKS.asOf,
      optionsFor: (_, asOf) => ({
        asOf,
        grace: 0,
        clockTolerance: 5 * MINUTE,
        pinned: {},
        opening: null,
      }),
    })
  ).merchants[0]!;
  const roots = report.findings.filter(
    ({ kind, causedBy }) => kind === 'CREDIT_DUPLICATED' && causedBy === null,
  );
  [settled, other] = roots.map(({ fingerprint }) => fingerprint) as [string, string];
  const { databaseUrl } = store;
  const configuration = await loadConfiguration({ databaseUrl }, {});
  const shared = {
    folder: '',
    store: store.store,
    databaseUrl,
    configuration,
    close: async () => {},
  };
  opened = await openConsoleBooks({}, { shared });
});
afterAll(async () => {
  await opened.close();
  await store.close();
});

const command = (fingerprint: string) =>
  pointageAs('awa', [
    'findings',
    'settle',
    fingerprint,
    '--line',
    '7',
    '--database-url',
    store.databaseUrl,
  ]);
const refusal = () => `Line 7 settles ${settled} (CREDIT_DUPLICATED) already, and is used once.`;
const stateOf = async (fingerprint: string) => (await findOne(store.store, fingerprint)).state;

test('the first is settled by it', async () => {
  expect(await command(settled)).toMatchObject({ status: 0 });
  expect([await stateOf(settled), await stateOf(other)]).toEqual(['settled', 'open']);
});

test('by command', async () => {
  const { status, err } = await command(other);
  expect([status, err.replace(/\s+/g, ' ')]).toEqual([3, expect.stringContaining(refusal())]);
  expect(await stateOf(other)).toBe('open');
});

test('over HTTP', async () => {
  const headers = { authorization: `Bearer ${OPERATOR.token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ action: 'settle', lines: ['7'] });
  const address = `${opened.server.origin}/findings/${other}/decisions`;
  const answer = await fetch(address, { method: 'POST', headers, body });
  const { error } = (await answer.json()) as {
    readonly error: { readonly code: string; readonly message: string };
  };
  expect([answer.status, error.code, error.message]).toEqual([409, 'DECISION_REFUSED', refusal()]);
  expect(await stateOf(other)).toBe('open');
});

test('in the console', async () => {
  const address = `${opened.server.origin}/console/findings/${other}`;
  const cookie = await logIn(opened.server.origin, OPERATOR.token);
  const page = await (await fetch(`${address}?lang=en`, { headers: { cookie } })).text();
  const form = /name="form" value="([^"]+)"/.exec(page)![1]!;
  const merchant = BOOKS.profile.reference;
  const fields = { form, merchant, seen: '0', action: 'settle', lines: '7', reason: '' };
  const sent = {
    method: 'POST',
    headers: { cookie },
    redirect: 'manual',
    body: new URLSearchParams(fields),
  } as const;
  const answer = await fetch(address, sent);
  expect([answer.status, await answer.text()]).toEqual([409, expect.stringContaining(refusal())]);
  expect(await stateOf(other)).toBe('open');
});
