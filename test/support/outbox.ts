// An outbox for tests: deliveries written as an announcement writes them, and a task over channels
// with a clock of its own.

import type { Channel, NewDelivery } from '../../src/core/domain/delivery/delivery.ts';
import type { DeliveryChannel } from '../../src/core/domain/delivery/delivery-channel.ts';
import { openFolderChannel } from '../../src/io/deliveries/folder.ts';
import type { MailSettings } from '../../src/io/deliveries/mail.ts';
import { listDeliveries, type StoredDelivery } from '../../src/io/storage/deliveries/deliveries.ts';
import { addDeliveries } from '../../src/io/storage/deliveries/outbox.ts';
import { inTransaction } from '../../src/io/storage/server/connections.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import {
  DEFAULT_TEMPLATE_FOLDER,
  loadMailTemplates,
} from '../../src/service/templates/load-template.ts';
import type {
  OutboxTask,
  RecordedAttempt,
} from '../../src/service/workflows/deliveries/deliver-due.ts';

export const NOW = Date.UTC(2026, 10, 15, 12);

/** Returns an alert about a run that did not cover everyone. `number` tells one from another. */
export function alertTo(channel: Channel, target: string, number = 1): NewDelivery {
  const missing = [{ merchant: 'M2', reason: 'no answer' }];
  const problem = {
    kind: 'NOT_COVERED',
    night: NOW,
    runId: number,
    expected: 3,
    done: 2,
    missing,
  } as const;
  const content = { topic: 'run', problem } as const;
  return { channel, target, announces: `run/${number}/NOT_COVERED`, merchant: null, content };
}

export function announce(
  store: Store,
  deliveries: readonly NewDelivery[],
  now = NOW,
): Promise<void> {
  return inTransaction(store, (client) => addDeliveries(client, deliveries, now));
}

export function mailSettings(url: string, changes: Partial<MailSettings> = {}): MailSettings {
  return {
    url,
    from: 'Contrôle <pointage@example.com>',
    deadline: 5_000,
    templates: loadMailTemplates(DEFAULT_TEMPLATE_FOLDER),
    alertLanguage: 'en',
    ...changes,
  };
}

export const folderChannel = (folder: string) =>
  openFolderChannel(folder, loadMailTemplates(DEFAULT_TEMPLATE_FOLDER));

export interface TestOutbox extends OutboxTask {
  readonly attempts: RecordedAttempt[];
  readonly failures: unknown[];
  /** The time on the clock. Tests move it. */
  now: number;
}

export function outboxTask(store: Store, channels: readonly DeliveryChannel[]): TestOutbox {
  const task: TestOutbox = {
    store,
    addressedNow: () => null,
    channels,
    formats: ['pdf', 'xlsx'],
    prove: async (report) => ({ report, verifierKey: null }),
    signNight: async () => null,
    now: NOW,
    clock: () => task.now,
    attempts: [],
    failures: [],
    onAttempt: (attempt) => void task.attempts.push(attempt),
    onFailure: (failure) => void task.failures.push(failure),
  };
  return task;
}

/** Returns the deliveries, newest first. */
export async function stored(store: Store): Promise<readonly StoredDelivery[]> {
  return (await listDeliveries(store, { limit: 1_000 })).items;
}

export async function emptyOutbox(store: Store): Promise<void> {
  await store.pool.query(
    `alter table delivery_attempts disable trigger append_only;
    delete from delivery_attempts;
    alter table delivery_attempts enable trigger append_only;
    delete from deliveries`,
  );
}
