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

/** Returns the task of `deliverDue` and `runOutbox`. Every attempt and every failure is logged. */
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
 * Opens each channel. Returns `null` where the channel is not configured; its deliveries then wait
 * in the outbox.
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
 * Returns one sentence that says why the mail server does not let us in; `null` when it does, or
 * when none is configured.
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
