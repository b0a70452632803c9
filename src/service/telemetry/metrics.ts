// Metrics in the form that Prometheus reads: what this process has counted, and what the store and the queue know, read
// when they are asked for. No label holds a merchant, a name or an address.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Measures } from '../../core/domain/measures.ts';
import type { QueueDepth, ServiceFigures } from '../../core/domain/service-figures.ts';
import { cacheFigures } from './figures-cache.ts';
import { openServiceGauges } from './service-gauges.ts';

/** What the store and the queue know; either may be null where the process has none. */
export interface MetricsSource {
  readonly service: (() => Promise<ServiceFigures>) | null;
  readonly queue: (() => Promise<readonly QueueDepth[]>) | null;
}

export interface Metrics {
  readonly measures: Measures;
  /** As of now. Never fails: what cannot be had is left out, and `pointage_store_up` is 0. */
  render(): Promise<{ readonly mediaType: string; readonly text: string }>;
}

export interface MetricsOptions {
  readonly source: MetricsSource;
  readonly clock: () => number;
  /** Of the engine: `0.1.0`. */
  readonly version: string;
  readonly log: (event: object) => void;
  /** Milliseconds for which figures of the store are given again, 10,000 unless given. */
  readonly goodFor?: number;
}

/** Scrapers give up after ten seconds unless given. */
const PATIENCE = 5_000;

export function openMetrics({ source, clock, version, log, goodFor = 10_000 }: MetricsOptions): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const measures = openMeasures(registry);
  const gauges = openServiceGauges(registry);
  const build = new Gauge({
    name: 'pointage_build_info',
    help: '1.',
    labelNames: ['version'],
    registers: [registry],
  });
  build.set({ version }, 1);
  const settings = (what: string) => ({
    clock,
    goodFor,
    patience: PATIENCE,
    onFailure: (failure: unknown) => log({ level: 'warn', event: 'no figures', what, failure: messageOf(failure) }),
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

function openMeasures(registry: Registry): Measures {
  const registers = [registry];
  const entries = new Counter({
    name: 'pointage_entries_read_total',
    help: 'Lines new to the mirror that this process has read.',
    registers,
  });
  const jobs = new Histogram({
    name: 'pointage_job_duration_seconds',
    help: 'Jobs that this process has ended.',
    labelNames: ['kind', 'outcome'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800],
    registers,
  });
  const deliveries = new Counter({
    name: 'pointage_delivery_attempts_total',
    help: 'Attempts to deliver that this process has made.',
    labelNames: ['channel', 'outcome'],
    registers,
  });
  const calls = new Histogram({
    name: 'pointage_http_request_duration_seconds',
    help: 'Calls that this process has answered.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10, 30],
    registers,
  });
  return {
    entriesRead: (count) => entries.inc(count),
    jobEnded: ({ kind, outcome, milliseconds }) => jobs.observe({ kind, outcome }, milliseconds / 1_000),
    deliveryTried: ({ channel, outcome, count }) => deliveries.inc({ channel, outcome }, count),
    callAnswered: ({ method, route, status, milliseconds }) =>
      calls.observe({ method, route, status }, milliseconds / 1_000),
  };
}

function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
