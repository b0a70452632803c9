// The register of channels, one line each.

import type { Channel } from '../../core/domain/delivery/delivery.ts';
import type { DeliveryChannel } from '../../core/domain/delivery/delivery-channel.ts';
import { openFolderChannel } from './folder.ts';
import { type MailSettings, openMailChannel } from './mail.ts';

import { openWebhookChannel, type WebhookSettings } from './webhook.ts';

export interface ChannelSettings {
  /** Null: no mail server is configured. */
  readonly mail: MailSettings | null;
  /** Null: no folder is configured. */
  readonly folder: string | null;
  readonly webhook: WebhookSettings;
}

type OpenChannel = (settings: ChannelSettings) => DeliveryChannel | null;

const REGISTER: Readonly<Record<Channel, OpenChannel>> = {
  mail: ({ mail }) => (mail === null ? null : openMailChannel(mail)),
  folder: ({ folder }) => (folder === null ? null : openFolderChannel(folder)),
  webhook: ({ webhook }) => openWebhookChannel(webhook),
};

/** Those that are configured; parcels of other channels wait in the outbox. */
export function openChannels(settings: ChannelSettings): readonly DeliveryChannel[] {
  return Object.values(REGISTER)
    .map((open) => open(settings))
    .filter((channel) => channel !== null);
}
