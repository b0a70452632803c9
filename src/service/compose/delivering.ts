// Decides from the configuration what is announced, to whom and over which channel. Announcements
// are written in the same transaction as the rows that they announce. This file loads no channel,
// so that a caller who only writes announcements need not wait for a mail library.

import { createHash } from 'node:crypto';
import {
  type DeliveryContent,
  eventOf,
  type NewDelivery,
  type NightDigest,
} from '../../core/domain/delivery/delivery.ts';
import {
  chooseReported,
  type ReportedFindings,
  rankOf,
} from '../../core/domain/delivery/reported-findings.ts';
import { formatInstant } from '../../core/domain/instant.ts';
import {
  type AnnounceDecisions,
  type Decided,
  NONE,
} from '../../io/storage/conclusions/findings.ts';
import type { Configuration } from '../config/check-configuration.ts';
import { ConfigurationInvalid } from '../config/configuration-invalid.ts';
import type { Announcements } from '../workflows/announcements.ts';
import type { Recipient } from '../workflows/deliveries/manage-deliveries.ts';

/**
 * Returns what is announced. `atNight` is `true` in a night and in a run by hand over every
 * merchant: mails about findings then wait for the one mail at its end. Where `alerts.above` is set
 * they wait in every run, and findings worth that much or more are also mailed at once. Throws
 * ConfigurationInvalid when mails are to go out and no mail server is configured.
 */
export function announcementsOf(configuration: Configuration, atNight = false): Announcements {
  requireMailServer(configuration);
  const { deliveries, reports } = configuration;
  return {
    holds: (verdict) => deliveries.hold === 'broken' && verdict === 'broken',
    statement: ({ id, merchant, period, isHeld }) => {
      const announced = { announces: `report/${id}`, merchant, isHeld };
      const about = { topic: 'statement', merchant, period, reportId: id } as const;
      const mails = recipientsOf(configuration, merchant).map(
        ({ email, language }): NewDelivery => {
          return { ...announced, channel: 'mail', target: email, content: { ...about, language } };
        },
      );
      const content: DeliveryContent = { ...about, language: reports.language };
      // A call under `issued/` sends no statement. It is kept apart from `report/`, so that it does
      // not count when a person asks whether a month was sent.
      const calls = callsAbout(configuration, {
        announces: `issued/${id}`,
        merchant,
        isHeld,
        content,
      });
      if (deliveries.folder === undefined) return [...mails, ...calls];
      return [
        ...mails,
        { ...announced, channel: 'folder', target: deliveries.folder, content },
        ...calls,
      ];
    },
    findings: announceFindings(configuration, atNight),
    run: (problem) => {
      const content: DeliveryContent = { topic: 'run', problem };
      const { kind, runId, night } = problem;
      const announces =
        runId === null ? `night/${formatInstant(night)}/${kind}` : `run/${runId}/${kind}`;
      const all = alertsAbout(configuration, { announces, merchant: null, content });
      // The mail at the night's end says this too, so no second mail does.
      return atNight && problem.kind === 'NOT_COVERED'
        ? all.filter(({ channel }) => channel !== 'mail')
        : all;
    },
    night: ({ news, ...ended }) => {
      if (!atNight) return [];
      const moreNews = Math.max(0, news.length - MOST_MERCHANTS);
      const night = { ...ended, news: news.slice(0, MOST_MERCHANTS), moreNews };
      const announced = {
        announces: `night/${night.runId}`,
        merchant: null,
        content: { topic: 'night', night },
      } as const;
      return [...digestsOf(configuration, night, news), ...alertsAbout(configuration, announced)];
    },
    decisions: decisionsOf(configuration),
    audit: ({ id: auditId, merchant, source, asOf }, end) => {
      const { totals, merchants } = 'result' in end ? end.result : { totals: null, merchants: [] };
      const [verdict, error] = [merchants[0]?.verdict ?? null, 'error' in end ? end.error : null];
      const data = { auditId, merchant, source, asOf: formatInstant(asOf), verdict, totals, error };
      return callsAbout(configuration, {
        announces: `audit/${auditId}`,
        merchant,
        content: { topic: 'audit', data },
      });
    },
  };
}

