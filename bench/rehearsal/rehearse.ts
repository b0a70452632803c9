// The closed loop: partners call the simulated service, its notifications flow into a server of
// ours, workers refresh what was notified and run the nights, and what they find is held against
// what was planted. Everything over HTTP and a real store.

import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { HOUR, type Instant } from '../../src/core/domain/instant.ts';
import type { AnyFault } from '../../src/sandbox/faults/port/planting.ts';
import { openPartner, type Partner } from '../../src/sandbox/partners/open-partner.ts';
import {
  type GivenSettings,
  settingsOfMisbehaviours,
} from '../../src/sandbox/service/account/settings.ts';
import type { Sandbox } from '../../src/sandbox/service/start-sandbox.ts';
import { withServing } from '../../src/service/cli/commands/serving.ts';
import type { Stage } from '../../src/service/cli/stage/stage.ts';
import { withService } from '../../src/service/compose/service.ts';
import { isIdle, startServiceWorker, workNight } from '../../src/service/compose/service-worker.ts';
import type { Configuration } from '../../src/service/config/check-configuration.ts';
import { closable } from '../../src/service/workflows/closable.ts';
import { loadRunReports } from '../../src/service/workflows/operators/runs-and-merchants.ts';
import { type PlantingTime, type RehearsalPlan, rehearsalPlans } from './rehearsal-plans.ts';

/**
 * When the rehearsal begins. The month before is over and reported on, and no month ends on the
 * way.
 */
const START: Instant = Date.UTC(2026, 10, 3, 6);
const OPENS: Instant = Date.UTC(2026, 8, 20);
/** Partners that call at the same time. */
const AT_ONCE = 16;
/**
 * Every trouble that the documents allow: delivery is at least once, and order is not guaranteed.
 */
const UNRULY = [
  'FAILING=0.02',
  'HASTY',
  'UNAVAILABLE=0.02',
  'UNAVAILABLE_RECORDED=0.02',
  'DELIVERED_TWICE=0.05',
  'OUT_OF_ORDER=0.05',
  'LATE=0.02',
  'ANSWER_LOST=0.05',
];

/**
 * Runs a rehearsal. `configurationFor` returns the configuration for the sandbox and the secrets
 * that it signs with, and says where the mirror is kept.
 */
export async function rehearse(
  stage: Stage,
  wish: Wish,
  configurationFor: (
    sandbox: Sandbox,
    secrets: ReadonlyMap<string, string>,
  ) => Promise<Configuration>,
) {
  const { startSandbox } = await import('../../src/sandbox/service/start-sandbox.ts');
  const plans = rehearsalPlans({ ...wish, opensAt: OPENS, start: START });
  const { misbehaviour, courier } = settingsOfMisbehaviours(wish.isUnruly ? UNRULY : []);
  const settings: GivenSettings = {
    misbehaviour,
    courier: { ...courier, signatureTime: 'simulated' },
  };
  await using sandbox = closable(
    await startSandbox({
      seed: wish.seed,
      merchants: plans,
      start: START,
      port: 0,
      settings,
      control: true,
    }),
  );
  const { url, dashboardUrl } = sandbox;
  const partners = sandbox.merchants.map((merchant) =>
    openPartner({ url, dashboardUrl, ...merchant }, merchant.plan, wish.seed),
  );
  const secrets = new Map(
    await forAll(partners, async (one) => [one.reference, await one.rotateSecret()] as const),
  );
  const simulated: Stage = { ...stage, clock: () => sandbox.now() };
  const configuration = await configurationFor(sandbox, secrets);
  const unplanted = new Map<string, string>();
  await plantAll(sandbox, plans, 'IN_HISTORY', unplanted);
  const serving = { host: '127.0.0.1', port: 0 };
  const { night, reports } = await withServing(
    simulated,
    configuration,
    serving,
    async ({ origin }) => {
      await forAll(partners, (one) => one.listenAt(origin));
      return workThrough(simulated, {
        ...wish,
        plans,
        sandbox,
        partners,
        configuration,
        unplanted,
      });
    },
  );
  return {
    night,
    partners,
    merchants: plans.map((plan) => ({
      plan,
      expected: sandbox.expectedOf(plan.reference),
      report: reports.get(plan.reference) ?? null,
      /** Why the merchant's fault found no place; `null`: it did, or the merchant has none. */
      unplanted: unplanted.get(plan.reference) ?? nothingLost(plan, sandbox),
    })),
  };
}

/**
 * Returns why a fault that waits for its occasion did nothing; `null`: it did something, or there
 * is none.
 */
