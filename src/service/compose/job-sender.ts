// The queue for a process that only asks for work, like the server: it sends jobs, and takes none.

import type { Store } from '../../io/storage/server/store.ts';
import type { Configuration } from '../config/check-configuration.ts';
import { openQueue } from '../queue/open-queue.ts';
import type { Jobs } from '../workflows/jobs.ts';

export interface JobSender extends Jobs {
  close(): Promise<void>;
}

export async function openJobSender(
  configuration: Configuration,
  store: Store,
  log: (event: object) => void,
): Promise<JobSender> {
  const { attempts, takeOverSeconds, longestMinutes } = configuration.worker;
  const settings = { attempts, takeOverSeconds, longestMinutes };
  const queue = await openQueue({ store, settings, works: false, log });
  return { send: (requests) => queue.send(requests), close: () => queue.stop(0) };
}