function announceFindings(
  configuration: Configuration,
  atNight: boolean,
): Announcements['findings'] {
  const { severity: least, above, ...to } = configuration.alerts;
  const waits = atNight || above !== undefined;
  return (report, news, runId) => {
    const { merchant, verdict } = report;
    const others = waits ? to.digest.filter((one) => (one.merchant ?? merchant) === merchant) : [];
    const readers = [...to.mail, ...others.map((one) => one.to)];
    const about = (
      announces: string,
      chosen: ReportedFindings | null,
      mail = to.mail,
    ): readonly NewDelivery[] => {
      if (chosen === null) return [];
      const content: DeliveryContent = { topic: 'findings', merchant, runId, verdict, ...chosen };
      const announced = { announces: `${announces}/${runId}/${merchant}`, merchant, content };
      return alertsAbout(configuration, announced, mail);
    };
    const all = about('findings', chooseReported(report, { news, least }), readers).map((one) => ({
      ...one,
      isHeld: waits && one.channel === 'mail',
    }));
    if (above === undefined) return all;
    const alone = about('alert', chooseReported(report, { news, least, above }));
    return [...all, ...alone.filter(({ channel }) => channel === 'mail')];
  };
}

/** Returns the recipients of a merchant's statements by mail, each address once. */
export function recipientsOf(
  { merchants, reports }: Configuration,
  merchant: string,
): readonly Recipient[] {
  const named = (merchants[merchant]?.accountants ?? []).map(
    (one) => [one.email.toLowerCase(), one] as const,
  );
  return [...new Map(named).values()].map(({ email, language = reports.language }) => ({
    email,
    language,
  }));
}

/**
 * Returns the delivery once for each address that the configuration names now. Returns `null` for a
 * delivery that keeps its target: one that is no mail, or a statement that a person sends to an
 * address of their choice.
 */
export function addressedNow(
  configuration: Configuration,
  { announces, channel, merchant, content }: NewDelivery,
) {
  if (channel !== 'mail' || (content.topic === 'statement' && content.askedBy !== undefined))
    return null;
  const about = { announces, channel, merchant, content };
  if (content.topic === 'statement')
    return recipientsOf(configuration, content.merchant).map(
      ({ email: target, language }): NewDelivery => {
        return { ...about, target, content: { ...content, language } };
      },
    );
  const { mail, digest } = configuration.alerts;
  const reader = content.topic === 'night' ? content.reader : undefined;
  const roles = reader?.roles.join();
  // Mails about findings (`findings/…`) also go to the readers of the mail at a night's end.
  const readers = announces.startsWith('findings/')
    ? digest.filter((one) => (one.merchant ?? merchant) === merchant)
    : digest.filter((one) => one.roles.join() === roles && one.merchant === reader?.merchant);
  return [...(reader === undefined ? mail : []), ...readers.map(({ to }) => to)].map(
    (target): NewDelivery => {
      return { ...about, target };
    },
  );
}

type Announced = Omit<NewDelivery, 'channel' | 'target'>;

function alertsAbout(
  configuration: Configuration,
  announced: Announced,
  mail: readonly string[] = configuration.alerts.mail,
): readonly NewDelivery[] {
  return [
    ...mail.map((target): NewDelivery => ({ ...announced, channel: 'mail', target })),
    ...callsAbout(configuration, announced),
  ];
}

/**
 * Returns one mail for each reader with roles. `announces` keeps the mails apart by roles or
 * merchant, because two of them may go to one address.
 */
function digestsOf(
  { alerts }: Configuration,
  night: NightDigest,
  news: NightDigest['news'],
): readonly NewDelivery[] {
  const byMerchant = Map.groupBy(news, ({ merchant }) => merchant);
  return alerts.digest.map(({ to: target, roles, merchant }) => {
    const about = { announces: `night/${night.runId}/${merchant ?? roles.join()}`, merchant };
    const own =
      merchant === null ? night : { ...night, news: byMerchant.get(merchant) ?? [], moreNews: 0 };
    return {
      ...about,
      channel: 'mail',
      target,
      content: { topic: 'night', night: own, reader: { roles, merchant } },
    };
  });
}

