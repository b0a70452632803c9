// What the job `refresh` does. Asks for an operation of the wallet and mirrors it as one more
// version, for the next run to judge; asks for a payment by link, compares it with its unsigned
// notification, and stores nothing. Refreshes operations past their expiry that are not final as
// well: "the partner is expected to poll for operations that remain non-final past their expiresAt"
// (direct API, "What the service does").

import { DAY, type Instant, MINUTE } from '../../../core/domain/instant.ts';
import { type Payment, type PaymentClaim, saysAsServed } from '../../../core/domain/payment.ts';
import type { Dashboard } from '../../../core/domain/published/dashboard-snapshot.ts';
import { decodePaymentClaim } from '../../../io/sources/decode/notifications.ts';
import { askReadable, type Source } from '../../../io/sources/port/source.ts';
import { type Lease, withMerchantLock } from '../../../io/storage/merchants/merchant-lock.ts';
import { savePage } from '../../../io/storage/mirror/save/save-page.ts';
import { loadOverdue, loadStoredExtent } from '../../../io/storage/mirror/stored-extent.ts';
import { loadSignals } from '../../../io/storage/notifications/notifications.ts';
import { inPieces } from '../../../io/storage/server/ask.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import { closable } from '../closable.ts';
import { type JobData, type Jobs, PutBack } from '../jobs.ts';

export interface RefreshTask {
  readonly store: Store;
  /** Where this merchant's books are. */
  readonly source: Source;
  /** Where its payments by link are; null: nowhere. */
  readonly dashboard: Dashboard | null;
  /** Called with how the refresh ended. */
  readonly log: (event: object) => void;
}

type Refreshing = RefreshTask & JobData['refresh'];

/**
 * Throws `PutBack`, `LeaseLost` or `SourceFailed`: then the refresh is worth another attempt. Done
 * twice, it adds nothing more.
 */
export async function refresh(
  task: RefreshTask,
  { merchant, reference }: JobData['refresh'],
): Promise<OperationOutcome | PaymentOutcome> {
  const refreshing = { ...task, merchant, reference };
  const outcome = await (reference.startsWith('PAY')
    ? confirmPayment(refreshing)
    : refreshOperation(refreshing));
  task.log({ event: 'refreshed', merchant, reference, outcome });
  return outcome;
}

/**
 * `confirmed`: the dashboard serves the payment as one of its notifications claims; `contradicted`:
 * otherwise; `pending`: it has no result there yet; `unknown`: it is not there at the time claimed;
 * `not asked`: there is no dashboard to ask, or the notifications do not say when the link was
 * made.
 */
type PaymentOutcome = 'confirmed' | 'contradicted' | 'pending' | 'unknown' | 'not asked';

/** Throws `SourceFailed` when the dashboard cannot be asked. */
async function confirmPayment(task: Refreshing): Promise<PaymentOutcome> {
  const { dashboard, merchant, reference } = task;
  const bodies = await loadSignals(task.store, { merchant, reference });
  const claims = bodies
    .map((body) => decodePaymentClaim(body))
    .flatMap((one) => (one.ok ? [one.value] : []));
  const createdAt = claims.find((claim) => claim.createdAt !== null)?.createdAt ?? null;
  if (createdAt === null || dashboard === null || !(await dashboard.merchants()).includes(merchant))
    return 'not asked';
  await using snapshot = closable(await dashboard.open(merchant));
  for await (const { rows } of snapshot.payments({
    from: createdAt - MINUTE,
    until: createdAt + MINUTE,
  })) {
    const payment = rows.find((row) => row.reference === reference);
    if (payment !== undefined) return outcomeOf(payment, claims);
  }
  return 'unknown';
}

function outcomeOf(payment: Payment, claims: readonly PaymentClaim[]): PaymentOutcome {
  if (payment.status === 'PENDING') return 'pending';
  return claims.some((claim) => saysAsServed(claim, payment)) ? 'confirmed' : 'contradicted';
}

/**
 * `unknown`: the service says that there is no such operation; `unreadable`: it cannot be read
 * exactly; `not mirrored`: no run has read the merchant yet, and the first one reads everything.
 */
type OperationOutcome = 'changed' | 'unchanged' | 'unknown' | 'unreadable' | 'not mirrored';

/** Seconds: about as long as a merchant with little new is worked on. */
const LOCKED_SECONDS = 15;

/**
 * Asks under the merchant's lock, so that no answer that is older than a run's can be stored after
 * it. Throws `PutBack` while another process works on the merchant, `LeaseLost`, or `SourceFailed`
 * when the service cannot be asked; nothing is saved then.
 */
export async function refreshOperation(
  task: Omit<Refreshing, 'dashboard' | 'log'>,
): Promise<OperationOutcome> {
  const { store, merchant } = task;
  // The first reading of a merchant must not take itself for a later one.
  if ((await loadStoredExtent(store, merchant)) === null) return 'not mirrored';
  const outcome = await withMerchantLock(store, merchant, (lease) => refreshUnderLock(task, lease));
  if (outcome.acquired) return outcome.value;
  throw new PutBack('another process is working on this merchant', LOCKED_SECONDS);
}

async function refreshUnderLock(
  { store, source, merchant, reference }: Omit<Refreshing, 'dashboard' | 'log'>,
  lease: Lease,
) {
  const operation = await askReadable(source, merchant, reference);
  // The next run meets one that cannot be read in the list, and names it there.
  if (operation === null || operation === 'unreadable') return operation ?? 'unknown';
  const saved = await savePage(store, lease, { operations: [operation], outOfTurn: true });
  return saved.operationsChanged > 0 ? 'changed' : 'unchanged';
}

interface OverdueSweep {
  readonly store: Store;
  readonly jobs: Jobs;
  /** False for a merchant whose books are a copy: nothing moves there. */
  readonly moves: (merchant: string) => boolean;
  readonly now: Instant;
  /** Milliseconds past its expiry that an operation may still be moving. */
  readonly grace: number;
}

/** Longer ago: every nightly run asks for what it left open, whatever its age. */
const OVERDUE_SINCE = DAY;
/** More than so many at once are a trouble of the service, and are left to the night. */
const MOST_PER_MERCHANT = 100;
const REQUESTS_AT_ONCE = 500;

/**
 * How many refreshes were asked for. Made to be called every quarter of an hour; one that is queued
 * already stays one.
 */
export async function sweepOverdue({
  store,
  jobs,
  moves,
  now,
  grace,
}: OverdueSweep): Promise<number> {
  const until = now - grace;
  const scope = { after: until - OVERDUE_SINCE, until, mostPerMerchant: MOST_PER_MERCHANT };
  const overdue = (await loadOverdue(store, scope)).filter(({ merchant }) => moves(merchant));
  for (const part of inPieces(overdue, REQUESTS_AT_ONCE))
    await jobs.send(
      part.map(({ merchant, reference }) => ({ kind: 'refresh', data: { merchant, reference } })),
    );
  return overdue.length;
}
