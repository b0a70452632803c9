// A process of its own for part f: what the queue costs by itself. Sends jobs that have nothing to
// do, works them off four at a time, and counts. The address of a migrated database and the number
// of jobs come in; a sample as JSON out.

import { openQueue } from '../src/service/queue/open-queue.ts';
import { withStore } from './databases.ts';

const [database = '', count = '1000'] = process.argv.slice(2);
const AT_ONCE = 4;

const sample = await withStore(database, async (store) => {
  const settings = { attempts: 5, takeOverSeconds: 60, longestMinutes: 30 };
  const queue = await openQueue({ store, settings, works: true, log: () => {} });
  const jobs = Number(count);
  let left = jobs;
  const cpu = process.cpuUsage();
  const started = performance.now();
  const requests = Array.from({ length: jobs }, (_, i) => {
    return { kind: 'refresh', data: { merchant: `M${i}`, reference: 'R' } } as const;
  });
  await queue.send(requests);
  await new Promise<void>((resolve) => {
    const handler = async (): Promise<void> => {
      left -= 1;
      if (left === 0) resolve();
    };
    void queue.work('refresh', handler, { atOnce: AT_ONCE });
  });
  const seconds = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  await queue.stop(5);
  return { seconds, cpuSeconds: (user + system) / 1e6, peakMegabytes: null };
});
process.stdout.write(JSON.stringify(sample));