const MOST_MERCHANTS = 50;

function callsAbout({ alerts }: Configuration, announced: Announced): readonly NewDelivery[] {
  const event = eventOf(announced.content);
  return alerts.webhooks
    .filter(({ events }) => events === undefined || events.includes(event))
    .map(({ url }) => ({ ...announced, channel: 'webhook', target: targetOf(url) }));
}

/**
 * Returns what announces decisions, or `undefined` where no webhook is configured. Decisions go to
 * webhooks alone, so that they need no mail server. If more than `MOST_DECISIONS` are taken
 * together, only the worst by severity are announced, and the last call says how many are left out.
 */
export function decisionsOf(configuration: Configuration): AnnounceDecisions {
  if (configuration.alerts.webhooks.length === 0) return undefined;
  return (decisions) => {
    const announced = decisions
      .filter((decided) => callsOfDecision(configuration, decided).length > 0)
      .toSorted(
        (a, b) =>
          rankOf(a.severity) - rankOf(b.severity) || (a.fingerprint < b.fingerprint ? -1 : 1),
      );
    const more = announced.length - MOST_DECISIONS;
    const worst = announced.slice(0, MOST_DECISIONS);
    return worst.flatMap((decided, i) =>
      callsOfDecision(configuration, decided, more > 0 && i === MOST_DECISIONS - 1 ? { more } : {}),
    );
  };
}

/** At most so many decisions that are taken together are announced to each webhook. */
const MOST_DECISIONS = 100;

/**
 * Returns the calls about one decision: that a finding has another owner, that a root is resolved,
 * or that a person opens a root again. Calls about roots are made only for severities that
 * `alerts.severity` asks for.
 */
function callsOfDecision(
  configuration: Configuration,
  decided: Decided,
  besides = {},
): readonly NewDelivery[] {
  const {
    merchant,
    fingerprint,
    kind,
    severity,
    number,
    action,
    owner: before,
    isRoot,
    runId,
  } = decided;
  const about = { announces: `decision/${merchant}/${fingerprint}/${number}`, merchant };
  const finding = {
    merchant,
    fingerprint,
    kind,
    severity,
    by: runId === null ? decided.by : 'night',
    ...besides,
  };
  const owner = decided.reason === NONE ? null : decided.reason;
  if (action === 'assign' && owner !== before)
    return callsAbout(configuration, {
      ...about,
      content: { topic: 'assigned', data: { ...finding, owner, before } },
    });
  // A root that a night finds again is announced among the night's findings instead.
  const isReopened = action === 'reopen' && runId === null && decided.state !== 'acknowledged';
  const topic = RESOLVING.has(action) ? 'resolved' : isReopened ? 'reopened' : null;
  if (topic === null || !isRoot || rankOf(severity) > rankOf(configuration.alerts.severity))
    return [];
  return callsAbout(configuration, {
    ...about,
    content: { topic, data: { ...finding, action, runId } },
  });
}

const RESOLVING: ReadonlySet<string> = new Set(['resolve', 'settle', 'accept']);

/**
 * Returns the name of a receiver in deliveries: its address without user, password, query and
 * fragment, which may be secrets. Where a part was left out, a digest of the whole address keeps
 * two addresses apart: `https://host/path#1f658be6`.
 */
export function targetOf(address: string): string {
  const { href, origin, pathname } = new URL(address);
  const shown = `${origin}${pathname}`;
  if (shown === href) return shown;
  return `${shown}#${createHash('sha256').update(href).digest('hex').slice(0, 8)}`;
}

function requireMailServer({ mail, alerts, merchants }: Configuration): void {
  if (mail !== undefined) return;
  const named = Object.keys(merchants).find(
    (reference) => merchants[reference]!.accountants.length > 0,
  );
  const ofAlerts = (['mail', 'digest'] as const).find((one) => alerts[one].length > 0);
  if (named === undefined && ofAlerts === undefined) return;
  const key = named === undefined ? `alerts.${ofAlerts}` : `merchants.${named}.accountants`;
  throw new ConfigurationInvalid(
    `${key} names whom to write to, but there is no mail server: give mail.url and mail.from.`,
  );
}
