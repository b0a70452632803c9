// What is announced, to whom and by which way, as the configuration says: the announcements that are written in the transaction
// of what they announce. Loads no channel, so that a caller who only writes need not wait for one.

import { createHash } from 'node:crypto';
import type { Configuration } from '../config/check-configuration.ts';
import { ConfigurationInvalid } from '../config/configuration-invalid.ts';
import type { DeliveryContent, NewDelivery, RunProblem } from '../domain/delivery.ts';
import { formatInstant } from '../domain/instant.ts';
import { chooseReported } from '../domain/reported-findings.ts';
import type { Announcements } from '../workflows/announcements.ts';

/** Throws ConfigurationInvalid when mails are to go out and no mail server is configured. */
export function announcementsOf(configuration: Configuration): Announcements {
  requireMailServer(configuration);
  const { alerts, deliveries, merchants, reports } = configuration;
  return {
    statement: ({ id, merchant, period, verdict }) => {
      const isHeld = deliveries.hold === 'broken' && verdict === 'broken';
      const announced = { announces: `report/${id}`, merchant, isHeld };
      const about = { topic: 'statement', merchant, period, reportId: id } as const;
      const mails = (merchants[merchant]?.accountants ?? []).map(({ email, language }): NewDelivery => {
        const content: DeliveryContent = { ...about, language: language ?? reports.language };
        return { ...announced, channel: 'mail', target: email, content };
      });
      if (deliveries.folder === undefined) return mails;
      const content: DeliveryContent = { ...about, language: reports.language };
      return [...mails, { ...announced, channel: 'folder', target: deliveries.folder, content }];
    },
    findings: (report, news, runId) => {
      const chosen = chooseReported(report, { news, least: alerts.severity });
      if (chosen === null) return [];
      const { merchant, verdict } = report;
      const content: DeliveryContent = { topic: 'findings', merchant, runId, verdict, ...chosen };
      return alertsAbout(configuration, { announces: `findings/${runId}/${merchant}`, merchant, content });
    },
    run: (problem) =>
      alertsAbout(configuration, {
        announces: announcedAs(problem),
        merchant: null,
        content: { topic: 'run', problem },
      }),
  };
}

/** A run has each problem once; a night that did not begin has no run. */
function announcedAs({ kind, runId, night }: RunProblem): string {
  return runId === null ? `night/${formatInstant(night)}/${kind}` : `run/${runId}/${kind}`;
}

function alertsAbout(
  { alerts }: Configuration,
  announced: Omit<NewDelivery, 'channel' | 'target'>,
): readonly NewDelivery[] {
  return [
    ...alerts.mail.map((target): NewDelivery => ({ ...announced, channel: 'mail', target })),
    ...alerts.webhooks.map(({ url }): NewDelivery => ({ ...announced, channel: 'webhook', target: targetOf(url) })),
  ];
}

/**
 * What deliveries name a receiver by: its address without user, password, query and fragment, which may be secrets. Where
 * something was left out, a digest of the whole keeps two addresses apart.
 */
export function targetOf(address: string): string {
  const { href, origin, pathname } = new URL(address);
  const shown = `${origin}${pathname}`;
  if (shown === href) return shown;
  return `${shown}#${createHash('sha256').update(href).digest('hex').slice(0, 8)}`;
}

function requireMailServer({ mail, alerts, merchants }: Configuration): void {
  if (mail !== undefined) return;
  const ofMerchant = Object.entries(merchants).find(([, { accountants }]) => accountants.length > 0);
  const key =
    ofMerchant === undefined
      ? alerts.mail.length > 0
        ? 'alerts.mail'
        : null
      : `merchants.${ofMerchant[0]}.accountants`;
  if (key === null) return;
  throw new ConfigurationInvalid(
    `${key} names whom to write to, but there is no mail server: give mail.url and mail.from.`,
  );
}
