// What operators ask over real HTTP: runs, findings and decisions, merchants, audits and their
// documents.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditReport, Item } from '../../src/core/domain/finding.ts';
import type { Exposure } from '../../src/core/domain/measures.ts';
import type { AuditDocument } from '../../src/core/kernel/reconcile/audit-document.ts';
import { ENGLISH, wordFinding } from '../../src/core/words/finding.ts';
import { LABELS } from '../../src/core/words/tree.ts';
import { SourceFailed } from '../../src/io/sources/port/source.ts';
import { auditJobOf } from '../../src/service/compose/auditing.ts';
import { runAudit, sendUnfinishedAudits } from '../../src/service/workflows/operators/run-audit.ts';
import { pointage } from '../support/command.ts';
import { areInstalled } from '../support/installed.ts';
import {
  entranceTo,
  OPERATOR,
  type OperatorBooks,
  type OperatorEntrance,
  openOperatorBooks,
} from '../support/operator-books.ts';
import { pagesOf, squeezed } from '../support/pdf-tools.ts';
import { startTestServer, type TestServer } from '../support/report-server.ts';
import { withoutTriggers } from '../support/without-triggers.ts';

const OPENS_AT = Date.UTC(2026, 9, 24);
const READ_AT = Date.UTC(2026, 10, 8);
const NOW = Date.UTC(2026, 10, 9, 8);
const FAULTS = [
  'BALANCE_DRIFT',
  'CREDIT_MISSING',
  'LINES_MISSING',
  'FEE_AMOUNT_MISMATCH',
  'HOLD_NOT_RELEASED',
];
const scratch = mkdtempSync(join(tmpdir(), 'pointage-operator-api-'));

let books: OperatorBooks;
let server: TestServer;
let entrance: OperatorEntrance;
let report: AuditReport;

beforeAll(async () => {
  books = await openOperatorBooks(
    { SOUND: [], DRIFTED: FAULTS, 'ODD é': [] },
    { opensAt: OPENS_AT, readAt: READ_AT },
  );
  entrance = entranceTo(books, () => NOW);
  server = await startTestServer(books.store, {
    server: { backend: entrance.backend, findOperator: entrance.findOperator, clock: () => NOW },
  });
  const stored = await books.store.pool.query<{ report: AuditReport }>(
    "select report from run_merchants join merchants using (merchant_id) where reference = 'DRIFTED'",
  );
  report = stored.rows[0]!.report;
});
afterAll(async () => {
  await server.close();
  await books.close();
  rmSync(scratch, { recursive: true, force: true });
});

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = {
    authorization: `Bearer ${OPERATOR.token}`,
    ...(init.headers as Record<string, string>),
  };
  return fetch(`${server.origin}${path}`, { ...init, headers });
}

async function read<T = Record<string, never>>(path: string): Promise<T> {
  const answer = await ask(path);
  expect(answer.status, path).toBe(200);
  return (await answer.json()) as T;
}

