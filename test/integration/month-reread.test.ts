// A month's lines are fetched again just before it is stated. An edit in place is found in time,
// for one call a page. Where the lines could not be fetched again, the first statement waits.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatInstant, HOUR, parseInstant } from '../../src/core/domain/instant.ts';
import { boundsOf } from '../../src/core/domain/period.ts';
import type { Note } from '../../src/core/domain/snapshot.ts';
import { openZone } from '../../src/core/domain/zone.ts';
import { jsonFormat } from '../../src/io/formats/text/json.ts';
import { rereadMonth } from '../../src/service/workflows/mirror/reread-month.ts';
import { publishStatement } from '../../src/service/workflows/month/publish-statement.ts';
import { repositoryOfMirror } from '../../src/service/workflows/month/write-statements.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { makeHttpBooks, type ServedJson } from '../support/http-books.ts';
import { openSource } from '../support/http-reader.ts';
import { type HttpService, startHttpService } from '../support/http-service.ts';
import { alteredRows } from '../support/mirror-nights.ts';
import { optionsAt } from '../support/nightly.ts';
import { EVENING, outcomeOf, RUN_ENGINE, runOver } from '../support/nightly-run.ts';
import { OCTOBER, publishTask } from '../support/report-books.ts';

const LINES = 1_050;
const BEGIN = parseInstant('2026-08-04T00:00:00.000Z')!;
/** Sequence of the first line of October. Lines are two hours apart. */
const IN_OCTOBER = 696;

let opened: TestStore;
let service: HttpService;
beforeAll(async () => {
  opened = await openTestStore();
  const books = makeHttpBooks('M001', LINES);
  const spaced = (row: ServedJson, i: number) => {
    const at = formatInstant(BEGIN + 2 * i * HOUR);
    return { ...row, createdAt: at, updatedAt: at, completedAt: at };
  };
  service = await startHttpService({
    M001: { ...books, ledger: books.ledger.map(spaced), operations: books.operations.map(spaced) },
  });
});
afterAll(async () => {
  await service.close();
  await opened.close();
});

async function reread(): Promise<Note | null> {
  const source = openSource(service, { clock: () => EVENING });
  const bounds = boundsOf(OCTOBER, openZone('UTC')!);
  try {
    service.asked.length = 0;
    return await rereadMonth({ store: opened.store, source, now: EVENING, bounds }, 'M001');
  } finally {
    await source.close();
  }
}

const ledgerCalls = () => service.asked.filter(({ path }) => path === '/ledger').length;

async function verdictOf(unread: Note | null) {
  const task = publishTask(opened.store, {
    repository: repositoryOfMirror(opened.store, unread),
    auditFor: () => optionsAt(EVENING),
    formats: [jsonFormat],
    engine: RUN_ENGINE,
    now: EVENING,
  });
  const { report } = await publishStatement(task, 'M001');
  const issued = report.issued as {
    readonly summary: { readonly verdict: object };
    readonly reasons: object;
  };
  return { status: report.status, verdict: issued.summary.verdict, reasons: issued.reasons };
}

test('of a month the lines are read again, no others, and its statement waits for them, and says what was found', async () => {
  const night = outcomeOf(await runOver(opened.store, service), 'M001');
  expect(night.report).toMatchObject({ verdict: 'clean', entries: LINES });
  expect(await reread()).toBeNull();
  // Pages of 200 lines, and one call for the end of the list.
  expect(ledgerCalls()).toBeLessThanOrEqual(Math.ceil((LINES - IN_OCTOBER + 50) / 199) + 2);
  const { ledger } = service.books.M001!;

  service.before = ({ path, query }) =>
    path === '/ledger' && Number(query.get('offset')) < IN_OCTOBER
      ? { do: 'error', status: 503, code: 'UPSTREAM_UNAVAILABLE' }
      : null;
  const unread = await reread();
  expect(unread).toMatchObject({ code: 'LINES_NOT_READ_AGAIN', incomplete: true });
  await expect(verdictOf(unread)).rejects.toThrow('The first statement of M001 2026-10 waits');

  service.before = () => null;
  ledger[100] = { ...ledger[100]!, description: 'edited long before' };
  expect(await reread()).toBeNull();
  expect(await alteredRows(opened.store, 'M001')).toMatchObject({ contents: 0 });
  ledger[825] = { ...ledger[825]!, description: 'edited in October' };
  expect(await reread()).toBeNull();
  expect(await alteredRows(opened.store, 'M001'), 'and all others, once one is').toMatchObject({
    contents: 2,
    first: 101,
    last: 826,
  });
  expect(await verdictOf(null)).toMatchObject({ status: 'READY', verdict: { state: 'broken' } });
}, 60_000);
