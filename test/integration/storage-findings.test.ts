// What runs conclude, and what people decide. Findings live on between runs, and every change of
// state leaves a row.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Finding } from '../../src/core/domain/finding.ts';
import { type Checkpoint, loadCheckpoint } from '../../src/io/storage/conclusions/checkpoint.ts';
import { decideFinding } from '../../src/io/storage/conclusions/findings.ts';
import { saveConclusion } from '../../src/io/storage/conclusions/save-conclusion.ts';
import {
  type Lease,
  LeaseLost,
  withMerchantLock,
} from '../../src/io/storage/merchants/merchant-lock.ts';
import { savePage } from '../../src/io/storage/mirror/save/save-page.ts';
import { finishRun, startRun } from '../../src/io/storage/nights/nights.ts';
import { findFindings, loadFinding } from '../../src/io/storage/operators/find-findings.ts';
import { loadRunReports } from '../../src/io/storage/operators/run-records.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import { announcementsOf, decisionsOf } from '../../src/service/compose/delivering.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { findingOf as finding, reportWith as report } from '../support/concluded.ts';
import { BEGIN, line, lines } from '../support/database-books.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { loadLastReports } from '../support/last-reports.ts';

let opened: TestStore;
let store: Store;

beforeAll(async () => {
  opened = await openTestStore();
  store = opened.store;
});
afterAll(() => opened.close());

const CHECKPOINT: Checkpoint = {
  ...{
    lastSequence: 3,
    lastIntake: 1,
    state: '{"a":"\\u0000"}',
    engine: 'pointage 0',
    quiet: '{}',
  },
};

let started = BEGIN;

/** Runs once over one merchant, a minute after the run before. */
async function run(merchant: string, findings: readonly Finding[], checkpoint = CHECKPOINT) {
  started += 60_000;
  const runId = await startRun(store, {
    startedAt: started,
    source: 'file:books',
    engine: 'pointage 0',
  });
  const outcome = await withMerchantLock(store, merchant, (lease) =>
    saveConclusion(store, lease, { runId, report: report(merchant, findings), checkpoint }),
  );
  await finishRun(store, { runId, finishedAt: started + 1_000 });
  if (!outcome.acquired) throw new Error('the merchant is locked');
  return { runId, at: started, changes: outcome.value };
}

test('a finding is added once, stays while it is found, is resolved when it is gone and reopened when it is back', async () => {
  const first = await run('M1', [
    finding('f1'),
    finding('f2', { kind: 'REFERENCE_MISSING', severity: 'error' }),
  ]);
  expect(first.changes).toEqual({
    added: ['f1', 'f2'],
    resolved: [],
    settled: [],
    reopened: [],
    changed: [],
  });

  const worse = finding('f1', { actual: '3050', difference: '50' });
  const second = await run('M1', [worse]);
  expect(second.changes).toEqual({
    added: [],
    resolved: ['f2'],
    settled: [],
    reopened: [],
    changed: [],
  });

  expect(await loadFinding(store, 'f2')).toMatchObject({
    state: 'resolved',
    lastSeenRun: first.runId,
  });
  const place = async () =>
    (await store.pool.query(`select ctid::text from findings where fingerprint = 'f1'`)).rows[0]
      .ctid;
  const written = await place();

  const third = await run('M1', [worse, finding('f2')]);
  expect(await place(), 'what stays as it was is not written anew').toBe(written);
  expect(third.changes).toEqual({
    added: [],
    resolved: [],
    settled: [],
    reopened: ['f2'],
    changed: [],
  });

  expect(await loadFinding(store, 'f1')).toEqual({
    merchant: 'M1',
    state: 'open',
    currency: 'XOF',
    owner: null,
    labels: [],
    dueOn: null,
    lastDecision: null,
    lastComment: null,
    firstSeenRun: first.runId,
    firstSeenAt: first.at,
    lastSeenRun: third.runId,
    lastSeenAt: third.at,
    finding: worse,
    decisions: [],
    earlier: [],
  });
  expect((await loadFinding(store, 'f2'))?.decisions).toMatchObject([
    {
      action: 'resolve',
      stateBefore: 'open',
      stateAfter: 'resolved',
      by: 'pointage',
      at: second.at,
      runId: second.runId,
    },
    {
      action: 'reopen',
      stateBefore: 'resolved',
      stateAfter: 'open',
      by: 'pointage',
      at: third.at,
      runId: third.runId,
    },
  ]);
});

