// Metrics in the form that Prometheus reads: the counts of this process, and the figures of the
// store and the queue, which are read once for all scrapes of a short while. A scrape never waits
// for them longer than a scraper waits. A metric that is not known is absent, never 0. No label
// holds a merchant, a name or an address.

import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { SEVERITIES } from '../../core/domain/finding.ts';
import {
  type Measures,
  type QueueDepth,
  type ServiceFigures,
  stakeOf,
} from '../../core/domain/measures.ts';
/**
 * Reads the figures of the store and of the queue; either is `null` when the process has no access
 * to it.
 */
export interface MetricsSource {
  readonly service: (() => Promise<ServiceFigures>) | null;
  readonly queue: (() => Promise<readonly QueueDepth[]>) | null;
}

export interface Metrics {
  readonly measures: Measures;
  /**
   * Returns the metrics as of now. Never fails: figures that cannot be read are left out, and
   * `pointage_store_up` is 0.
   */
  render(): Promise<{ readonly mediaType: string; readonly text: string }>;
}

export interface MetricsOptions {
  readonly source: MetricsSource;
  readonly clock: () => number;
  /** The version of the engine: `0.1.0`. */
  readonly version: string;
  readonly log: (event: object) => void;
  /** Milliseconds for which figures are used again; 10,000 unless given. */
  readonly goodFor?: number;
}

/**
 * Milliseconds to wait for figures. It is less than ten seconds, after which scrapers give up by
 * default.
 */
const PATIENCE = 5_000;

export function openMetrics({
  source,
  clock,
  version,
  log,
  goodFor = 10_000,
}: MetricsOptions): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const measures = openMeasures(registry, version);
  const gauges = openServiceGauges(registry);
  const build = new Gauge(described(registry, 'build_info', '1.', ['version']));
  build.set({ version }, 1);
  const settings = (what: string) => ({
    clock,
    goodFor,
    patience: PATIENCE,
    onFailure: (failure: unknown) =>
      log({
        level: 'warn',
        event: 'no figures',
        what,
        failure: String((failure as Error | null)?.message ?? failure),
      }),
  });
  const service = source.service === null ? null : cacheFigures(source.service, settings('store'));
  const queue = source.queue === null ? null : cacheFigures(source.queue, settings('queue'));
  return {
    measures,
    async render() {
      const [figures, depth] = await Promise.all([service?.read() ?? null, queue?.read() ?? null]);
      gauges.update(figures, depth, clock());
      return { mediaType: registry.contentType, text: await registry.metrics() };
    },
  };
}

function described(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly string[] = [],
) {
  return { name: `pointage_${name}`, help, labelNames: [...labelNames], registers: [registry] };
}

function openMeasures(registry: Registry, version: string): Measures {
  const of = described.bind(null, registry);
  const entries = new Counter(
    of('entries_read_total', 'Lines new to the mirror that this process has read.'),
  );
  const jobs = new Histogram({
    ...of('job_duration_seconds', 'Jobs that this process has ended.', ['kind', 'outcome']),
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800],
  });
  const attempts = 'Attempts to deliver that this process has made.';
  const deliveries = new Counter(of('delivery_attempts_total', attempts, ['channel', 'outcome']));
  const found =
    '1: the newest night of this process found just what is wrong with its own broken books. 0: it did not, and judged no merchant.';
  // This gauge has a label, so that it is absent until a night has begun.
  const canary = new Gauge(of('canary_found', found, ['version']));
  const calls = new Histogram({
    ...of('http_request_duration_seconds', 'Calls that this process has answered.', [
      'method',
      'route',
      'status',
    ]),
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10, 30],
  });
  return {
    entriesRead: (count) => entries.inc(count),
    jobEnded: ({ kind, outcome, milliseconds }) =>
      jobs.observe({ kind, outcome }, milliseconds / 1_000),
    deliveryTried: ({ channel, outcome, count }) => deliveries.inc({ channel, outcome }, count),
    canaryJudged: (isFound) => canary.set({ version }, isFound ? 1 : 0),
    callAnswered: ({ method, route, status, milliseconds }) =>
      calls.observe({ method, route, status }, milliseconds / 1_000),
  };
}

interface CacheSettings {
  readonly clock: () => number;
  /** Milliseconds for which figures are given again. */
  readonly goodFor: number;
  /**
   * Milliseconds to wait for a reading. A reading that takes longer goes on, and a later scrape may
   * get its figures.
   */
  readonly patience: number;
  readonly onFailure: (failure: unknown) => void;
}

function cacheFigures<T>(load: () => Promise<T>, settings: CacheSettings) {
  const { clock, goodFor, patience, onFailure } = settings;
  let cached: { readonly value: T; readonly at: number } | null = null;
  let underWay: Promise<T | null> | null = null;
  const begin = (): Promise<T | null> => {
    const at = clock();
    return load().then(
      (value) => {
        cached = { value, at };
        underWay = null;
        return value;
      },
      (failure: unknown) => {
        underWay = null;
        onFailure(failure);
        return null;
      },
    );
  };
  return {
    /**
     * Reads the figures; `null` when they could not be read in time, because older figures are
     * never given as if they were of now.
     */
    read(): Promise<T | null> {
      if (cached !== null && Math.abs(clock() - cached.at) < goodFor)
        return Promise.resolve(cached.value);
      underWay ??= begin();
      return Promise.race([underWay, sleep(patience, null, { ref: false })]);
    },
  };
}

