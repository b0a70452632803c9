// The direct API source against the simulated service, however that lists, wraps and misbehaves.
// What is read is what the service holds, also when its time moves on while it is read, and also
// when only what is new is asked for.

import { afterEach, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import { isFinal, type Operation } from '../../src/core/domain/operation.ts';
import { decodeEntry } from '../../src/core/domain/rows/entry-fields.ts';
import { decodeDescribed } from '../../src/core/domain/rows/operation-fields.ts';
import { HTTP_DEFAULTS, type HttpSettings } from '../../src/io/sources/http/http-settings.ts';
import { openHttpSource } from '../../src/io/sources/http/http-source.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import type { Settings } from '../../src/sandbox/service/account/settings.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/service/start-sandbox.ts';
import { readBooks, sinceFirst } from '../support/http-reader.ts';

const START = Date.UTC(2026, 8, 20, 12);
const plan = planMerchant({
  reference: 'M001',
  opensAt: Date.UTC(2026, 7, 24),
  traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 12, reversalRate: 0.05 },
});
const trouble = {
  failureRate: 0.05,
  rateLimit: { calls: 5, refusals: 1, retryAfterSeconds: 0 },
  latency: null,
};

let sandbox: Sandbox;
afterEach(() => sandbox.close());

function settingsFor(): HttpSettings {
  return {
    ...HTTP_DEFAULTS,
    baseUrl: sandbox.url,
    merchants: Object.fromEntries(
      sandbox.merchants.map((merchant) => [merchant.reference, merchant]),
    ),
    pageSize: 60,
    retries: { attempts: 8, firstDelay: 1, longestDelay: 4, longestRetryAfter: 10 },
    clock: () => Date.now(),
    random: () => 0.5,
    log: () => {},
  };
}

function held(): {
  readonly entries: readonly LedgerEntry[];
  readonly operations: readonly Operation[];
} {
  const { entries, operations } = sandbox.booksOf('M001');
  const value = <T>(decoded: { readonly ok: boolean; readonly value?: T }): T => decoded.value!;
  return {
    entries: entries.map((entry) => value<LedgerEntry>(decodeEntry(entry))),
    operations: operations.map((operation) => value<Operation>(decodeDescribed(operation))),
  };
}

test.each<[string, Partial<Settings>]>([
  [
    'a bare list, oldest first',
    { listEnvelope: 'array', ledgerOrder: 'ascending', operationOrder: 'oldest-first' },
  ],
  [
    'data, newest first',
    { listEnvelope: 'data', ledgerOrder: 'descending', operationOrder: 'newest-first' },
  ],
  [
    'items, each its own way',
    { listEnvelope: 'items', ledgerOrder: 'ascending', operationOrder: 'newest-first' },
  ],
])('reads the books whole, and later what is new: %s', async (_, settings) => {
  const opened = { seed: 'http', merchants: [plan], start: START, port: 0 };
  sandbox = await startSandbox({ ...opened, settings: { ...settings, misbehaviour: trouble } });
  const source = openHttpSource(settingsFor());
  const first = await readBooks(source, 'M001');
  expect(first.entries).toEqual(held().entries);
  expect(first.operations).toEqual(held().operations);
  // These are more pages than are read at once.
  expect(first.entries.length).toBeGreaterThan(300);

  await sandbox.advanceTo(START + 5 * DAY);
  const open = first.operations
    .filter((operation) => !isFinal(operation.status))
    .map(({ reference }) => reference);
  const second = await readBooks(source, 'M001', sinceFirst(first, open));
  const lines = new Map(
    [...first.entries, ...second.entries].map((entry) => [entry.sequence, entry]),
  );
  expect([...lines.values()]).toEqual(held().entries);
  const operations = new Map(
    [...first.operations, ...second.operations].map((one) => [one.reference, one]),
  );
  expect(new Set(operations.values())).toEqual(new Set(held().operations));
  expect(second.entries.length).toBeLessThan(held().entries.length / 2);
  expect(second.rejected).toEqual([]);
  await source.close();
});

test('reads books whose time moves on between any two answers, and brackets them', async () => {
  sandbox = await startSandbox({ seed: 'moving', merchants: [plan], start: START, port: 0 });
  const source = openHttpSource({ ...settingsFor(), pageSize: 20 });
  const snapshot = await source.open('M001', null);
  expect(snapshot.watermark).toBe(START);
  const entries: LedgerEntry[] = [];
  for await (const batch of snapshot.entries()) {
    entries.push(...batch.rows);
    await sandbox.advanceTo(sandbox.now() + DAY / 4);
  }
  await sandbox.advanceTo(sandbox.now() + DAY);
  const { wallet, laterEntries } = await snapshot.closing();
  const all = [...entries, ...laterEntries];
  expect(all).toEqual(held().entries);
  expect(laterEntries.length).toBeGreaterThan(0);
  expect(all.at(-1)).toMatchObject({
    balanceAfter: wallet!.balance,
    reservedAfter: wallet!.reserved,
  });
  await source.close();
});
