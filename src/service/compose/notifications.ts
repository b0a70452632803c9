// Joins what receiving notifications needs: the signing secrets of the configuration, the mirror and the queue.

import { knowsMerchant } from '../../io/storage/merchants/merchants.ts';
import { storeOfMerchant } from '../../io/storage/server/merchant-store.ts';
import type { Store } from '../../io/storage/server/store.ts';
import type { Configuration } from '../config/check-configuration.ts';
import type { Jobs } from '../workflows/jobs.ts';
import { type NotificationInbox, takeSignal, takeSigned } from '../workflows/notifications/receive-notification.ts';
import type { Runtime } from './open-configured.ts';

/** A merchant is known by its settings or by its mirror; its secret is in its settings, and needs no database. */
export function inboxOf(
  configuration: Configuration,
  store: Store,
  { jobs, clock, log }: Pick<Runtime, 'clock' | 'log'> & { readonly jobs: Jobs },
): NotificationInbox {
  const { merchants, server } = configuration;
  // A name like `constructor` is no setting.
  const settingsOf = (merchant: string) => (Object.hasOwn(merchants, merchant) ? merchants[merchant] : undefined);
  const isKnown = async (merchant: string) =>
    settingsOf(merchant) !== undefined || (await knowsMerchant(storeOfMerchant(store, merchant), merchant));
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
