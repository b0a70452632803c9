// A store on a Citus cluster beside one on a plain PostgreSQL, made by the steps of docs/SCALING.md
// as an owner without superuser. Two nights with news between them, a month, decisions of two
// people and an audit leave the same in both. CITUS_NODE_RESTART names a command that kills one
// node and starts it again; it is run in the middle of a night.

import { exec } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import { openStore } from '../../src/io/storage/server/open-store.ts';
import type { Sandbox } from '../../src/sandbox/service/start-sandbox.ts';
import { type Ended, pointage } from '../support/command.ts';
import { databaseAt, onServer } from '../support/database-address.ts';
import { createCluster, distribute, dropCluster, migrateBy } from '../support/database-cluster.ts';
import { describeSchema } from '../support/database-schema.ts';
import { withEmptyDatabase } from '../support/database-store.ts';
import { startNightSandbox } from '../support/worker-process.ts';

const MERCHANTS = 8;
const TOKENS = {
  awa: 'a-token-of-awa-who-decides-and-publishes',
  bob: 'a-token-of-bob-who-is-the-second-person',
};
const ROLES = ['decider', 'publisher'];
const RESTART = process.env.CITUS_NODE_RESTART;
const cluster = inject('testCluster');

describe.skipIf(cluster === null)('a store on a cluster (needs CITUS_DATABASE_URL)', () => {
  let sandbox: Sandbox;
  let scratch: string;
  let database: OwnCluster;
  beforeAll(async () => {
    sandbox = await startNightSandbox(MERCHANTS, 60);
    scratch = mkdtempSync(join(tmpdir(), 'pointage-citus-'));
    database = await makeOwnCluster();
  });
  afterAll(async () => {
    await sandbox.close();
    await database.drop();
    rmSync(scratch, { recursive: true, force: true });
  });

  test('loses no view, trigger, function, policy or right when its tables are distributed', async () => {
    const { url, drop } = await makeOwnCluster();
    try {
      await migrateBy(url);
      await migrateBy(url, '--roles');
      const before = await describeWhole(url);
      expect(before.rights.length).toBeGreaterThan(40);
      expect(before.views.length).toBeGreaterThan(5);
      expect(before.schema).toContain('FUNCTION public.lock_heads');
      await distribute(url);
      expect(await describeWhole(url)).toEqual(before);
    } finally {
      await drop();
    }
  });

  test('ends nights, news, a month, decisions of two people and an audit as one database does', async () => {
    await migrateBy(database.url);
    await distribute(database.url);
    await migrateBy(database.url, '--roles');
    await withEmptyDatabase(async (plain) => {
      await migrateBy(plain);
      const stores = [
        { databaseUrl: database.url, config: configFor('cluster', database.url) },
        { databaseUrl: plain, config: configFor('plain', plain) },
      ] as const;
      const onBoth = async (...words: readonly string[]) => {
        const [found, expected] = [
          await command(stores[0].config, words),
          await command(stores[1].config, words),
        ];
        expect(withoutIds(found), words.join(' ')).toEqual(withoutIds(expected));
        return expected;
      };
      for (const { config } of stores) await night(config);
      await sandbox.advanceTo(sandbox.now() + DAY);
      for (const { config } of stores) await night(config);
      expect(await leftBy(stores[0].databaseUrl)).toEqual(await leftBy(stores[1].databaseUrl));

      const list = await onBoth('findings', 'list', '--format', 'json');
      const [first, second] = (JSON.parse(list.out) as { fingerprint: string }[]).map(
        ({ fingerprint }) => fingerprint,
      );
      await onBoth('findings', 'acknowledge', first!, '--reason', 'asked the service');
      await onBoth('findings', 'settle', first!, '--reason', 'paid back');
      await onBoth('findings', 'accept', second!, '--reason', 'small', '--limit', '100000');
      for (const { databaseUrl, config } of stores) await confirmAll(databaseUrl, config);
      const held = JSON.parse(
        (await onBoth('statement', 'list', '--held', '--format', 'json')).out,
      ) as readonly {
        merchant: string;
        period: string;
      }[];
      expect(held.length).toBeGreaterThan(0);
      const { merchant, period } = held[0]!;
      await onBoth('statement', 'release', merchant, period, '--reason', 'looked at');
      await onBoth('statement', 'close', 'M001', period);
      await onBoth('deliveries', 'send');
      for (const words of [
        ['tonight'],
        ['merchants', 'list'],
        ['statement', 'list'],
        ['findings', 'exposure'],
      ])
        await onBoth(...words);
      await onBoth('audit', '--format', 'json');
      const left = await leftBy(stores[0].databaseUrl);
      expect(left).toEqual(await leftBy(stores[1].databaseUrl));
      expect(left.reports.length).toBe(2 * MERCHANTS);
      expect(left.findings.length).toBeGreaterThanOrEqual(2);
      expect(left.decisions.map((row) => row.decided_by)).toEqual(expect.arrayContaining(['awa']));
      expect(
        left.proposals.filter(({ decided_by }) => decided_by === 'bob').length,
      ).toBeGreaterThanOrEqual(2);
      expect(left.statements.length).toBe(MERCHANTS);
      expect(left.leaves.length).toBeGreaterThan(MERCHANTS);
      if (RESTART === undefined)
        process.stderr.write('No node was restarted: CITUS_NODE_RESTART names no command.\n');
      else await nightWithRestart(stores);
    });
  }, 600_000);

  /** Works a night over a day's news, with one node away in the middle. */
  async function nightWithRestart([distributed, plain]: readonly {
    databaseUrl: string;
    config: string;
  }[]) {
    await sandbox.advanceTo(sandbox.now() + DAY);
    await night(plain!.config);
    const ended = command(distributed!.config, ['worker', '--once']);
    while ((await attemptsOf(distributed!.databaseUrl)) === 0) await sleep(20);
    await promisify(exec)(RESTART!);
    expect((await ended).out).toContain(
      `Night 3: ${MERCHANTS} of ${MERCHANTS} merchants were judged`,
    );
    expect(
      await attemptsOf(distributed!.databaseUrl),
      'the node was away from work',
    ).toBeGreaterThan(MERCHANTS);
    expect(await leftBy(distributed!.databaseUrl)).toEqual(await leftBy(plain!.databaseUrl));
  }

  function configFor(name: string, databaseUrl: string): string {
    const file = join(scratch, `${name}.config.json`);
    const merchants = sandbox.merchants.map(({ reference, apiKey, apiSecret }) => [
      reference,
      { apiKey, apiSecret },
    ]);
    const configuration = {
      databaseUrl,
      source: sandbox.url,
      merchants: Object.fromEntries(merchants),
      dataDirectory: join(scratch, name),
      decisions: { secondPersonAbove: { XOF: 0, XAF: 0, GNF: 0 } },
      server: {
        operators: Object.entries(TOKENS).map(([who, token]) => ({
          name: who,
          roles: ROLES,
          token,
        })),
      },
      deliveries: { folder: join(scratch, 'statements', name) },
      evidence: { origin: 'nights.example', key: Buffer.alloc(32, 7).toString('base64') },
    };
    writeFileSync(file, JSON.stringify(configuration));
    return file;
  }

  function command(config: string, words: readonly string[], token = TOKENS.awa): Promise<Ended> {
    const environment = { POINTAGE_TOKEN: token };
    return pointage([...words, '--config', config], { environment, clock: () => sandbox.now() });
  }

  async function night(config: string): Promise<void> {
    expect(await command(config, ['worker', '--once'])).toMatchObject({ status: 1, err: '' });
  }

  /** Confirms as the second person what the first one proposed. */
  async function confirmAll(databaseUrl: string, config: string): Promise<void> {
    const waiting = await rowsOf(
      databaseUrl,
      'select proposal_id from proposals order by proposed_at, subject',
    );
    expect(waiting.length).toBeGreaterThan(0);
    for (const { proposal_id: id } of waiting) {
      expect(await command(config, ['proposals', 'confirm', id as string])).toMatchObject({
        status: 3,
      });
      expect(
        await command(config, ['proposals', 'confirm', id as string], TOKENS.bob),
      ).toMatchObject({ status: 0 });
    }
  }
});

