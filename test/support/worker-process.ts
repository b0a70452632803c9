// Worker processes that a test starts, kills and starts again, over a simulated service whose clock
// stands still.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DAY } from '../../src/core/domain/instant.ts';
import { startOfDay } from '../../src/core/domain/zone.ts';
import { faultNamed } from '../../src/sandbox/faults/register.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/service/start-sandbox.ts';

const MAIN = join(import.meta.dirname, '../../src/service/cli/main.js');

export interface WorkerProcess {
  /** The lines that the process logged. */
  readonly logged: readonly string[];
  /** Kills the process (SIGKILL), and waits until it is gone. */
  kill(): Promise<void>;
  /** Asks the process to leave (SIGTERM), waits until it has left, and returns its exit status. */
  leave(): Promise<number | null>;
}

/** Starts a worker. Resolves when it takes work. */
export async function startWorkerProcess(configFile: string): Promise<WorkerProcess> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [MAIN, 'worker', '--config', configFile], {
    env: { PATH, HOME },
  });
  const logged: string[] = [];
  child.stderr.on('data', (part: Buffer) =>
    logged.push(...part.toString().split('\n').filter(Boolean)),
  );
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const [said] = (await Promise.race([once(child.stdout, 'data'), exited.then(() => [''])])) as [
    Buffer | string,
  ];
  if (!said.toString().startsWith('Working on'))
    throw new Error(`the worker did not start: ${logged.join('\n')}`);
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return (await exited)[0];
  };
  return { logged, kill: async () => void (await end('SIGKILL')), leave: () => end('SIGTERM') };
}

/**
 * Starts a sandbox of small merchants, some of them with a fault, on the third day of this month,
 * with last month behind them.
 */
export function startNightSandbox(count: number, latency: number): Promise<Sandbox> {
  const utc = { name: 'UTC', offsetAt: () => 0 };
  const today = new Date(Date.now()).toISOString();
  const month = { year: Number(today.slice(0, 4)), month: Number(today.slice(5, 7)), day: 1 };
  const start = startOfDay(utc, month) + 2 * DAY;
  const faults: Readonly<Record<number, readonly string[]>> = {
    1: ['CREDIT_DUPLICATED'],
    4: ['HOLD_NOT_RELEASED'],
    7: ['FEE_AMOUNT_MISMATCH'],
  };
  const merchants = Array.from({ length: count }, (_, number) =>
    planMerchant({
      reference: `M${String(number + 1).padStart(3, '0')}`,
      opensAt: start - 20 * DAY,
      traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 6 },
      faults: (faults[number] ?? []).map(faultNamed),
    }),
  );
  const settings = {
    misbehaviour: { failureRate: 0, rateLimit: null, latency: { from: latency / 2, to: latency } },
  };
  return startSandbox({ seed: 'nights', merchants, start, port: 0, settings });
}
