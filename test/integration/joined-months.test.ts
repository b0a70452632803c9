// Two months of which the second takes over what the first had booked. A run that compares what was
// issued finds no change, and an auditor who has only the second month states it as it was issued.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parsePeriod } from '../../src/core/domain/period.ts';
import { jsonFormat } from '../../src/io/formats/text/json.ts';
import { compareIssued } from '../../src/service/workflows/month/publish-statement.ts';
import { pointage } from '../support/command.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { playFieldCase, readFieldCase } from '../support/field-case.ts';
import { pointageAs } from '../support/operator-token.ts';
import { publishTask } from '../support/report-books.ts';
import { testFolder } from '../support/test-folder.ts';

const CASE = join(import.meta.dirname, '../field/credit-that-leaves-its-fee-behind.txt');
const MERCHANT = 'JOINED';
const NOW = Date.UTC(2026, 11, 2);

let opened: TestStore;
beforeAll(async () => {
  opened = await openTestStore();
  const played = playFieldCase(readFieldCase(readFileSync(CASE, 'utf8')), {
    name: MERCHANT,
    store: opened.store,
  });
  for await (const { step, said } of played)
    expect(said, `${step.what} ${step.at}`).toEqual(step.rows);
});
afterAll(() => opened.close());

test('neither month would be stated otherwise', async () => {
  for (const period of ['2026-10', '2026-11']) {
    const task = publishTask(opened.store, {
      period: parsePeriod(period)!,
      formats: [jsonFormat],
      now: NOW,
    });
    expect(await compareIssued(task, MERCHANT), period).toEqual({ revision: 1, changes: [] });
  }
});

test('a kit of the second month alone states it as it was issued', async () => {
  const out = testFolder('pointage-joined-kit-');
  const words = [
    'audit-kit',
    MERCHANT,
    '2026-11',
    '--out',
    out,
    '--database-url',
    opened.databaseUrl,
  ];
  const made = await pointageAs('awa', words, { clock: () => NOW });
  expect([made.status, made.err]).toEqual([0, '']);
  const { status, out: said } = await pointage([
    'audit-kit',
    'replay',
    join(out, `KIT_${MERCHANT}_2026-11.zip`),
  ]);
  expect([status, said.match(/as known at the export/)]).toEqual([0, null]);
});