interface OwnCluster {
  /** Address for the owner, a login without superuser that may make roles. */
  readonly url: string;
  drop(): Promise<void>;
}

/** Makes a database of its own on every machine, with nothing in it. */
async function makeOwnCluster(): Promise<OwnCluster> {
  const name = `pointage_test_${randomBytes(6).toString('hex')}`;
  const owner = `${name}_owner`;
  const { url: server, nodes } = cluster!;
  await createCluster(cluster!, name);
  await onServer(databaseAt(server, name), async (client) => {
    await client.query(`create role ${owner} login createrole`);
    // Roles belong to the server: another database may have made them.
    await client.query(
      `grant pointage_owner, pointage_worker, pointage_server to ${owner} with admin option`,
    );
  });
  for (const machine of [server, ...nodes]) {
    await onServer(machine, (client) => client.query(`alter database ${name} owner to ${owner}`));
  }
  const url = new URL(databaseAt(server, name));
  url.username = owner;
  const drop = async () => {
    await dropCluster(cluster!, name);
    await onServer(server, (client) => client.query(`drop role ${owner}`));
  };
  return { url: url.href, drop };
}

type Row = Readonly<Record<string, unknown>>;

async function rowsOf(databaseUrl: string, query: string): Promise<readonly Row[]> {
  let rows: readonly Row[] = [];
  await onServer(databaseUrl, async (client) => {
    ({ rows } = await client.query(query));
  });
  return rows;
}