function post(path: string, body: unknown): Promise<Response> {
  return ask(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
}

interface Listed {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly items: readonly Record<string, unknown>[];
}

describe('runs', () => {
  test('are listed with their coverage, and one shows its merchants', async () => {
    const runs = await read<Listed>('/runs');
    expect(runs).toMatchObject({ total: 1, limit: 50, offset: 0 });
    expect(runs.items[0]).toMatchObject({
      kind: 'manual',
      startedAt: '2026-11-08T00:00:00.000Z',
      coverage: { expected: 3, judged: 3, unread: 0, failed: 0, waiting: 0 },
      verdicts: { clean: 2, broken: 1, incomplete: 0 },
      findings: { added: report.findings.length, resolved: 0, reopened: 0 },
    });
    const { id } = runs.items[0]!;
    const run = await read<{ members: Listed }>(`/runs/${id}?limit=2&offset=1`);
    expect(run.members).toMatchObject({ total: 3, limit: 2, offset: 1 });
    expect(run.members.items.map(({ merchant }) => merchant)).toEqual(['ODD é', 'SOUND']);
    const broken = await read<{ members: Listed }>(`/runs/${id}?verdict=broken&state=done`);
    expect(broken.members.items.map(({ merchant, verdict }) => [merchant, verdict])).toEqual([
      ['DRIFTED', 'broken'],
    ]);
    expect((await read<{ members: Listed }>(`/runs/${id}?state=failed`)).members).toMatchObject({
      total: 0,
      items: [],
    });
    expect((await read<Listed>('/runs?offset=1')).items).toEqual([]);
    const changes = await read<Listed>(`/runs/${id}/changes?limit=200`);
    expect(changes.total).toBe(report.findings.length);
    expect(changes.items.map(({ change, fingerprint }) => `${change} ${fingerprint}`)).toEqual(
      report.findings.map(({ fingerprint }) => `added ${fingerprint}`).toSorted(),
    );
  });
});

test.each([
  ['GET', '/findings?merchant=NOPE'],
  ['GET', '/merchants/NOPE'],
  ['POST', '/audits'],
])('a merchant that does not exist is an error: %s %s', async (method, path) => {
  const answer = method === 'GET' ? await ask(path) : await post(path, { merchant: 'NOPE' });
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({
    error: { code: 'NOT_FOUND', message: 'There is no such merchant.' },
  });
});

describe('findings', () => {
  const roots = () => report.findings.filter(({ causedBy }) => causedBy === null);

  test('are the roots, worst first, and all with causedBy=all', async () => {
    const listed = await read<Listed>('/findings');
    expect(listed.total).toBe(roots().length);
    expect(listed.items.map(({ fingerprint }) => fingerprint).toSorted()).toEqual(
      roots()
        .map(({ fingerprint }) => fingerprint)
        .toSorted(),
    );
    const rank = ['critical', 'error', 'warning', 'info'];
    const ranks = listed.items.map(({ severity }) => rank.indexOf(String(severity)));
    expect(ranks).toEqual(ranks.toSorted());
    const all = await read<Listed>('/findings?causedBy=all');
    expect(all.total).toBe(report.findings.length);
    expect(all.total).toBeGreaterThan(listed.total);
    const { evidence, ...shown } = report.findings[0]!;
    expect(shown.itemAt).toMatch(/^2026-/);
    expect(all.items).toContainEqual(
      expect.objectContaining({ ...shown, merchant: 'DRIFTED', state: 'open' }),
    );
    expect(evidence.length).toBeGreaterThan(0);
  });

  test('come to what is at stake, by currency, state and age, of all merchants or of one', async () => {
    const stake = await read<{ readonly items: readonly Exposure[] }>('/exposure');
    const sizeOf = ({ balance, reserved }: Item) =>
      Math.max(Math.abs(Number(balance)), Math.abs(Number(reserved)));
    const off = roots().reduce((sum, { item }) => sum + sizeOf(item!), 0);
    expect(stake.items.reduce((sum, one) => sum + Number(one.off), 0)).toBe(off);
    expect(stake.items.reduce((sum, { findings }) => sum + findings, 0)).toBe(roots().length);
    expect(new Set(stake.items.map(({ currency, state }) => `${currency} ${state}`))).toEqual(
      new Set([`${report.currency} open`]),
    );
    expect(await read('/exposure?merchant=DRIFTED')).toEqual(stake);
    expect(await read('/exposure?merchant=SOUND')).toEqual({ items: [] });
    expect((await ask('/exposure?merchant=NOPE')).status).toBe(404);
  });

  test('are chosen by merchant, kind, severity, state, status and since, and paged without a gap', async () => {
    const of = async (query: string) => (await read<Listed>(`/findings?${query}`)).total;
    const total = roots().length;
    expect(await of('merchant=DRIFTED')).toBe(total);
    expect(await of('merchant=SOUND')).toBe(0);
    expect(await of('kind=LINES_MISSING')).toBe(1);
    expect(await of('severity=critical')).toBe(
      roots().filter(({ severity }) => severity === 'critical').length,
    );
    expect(await of('state=open&status=confirmed')).toBe(total);
    expect(await of('state=resolved')).toBe(0);
    expect(await of('status=provisional')).toBe(0);
    expect(await of('since=2026-11-08T00:00:00Z')).toBe(total);
    expect(await of('since=2026-11-08T00:00:01Z')).toBe(0);
    const pages = await Promise.all(
      roots().map(
        async (_, offset) => (await read<Listed>(`/findings?limit=1&offset=${offset}`)).items[0],
      ),
    );
    expect(pages).toEqual((await read<Listed>('/findings')).items);
  });

  test('are settled and accepted with what that rests on, and refused in a sentence', async () => {
    const { fingerprint } = roots().find(({ item }) => item!.balance !== '0')!;
    const path = `/findings/${fingerprint}/decisions`;
    const refusals: readonly (readonly [object, number, RegExp])[] = [
      [{ action: 'settle' }, 409, /needs a reason, or the lines/],
      [{ action: 'settle', lines: ['1'] }, 409, /Line 1 is not an adjustment/],
      [{ action: 'settle', lines: ['one'] }, 400, /lines/],
      [
        { action: 'accept', reason: 'small', limit: '0' },
        409,
        /limit must be a whole number and at least/,
      ],
      [{ action: 'accept', reason: 'small', until: '2026-11-01T00:00:00Z' }, 409, /later than now/],
      [{ action: 'resolve', reason: 'gone' }, 400, /action/],
      [
        { action: 'acknowledge', reason: 'x', limit: '9' },
        409,
        /Only accepting a finding takes a limit/,
      ],
    ];
    for (const [body, status, says] of refusals) {
      const answer = await post(path, body);
      expect([answer.status, JSON.stringify(await answer.json())]).toEqual([
        status,
        expect.stringMatching(says),
      ]);
    }
    const until = '2027-01-01T00:00:00.000Z';
    const taken = await post(path, { action: 'accept', reason: 'small', limit: '1000000', until });
    expect([taken.status, await taken.json()]).toMatchObject([
      201,
      {
        state: 'accepted',
        decisions: [{ action: 'accept', by: 'controle', terms: { limit: '1000000', until } }],
      },
    ]);
    expect((await post(path, { action: 'settle', reason: 'paid in cash' })).status).toBe(201);
    expect(
      (await read<Listed>('/findings?state=settled')).items.map((one) => one.fingerprint),
    ).toEqual([fingerprint]);
    expect(
      await (await post(path, { action: 'reopen', reason: 'it was not' })).json(),
    ).toMatchObject({
      state: 'open',
    });
  });

  test('are decided about by the operator whose token it is, and the history stays', async () => {
    const { fingerprint, kind } = roots()[0]!;
    const before = await read<Record<string, unknown>>(`/findings/${fingerprint}?merchant=DRIFTED`);
    expect(before).toMatchObject({ kind, state: 'open', decisions: [] });
    expect(before.explanation).toBe(LABELS.en.catalogue.explanations[kind]);
    const path = `/findings/${fingerprint}/decisions`;
    const taken = await post(path, { action: 'acknowledge', reason: ' ticket 4412 ' });
    expect(taken.status).toBe(201);
    const decision = {
      action: 'acknowledge',
      stateBefore: 'open',
      stateAfter: 'acknowledged',
      reason: 'ticket 4412',
      by: 'controle',
      at: '2026-11-09T08:00:00.000Z',
      runId: null,
    };
    expect(await taken.json()).toMatchObject({ state: 'acknowledged', decisions: [decision] });
    const again = await post(path, { action: 'acknowledge', reason: 'once more' });
    expect([again.status, await again.json()]).toMatchObject([
      409,
      { error: { code: 'DECISION_REFUSED' } },
    ]);
    expect(
      (await read<Listed>('/findings?state=acknowledged')).items.map((one) => one.fingerprint),
    ).toEqual([fingerprint]);
    expect(
      (await post(`${path}?merchant=DRIFTED`, { action: 'reopen', reason: 'not so' })).status,
    ).toBe(201);
    expect((await post(`${path}?merchant=SOUND`, { action: 'reopen', reason: 'x' })).status).toBe(
      404,
    );
    expect((await ask(`/findings/${fingerprint}?merchant=SOUND`)).status).toBe(404);
    expect(await read(`/findings/${fingerprint}`)).toMatchObject({
      state: 'open',
      decisions: [decision, { action: 'reopen' }],
    });
  });
});

describe('merchants', () => {
  test('are listed with their verdict and what is open', async () => {
    const listed = await read<Listed>('/merchants');
    expect(listed.items.map(({ reference, verdict }) => [reference, verdict])).toEqual([
      ['DRIFTED', 'broken'],
      ['ODD é', 'clean'],
      ['SOUND', 'clean'],
    ]);
    expect(listed.items[0]).toMatchObject({
      openFindings: (await read<Listed>('/findings?state=open')).total,
      country: 'CM',
    });
    expect((await read<Listed>('/merchants?limit=1&offset=2')).items[0]).toMatchObject({
      reference: 'SOUND',
    });
  });

  test('are filtered by verdict, status, country, and a text in reference or name', async () => {
    const found = async (filter: string) => {
      const { total, items } = await read<Listed>(`/merchants?${filter}`);
      expect(total).toBe(items.length);
      return items.map(({ reference }) => reference);
    };
    const { pool } = books.store;
    await pool.query(`with added as (insert into merchants (reference) values ('NEW') returning merchant_id)
      insert into merchant_heads (merchant_id) select merchant_id from added`);
    const { rows } = await pool.query<{ name: string }>(
      `select name from profile_versions join merchants using (merchant_id) where reference = 'SOUND' order by version desc`,
    );
    const { name } = rows[0]!;
    for (const [filter, expected] of [
      ['verdict=broken', ['DRIFTED']],
      ['verdict=clean&country=CM&status=ACTIVE', ['ODD é', 'SOUND']],
      ['verdict=none', ['NEW']],
      ['country=CI', []],
      ['status=CLOSED', []],
      ['text=oUn', ['SOUND']],
      [`text=${encodeURIComponent(name.toUpperCase())}`, expect.arrayContaining(['SOUND'])],
      ['text=%25', []],
      ['limit=200', ['DRIFTED', 'NEW', 'ODD é', 'SOUND']],
    ] as const)
      expect(await found(filter), filter).toEqual(expected);
    expect(
      (await read<Listed>('/merchants?verdict=clean&limit=1&offset=1')).items[0],
    ).toMatchObject({
      reference: 'SOUND',
    });
    for (const wrong of ['verdict=good', 'country=Mali', 'status=x', 'text=', 'name=x'])
      expect((await ask(`/merchants?${wrong}`)).status, wrong).toBe(400);
    for (const removal of [
      `delete from merchant_heads where merchant_id in (select merchant_id from merchants where reference = 'NEW')`,
      `delete from merchants where reference = 'NEW'`,
    ])
      await withoutTriggers(pool, (client) => client.query(removal));
  });

  test('show balances as the last report has them, and holds that sum up to the recomputed reserved amount', async () => {
    const page = await read<Record<string, never>>('/merchants/DRIFTED');
    const { recorded, recomputed, unexplained, currency, entries, operations, notChecked } = report;
    expect(page).toMatchObject({
      watermark: '2026-11-08T00:00:00.000Z',
      verdict: 'broken',
      books: { recorded, recomputed, unexplained, currency, entries, operations, notChecked },
    });
    const { holds, findings } = page as unknown as {
      holds: {
        total: number;
        amount: number;
        items: { amount: number; operationReference: string }[];
      };
      findings: { worst: unknown[]; unresolved: { count: number }[] };
    };
    expect(holds.total).toBeGreaterThan(0);
    expect(holds.amount).toBe(Number(recomputed.reserved));
    expect(holds.items.reduce((sum, { amount }) => sum + amount, 0)).toBe(holds.amount);
    const stuck = report.findings.find(({ kind }) => kind === 'HOLD_NOT_RELEASED')!;
    expect(holds.items.map((one) => one.operationReference)).toContain(stuck.operationReference);
    expect(findings.unresolved.reduce((sum, { count }) => sum + count, 0)).toBe(
      report.findings.length,
    );
    expect(findings.worst).toEqual(
      (await read<Listed>('/findings?merchant=DRIFTED&state=open')).items,
    );
    expect(await read(`/merchants/${encodeURIComponent('ODD é')}`)).toMatchObject({
      reference: 'ODD é',
    });
  });
});

describe('audits', () => {
  interface Audit extends Record<string, unknown> {
    readonly id: string;
    readonly result: AuditDocument | null;
  }
  const task = () =>
    auditJobOf(books.configuration, books.store, {
      clock: () => NOW,
      random: () => 0.5,
      log: () => {},
    });

  async function order(body: object): Promise<Audit> {
    const answer = await post('/audits', body);
    const audit = (await answer.json()) as Audit;
    expect([answer.status, answer.headers.get('location')]).toEqual([202, `/audits/${audit.id}`]);
    return audit;
  }

  async function done(body: object): Promise<Audit> {
    const { id } = await order(body);
    await runAudit(task(), id);
    return read<Audit>(`/audits/${id}`);
  }

  async function saidByCommand(asOf: string): Promise<unknown> {
    const file = join(scratch, 'grace.json');
    writeFileSync(file, JSON.stringify({ graceMinutes: 0 }));
    const words = ['audit', 'DRIFTED', '--format', 'json', '--as-of', asOf, '--config', file];
    return JSON.parse((await pointage([...words, '--database-url', books.databaseUrl])).out);
  }

  test('are queued with 202, and say exactly what the command says', async () => {
    const queued = await order({ merchant: 'DRIFTED' });
    expect(queued).toMatchObject({
      state: 'QUEUED',
      source: 'mirror',
      requestedBy: 'controle',
      entriesRead: 0,
      error: null,
    });
    expect(entrance.sent.at(-1)).toEqual({ kind: 'audit', data: { auditId: queued.id } });
    expect(await read(`/audits/${queued.id}`)).toEqual({ ...queued, result: null });
    const early = await ask(`/audits/${queued.id}/report.pdf`);
    expect([early.status, await early.json()]).toMatchObject([
      409,
      { error: { code: 'AUDIT_NOT_DONE' } },
    ]);
    await runAudit(task(), queued.id);
    const { result, ...audit } = await read<Audit>(`/audits/${queued.id}`);
    expect(audit).toMatchObject({
      state: 'DONE',
      attempts: 1,
      entriesRead: report.entries,
      error: null,
    });
    expect(result).toEqual(await saidByCommand(String(queued.asOf)));
    const { notChecked, ...rest } = result!.merchants[0]!;
    // An operator accepted one of these findings above, and the acceptance has ended.
    const ended = rest.findings.flatMap(({ acceptedBefore }) => acceptedBefore ?? []);
    expect(ended).toMatchObject([{ person: 'controle', reason: 'small' }]);
    const findings = rest.findings.map(({ acceptedBefore: _, ...finding }) => finding);
    expect({ ...rest, findings, notChecked: report.notChecked }).toEqual(report);
    expect(notChecked.map(({ what }) => what)).toEqual([
      'history',
      'reports',
      'payments',
      'payouts',
      'events',
    ]);
    const listed = await read<Listed>('/audits?limit=1');
    expect(listed.items[0]).toEqual(audit);
  });

  test('of the service read the books where they are kept', async () => {
    const { result, source } = await done({ merchant: 'DRIFTED', source: 'service' });
    expect([source, result!.source]).toEqual(['service', `file:${books.folder}`]);
    const { notChecked, ...rest } = report;
    expect(result!.merchants[0]).toMatchObject(rest);
    expect(notChecked).toBeDefined();
    expect(await order({ merchant: 'NOBODY', source: 'service' })).toBeDefined();
  });

  test('as of the end of a month leave out what lies after it, from the mirror and from the service alike', async () => {
    const full = (await done({ merchant: 'DRIFTED' })).result!.merchants[0]!;
    for (const source of ['mirror', 'service']) {
      const { result, asOf, period } = await done({
        merchant: 'DRIFTED',
        period: '2026-10',
        source,
      });
      expect([asOf, period, result!.asOf]).toEqual(['2026-11-01T00:00:00.000Z', '2026-10', asOf]);
      const [month] = result!.merchants;
      const ended = await placesBefore(Date.UTC(2026, 10, 1), full.findings);
      expect(month!.findings.map(({ fingerprint }) => fingerprint)).toEqual(ended);
      expect(month!.recorded).toMatchObject(await recordedBefore(Date.UTC(2026, 10, 1)));
      if (source === 'mirror') expect(result).toEqual(await saidByCommand(String(asOf)));
    }
    const local = { ...books, configuration: { ...books.configuration, zone: 'local' } };
    const { backend } = entranceTo(local, () => NOW);
    const period = { year: 2026, month: 10 };
    const asked = await backend.requestAudit({
      merchant: 'SOUND',
      source: 'mirror',
      asOf: period,
      by: 'controle',
    });
    expect(asked).toMatchObject({ kind: 'queued', audit: { asOf: Date.UTC(2026, 9, 31, 23) } });
  });

  test('that are wrong only later are clean as of before', async () => {
    const first = report.findings.find(({ sequence }) => sequence !== null)!;
    const [line] = (
      await books.store.pool.query<{ created_at: number }>(
        "select created_at from entries where sequence = $1 and merchant_id = (select merchant_id from merchants where reference = 'DRIFTED')",
        [first.sequence],
      )
    ).rows;
    const earlier = new Date(Math.min(line!.created_at, OPENS_AT + 1)).toISOString();
    const { result } = await done({ merchant: 'DRIFTED', asOf: earlier });
    expect(result!.merchants[0]).toMatchObject({ verdict: 'clean', findings: [] });
  });

  test('of a month that the mirror does not know yet fail with a sentence', async () => {
    const later = entranceTo(books, () => Date.UTC(2026, 11, 9));
    const asked = await later.backend.requestAudit({
      merchant: 'SOUND',
      source: 'mirror',
      asOf: { year: 2026, month: 11 },
      by: 'controle',
    });
    if (asked.kind !== 'queued') throw new Error('it was not queued');
    await runAudit(task(), asked.audit.id);
    const audit = await read<Audit>(`/audits/${asked.audit.id}`);
    expect(audit).toMatchObject({ state: 'FAILED', result: null });
    expect(audit.error).toMatch(
      /^The mirror knows the books of SOUND up to 2026-11-08T00:00:00.000Z/,
    );
  });

  test('whose worker died are taken over, and given up when every worker dies', async () => {
    const { id } = await order({ merchant: 'SOUND' });
    const dying = { ...task(), perform: () => Promise.reject(new Error('killed')) };
    await expect(runAudit(dying, id)).rejects.toThrow('killed');
    expect(await read(`/audits/${id}`)).toMatchObject({ state: 'RUNNING', attempts: 1 });
    const sent: unknown[] = [];
    await sendUnfinishedAudits(books.store, {
      send: async (requests) => void sent.push(...requests),
    });
    expect(sent).toContainEqual({ kind: 'audit', data: { auditId: id } });
    await runAudit(task(), id);
    expect(await read(`/audits/${id}`)).toMatchObject({ state: 'DONE', attempts: 2 });
    await runAudit(dying, id);
    expect(await read(`/audits/${id}`)).toMatchObject({ state: 'DONE', attempts: 2 });
    const poison = await order({ merchant: 'SOUND' });
    await books.store.pool.query(
      "update audits set state = 'RUNNING', attempts = 5 where audit_id = $1",
      [poison.id],
    );
    await runAudit(task(), poison.id);
    const ended = await read<Audit>(`/audits/${poison.id}`);
    expect([ended.state, ended.error]).toMatchObject([
      'FAILED',
      expect.stringContaining('given up'),
    ]);
  });

  test('are told to webhooks once when they end, with their verdict and counts or why they failed', async () => {
    const [url, quiet] = ['https://hooks.example/', 'https://findings.example/'];
    const webhooks = [
      { url, secret: '' },
      { url: quiet, secret: '', events: ['finding.resolved' as const] },
    ];
    const configuration = {
      ...books.configuration,
      alerts: { ...books.configuration.alerts, webhooks },
    };
    const runtime = { clock: () => NOW, random: () => 0.5, log: () => {} };
    const telling = auditJobOf(configuration, books.store, runtime);
    const { id, asOf } = await order({ merchant: 'DRIFTED' });
    const slow = {
      ...telling,
      perform: async (...asked: Parameters<typeof telling.perform>) => {
        const performed = await telling.perform(...asked);
        // Another worker has taken the audit over, and ends it first.
        await runAudit(telling, id);
        return performed;
      },
    };
    await runAudit(slow, id);
    const failing = await order({ merchant: 'NOBODY', source: 'service' });
    const unread = {
      ...telling,
      perform: () => Promise.reject(new SourceFailed('UNREACHABLE', 'No answer.')),
    };
    await runAudit(unread, failing.id);
    const { rows } = await books.store.pool.query(
      `select target, announces, merchant, content -> 'data' as data from deliveries where topic = 'audit' order by content ->> 'data' desc`,
    );
    const { result } = await read<Audit>(`/audits/${id}`);
    const told = (one: string, merchant: string, data: object) => ({
      ...{ target: url, announces: `audit/${one}`, merchant },
      data: { auditId: one, merchant, source: 'mirror', error: null, asOf, ...data },
    });
    const { totals } = result!;
    expect(totals).toMatchObject({
      broken: 1,
      entries: report.entries,
      findings: report.findings.length,
    });
    const failed = {
      source: 'service',
      verdict: null,
      totals: null,
      error: 'No answer.',
      asOf: failing.asOf,
    };
    expect(rows).toHaveLength(2);
    expect(rows).toEqual(
      expect.arrayContaining([
        told(id, 'DRIFTED', { verdict: 'broken', totals }),
        told(failing.id, 'NOBODY', failed),
      ]),
    );
  });

  test('are limited in number, and one more is answered 429', async () => {
    const before = await read<Listed>('/audits');
    await books.store.pool.query(
      `insert into audits (audit_id, merchant, source, as_of, requested_by, requested_at)
      select gen_random_uuid(), 'SOUND', 'mirror', 0, 'crowd', 0 from generate_series(1, 100)`,
    );
    const answer = await post('/audits', { merchant: 'SOUND' });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await answer.json()).toMatchObject({ success: false, error: { code: 'RATE_LIMITED' } });
    await books.store.pool.query("delete from audits where requested_by = 'crowd'");
    expect((await read<Listed>('/audits')).total).toBe(before.total);
  });

  test.skipIf(!areInstalled('pdftotext'))(
    'have a document with every figure of every finding',
    async () => {
      const { id, result } = await done({ merchant: 'DRIFTED' });
      const answer = await ask(`/audits/${id}/report.pdf`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf']);
      expect(answer.headers.get('content-disposition')).toBe(
        'attachment; filename="AUDIT_DRIFTED_2026-11-09.pdf"',
      );
      const bytes = Buffer.from(await answer.arrayBuffer());
      expect(
        Buffer.from(await (await ask(`/audits/${id}/report.pdf`)).arrayBuffer()).equals(bytes),
      ).toBe(true);
      const file = join(scratch, 'audit.pdf');
      writeFileSync(file, bytes);
      const pages = pagesOf(file);
      const text = squeezed(execFileSync('pdftotext', ['-raw', file, '-'], { encoding: 'utf8' }));
      for (const finding of result!.merchants[0]!.findings) {
        const { kind, fingerprint, figures, expected, actual, difference } = finding;
        // The message is worded in the document's language, with figures written by other code than
        // the document's.
        const message = wordFinding(
          { ...ENGLISH, language: 'fr', words: LABELS.fr },
          kind,
          figures,
        );
        for (const figure of [kind, fingerprint, message, expected, actual, difference]) {
          if (figure !== null)
            expect(text, finding.kind).toContain(squeezed(figure).replace(/^-(?=\d+$)/, '−'));
        }
      }
      pages.forEach((page, i) => {
        expect(page).toContain(`page ${i + 1}/${pages.length}`);
      });
    },
  );
});

/**
 * Returns the fingerprints of findings whose line, or else operation, is dated before; standing
 * findings follow their root.
 */
/** Returns the figures recorded after the last line that is dated before `instant`. */
async function recordedBefore(instant: number) {
  const found = await books.store.pool.query<{ balance: string; reserved: string }>(
    `select balance_after::text as balance, reserved_after::text as reserved from entries
    where merchant_id = (select merchant_id from merchants where reference = 'DRIFTED') and created_at < $1
    order by sequence desc limit 1`,
    [instant],
  );
  return found.rows[0]!;
}

async function placesBefore(
  instant: number,
  findings: AuditReport['findings'],
): Promise<readonly string[]> {
  const merchant = "merchant_id = (select merchant_id from merchants where reference = 'DRIFTED')";
  const isBefore = async (finding: AuditReport['findings'][number]): Promise<boolean> => {
    const { sequence, operationReference, causedBy } = finding;
    const [table, column, value] =
      sequence === null
        ? ['operation_versions', 'reference', operationReference]
        : ['entries', 'sequence', sequence];
    if (value === null) {
      const root = findings.find(({ fingerprint }) => fingerprint === causedBy);
      return root === undefined || isBefore(root);
    }
    const found = await books.store.pool.query<{ created_at: number }>(
      `select created_at from ${table} where ${merchant} and ${column} = $1`,
      [value],
    );
    return found.rows[0]!.created_at < instant;
  };
  const kept: string[] = [];
  for (const finding of findings) if (await isBefore(finding)) kept.push(finding.fingerprint);
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThan(findings.length);
  return kept;
}
