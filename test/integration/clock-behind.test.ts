// A source whose clock is behind the books that it serves. What is newer than its clock is not
// judged, the books are incomplete in every command, and no line is accused. A night by a right
// clock then says what it would have said.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY, formatInstant, HOUR, MINUTE, parseInstant } from '../../src/core/domain/instant.ts';
import type { AuditDocument } from '../../src/core/kernel/reconcile/audit-document.ts';
import { loadWatermark } from '../../src/io/storage/mirror/stored-extent.ts';
import { pointage } from '../support/command.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { makeHttpBooks, makeLine, makeOperation } from '../support/http-books.ts';
import { credentialsOf, type HttpService, startHttpService } from '../support/http-service.ts';
import { EVENING } from '../support/nightly-run.ts';

const LINES = 373;
const LONG_AGO = parseInstant('2001-01-01T00:00:00.000Z')!;

let opened: TestStore;
let service: HttpService;
let scratch: string;
beforeEach(async () => {
  opened = await openTestStore();
  const books = makeHttpBooks('M001', LINES);
  // A credit that its operation's state does not allow.
  books.operations[6] = {
    ...books.operations[6]!,
    status: 'FAILED',
    failure: { code: 'OPERATOR_REFUSED' },
  };
  service = await startHttpService({ M001: books });
  scratch = mkdtempSync(join(tmpdir(), 'pointage-clock-'));
});
afterEach(async () => {
  await service.close();
  rmSync(scratch, { recursive: true, force: true });
  await opened.close();
});

/**
 * Returns what a command says, and its status, while the service's clock shows `at`; `null`: the
 * service sends no date.
 */
async function saidAt(
  at: number | null,
  command: 'run' | 'audit' | 'audit --source' | 'worker --once',
) {
  service.clockOffset = at === null ? null : at - Date.now();
  const config = join(scratch, 'pointage.config.json');
  const merchants = { M001: credentialsOf('M001') };
  writeFileSync(
    config,
    JSON.stringify({ source: service.baseUrl, merchants, databaseUrl: opened.databaseUrl }),
  );
  const isWorker = command === 'worker --once';
  const [verb, option] = command.split(' ');
  const words = [
    verb!,
    ...(option === undefined ? [] : option === '--source' ? [option, service.baseUrl] : [option]),
  ];
  const form = isWorker ? [] : ['--format', 'json'];
  const { status, out } = await pointage([...words, '--config', config, ...form], {
    clock: () => EVENING,
  });
  if (isWorker) return { status, out };
  const [report] = (JSON.parse(out) as AuditDocument).merchants;
  return {
    status,
    verdict: report!.verdict,
    why: report!.notChecked.flatMap(({ code, incomplete }) => (incomplete ? [code] : [])),
    findings: report!.findings.map(({ kind, status: standing }) => `${kind} ${standing}`),
  };
}

const BEHIND = {
  status: 2,
  verdict: 'incomplete',
  why: ['CLOCK_BEHIND', 'OPERATIONS_TOO_NEW'],
  findings: [],
};
const BROKEN = {
  status: 1,
  verdict: 'broken',
  why: [],
  findings: ['CREDIT_WITHOUT_SUCCESS confirmed'],
};

test('a clock of 2001 makes damaged books incomplete in every command, and accuses no line', async () => {
  expect(await saidAt(LONG_AGO, 'audit --source')).toEqual(BEHIND);
  expect(await saidAt(LONG_AGO, 'run')).toEqual(BEHIND);
  expect(await saidAt(LONG_AGO, 'audit')).toEqual(BEHIND);
  expect(await saidAt(LONG_AGO, 'worker --once')).toMatchObject({ status: 2 });
  expect(await saidAt(EVENING, 'run')).toEqual(BROKEN);
  expect(await saidAt(EVENING, 'audit')).toEqual(BROKEN);
}, 60_000);