const VERDICTS = ['clean', 'broken', 'incomplete', 'failed'];

function openServiceGauges(registry: Registry) {
  const emptying: (() => void)[] = [];
  const gauge = (name: string, help: string, labelNames: readonly string[] = []): Gauge => {
    const made = new Gauge(described(registry, name, help, labelNames));
    emptying.push(() => {
      made.reset();
      // A gauge without labels begins at 0, which would be a false figure.
      if (labelNames.length === 0) made.remove();
    });
    return made;
  };
  const up = gauge(
    'store_up',
    '1 when the figures of the store could be read for this scrape, else 0.',
  );
  const runs = gauge(
    'runs',
    'Runs there have been, by outcome; closed: ended without covering everyone.',
    ['kind', 'outcome'],
  );
  const night = openNightGauges(gauge);
  const verdicts = gauge(
    'merchants',
    'Merchants by what the newest run that is over said of them.',
    ['verdict'],
  );
  const neverRead = gauge('merchants_never_read', 'Watched merchants that no run has read yet.');
  const lag = gauge(
    'merchant_lag_seconds',
    'Seconds since the mirror was last known whole, of the oldest merchant.',
  );
  const findings = gauge('findings', 'Findings that are not resolved.', ['severity', 'state']);
  const exposed = ['currency', 'state', 'age'];
  const exposure = gauge(
    'exposure',
    'Whole units by which confirmed roots put figures off, or that they are about; age in days.',
    exposed,
  );
  const exposedFindings = gauge(
    'exposure_findings',
    'The confirmed roots behind pointage_exposure.',
    exposed,
  );
  const entries = gauge('mirror_entries', 'Lines in the mirror.');
  const deliveries = gauge('deliveries', 'Deliveries that have not gone out.', [
    'channel',
    'state',
  ]);
  const jobs = gauge('queue_jobs', 'Jobs that wait, are at work, or were given up.', [
    'kind',
    'state',
  ]);
  return {
    update(figures: ServiceFigures | null, queue: readonly QueueDepth[] | null, now: number): void {
      for (const empty of emptying) empty();
      up.set(figures === null ? 0 : 1);
      for (const { kind, ...depth } of queue ?? []) {
        for (const state of ['waiting', 'active', 'failed'] as const)
          jobs.set({ kind, state }, depth[state]);
      }
      if (figures === null) return;
      for (const { kind, outcome, count } of figures.runs) runs.set({ kind, outcome }, count);
      night.update(figures, now);
      for (const verdict of VERDICTS) {
        verdicts.set(
          { verdict },
          figures.verdicts.find((one) => one.verdict === verdict)?.merchants ?? 0,
        );
      }
      neverRead.set(figures.neverRead);
      if (figures.oldestWatermark !== null) lag.set((now - figures.oldestWatermark) / 1_000);
      for (const severity of SEVERITIES) findings.set({ severity, state: 'open' }, 0);
      for (const { severity, state, count } of figures.findings)
        findings.set({ severity, state }, count);
      for (const { currency, state, age, ...one } of figures.exposure) {
        const labels = { currency: currency ?? 'unknown', state, age };
        const stake = stakeOf(one);
        if (stake !== null) exposure.set(labels, Number(stake));
        exposedFindings.set(labels, one.findings);
      }
      entries.set(figures.entries);
      for (const { channel, state, count } of figures.deliveries)
        deliveries.set({ channel, state }, count);
    },
  };
}

type MakeGauge = (name: string, help: string, labelNames?: readonly string[]) => Gauge;

function openNightGauges(gauge: MakeGauge) {
  const lag = gauge('night_lag_seconds', 'Seconds since the newest night that is over ended.');
  const members = gauge(
    'night_merchants',
    'Merchants of the newest night by what became of them.',
    ['state'],
  );
  const lasts = gauge(
    'night_duration_seconds',
    'How long the newest night took, or has taken so far.',
  );
  const log = gauge(
    'log_continued',
    '1: the log of evidence goes on from what was signed. 0: it was rolled back or altered.',
  );
  const speed = gauge(
    'night_entries_per_second',
    'New lines that the newest night read, by the second of the night.',
  );
  return {
    update({ lastNightFinishedAt, newestNight, log: state }: ServiceFigures, now: number): void {
      if (state !== null) log.set(state === 'continued' ? 1 : 0);
      if (lastNightFinishedAt !== null) lag.set((now - lastNightFinishedAt) / 1_000);
      if (newestNight === null) return;
      const seconds = Math.max(
        0,
        ((newestNight.finishedAt ?? now) - newestNight.startedAt) / 1_000,
      );
      lasts.set(seconds);
      if (seconds > 0) speed.set(newestNight.entriesAdded / seconds);
      for (const state of ['waiting', 'done', 'failed']) {
        members.set(
          { state },
          newestNight.members.find((one) => one.state === state)?.merchants ?? 0,
        );
      }
    },
  };
}
