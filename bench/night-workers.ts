// A night as the service makes it: `pointage worker` twice on one database, the queue between them.
// One of the two begins the night and ends with it; the other takes what it can get.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { PROOF_FILE } from '../src/io/formats/deltas.ts';
import { runProgram } from './child.ts';
import { CLI } from './cli.ts';
import { withClient } from './databases.ts';
import type { Sample } from './figures.ts';
import { familyTime } from './processor-time.ts';

export interface WorkedNight extends Sample {
  readonly merchants: number;
  readonly clean: number;
  readonly entriesAdded: number;
}

export interface WorkedTask {
  readonly mirror: string;
  readonly source: string;
}

/**
 * Works one night with two workers. `seconds` run from the night's beginning to its end, as its
 * record has them. Processor time is that of the workers.
 */
export async function workNight(task: WorkedTask): Promise<WorkedNight> {
  const scratch = mkdtempSync(join(tmpdir(), 'pointage-bench-night-'));
  const config = join(scratch, 'config.json');
  writeFileSync(config, JSON.stringify({ databaseUrl: task.mirror, source: task.source }));
  const second = spawn(CLI, ['worker', '--config', config], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, POINTAGE_LOG: 'error' },
  });
  try {
    await once(second.stdout, 'data');
    const before = familyTime(second.pid!);
    const first = await runProgram({
      command: CLI,
      words: ['worker', '--once', '--config', config],
    });
    const after = familyTime(second.pid!);
    const peak = Math.max(first.peakMegabytes ?? 0, peakMegabytes(second.pid!) ?? 0);
    const night = await withClient(task.mirror, lastNight);
    const isCounted = first.cpuSeconds !== null && before !== null && after !== null;
    return {
      ...night,
      cpuSeconds: isCounted ? first.cpuSeconds! + after - before : null,
      peakMegabytes: peak === 0 ? null : peak,
    };
  } finally {
    second.kill('SIGTERM');
    if (second.exitCode === null) await once(second, 'exit');
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function lastNight(
  client: pg.Client,
): Promise<Pick<WorkedNight, 'seconds' | 'merchants' | 'clean' | 'entriesAdded'>> {
  const answer = await client.query<{
    milliseconds: string;
    merchants: number;
    clean: number;
    added: string;
  }>(
    `select r.finished_at - r.started_at as milliseconds, count(*)::int as merchants,
      (count(*) filter (where x.verdict = 'clean'))::int as clean, sum(x.entries_added) as added
    from runs r
    join run_members x on x.run_id = r.run_id
    where r.run_id = (select max(run_id) from runs where kind = 'night')
    group by r.run_id`,
  );
  const { milliseconds, merchants, clean, added } = answer.rows[0]!;
  return { seconds: Number(milliseconds) / 1_000, merchants, clean, entriesAdded: Number(added) };
}

/**
 * Enters the months that may have ended last as if they were issued and in the evidence log, so
 * that a night has no statements to make.
 */
export async function issueMonths(client: pg.Client): Promise<void> {
  const months = [0, 1, 2].map((back) => {
    const now = new Date();
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1))
      .toISOString()
      .slice(0, 7);
  });
  await client.query(
    `with issued as (
      insert into reports (merchant_id, report_id, period, revision, attempt, status, period_label, period_start,
        period_end, requested_at, generated_at, issued)
      select merchant_id, gen_random_uuid(), period, 1, 1, 'READY', period, 0, 0, 0, 0, '{}'
      from merchants, unnest($1::text[]) as months (period)
      where not exists (select from reports r where r.merchant_id = merchants.merchant_id)
      returning merchant_id, report_id)
    insert into report_files (merchant_id, report_id, format, file_name, media_type, size, sha256)
    select merchant_id, report_id, $2, 'proof', 'text/plain', 0, '' from issued`,
    [months, PROOF_FILE],
  );
}

export function peakMegabytes(pid: number): number | null {
  try {
    const found = /VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
    return found === null ? null : Number(found[1]) / 1_024;
  } catch {
    return null;
  }
}
