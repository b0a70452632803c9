// Joins what sending deliveries needs: the outbox, the channels that are configured, and their
// words and secrets.

import type { Channel } from '../../core/domain/delivery/delivery.ts';
import type { DeliveryChannel } from '../../core/domain/delivery/delivery-channel.ts';
import { openFolderChannel } from '../../io/deliveries/folder.ts';
import { openWebhookChannel } from '../../io/deliveries/webhook.ts';
import type { Store } from '../../io/storage/server/store.ts';
import type { Configuration } from '../config/check-configuration.ts';
import { ENGINE } from '../engine.ts';
import { loadMailTemplates } from '../templates/load-template.ts';
import type { OutboxTask } from '../workflows/deliveries/deliver-due.ts';
import { recordRun, recordStatement } from '../workflows/evidence/record-evidence.ts';
import { addressedNow, targetOf } from './delivering.ts';
import { evidenceOf } from './evidence.ts';
import type { Runtime } from './open-configured.ts';

/** For `deliverDue` and `runOutbox`. What is sent, and what fails, is logged. */
export async function outboxOf(
  configuration: Configuration,
  store: Store,
  { clock, log }: Pick<Runtime, 'clock' | 'log'>,
): Promise<OutboxTask> {
  const channels = await Promise.all(Object.values(REGISTER).map((open) => open(configuration)));
  const evidence = evidenceOf(configuration, store, { clock, log });
  return {
    store,
    addressedNow: (delivery) => addressedNow(configuration, delivery),
    prove: (report) => recordStatement(evidence, report),
    signNight: (runId) => recordRun(evidence, runId),
    channels: channels.filter((channel) => channel !== null),
    formats: configuration.deliveries.formats,
    clock,
    onAttempt: (attempt) => log({ event: 'delivery', ...attempt }),
    onFailure: (failure) => log({ event: 'delivery failed', failure }),
  };
}

/**
 * The register of channels: null where one is not configured, and its parcels wait in the outbox.
 */
const REGISTER: Readonly<
  Record<Channel, (configuration: Configuration) => Promise<DeliveryChannel | null>>
> = {
  mail: async ({ mail, alerts, reports, server }) => {
    if (mail === undefined) return null;
    const { openMailChannel } = await import('../../io/deliveries/mail.ts');
    const templates = loadMailTemplates(reports.template, server.publicUrl);
    return openMailChannel({ ...mail, templates, alertLanguage: alerts.language });
  },
  folder: async ({ deliveries: { folder }, reports }) =>
    folder === undefined ? null : openFolderChannel(folder, loadMailTemplates(reports.template)),
  webhook: async ({ alerts: { webhooks, allowPrivate } }) => {
    const receivers = webhooks.map(({ url, secret }) => ({ target: targetOf(url), url, secret }));
    return openWebhookChannel({ receivers, allowPrivate, userAgent: ENGINE.replace(' ', '/') });
  },
};

/**
 * Whether the mail server lets us in: null when it does, or none is configured; else one sentence
 * that says what is wrong.
 */
export async function findMailProblem({ mail }: Configuration): Promise<string | null> {
  if (mail === undefined) return null;
  const { openSmtp } = await import('../../io/deliveries/mail.ts');
  try {
    (await openSmtp(mail)).close();
    return null;
  } catch (failure) {
    return (failure as Error).message;
  }
}
