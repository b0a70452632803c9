// Joins what receiving notifications needs: the signing secrets of the configuration, the mirror and the queue.

import type { Instant } from '../../core/domain/instant.ts';
import { knowsMerchant } from '../../io/storage/merchants/merchants.ts';
import type { Store } from '../../io/storage/server/store.ts';
import type { Configuration } from '../config/check-configuration.ts';
import type { Jobs } from '../workflows/jobs.ts';
import { type NotificationInbox, takeSignal, takeSigned } from '../workflows/notifications/receive-notification.ts';

/** A merchant is known by its settings or by its mirror; its secret is in its settings, and needs no database. */
export function inboxOf(
  configuration: Configuration,
  store: Store,
  runtime: {
    readonly jobs: Jobs;
    readonly clock: () => Instant;
    readonly log: (event: object) => void;
  },
): NotificationInbox {
  const { merchants, server } = configuration;
  const { jobs, clock, log } = runtime;
  // A name like `constructor` is no setting.
  const settingsOf = (merchant: string) => (Object.hasOwn(merchants, merchant) ? merchants[merchant] : undefined);
  const isKnown = async (merchant: string) =>
    settingsOf(merchant) !== undefined || (await knowsMerchant(store, merchant));
  return {
    secretsOf: async (merchant) => {
      const secrets = settingsOf(merchant)?.notifications;
      return secrets ?? ((await isKnown(merchant)) ? 'no secret' : 'unknown merchant');
    },
    takeSigned: (notification) => takeSigned({ store, jobs }, notification),
    takeSignal: (signal) => takeSignal({ store, jobs, isKnown }, signal),
    clock,
    log,
    maxSignedBytes: server.maxNotificationBytes,
    maxUnsignedBytes: server.maxBodyBytes,
  };
}