test('a run that concludes after a newer one saw last what it reports, and nothing else', async () => {
  await run('late', [finding('o-newer')]);
  started += 60_000;
  const late = await startRun(store, {
    startedAt: started,
    source: 'file:books',
    engine: 'pointage 0',
  });
  const conclude = (merchant: string, findings: readonly Finding[]) =>
    withMerchantLock(store, merchant, (lease) =>
      saveConclusion(store, lease, {
        runId: late,
        report: report(merchant, findings),
        checkpoint: CHECKPOINT,
      }),
    );
  const seenLast = async (fingerprint: string) => {
    const { state, lastSeenRun } = (await loadFinding(store, fingerprint))!;
    return [state, lastSeenRun];
  };
  const newer = await run('late', [finding('o-both'), finding('o-newer')]);
  await run('late-new', []);
  expect(newer.runId).toBeGreaterThan(late);
  await conclude('late', [finding('o-both'), finding('o-late')]);
  await conclude('late-new', [finding('o-alone')]);
  expect(await seenLast('o-both')).toEqual(['open', late]);
  expect(await seenLast('o-late')).toEqual(['open', late]);
  expect(await seenLast('o-alone'), 'of a merchant without findings').toEqual(['open', late]);
  expect(await seenLast('o-newer')).toEqual(['resolved', newer.runId]);
  const next = await run('late', [finding('o-both')]);
  expect(await seenLast('o-both')).toEqual(['open', next.runId]);
  expect(await seenLast('o-late')).toEqual(['resolved', late]);
  expect(await seenLast('o-newer')).toEqual(['resolved', newer.runId]);
});

test('what a run with a clock that is behind does not see stays open, last seen by the run before', async () => {
  const before = await run('behind', [finding('b-unseen')]);
  started += 60_000;
  const runId = await startRun(store, {
    startedAt: started,
    source: 'file:books',
    engine: 'pointage 0',
  });
  const notChecked = [{ code: 'CLOCK_BEHIND' }] as never;
  await withMerchantLock(store, 'behind', (lease) =>
    saveConclusion(store, lease, {
      runId,
      report: { ...report('behind', []), notChecked },
      checkpoint: CHECKPOINT,
    }),
  );
  expect(await loadFinding(store, 'b-unseen')).toMatchObject({
    state: 'open',
    lastSeenRun: before.runId,
  });
});

test('saving the same conclusion twice changes nothing', async () => {
  const runId = await startRun(store, { startedAt: BEGIN, source: 's', engine: 'e' });
  const conclusion = {
    runId,
    report: report('twice', [finding('t1'), finding('t1')]),
    checkpoint: CHECKPOINT,
  };
  const save = () =>
    withMerchantLock(store, 'twice', (lease) => saveConclusion(store, lease, conclusion));
  expect(await save()).toMatchObject({ value: { added: ['t1'] } });
  expect(await save()).toMatchObject({
    value: { added: [], resolved: [], settled: [], reopened: [], changed: [] },
  });
  expect((await findFindings(store, { merchant: 'twice', limit: 10 })).items).toHaveLength(1);
});

test('the findings of another merchant are left alone', async () => {
  await run('M2', [finding('m2')]);
  await run('M3', []);
  expect((await loadFinding(store, 'm2'))?.state).toBe('open');
});

