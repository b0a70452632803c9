// One simulated merchant: its wallet and its dashboard, which share one time. Advancing in one step
// or in many gives the same books. A planted fault changes the simulation itself, which goes on
// from the altered figures.

import { formatInstant, type Instant } from '../../core/domain/instant.ts';
import { isFinal } from '../../core/domain/operation.ts';
import { answersOf, paymentsNow, reportsOf } from '../dashboard/answers.ts';
import { advanceDashboard, openDashboard } from '../dashboard/life.ts';
import type { DashboardLife } from '../dashboard/state.ts';
import {
  type AnyFault,
  type DashboardFault,
  expectedAt,
  plantFaults,
} from '../faults/port/planting.ts';
import { hintOf, signingSecret } from '../model/credentials.ts';
import { anotherId } from '../model/notifications.ts';
import type { Books, Expected, Fault, MerchantPlan, PlannedMove } from '../model/plan.ts';
import { feesOutsideHold } from '../model/postings.ts';
import { seedRandom } from '../model/random.ts';
import type { ServedNotification, ServedOperation } from '../model/served.ts';
import { addEvent, dropEvents, type Happens, takeUntil } from '../model/time.ts';
import { arrive } from './arrivals.ts';
import {
  addFunds,
  type Life,
  openWallet,
  type SimulationEvent,
  type Step,
  type WalletLife,
  walletOf,
} from './state.ts';
import { adjust, takeStep } from './steps.ts';

export interface Simulation extends WalletLife {
  /** The dashboard API's state. It may lag behind `now`; `dashboardOf` brings it up to date. */
  readonly dashboard: DashboardLife;
}

/**
 * Opens a merchant that has no lines and no operations yet. Throws RangeError for a plan that
 * contradicts itself.
 */
export function openSimulation(plan: MerchantPlan, seed: string): Simulation {
  const wallet = openWallet(
    plan,
    seed,
    hintOf(signingSecret({ reference: plan.reference, seed }, 0)),
  );
  return { ...wallet, dashboard: openDashboard(plan, seed) };
}

/**
 * Makes everything happen that is due up to and including `until`. Throws RangeError when that is
 * in the past.
 */
export function advance(simulation: Simulation, until: Instant): void {
  if (until < simulation.now) {
    throw new RangeError(
      `time runs forward: ${formatInstant(until)} is before ${formatInstant(simulation.now)}`,
    );
  }
  for (const { at, event } of takeUntil(simulation.queue, until)) {
    simulation.now = at;
    HAPPENS[event.what](simulation, event as never);
  }
  simulation.now = until;
}

const HAPPENS: Happens<Simulation, SimulationEvent> = {
  ARRIVAL: arrive,
  STEP: (simulation, { life }) => takeStep(simulation, life),
  ADJUSTMENT: adjust,
  PRICE_CHANGE: (simulation) => {
    simulation.merchant = { ...simulation.merchant, pricing: simulation.plan.priceChange!.pricing };
  },
  MOVE: (simulation, { move }) => {
    moveStates(simulation, move);
    simulation.drawn.account = move.account ?? simulation.drawn.account;
    simulation.drawn.wallet = move.wallet ?? simulation.drawn.wallet;
  },
};

/** Changes the state of account and wallet at the present instant. */
export function moveStates(
  simulation: Simulation,
  { account, wallet }: Omit<PlannedMove, 'at'>,
): void {
  if (account !== undefined) {
    simulation.merchant = { ...simulation.merchant, status: account };
    dashboardOf(simulation).isActive = account === 'ACTIVE';
  }
  if (wallet === undefined || wallet === simulation.walletStatus) return;
  simulation.walletStatus = wallet;
  simulation.walletUpdatedAt = simulation.now;
}

/** Returns the dashboard, brought up to the present instant. */
export function dashboardOf({ dashboard, now }: Simulation): DashboardLife {
  advanceDashboard(dashboard, now);
  return dashboard;
}

/**
 * Returns the dashboard's answers now: payments by link ascending in createdAt, reports newest
 * first, answers about payouts.
 */
export function publishedBy(
  simulation: Simulation,
): Pick<Books, 'payments' | 'reports' | 'payouts'> {
  const life = dashboardOf(simulation);
  return { payments: paymentsNow(life), reports: reportsOf(life), payouts: answersOf(life) };
}

/** Returns a copy of the books as they stand; later events do not change it. */
export function booksOf(simulation: Simulation): Books {
  return {
    policy: simulation.plan.policy,
    asOf: simulation.now,
    merchant: simulation.merchant,
    wallet: walletOf(simulation),
    entries: [...simulation.entries],
    operations: simulation.lives.map(({ operation }) => ({ ...operation })),
    notifications: [...simulation.notifications],
    ...publishedBy(simulation),
  };
}

/**
 * Replaces the simulation's books by books with faults planted. `before` must be the simulation's
 * own books at this instant (`booksOf`), `after` the same books with the faults, and `concerned`
 * the references that the faults name.
 */
