// Gauges of what the store and the queue know. Set from figures at a scrape, and emptied when there are none: a metric
// that is not known is absent, never 0.

import { Gauge, type Registry } from 'prom-client';
import type { QueueDepth, ServiceFigures } from '../../core/domain/service-figures.ts';

export interface ServiceGauges {
  update(figures: ServiceFigures | null, queue: readonly QueueDepth[] | null, now: number): void;
}

const SEVERITIES = ['critical', 'error', 'warning', 'info'];
const VERDICTS = ['clean', 'broken', 'incomplete', 'failed'];

export function openServiceGauges(registry: Registry): ServiceGauges {
  const emptying: (() => void)[] = [];
  const gauge = (name: string, help: string, labelNames: readonly string[] = []): Gauge => {
    const made = new Gauge({ name: `pointage_${name}`, help, labelNames: [...labelNames], registers: [registry] });
    emptying.push(() => {
      made.reset();
      // Without labels a gauge begins at 0, which would be a claim.
      if (labelNames.length === 0) made.remove();
    });
    return made;
  };
  const up = gauge('store_up', '1 when the figures of the store could be read for this scrape, else 0.');
  const runs = gauge('runs', 'Runs there have been, by outcome; closed: ended without covering everyone.', [
    'kind',
    'outcome',
  ]);
  const night = openNightGauges(gauge);
  const verdicts = gauge('merchants', 'Merchants by what the newest run that is over said of them.', ['verdict']);
  const neverRead = gauge('merchants_never_read', 'Watched merchants that no run has read yet.');
  const lag = gauge('merchant_lag_seconds', 'Seconds since the mirror was last known whole, of the oldest merchant.');
  const findings = gauge('findings', 'Findings that are not resolved.', ['severity', 'state']);
  const entries = gauge('mirror_entries', 'Lines in the mirror.');
  const deliveries = gauge('deliveries', 'Deliveries that have not gone out.', ['channel', 'state']);
  const jobs = gauge('queue_jobs', 'Jobs that wait, are at work, or were given up.', ['kind', 'state']);
  return {
    update(figures, queue, now) {
      for (const empty of emptying) empty();
      up.set(figures === null ? 0 : 1);
      for (const { kind, ...depth } of queue ?? []) {
        for (const state of ['waiting', 'active', 'failed'] as const) jobs.set({ kind, state }, depth[state]);
      }
      if (figures === null) return;
      for (const { kind, outcome, count } of figures.runs) runs.set({ kind, outcome }, count);
      night.update(figures, now);
      for (const verdict of VERDICTS) {
        verdicts.set({ verdict }, figures.verdicts.find((one) => one.verdict === verdict)?.merchants ?? 0);
      }
      neverRead.set(figures.neverRead);
      if (figures.oldestWatermark !== null) lag.set((now - figures.oldestWatermark) / 1_000);
      for (const severity of SEVERITIES) findings.set({ severity, state: 'open' }, 0);
      for (const { severity, state, count } of figures.findings) findings.set({ severity, state }, count);
      entries.set(figures.entries);
      for (const { channel, state, count } of figures.deliveries) deliveries.set({ channel, state }, count);
    },
  };
}

type MakeGauge = (name: string, help: string, labelNames?: readonly string[]) => Gauge;

function openNightGauges(gauge: MakeGauge): { update(figures: ServiceFigures, now: number): void } {
  const lag = gauge('night_lag_seconds', 'Seconds since the newest night that is over ended.');
  const members = gauge('night_merchants', 'Merchants of the newest night by what became of them.', ['state']);
  const lasts = gauge('night_duration_seconds', 'How long the newest night took, or has taken so far.');
  const speed = gauge('night_entries_per_second', 'New lines that the newest night read, by the second of the night.');
  return {
    update({ lastNightFinishedAt, newestNight }, now) {
      if (lastNightFinishedAt !== null) lag.set((now - lastNightFinishedAt) / 1_000);
      if (newestNight === null) return;
      const seconds = Math.max(0, ((newestNight.finishedAt ?? now) - newestNight.startedAt) / 1_000);
      lasts.set(seconds);
      if (seconds > 0) speed.set(newestNight.entriesAdded / seconds);
      for (const state of ['waiting', 'done', 'failed']) {
        members.set({ state }, newestNight.members.find((one) => one.state === state)?.merchants ?? 0);
      }
    },
  };
}