test('webhooks are told once of each root that a run resolves or finds corrected, and of no other', async () => {
  const configuration = await loadConfiguration({}, {});
  expect(
    announcementsOf(configuration).decisions,
    'without webhooks none is loaded to be told',
  ).toBeUndefined();
  const webhooks = [
    { url: 'https://all.example/', secret: '' },
    {
      url: 'https://ends.example/',
      secret: '',
      events: ['audit.done', 'finding.assigned'] as const,
    },
  ];
  const announcing = async (severity: 'error' | 'warning') => {
    const alerts = { ...configuration.alerts, webhooks, severity };
    return announcementsOf({ ...configuration, alerts } as typeof configuration).decisions;
  };
  const told = async () => {
    const { rows } = await store.pool.query<{ announces: string; target: string; data: object }>(
      `select announces, target, merchant, content -> 'data' as data from deliveries
        where topic in ('resolved', 'assigned') order by announces`,
    );
    return rows.map(({ announces, target, data }) => [target, announces, data]);
  };
  const concluded = async (
    findings: readonly Finding[],
    severity: 'error' | 'warning' = 'error',
  ) => {
    started += 60_000;
    const runId = await startRun(store, {
      startedAt: started,
      source: 'file:books',
      engine: 'pointage 0',
    });
    const announceDecisions = await announcing(severity);
    const conclusion = {
      runId,
      report: report('told', findings),
      checkpoint: null,
      announceDecisions,
    };
    // A worker saves it and dies, and another worker saves it again.
    for (let time = 0; time < 2; time += 1)
      await withMerchantLock(store, 'told', (lease) => saveConclusion(store, lease, conclusion));
    await finishRun(store, { runId, finishedAt: started + 1_000 });
    return runId;
  };
  const settledBy = { lines: ['9'], ambiguous: false } as unknown as Finding['settledBy'];
  const found = [
    finding('t-gone'),
    finding('t-back'),
    finding('t-put-right'),
    finding('t-warning', { severity: 'warning' }),
    finding('t-follower', { causedBy: 't-gone' }),
    finding('t-doubtful', { status: 'provisional' }),
  ];
  await concluded([...found, finding('t-right-at-once', { settledBy })]);
  expect(await told()).toEqual([]);
  const second = await concluded([
    finding('t-put-right', { settledBy }),
    finding('t-right-at-once', { settledBy }),
  ]);
  const data = { merchant: 'told', kind: 'BALANCE_DRIFT', severity: 'critical', by: 'night' };
  const resolved = (fingerprint: string, number: number, runId: number, action = 'resolve') => [
    'https://all.example/',
    `decision/told/${fingerprint}/${number}`,
    { ...data, fingerprint, action, runId },
  ];
  const first = [
    resolved('t-back', 1, second),
    resolved('t-gone', 1, second),
    resolved('t-put-right', 1, second, 'settle'),
  ];
  expect(await told()).toEqual(first);
  const back = finding('t-back');
  const third = await concluded([back, finding('t-warning', { severity: 'warning' })]);
  const decide = async (action: 'accept' | 'assign' | 'comment', reason: string, by = 'Awa') =>
    decideFinding(store, {
      ...{ fingerprint: 't-back', action, reason, by, at: BEGIN + 5 },
      announce: await announcing('error'),
    });
  for (const reason of [' Moussa ', 'Moussa', '-', '-']) await decide('assign', reason);
  await decide('comment', 'seen');
  await decide('accept', 'small', 'Awa, confirmed by Moussa');
  const last = await concluded([], 'warning');
  const about = { ...data, fingerprint: 't-back' };
  const assigned = (number: number, owner: string | null, before: string | null) =>
    ['https://all.example/', 'https://ends.example/'].map((target) => [
      ...[target, `decision/told/t-back/${number}`],
      { ...about, owner, before, by: 'Awa' },
    ]);
  const all = await told();
  expect(all).toHaveLength(3 + 4 + 1 + 4);
  expect(all).toEqual(
    expect.arrayContaining([
      ...first,
      ...assigned(3, 'Moussa', null),
      ...assigned(5, null, 'Moussa'),
      [
        ...['https://all.example/', 'decision/told/t-back/8'],
        { ...about, action: 'accept', by: 'Awa, confirmed by Moussa', runId: null },
      ],
      resolved('t-back', 9, last),
      resolved('t-put-right', 2, third),
    ]),
  );
  expect(
    all.filter(([, announces]) => String(announces).startsWith('decision/told/t-warning')),
  ).toHaveLength(1);
  const broken = {
    channel: 'fax',
    announces: 'x',
    target: 'x',
    merchant: null,
    content: { topic: 'audit', data: {} },
  };
  const decision = {
    fingerprint: 't-back',
    action: 'reopen',
    reason: 'again',
    by: 'Awa',
    at: BEGIN + 5,
  } as const;
  await expect(
    decideFinding(store, { ...decision, announce: () => [broken as never] }),
  ).rejects.toThrow('deliveries');
  expect((await loadFinding(store, 't-back'))!.state, 'both are written, or neither').toBe(
    'resolved',
  );
});

