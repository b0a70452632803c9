// Joins what sending deliveries needs: the outbox, the channels that are configured, and their words and secrets.

import { openSmtp } from '../../io/deliveries/mail.ts';
import { type ChannelSettings, openChannels } from '../../io/deliveries/register.ts';
import type { Store } from '../../io/storage/server/store.ts';
import type { Configuration } from '../config/check-configuration.ts';
import { ENGINE } from '../engine.ts';
import { loadMailTemplates } from '../templates/load-template.ts';
import type { OutboxTask } from '../workflows/deliveries/deliver-due.ts';
import { recordRun, recordStatement } from '../workflows/evidence/record-evidence.ts';
import { targetOf } from './delivering.ts';
import { evidenceOf } from './evidence.ts';
import type { Runtime } from './open-configured.ts';

/** For `deliverDue` and `runOutbox`. What is sent, and what fails, is logged. */
export function outboxOf(
  configuration: Configuration,
  store: Store,
  { clock, log }: Pick<Runtime, 'clock' | 'log'>,
): OutboxTask {
  const evidence = evidenceOf(configuration, store, { clock, log });
  return {
    store,
    prove: (report) => recordStatement(evidence, report),
    signNight: (runId) => recordRun(evidence, runId),
    channels: openChannels(channelSettingsOf(configuration)),
    formats: configuration.deliveries.formats,
    clock,
    onAttempt: (attempt) => log({ event: 'delivery', ...attempt }),
    onFailure: (failure) => log({ event: 'delivery failed', failure }),
  };
}

function channelSettingsOf({ mail, deliveries, alerts, reports, server }: Configuration): ChannelSettings {
  const receivers = alerts.webhooks.map(({ url, secret }) => ({ target: targetOf(url), url, secret }));
  const templates = () => loadMailTemplates(reports.template, server.publicUrl);
  return {
    mail: mail === undefined ? null : { ...mail, templates: templates(), alertLanguage: alerts.language },
    folder: deliveries.folder ?? null,
    webhook: { receivers, allowPrivate: alerts.allowPrivate, userAgent: ENGINE.replace(' ', '/') },
  };
}

/** Whether the mail server lets us in: null when it does, or none is configured; else one sentence that says what is wrong. */
export async function findMailProblem({ mail }: Configuration): Promise<string | null> {
  if (mail === undefined) return null;
  try {
    (await openSmtp(mail)).close();
    return null;
  } catch (failure) {
    return (failure as Error).message;
  }
}
