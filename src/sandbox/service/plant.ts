// Plants faults in one account as it stands: in its books, which it goes on from, or in its dashboard.

import type { Instant } from '../../core/domain/instant.ts';
import { type DashboardFault, expectedAt } from '../faults/dashboard/dashboard-fault.ts';
import type { Expected, Fault } from '../faults/fault.ts';
import { plantFaults } from '../faults/plant-faults.ts';
import type { AnyFault } from '../faults/register.ts';
import { anotherId } from '../notify.ts';
import type { MerchantPlan } from '../plan.ts';
import { seedRandom } from '../random.ts';
import type { ServedNotification } from '../served.ts';
import { adoptBooks } from '../simulation/adopt-books.ts';
import { booksOf, dashboardOf, type Simulation } from '../simulation/state.ts';

/** The part of an account that faults are planted in. */
interface Planted {
  readonly plan: MerchantPlan;
  readonly seed: string;
  readonly simulation: Simulation;
  readonly notifiedSince: Instant | null;
  readonly paymentsUrl: string | null;
  readonly mistelling: Set<string>;
  planted: readonly Expected[];
}

/** What was notified since somebody listened, and what before; where nobody does, all of it is as good as told. */
function partedBySent(
  { notifiedSince }: Planted,
  notifications: readonly ServedNotification[],
): readonly [readonly ServedNotification[], readonly ServedNotification[]] {
  const isTold = ({ createdAt }: ServedNotification) =>
    notifiedSince === null || Date.parse(createdAt) >= notifiedSince;
  return [notifications.filter(isTold), notifications.filter((one) => !isTold(one))];
}

/**
 * What was sent under an id cannot be taken back: what a fault says in its place comes as another notification, under an id
 * of its own. A fault that is about the id keeps it.
 */
function renamed(
  { notifiedSince }: Planted,
  before: readonly ServedNotification[],
  after: readonly ServedNotification[],
): readonly ServedNotification[] {
  if (notifiedSince === null) return after;
  const known = new Set(before);
  const ids = new Set(before.map(({ id }) => id));
  const kept = new Set(after.filter((one) => known.has(one)).map(({ id }) => id));
  return after.map((one) => {
    const replacesSent = !known.has(one) && ids.has(one.id) && !kept.has(one.id);
    return replacesSent ? { ...one, id: anotherId(one) } : one;
  });
}

/** Plants faults in the books as they stand now. Throws RangeError when the books offer no place for one. */
export function plant(account: Planted, faults: readonly Fault[]): void {
  const before = booksOf(account.simulation);
  // What happened before anybody listened was told to nobody, and no fault in it would be seen.
  const [told, untold] = partedBySent(account, before.notifications);
  const seed = `${account.seed}/${account.plan.reference}`;
  const { books, expected } = plantFaults({ ...before, notifications: told }, { faults, seed });
  const after = {
    ...books,
    notifications: [...untold, ...renamed(account, before.notifications, books.notifications)],
  };
  const concerned = new Set(expected.flatMap(({ operationReference }) => operationReference ?? []));
  adoptBooks(account.simulation, { before, after, concerned });
  account.planted = [...account.planted, ...expected];
}

/** Plants a fault in payments by link or payouts as they stand now. Throws RangeError when they offer no place for it. */
function plantInDashboard(account: Planted, fault: DashboardFault): void {
  const { plan, seed, simulation } = account;
  if (fault.plantIn === undefined) {
    if (account.paymentsUrl === null) throw new RangeError(`${plan.reference} is not notified of payments by link`);
    account.mistelling.add(fault.name);
    return;
  }
  const random = seedRandom(`${seed}/${plan.reference}/${fault.name}`);
  const about = fault.plantIn(dashboardOf(simulation), random);
  if (about === null) throw new RangeError(`the dashboard of ${plan.reference} offers no place for ${fault.name}`);
  account.planted = [...account.planted, expectedAt(fault, about)];
}

/** Plants one fault, wherever it belongs, as things stand now. Throws RangeError when there is no place for it. */
export function plantAny(account: Planted, fault: AnyFault): void {
  if ('plant' in fault) plant(account, [fault]);
  else plantInDashboard(account, fault);
}