test('a clock that falls behind later doubts nothing that was found before, and resolves nothing', async () => {
  expect(await saidAt(EVENING, 'run')).toEqual(BROKEN);
  const before = (await opened.store.pool.query('select kind, state, content from findings')).rows;
  expect(await saidAt(LONG_AGO, 'run')).toMatchObject({ status: 1, verdict: 'broken' });
  expect((await opened.store.pool.query('select kind, state, content from findings')).rows).toEqual(
    before,
  );
});

test('the audit of the mirror says that the clock of its reading was behind, and is no cleaner than the night', async () => {
  const behind = EVENING - DAY;
  expect(await saidAt(EVENING, 'run')).toEqual(BROKEN);
  // When the clock is behind once more, the books are still compared with what was known before.
  for (const at of [behind, behind + HOUR]) {
    const night = await saidAt(at, 'run');
    expect(night).toEqual({ ...BROKEN, why: ['CLOCK_BEHIND'] });
    expect(await saidAt(at, 'audit')).toEqual(night);
  }
}, 60_000);

test('of sound books the audit of the mirror is incomplete while the clock is behind, and clean after', async () => {
  service.books.M001!.operations[6] = makeOperation(7);
  const [clean, incomplete] = [
    { status: 0, verdict: 'clean', why: [] },
    { status: 2, verdict: 'incomplete', why: ['CLOCK_BEHIND'] },
  ];
  for (const [at, said] of [
    [EVENING, clean],
    [EVENING - DAY, incomplete],
    [EVENING, clean],
  ] as const) {
    expect(await saidAt(at, 'run')).toMatchObject(said);
    expect(await saidAt(at, 'audit')).toMatchObject(said);
  }
}, 60_000);

test('a clock that is two hours behind leaves those hours unjudged, and judges all before them', async () => {
  const { operations } = service.books.M001!;
  const late = LINES - 30;
  operations[late] = {
    ...operations[late]!,
    status: 'FAILED',
    failure: { code: 'OPERATOR_REFUSED' },
  };
  const [, newest] = [makeLine(LINES), makeOperation(LINES)];
  service.books.M001!.wallet = { ...service.books.M001!.wallet, updatedAt: newest.updatedAt };
  const behind = parseInstant(String(newest.updatedAt))! - 2 * HOUR;
  expect(await saidAt(behind, 'run')).toEqual({ ...BROKEN, why: ['CLOCK_BEHIND'] });
  const { findings } = await saidAt(EVENING, 'run');
  expect(findings).toEqual([...BROKEN.findings, ...BROKEN.findings]);
});

test('a clock that was ahead for one night is forgotten by the next one', async () => {
  await saidAt(EVENING + 400 * DAY, 'run');
  expect(await saidAt(EVENING, 'run')).toEqual(BROKEN);
  const known = (await loadWatermark(opened.store, 'M001'))!;
  expect(Math.abs(known - EVENING)).toBeLessThan(MINUTE);
});

test('a service that sends no clock is known up to the newest instant in its books, whatever this machine’s clock says', async () => {
  const books = service.books.M001!;
  const { updatedAt } = books.operations.at(-1)!;
  books.wallet = { ...books.wallet, updatedAt };
  books.operations.push({ ...books.operations.pop()!, netAmount: 1 });
  const young = { status: 1, verdict: 'broken', why: ['PROVISIONAL'] };
  const found = [...BROKEN.findings, 'NET_AMOUNT_INCONSISTENT provisional'].sort();
  for (const command of ['audit --source', 'run'] as const) {
    const { findings, ...said } = await saidAt(null, command);
    expect([said, [...findings!].sort()]).toEqual([young, found]);
  }
  expect(await loadWatermark(opened.store, 'M001')).toBe(parseInstant(String(updatedAt))! + 1);
  // Something newer in the books makes it certain.
  const later = { updatedAt: formatInstant(parseInstant(String(updatedAt))! + HOUR) };
  books.wallet = { ...books.wallet, ...later };
  expect(await saidAt(null, 'run')).toMatchObject({ status: 1, why: [] });
  books.wallet = null;
  expect(await saidAt(null, 'audit --source')).toMatchObject({
    status: 2,
    verdict: 'incomplete',
    why: ['NOTHING_READ'],
  });
});