test('of many roots that a run resolves webhooks are told of a hundred, the worst, and how many more there are', async () => {
  const configuration = await loadConfiguration({}, {});
  const webhooks = ['https://one.example/', 'https://two.example/'].map((url) => ({
    url,
    secret: '',
  }));
  const announceDecisions = decisionsOf({
    ...configuration,
    alerts: { ...configuration.alerts, webhooks },
  });
  const concluded = async (findings: readonly Finding[]) => {
    started += 60_000;
    const runId = await startRun(store, {
      startedAt: started,
      source: 'file:books',
      engine: 'pointage 0',
    });
    const conclusion = {
      runId,
      report: report('many', findings),
      checkpoint: null,
      announceDecisions,
    };
    for (let time = 0; time < 2; time += 1)
      await withMerchantLock(store, 'many', (lease) => saveConclusion(store, lease, conclusion));
  };
  const names = Array.from({ length: 130 }, (_, i) => `many-${String(i).padStart(3, '0')}`);
  const severityOf = (i: number) => (i < 60 ? 'error' : 'critical');
  const found = names.map((name, i) => finding(name, { severity: severityOf(i) }));
  await concluded(found);
  // Half of the findings are gone, and the others are put right, each by a line of its own.
  const settledBy = (i: number) =>
    ({ lines: [String(i)], ambiguous: false }) as unknown as Finding['settledBy'];
  await concluded(
    found.flatMap((one, i) => (i % 2 === 0 ? [] : [{ ...one, settledBy: settledBy(i) }])),
  );
  const { rows } = await store.pool.query<{
    target: string;
    data: { fingerprint: string; more?: number };
  }>("select target, content -> 'data' as data from deliveries where merchant = 'many'");
  for (const { url } of webhooks) {
    const told = rows.filter(({ target }) => target === url).map(({ data }) => data);
    const worst = [...names.slice(60), ...names.slice(0, 30)];
    expect(told.map(({ fingerprint }) => fingerprint).toSorted()).toEqual(worst.toSorted());
    expect(
      told.flatMap(({ fingerprint, more }) =>
        more === undefined ? [] : [`${fingerprint} ${more}`],
      ),
    ).toEqual(['many-029 30']);
  }
});

test('a person acknowledges and reopens; what a person of an earlier version has resolved still reads, and is open again once it comes back', async () => {
  await run('people', [finding('p1')]);
  const decide = (action: 'acknowledge' | 'reopen') =>
    decideFinding(store, {
      fingerprint: 'p1',
      action,
      reason: ' seen with the operator ',
      by: 'Awa',
      at: BEGIN + 5,
    });
  expect(await decide('acknowledge')).toBe('acknowledged');
  await run('people', [finding('p1')]);
  expect((await loadFinding(store, 'p1'))?.state).toBe('acknowledged');
  const resolve = async (number: number) => {
    await store.pool.query(
      `insert into finding_decisions
      select merchant_id, fingerprint, $1, 'resolve', state, 'resolved', 'it is gone', 'Awa', $2, null, null
      from findings where fingerprint = 'p1'`,
      [number, BEGIN + 5],
    );
    await store.pool.query(`update findings set state = 'resolved' where fingerprint = 'p1'`);
  };
  await resolve(2);
  expect(await decide('reopen')).toBe('open');
  await resolve(4);
  expect((await run('people', [finding('p1')])).changes.reopened).toEqual(['p1']);
  const decisions = (await loadFinding(store, 'p1'))!.decisions;
  expect(decisions.map((one) => [one.action, one.by, one.runId === null])).toEqual([
    ['acknowledge', 'Awa', true],
    ['resolve', 'Awa', true],
    ['reopen', 'Awa', true],
    ['resolve', 'Awa', true],
    ['reopen', 'pointage', false],
  ]);
  expect(decisions[0]).toMatchObject({
    reason: 'seen with the operator',
    at: BEGIN + 5,
    stateBefore: 'open',
  });
});

