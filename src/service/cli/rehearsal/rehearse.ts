// The closed loop: partners call the simulated service, its notifications flow into a server of ours, workers refresh what was
// notified and run the nights, and what they find is held against what was planted. Everything over HTTP and a real store.

import pLimit from 'p-limit';
import type { Instant } from '../../../core/domain/instant.ts';
import { openPartner, type Partner } from '../../../sandbox/partners/open-partner.ts';
import { type RehearsalPlan, rehearsalPlans } from '../../../sandbox/rehearsal-plans.ts';
import { settingsOfMisbehaviours } from '../../../sandbox/service/misbehaviours.ts';
import type { GivenSettings } from '../../../sandbox/service/settings.ts';
import type { Sandbox } from '../../../sandbox/service/start-sandbox.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import type { Stage } from '../command.ts';
import { withServing } from '../serving.ts';
import type { Rehearsed, Wish } from './rehearsal.ts';
import { plantAll, type Worked, workThrough } from './work-through.ts';

/** In the middle of a month, so that the one before is over and reported on, and none ends on the way. */
const START: Instant = Date.UTC(2026, 10, 3, 6);
const OPENS: Instant = Date.UTC(2026, 8, 20);
/** Partners that call at the same time. */
const AT_ONCE = 16;
/** Every trouble that the documents allow: delivery is at least once, and order is not guaranteed. */
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

/** `configurationFor` joins the sandbox, and the secrets that it signs with, to where the mirror is kept. */
export async function rehearse(
  stage: Stage,
  wish: Wish,
  configurationFor: (sandbox: Sandbox, secrets: ReadonlyMap<string, string>) => Promise<Configuration>,
): Promise<Rehearsed> {
  const { startSandbox } = await import('../../../sandbox/service/start-sandbox.ts');
  const plans = rehearsalPlans({ ...wish, opensAt: OPENS, start: START });
  const { misbehaviour, courier } = settingsOfMisbehaviours(wish.isUnruly ? UNRULY : []);
  const settings: GivenSettings = { misbehaviour, courier: { ...courier, signatureTime: 'simulated' } };
  const sandbox = await startSandbox({
    seed: wish.seed,
    merchants: plans,
    start: START,
    port: 0,
    settings,
    control: true,
  });
  try {
    const partners = partnersOf(sandbox, wish);
    const secrets = new Map(await all(partners, async (one) => [one.reference, await one.rotateSecret()] as const));
    const simulated: Stage = { ...stage, clock: () => sandbox.now() };
    const configuration = await configurationFor(sandbox, secrets);
    const unplanted = new Map<string, string>();
    await plantAll(sandbox, plans, 'IN_HISTORY', unplanted);
    let worked: Worked | undefined;
    await withServing(simulated, configuration, { host: '127.0.0.1', port: 0 }, async ({ origin }) => {
      await all(partners, (one) => one.listenAt(origin));
      worked = await workThrough(simulated, { ...wish, plans, sandbox, partners, configuration, unplanted });
    });
    const { night, reports } = worked!;
    return {
      night,
      partners,
      merchants: plans.map((plan) => ({
        plan,
        expected: sandbox.expectedOf(plan.reference),
        report: reports.get(plan.reference) ?? null,
        unplanted: unplanted.get(plan.reference) ?? nothingLost(plan, sandbox),
      })),
    };
  } finally {
    await sandbox.close();
  }
}

/** Why a fault that waits for its occasion did nothing; null: it did, or there is none. */
function nothingLost({ reference, planted }: RehearsalPlan, sandbox: Sandbox): string | null {
  const isIdle = planted !== null && sandbox.expectedOf(reference).length === 0;
  return isIdle ? 'nothing happened that could have been lost' : null;
}

function partnersOf({ url, dashboardUrl, merchants }: Sandbox, { seed }: Wish): readonly Partner[] {
  return merchants.map((merchant) => openPartner({ url, dashboardUrl, ...merchant }, merchant.plan, seed));
}

function all<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const limit = pLimit(AT_ONCE);
  return Promise.all(items.map((item) => limit(() => work(item))));
}
