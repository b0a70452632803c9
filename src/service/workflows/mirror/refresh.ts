// The job `refresh`. It requests an operation of the wallet and saves it in the mirror as one more
// version, for the next run to judge. A payment by link is requested and compared with its unsigned
// notification, and nothing is saved. Also sends `refresh` jobs for operations that are past their
// expiry and not final: "the partner is expected to poll for operations that remain non-final past
// their expiresAt" (direct API, "What the service does").

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
  /** Where this merchant's books are read from. */
  readonly source: Source;
  /** Where its payments by link are read from; `null` when there is no such place. */
  readonly dashboard: Dashboard | null;
  /** Called with the outcome of the refresh. */
  readonly log: (event: object) => void;
}

type Refreshing = RefreshTask & JobData['refresh'];

/**
 * Refreshes one operation or payment. Running it twice changes nothing more. Throws `PutBack`,
 * `LeaseLost` or `SourceFailed` when it should be tried again.
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
 * The outcome for a payment. `confirmed`: the dashboard shows the payment as one of its
 * notifications claims. `contradicted`: it shows the payment otherwise. `pending`: the payment has
 * no result there yet. `unknown`: it has no such payment at the time claimed. `not asked`: there is
 * no dashboard, or the notifications do not say when the link was made.
 */
type PaymentOutcome = 'confirmed' | 'contradicted' | 'pending' | 'unknown' | 'not asked';

/**
 * Compares a payment with its notifications. Throws `SourceFailed` when the dashboard cannot be
 * asked.
 */
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
 * The outcome for an operation. `unknown`: the service says that there is no such operation;
 * `unreadable`: its row cannot be read exactly; `not mirrored`: no run has read the merchant yet,
 * and the first one reads everything.
 */
type OperationOutcome = 'changed' | 'unchanged' | 'unknown' | 'unreadable' | 'not mirrored';

/**
 * Seconds until another attempt: about as long as the work on a merchant with little news takes.
 */
const LOCKED_SECONDS = 15;

/**
 * Requests the operation under the merchant's lock, because otherwise an older answer could be
 * saved after that of a run. Throws `PutBack` while another process works on the merchant,
 * `LeaseLost`, or `SourceFailed` when the service cannot be asked; nothing is saved then.
 */
export async function refreshOperation(
  task: Omit<Refreshing, 'dashboard' | 'log'>,
): Promise<OperationOutcome> {
  const { store, merchant } = task;
  // A single saved operation would make the merchant's first reading believe that it is a later
  // one.
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
  // The next run meets the unreadable row in the list and reports it.
  if (operation === null || operation === 'unreadable') return operation ?? 'unknown';
  const saved = await savePage(store, lease, { operations: [operation], outOfTurn: true });
  return saved.operationsChanged > 0 ? 'changed' : 'unchanged';
}

interface OverdueSweep {
  readonly store: Store;
  readonly jobs: Jobs;
  /** False for a merchant whose books are a copy, because no operation changes there. */
  readonly moves: (merchant: string) => boolean;
  readonly now: Instant;
  /** Milliseconds after its expiry during which an operation may still lawfully change. */
  readonly grace: number;
}

/**
 * How long after its grace an operation is refreshed by sweeps. Older ones are left to the nightly
 * runs, which request them whatever their age.
 */
const OVERDUE_SINCE = DAY;
/**
 * Most operations of one merchant in one sweep. More than that is a fault of the service, and is
 * left to the nightly run.
 */
const MOST_PER_MERCHANT = 100;
const REQUESTS_AT_ONCE = 500;

/**
 * Sends `refresh` jobs for operations past their expiry and returns how many there are. It is meant
 * to be called every quarter of an hour; a job that is queued already is not queued twice.
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