test('what follows from a root has its state while it is found, and is resolved when it is found no more', async () => {
  const root = finding('f-root');
  await run('M-follows', [root, finding('f-follows', { causedBy: 'f-root' })]);
  await decideFinding(store, {
    fingerprint: 'f-root',
    action: 'acknowledge',
    reason: 'known',
    by: 'opA',
    at: started,
  });
  const states = async (state: 'acknowledged' | 'resolved') => {
    const { items } = await findFindings(store, { merchant: 'M-follows', state, limit: 10 });
    return items.map((one) => `${one.finding.fingerprint} ${one.state}`).sort();
  };
  expect(await states('acknowledged')).toEqual(['f-follows acknowledged', 'f-root acknowledged']);
  expect(await states('resolved')).toEqual([]);

  await run('M-follows', [root]);
  expect(await loadFinding(store, 'f-follows')).toMatchObject({ state: 'resolved' });
  expect(await states('acknowledged')).toEqual(['f-root acknowledged']);
  expect(await states('resolved')).toEqual(['f-follows resolved']);
});

test('a decision without a reason, without a name, without effect or about nothing is refused', async () => {
  await run('refusals', [finding('r1')]);
  const decision = {
    fingerprint: 'r1',
    action: 'acknowledge',
    reason: 'why',
    by: 'Awa',
    at: BEGIN,
  } as const;
  await expect(decideFinding(store, { ...decision, reason: ' \n' })).rejects.toMatchObject({
    code: 'DECISION_REFUSED',
  });
  await expect(decideFinding(store, { ...decision, by: '' })).rejects.toMatchObject({
    code: 'DECISION_REFUSED',
  });
  await expect(decideFinding(store, { ...decision, action: 'reopen' })).rejects.toMatchObject({
    code: 'DECISION_REFUSED',
  });
  await expect(decideFinding(store, { ...decision, fingerprint: 'r' })).rejects.toMatchObject({
    code: 'UNKNOWN_FINDING',
  });
  expect(await loadFinding(store, 'r1')).toMatchObject({ state: 'open', decisions: [] });
});

test('a finding is found by the beginning of its fingerprint, if only one begins so', async () => {
  await run('prefixes', [finding('aa11'), finding('aa22'), finding('a%')]);
  expect((await loadFinding(store, 'aa1'))?.finding.fingerprint).toBe('aa11');
  expect((await loadFinding(store, 'a%'))?.finding.fingerprint).toBe('a%');
  expect(await loadFinding(store, 'aa_')).toBeNull();
  await expect(loadFinding(store, 'aa')).rejects.toMatchObject({ code: 'AMBIGUOUS_FINGERPRINT' });
});

test('findings are listed worst first, and by their filters', async () => {
  const findings = [
    finding('l1', { severity: 'info', kind: 'SEQUENCE_GAP', sequence: '2' }),
    finding('l2', { severity: 'critical', sequence: '10' }),
    finding('l3', { severity: 'critical', sequence: '9' }),
    finding('l4', { severity: 'error', sequence: null }),
  ];
  await run('listed', findings);
  const list = async (filter: object) =>
    (await findFindings(store, { merchant: 'listed', limit: 10, ...filter })).items.map(
      (one) => one.finding.fingerprint,
    );
  expect(await list({})).toEqual(['l3', 'l2', 'l4', 'l1']);
  expect(await list({ limit: 2 })).toEqual(['l3', 'l2']);
  expect(await list({ severity: 'error' })).toEqual(['l4']);
  expect(await list({ kind: 'SEQUENCE_GAP' })).toEqual(['l1']);
  expect(await list({ state: 'resolved' })).toEqual([]);
});

test('every merchant has a last report', async () => {
  await run('R1', [finding('R1f')]);
  const newer = await run('R1', []);
  const last = (await loadLastReports(store)).filter((stored) => stored.report.merchant === 'R1');
  expect(last).toEqual([{ runId: newer.runId, report: report('R1', []) }]);
  await expect(finishRun(store, { runId: 999_999, finishedAt: 1 })).rejects.toMatchObject({
    code: 'UNKNOWN_RUN',
  });
});

test('a report does not repeat more findings than a thousand, and gives them back in its order', async () => {
  const findings = Array.from({ length: 1_001 }, (_, i) =>
    finding(`many${1_000 + i}`, { sequence: String(i + 1) }),
  );
  const { runId } = await run('many', findings);
  const [stored] = (await loadLastReports(store)).filter((one) => one.report.merchant === 'many');
  expect(stored!.report.findings).toEqual([]);
  expect(await loadRunReports(store, runId, { limit: 1 })).toEqual([report('many', findings)]);
  const fewer = await run('many', findings.slice(1));
  expect(await loadRunReports(store, fewer.runId, { limit: 1 })).toEqual([
    report('many', findings.slice(1)),
  ]);
});