function nothingLost({ reference, planted }: RehearsalPlan, sandbox: Sandbox): string | null {
  const isIdle = planted !== null && sandbox.expectedOf(reference).length === 0;
  return isIdle ? 'nothing happened that could have been lost' : null;
}

function forAll<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const limit = pLimit(AT_ONCE);
  return Promise.all(items.map((item) => limit(() => work(item))));
}

interface Scene {
  readonly plans: readonly RehearsalPlan[];
  readonly sandbox: Sandbox;
  readonly partners: readonly Partner[];
  readonly configuration: Configuration;
  /** Merchant → why its fault found no place in its history. */
  readonly unplanted: Map<string, string>;
  /** Simulated hours in which partners call. */
  readonly hours: number;
  /** Calls of each partner in an hour. */
  readonly calls: number;
}

/**
 * Milliseconds from the last call on, until nothing is on its way any more, and what happened is
 * old enough to be judged.
 */
const AFTERMATH = 80 * HOUR;
/** Milliseconds. A notification is held back for a day at most. */
const LATEST = 25 * HOUR;
/** Milliseconds of machine time between two questions whether all is done. */
const POLL_EVERY = 100;
const GRACE_SECONDS = 10;
const REFRESHES = new Set(['refresh'] as const);

/**
 * Works through a rehearsal whose history has its faults already: a night, the load and its
 * aftermath, faults in what was notified meanwhile, and the night that is judged. The clock of
 * `stage` must be the simulated time.
 */
async function workThrough(stage: Stage, scene: Scene) {
  const { configuration, sandbox, plans, unplanted } = scene;
  return withService(configuration, stage, async (service) => {
    const worker = await startServiceWorker(service, 'nights');
    try {
      await workNight(service);
      await plantAll(sandbox, plans, 'AFTER_A_NIGHT', unplanted);
      await letPartnersWork(stage, scene);
      await sandbox.advanceTo(sandbox.now() + AFTERMATH);
      await plantAll(sandbox, plans, 'IN_WHAT_HAPPENED', unplanted);
      await sandbox.advanceTo(sandbox.now() + LATEST);
      // What was notified is refreshed before it is judged.
      while (!(await isIdle(service, REFRESHES))) await sleep(POLL_EVERY);
      const night = await workNight(service);
      const reports = await loadRunReports(service.store, night.runId, { limit: plans.length });
      return { night, reports: new Map(reports.map((report) => [report.merchant, report])) };
    } finally {
      await worker.stop(GRACE_SECONDS);
    }
  });
}

/** Lets every partner call, hour by hour. Then the hour passes, and what it brings is notified. */
async function letPartnersWork(
  { terminal }: Stage,
  { sandbox, partners, hours, calls }: Scene,
): Promise<void> {
  const progress = terminal.progress('partners', hours);
  try {
    for (let hour = 0; hour < hours; hour += 1) {
      await forAll(partners, (partner) => partner.work(calls));
      await sandbox.advanceTo(sandbox.now() + HOUR);
      progress.update(hour + 1);
    }
  } finally {
    progress.stop();
  }
}

/**
 * Plants the faults whose time is `when` by calls to the sandbox's control. Notes in `refused` the
 * faults that found no place.
 */
async function plantAll(
  { origin }: Sandbox,
  plans: readonly RehearsalPlan[],
  when: PlantingTime,
  refused: Map<string, string>,
): Promise<void> {
  for (const { reference, planted } of plans) {
    if (planted?.when !== when) continue;
    const answer = await fetch(`${origin}/sandbox/merchants/${reference}/faults`, {
      method: 'POST',
      body: JSON.stringify({ name: planted.fault.name }),
    });
    if (answer.ok) continue;
    const { error } = (await answer.json()) as { readonly error: { readonly message: string } };
    refused.set(reference, error.message);
  }
}

export interface Wish {
  readonly seed: string;
  /** Merchants in which nothing is planted. */
  readonly sound: number;
  /** The faults to plant, each in one more merchant. */
  readonly faults: readonly AnyFault[];
  /** Simulated hours in which partners call. */
  readonly hours: number;
  /** Calls of each partner in an hour. */
  readonly calls: number;
  /** Operations of each merchant in a day, beside those that its partner asks for. */
  readonly operationsPerDay: number;
  /** Whether the service behaves badly, in every way that its documents allow. */
  readonly isUnruly: boolean;
}

export type Rehearsed = Awaited<ReturnType<typeof rehearse>>;