/** Returns the attempts at the merchants of the third night. */
async function attemptsOf(databaseUrl: string): Promise<number> {
  const asked = 'select coalesce(sum(attempts), 0)::int as count from run_members where run_id = 3';
  return (await rowsOf(databaseUrl, asked))[0]!.count as number;
}

/**
 * Returns everything of the schema that could be lost with a table which another table replaces.
 */
async function describeWhole(databaseUrl: string) {
  const store = await openStore({ databaseUrl, dataDirectory: '' });
  try {
    return {
      schema: await describeSchema(store.pool),
      views: await rowsOf(
        databaseUrl,
        "select viewname, definition from pg_views where schemaname = 'public' and viewname not like 'citus%' order by 1",
      ),
      policies: await rowsOf(
        databaseUrl,
        'select tablename, policyname, roles::text, qual from pg_policies order by 1, 2',
      ),
      rights: await rowsOf(
        databaseUrl,
        `select c.relname, pg_get_userbyid(c.relowner) as owner, c.reloptions::text, array(select a::text from unnest(c.relacl) a order by 1) as rights,
          array(
            select a.attname || ' ' || x.acl::text
            from pg_attribute a
            cross join lateral unnest(a.attacl) as x (acl)
            where a.attrelid = c.oid
            order by 1
          ) as of_columns
        from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'S') and c.relname not like 'citus%'
        order by 1`,
      ),
      functions: await rowsOf(
        databaseUrl,
        `select oid::regprocedure::text as name, pg_get_userbyid(proowner) as owner, proacl::text as rights
        from pg_proc
        where pronamespace = 'public'::regnamespace
        order by 1`,
      ),
    };
  } finally {
    await store.close();
  }
}

/** Returns everything that nights and people leave, except identifiers that are drawn. */
async function leftBy(databaseUrl: string) {
  const ofMerchants = (columns: string, table: string, order: string) =>
    rowsOf(
      databaseUrl,
      `select reference, ${columns} from ${table} natural join merchants order by reference, ${order}`,
    );
  return {
    runs: await rowsOf(
      databaseUrl,
      'select run_id, kind, expected, totals from runs order by run_id',
    ),
    members: await ofMerchants(
      'run_id, state, verdict, reason, watermark, entries_added, operations_changed',
      'run_members',
      'run_id',
    ),
    reports: await ofMerchants(
      'run_id, verdict, report, chain_lines, chain_head',
      'run_merchants',
      'run_id',
    ),
    findings: await ofMerchants(
      'fingerprint, kind, severity, state, last_seen_run, content',
      'findings',
      'fingerprint',
    ),
    decisions: await ofMerchants(
      'fingerprint, action, state_after, reason, decided_by, decided_at, terms',
      'finding_decisions',
      'fingerprint, decision_number',
    ),
    proposals: await rowsOf(
      databaseUrl,
      `select p.merchant_id, p.action, p.subject, p.proposed_by, e.ended_by as decided_by
      from proposals p
      left join proposal_ends e on e.merchant_id = p.merchant_id and e.proposal_id = p.proposal_id
      order by p.action, p.subject`,
    ),
    chains: await ofMerchants(
      'entry_count, operation_count, chain',
      'merchant_heads',
      'merchant_id',
    ),
    checkpoints: await ofMerchants('last_sequence, state', 'checkpoints', 'merchant_id'),
    statements: await ofMerchants(
      "period, revision, verdict, issued -> 'integrity' ->> 'contentHash' as hash",
      "(select * from reports where status = 'READY') as r",
      'period, revision',
    ),
    closed: await ofMerchants('period, closed_by', 'closed_months', 'period'),
    leaves: await rowsOf(databaseUrl, 'select subject from log_leaves order by subject'),
    deliveries: await rowsOf(
      databaseUrl,
      'select channel, topic, merchant, state from deliveries order by 1, 2, 3, 4',
    ),
  };
}

/**
 * Returns what a command said without what must differ: drawn identifiers, each store's folder, and
 * times.
 */
function withoutIds({ status, out, err }: Ended) {
  const said = (text: string) =>
    text
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
      .replace(/mirror:postgres:[^"\s]*/g, 'mirror')
      .replaceAll('/cluster', '/plain');
  return { status, out: said(out), err: said(err) };
}