function adoptBooks(
  simulation: Simulation,
  change: {
    readonly before: Books;
    readonly after: Books;
    readonly concerned: ReadonlySet<string>;
  },
): void {
  const { before, after, concerned } = change;
  const own = new Map(before.operations.map((operation, i) => [operation, simulation.lives[i]!]));
  const settled: Life[] = [];
  simulation.lives = after.operations.map((operation) => {
    const life = own.get(operation);
    if (life !== undefined && !concerned.has(operation.reference)) return life;
    const steps = concerned.has(operation.reference) ? [] : expiryOf(operation, simulation.now);
    settled.push({ world: 'BOTH', ...life, operation: { ...operation }, steps });
    return settled.at(-1)!;
  });
  const kept = new Set(simulation.lives);
  dropEvents(simulation.queue, (event) => {
    return event.what === 'STEP' && event.life.world !== 'DRAWN' && !kept.has(event.life);
  });
  for (const life of settled) {
    if (life.steps.length > 0)
      addEvent(simulation.queue, { at: life.steps[0]!.at, event: { what: 'STEP', life } });
  }
  const known = new Set<unknown>([...before.notifications, ...before.reports]);
  simulation.notifications = [...after.notifications];
  for (const one of after.notifications) if (!known.has(one)) simulation.onNotified?.(one, null);
  takeFigures(simulation, after);
  // A summary that a fault changed stays wrong, also when the report is generated again.
  for (const report of after.reports) {
    if (!known.has(report) && report.summary !== null)
      simulation.dashboard.reports.wrong.set(report.period, report.summary);
  }
}

function takeFigures(simulation: Simulation, { entries, wallet, merchant }: Books): void {
  const head = entries.at(-1);
  const { balance, reserved, promisedFees } = simulation;
  simulation.merchant = merchant;
  simulation.entries = [...entries];
  simulation.sequence = head?.sequence ?? 0;
  simulation.balance = head?.balanceAfter ?? 0;
  simulation.reserved = head?.reservedAfter ?? 0;
  const { totalCollected, totalDisbursed, totalFees } = wallet;
  simulation.totals = { totalCollected, totalDisbursed, totalFees };
  simulation.walletOffset = {
    balance: wallet.balance - simulation.balance,
    reserved: wallet.reserved - simulation.reserved,
    available: wallet.available - (simulation.balance - simulation.reserved),
  };
  simulation.promisedFees = simulation.lives
    .filter(({ operation, steps }) => steps.length > 0 && !isFinal(operation.status))
    .reduce((sum, { operation }) => sum + feesOutsideHold(operation, simulation.plan.policy), 0);
  addFunds(simulation, 'DRAWN', {
    balance: simulation.balance - balance,
    reserved: simulation.reserved - reserved,
    promisedFees: simulation.promisedFees - promisedFees,
  });
}

/** Returns the step by which an open operation that a fault added will expire. */
function expiryOf({ status, expiresAt }: ServedOperation, now: Instant): readonly Step[] {
  const at = expiresAt === null ? now : Date.parse(expiresAt);
  return isFinal(status) || at <= now ? [] : [{ at, to: 'EXPIRED' }];
}

/** The parts of an account that planting a fault reads and changes. */
export interface Planted {
  readonly plan: MerchantPlan;
  readonly seed: string;
  readonly simulation: Simulation;
  readonly notifiedSince: Instant | null;
  readonly paymentsUrl: string | null;
  /** Faults that alter the next results of payments by link. */
  readonly misreporting: Set<DashboardFault>;
  /**
   * The roots that an audit should find for the faults planted so far. Those of slips are in
   * `simulation.slipped`.
   */
  planted: readonly Expected[];
}

/**
 * Gives new ids to notifications that a fault has changed after they were sent, because what was
 * sent under an id cannot be taken back. A fault that is about the id itself keeps it.
 */
function renamed(
  before: readonly ServedNotification[],
  after: readonly ServedNotification[],
): readonly ServedNotification[] {
  const known = new Set(before);
  const ids = new Set(before.map(({ id }) => id));
  const kept = new Set(after.filter((one) => known.has(one)).map(({ id }) => id));
  return after.map((one) => {
    const replacesSent = !known.has(one) && ids.has(one.id) && !kept.has(one.id);
    return replacesSent ? { ...one, id: anotherId(one) } : one;
  });
}

/**
 * Plants faults in the books at the present instant. Throws RangeError when the books offer no
 * place for one.
 */
export function plant(account: Planted, faults: readonly Fault[]): void {
  const { notifiedSince, simulation } = account;
  const before = booksOf(simulation);
  // Notifications from before there was a URL reached no receiver: no fault in them would be seen.
  const isSent = ({ createdAt }: ServedNotification) =>
    notifiedSince === null || Date.parse(createdAt) >= notifiedSince;
  const [sent, unsent] = [
    before.notifications.filter(isSent),
    before.notifications.filter((one) => !isSent(one)),
  ];
  const seed = `${account.seed}/${account.plan.reference}`;
  const { books, expected } = plantFaults({ ...before, notifications: sent }, { faults, seed });
  const notified =
    notifiedSince === null
      ? books.notifications
      : renamed(before.notifications, books.notifications);
  const concerned = new Set(expected.flatMap(({ operationReference }) => operationReference ?? []));
  adoptBooks(simulation, {
    before,
    after: { ...books, notifications: [...unsent, ...notified] },
    concerned,
  });
  account.planted = [...account.planted, ...expected];
}

/**
 * Plants one fault in the books or in the dashboard, at the present instant. Throws RangeError when
 * there is no place for it.
 */
export function plantAny(account: Planted, fault: AnyFault): void {
  if ('plant' in fault) {
    plant(account, [fault]);
    return;
  }
  const { plan, seed, simulation } = account;
  if (fault.plantIn === undefined) {
    if (account.paymentsUrl === null)
      throw new RangeError(`${plan.reference} is not notified of payments by link`);
    account.misreporting.add(fault);
    return;
  }
  const random = seedRandom(`${seed}/${plan.reference}/${fault.name}`);
  const about = fault.plantIn(dashboardOf(simulation), random);
  if (about === null)
    throw new RangeError(`the dashboard of ${plan.reference} offers no place for ${fault.name}`);
  account.planted = [...account.planted, expectedAt(fault, about)];
}