test('text that PostgreSQL cannot hold is kept as near as it can be', async () => {
  await run('odd-text', [finding('odd', { message: 'nul \0, half \udc00, "quoted" \\u0000' })]);
  expect((await loadFinding(store, 'odd'))?.finding.message).toBe(
    'nul ␀, half �, "quoted" \\u0000',
  );
});

test('a conclusion under a lost lease, or of no run, saves nothing', async () => {
  let stale: Lease | null = null;
  await withMerchantLock(store, 'stale', async (lease) => {
    stale = lease;
  });
  const { runId } = await run('stale', []);
  const conclusion = { runId, report: report('stale', [finding('s1')]), checkpoint: CHECKPOINT };
  await expect(saveConclusion(store, stale!, conclusion)).rejects.toBeInstanceOf(LeaseLost);
  const ofNoRun = withMerchantLock(store, 'stale', (lease) =>
    saveConclusion(store, lease, { ...conclusion, runId: 0 }),
  );
  await expect(ofNoRun).rejects.toMatchObject({ code: 'UNKNOWN_RUN' });
  expect(await loadFinding(store, 's1')).toBeNull();
});

test('a checkpoint comes back as it was saved, until a line arrives below its head', async () => {
  const pages = (...added: readonly (readonly ReturnType<typeof line>[])[]) =>
    withMerchantLock(store, 'checked', async (lease) => {
      for (const entries of added) await savePage(store, lease, { entries });
    });
  expect(await loadCheckpoint(store, 'checked')).toBeNull();
  await pages(lines(1, 3));
  await run('checked', []);
  expect(await loadCheckpoint(store, 'checked')).toEqual(CHECKPOINT);
  await pages([line(3), line(5)]);
  expect(await loadCheckpoint(store, 'checked'), 'a re-delivery and a new line do no harm').toEqual(
    CHECKPOINT,
  );
  await pages([line(4)]);
  expect(await loadCheckpoint(store, 'checked')).toBeNull();
  const replayed = { ...CHECKPOINT, lastSequence: 5, lastIntake: 3 };
  await run('checked', [], replayed);
  expect(await loadCheckpoint(store, 'checked')).toEqual(replayed);
});

test('a person and a run that change the same finding do not block each other for ever', async () => {
  const many = Array.from({ length: 50 }, (_, i) => finding(`c${String(i).padStart(2, '0')}`));
  await run('crowd', many);
  const decisions = many.map((one) =>
    decideFinding(store, {
      fingerprint: one.fingerprint,
      action: 'acknowledge',
      reason: 'seen',
      by: 'Awa',
      at: BEGIN,
    }),
  );
  const [changes, ...states] = await Promise.all([run('crowd', many), ...decisions]);
  expect(changes.changes).toEqual({
    added: [],
    resolved: [],
    settled: [],
    reopened: [],
    changed: [],
  });
  expect(new Set(states)).toEqual(new Set(['acknowledged']));
  expect(
    (await findFindings(store, { merchant: 'crowd', state: 'acknowledged', limit: 100 })).items,
  ).toHaveLength(50);
});

test('where a person decides what a run resolves at the same time, each begins where the other has ended', async () => {
  const many = Array.from({ length: 30 }, (_, i) => finding(`r${String(i).padStart(2, '0')}`));
  await run('race', many);
  const decisions = many.map((one) =>
    decideFinding(store, {
      fingerprint: one.fingerprint,
      action: 'acknowledge',
      reason: 'seen',
      by: 'Awa',
      at: BEGIN,
    }).catch((error: Error) => error.message),
  );
  const [{ changes }, ...said] = await Promise.all([run('race', []), ...decisions]);
  expect(changes.resolved).toHaveLength(30);
  expect(
    said.filter((one) => !/^(?:acknowledged$|The finding is resolved already)/.test(one)),
  ).toEqual([]);
  for (const { fingerprint } of many) {
    const { state, decisions: history } = (await loadFinding(store, fingerprint))!;
    expect(state).toBe('resolved');
    const moves = history.map(({ stateBefore, stateAfter }) => `${stateBefore} ${stateAfter}`);
    expect([['open resolved'], ['open acknowledged', 'acknowledged resolved']]).toContainEqual(
      moves,
    );
  }
});
