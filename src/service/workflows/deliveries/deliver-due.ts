// Sends deliveries that are due in the outbox, in one pass or for ever. Any number of processes may
// do so at once. Refuses to send before its claim is committed. Never repeats by itself a delivery
// that may have arrived on a channel that cannot take it twice. Refuses to send a report that is
// not READY or lacks its files.

import { setTimeout as sleep } from 'node:timers/promises';
import { choosePortion } from '../../../core/domain/delivery/choose-files.ts';
import type {
  Channel,
  DeliveryContent,
  DeliveryOutcome,
  NewDelivery,
} from '../../../core/domain/delivery/delivery.ts';
import type {
  ChannelSession,
  DeliveryChannel,
  LogHead,
  OpenNow,
  Parcel,
  ParcelFile,
  SendOutcome,
} from '../../../core/domain/delivery/delivery-channel.ts';
import { isOpen } from '../../../core/domain/finding.ts';
import { type Instant, MINUTE, SECOND } from '../../../core/domain/instant.ts';
import { exposureByState } from '../../../core/domain/measures.ts';
import { commandLine } from '../../../core/domain/printable.ts';
import type { IssuedStatement } from '../../../core/statements/revision.ts';
import { BOOKED, PROOF_FILE } from '../../../io/formats/deltas.ts';
import { countOwners, loadExposure, loadOpen } from '../../../io/storage/conclusions/exposure.ts';
import { loadMember } from '../../../io/storage/conclusions/run-members.ts';
import {
  type Cargo,
  type Claim,
  claimDelivery,
  type DueDelivery,
  endStaleClaims,
  listDue,
  loadNextDue,
  readdress,
  recordAttempt,
  recordUnopened,
} from '../../../io/storage/deliveries/outbox.ts';
import { loadPlace } from '../../../io/storage/deliveries/sent-files.ts';
import { loadRunOutcome } from '../../../io/storage/evidence/night-leaves.ts';
import { readReportFile } from '../../../io/storage/issued/report-files.ts';
import {
  listHeldMonths,
  listReports,
  type ReportRecord,
} from '../../../io/storage/issued/reports.ts';
import { loadMerchantName } from '../../../io/storage/merchants/merchants.ts';
import { listProposals } from '../../../io/storage/operators/proposals.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import type { ProvedReport } from '../evidence/record-evidence.ts';

export interface OutboxTask extends Packing {
  /**
   * Returns the delivery once for each address that the present configuration sends it to; `null`
   * when it keeps its address.
   */
  readonly addressedNow: (delivery: DueDelivery) => readonly NewDelivery[] | null;
  readonly channels: readonly DeliveryChannel[];
  readonly clock: () => Instant;
  /** Called with the outcome of deliveries, once it is recorded. */
  readonly onAttempt: (attempt: RecordedAttempt) => void;
  /**
   * Called with an error that stopped a pass or an attempt: the store cannot be reached, or this
   * program is wrong.
   */
  readonly onFailure: (failure: unknown) => void;
}

export interface RecordedAttempt extends SendOutcome {
  readonly channel: Channel;
  /**
   * `null` when the attempt represents several deliveries: no session could be opened for them, or
   * the process sending them had died.
   */
  readonly deliveryId: string | null;
  readonly merchant: string | null;
  /** The number of deliveries that the attempt represents. */
  readonly count: number;
  readonly milliseconds: number;
}

export type DeliveryCounts = Readonly<Record<DeliveryOutcome, number>>;

/**
 * How long after the channel's deadline a claim still holds. After that, another process takes the
 * delivery as lost.
 */
const MARGIN = MINUTE;
/** Longest wait between two passes of `runOutbox`. */
const LONGEST_PAUSE = SECOND;
/** Shortest wait between two passes of `runOutbox`, in milliseconds. */
const SHORTEST_PAUSE = 100;
const PAUSE_AFTER_FAILURE = 5 * SECOND;
const LISTED_AT_ONCE = 50;
/**
 * Waits before the store is tried again. A delivery that was sent must be recorded, or it stays in
 * doubt.
 */
const WAITS_FOR_STORE: readonly number[] = [200, SECOND, 5 * SECOND, 10 * SECOND];

/**
 * Sends everything that is due when it begins, all channels at the same time. A delivery that fails
 * is due again later, in another pass. Rejects when the store fails. With `stop`, deliveries being
 * sent are finished and recorded, and no new ones begin.
 */
export async function deliverDue(task: OutboxTask, stop?: AbortSignal): Promise<DeliveryCounts> {
  const counts: Record<DeliveryOutcome, number> = { SUCCESS: 0, RETRY: 0, REFUSED: 0, IN_DOUBT: 0 };
  const onAttempt = (attempt: RecordedAttempt): void => {
    counts[attempt.outcome] += attempt.count;
    task.onAttempt(attempt);
  };
  await Promise.all(
    task.channels.map((channel) => passOver({ ...task, onAttempt }, channel, stop)),
  );
  return counts;
}

/**
 * Sends deliveries until `stop`, then resolves when those being sent are recorded. While the store
 * fails, it is tried again.
 */
export async function runOutbox(task: OutboxTask, stop: AbortSignal): Promise<void> {
  await Promise.all(task.channels.map((channel) => keepDelivering(task, channel, stop)));
}

async function keepDelivering(
  task: OutboxTask,
  channel: DeliveryChannel,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    const pause = await passAndPlan(task, channel, stop);
    await sleep(pause, undefined, { signal: stop }).catch(() => {});
  }
}

/** Makes one pass. Returns the milliseconds until the next. */
async function passAndPlan(
  task: OutboxTask,
  channel: DeliveryChannel,
  stop: AbortSignal,
): Promise<number> {
  try {
    await passOver(task, channel, stop);
    const next = await loadNextDue(task.store, channel.name);
    return Math.min(
      LONGEST_PAUSE,
      Math.max(SHORTEST_PAUSE, (next ?? Number.POSITIVE_INFINITY) - task.clock()),
    );
  } catch (failure) {
    task.onFailure(failure);
    return PAUSE_AFTER_FAILURE;
  }
}

interface Pass {
  readonly task: OutboxTask;
  readonly channel: DeliveryChannel;
  readonly at: Instant;
  /**
   * The due deliveries. All senders of the pass draw from it. It ends when nothing more is due or
   * the pass must stop.
   */
  readonly due: AsyncGenerator<Drawn, void>;
  /** The number of sessions open in this pass. */
  open: number;
  /** For each target and month, the end of the last delivery that waits its turn. */
  readonly turns: Map<string, Promise<void>>;
}

/**
 * A due delivery. `refusal` is set when it goes to other addresses instead, and `null` when it may
 * be sent.
 */
type Drawn = DueDelivery & { readonly refusal: SendOutcome | null };

async function passOver(
  task: OutboxTask,
  channel: DeliveryChannel,
  stop: AbortSignal | undefined,
): Promise<void> {
  const at = task.clock();
  await endStale(task, channel, at);
  const due = allDue(task, { channel: channel.name, at }, stop);
  const pass: Pass = { task, channel, at, due, open: 0, turns: new Map() };
  const senders = await Promise.allSettled(
    Array.from({ length: channel.concurrency }, () => workOff(pass)),
  );
  const failed = senders.find((sender) => sender.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/**
 * Yields each due delivery once. Deliveries added for a new address come after those that were
 * listed before them.
 */
async function* allDue(
  task: OutboxTask,
  wanted: { readonly channel: Channel; readonly at: Instant },
  stop: AbortSignal | undefined,
): AsyncGenerator<Drawn, void> {
  const given = new Set<string>();
  for (;;) {
    if (stop?.aborted) return;
    const all = await listDue(task.store, { ...wanted, limit: LISTED_AT_ONCE });
    const listed = all.filter(({ id }) => !given.has(id));
    if (listed.length === 0) return;
    for (const delivery of listed) {
      if (stop?.aborted) return;
      given.add(delivery.id);
      yield {
        ...delivery,
        refusal: await readdress(task.store, delivery, task.addressedNow(delivery), wanted.at),
      };
    }
  }
}

async function endStale(task: OutboxTask, channel: DeliveryChannel, at: Instant): Promise<void> {
  const outcome: SendOutcome = channel.isRepeatable
    ? {
        outcome: 'RETRY',
        detail: 'The process that was sending it ended before it said what became of it.',
      }
    : {
        outcome: 'IN_DOUBT',
        detail: 'The process that was sending it ended; it may have arrived. A person decides.',
      };
  const count = await endStaleClaims(task.store, { channel: channel.name, at, outcome });
  reportSome(task, channel, { ...outcome, count });
}

/**
 * Sends deliveries one after the other. Opens a session only when there is something to send, and
 * before it claims the delivery.
 */
async function workOff(pass: Pass): Promise<void> {
  let session = null as ChannelSession | null;
  const leave = (): void => {
    if (session !== null) pass.open -= 1;
    session?.close();
    session = null;
  };
  try {
    // Not `for await`, which would end the list for all senders when one of them stops.
    for (let next = await pass.due.next(); !next.done; next = await pass.due.next()) {
      if (session?.isOpen() === false) leave();
      session ??= await openSession(pass);
      if (session === null) return;
      await inTurn(pass, session, next.value);
    }
  } finally {
    leave();
  }
}

/**
 * Returns `null` when no session can be opened. Unless another sender has a session, every due
 * delivery then counts one failed attempt.
 */
async function openSession(pass: Pass): Promise<ChannelSession | null> {
  const { task, channel, at } = pass;
  try {
    const session = await channel.open();
    pass.open += 1;
    return session;
  } catch (failure) {
    if (pass.open > 0) return null;
    const outcome: SendOutcome = { outcome: 'RETRY', detail: (failure as Error).message };
    const count = await recordUnopened(task.store, { channel: channel.name, at, outcome });
    reportSome(task, channel, { ...outcome, count });
    return null;
  }
}

/**
 * Deliveries of one month to one target are sent one after the other, because the files of a
 * revision depend on what has arrived before.
 */
function inTurn(pass: Pass, session: ChannelSession, due: Drawn): Promise<void> {
  const place =
    'period' in due.content
      ? `${due.target} ${due.merchant} ${due.content.period}`.toLowerCase()
      : due.id;
  const before = pass.turns.get(place)?.catch(() => {});
  const turn = Promise.resolve(before).then(() => deliverOne(pass, session, due));
  pass.turns.set(place, turn);
  return turn;
}

async function deliverOne(
  { task, channel, at }: Pass,
  session: ChannelSession,
  due: Drawn,
): Promise<void> {
  // If the clock was set back, a due delivery must not seem to be not due yet.
  const claimedAt = Math.max(at, task.clock());
  const packed = due.refusal ? { refused: due.refusal } : await packParcel(task, due, claimedAt);
  const cargo = 'refused' in packed ? undefined : packed.cargo;
  const claim: Claim = {
    id: due.id,
    claimedAt,
    until: claimedAt + channel.deadline + MARGIN,
    cargo,
  };
  if (!(await claimDelivery(task.store, claim))) return;
  const outcome =
    'refused' in packed ? packed.refused : await sendInTime(task, channel, session, packed.parcel);
  const finishedAt = task.clock();
  const isRecorded = await recordPatiently(task, claim, { ...outcome, finishedAt });
  if (!isRecorded) {
    task.onFailure(
      new Error(`Delivery ${due.id}: ${outcome.outcome}, but its claim had run out; not recorded.`),
    );
    return;
  }
  const about = {
    deliveryId: due.id,
    merchant: due.merchant,
    milliseconds: finishedAt - claimedAt,
  };
  task.onAttempt({ ...outcome, ...about, count: 1, channel: channel.name });
}

/**
 * Sends a parcel within the channel's deadline, so that a channel that hangs or throws does not
 * hold up the others.
 */
async function sendInTime(
  task: OutboxTask,
  channel: DeliveryChannel,
  session: ChannelSession,
  parcel: Parcel,
): Promise<SendOutcome> {
  const outcome = channel.isRepeatable ? 'RETRY' : 'IN_DOUBT';
  const late: SendOutcome = { outcome, detail: 'The channel did not answer in time.' };
  try {
    return await Promise.race([
      session.send(parcel),
      sleep(channel.deadline + MARGIN / 2, late, { ref: false }),
    ]);
  } catch (failure) {
    task.onFailure(failure);
    return { outcome, detail: `The attempt failed: ${(failure as Error).message}` };
  }
}

async function recordPatiently(
  task: OutboxTask,
  claim: Claim,
  attempt: SendOutcome & { readonly finishedAt: Instant },
): Promise<boolean> {
  for (const wait of WAITS_FOR_STORE) {
    try {
      return await recordAttempt(task.store, claim, attempt);
    } catch (failure) {
      task.onFailure(failure);
      await sleep(wait);
    }
  }
  return recordAttempt(task.store, claim, attempt);
}

function reportSome(
  task: OutboxTask,
  channel: DeliveryChannel,
  attempt: SendOutcome & { readonly count: number },
): void {
  const about = { channel: channel.name, deliveryId: null, merchant: null, milliseconds: 0 };
  if (attempt.count > 0) task.onAttempt({ ...attempt, ...about });
}

interface Packing {
  readonly store: Store;
  /** Names of the report's formats that are sent. The proof of the report is sent with them. */
  readonly formats: readonly string[];
  /** Returns the report with its proof, which is made if there is none yet. */
  readonly prove: (report: ReportRecord) => Promise<ProvedReport>;
  /**
   * Signs the log with the outcome of the run in it and returns the signed head; `null` when it
   * could not be signed.
   */
  readonly signNight: (runId: number) => Promise<LogHead | null>;
}

type Packed =
  | { readonly parcel: Parcel; readonly cargo?: Cargo }
  | { readonly refused: SendOutcome };

/**
 * Makes the parcel for a delivery, or refuses it. It reads no file yet: their bytes stream while
 * they are sent.
 */
export async function packParcel(
  packing: Packing,
  due: DueDelivery,
  sentAt: Instant,
): Promise<Packed> {
  const { id, channel, target, createdAt, content } = due;
  const parcel = { id, target, createdAt, sentAt, content };
  if (content.topic === 'night' && channel === 'mail') {
    const merchant = content.reader?.merchant ?? undefined;
    const heldMonths = await listHeldMonths(packing.store, merchant);
    const open = await loadOpenNow(packing.store, sentAt, merchant);
    const waiting = await listProposals(packing.store, { merchant, limit: MOST_WAITING });
    const { runId } = content.night;
    const member =
      merchant === undefined ? undefined : await loadMember(packing.store, { merchant, runId });
    const night = { heldMonths, open, waiting, verdict: member?.verdict };
    return {
      parcel: { ...parcel, report: null, ...night, signed: await packing.signNight(runId) },
    };
  }
  if (content.topic === 'findings') {
    const chain = (await loadRunOutcome(packing.store, content))?.chain ?? null;
    return { parcel: { ...parcel, report: null, ...(chain === null ? {} : { chain }) } };
  }
  if (content.topic !== 'statement') return { parcel: { ...parcel, report: null } };
  return packStatement(packing, due, { ...parcel, report: null });
}

type Statement = Extract<DeliveryContent, { readonly topic: 'statement' }>;

async function packStatement(
  packing: Packing,
  { id, channel }: DueDelivery,
  parcel: Parcel,
): Promise<Packed> {
  const { store } = packing;
  const { target, content } = parcel;
  const { merchant, period, reportId, evenIfHeld } = content as Statement;
  const all = await listReports(store, merchant);
  const revisions = all.filter((one) => one.period === period && one.status === 'READY').reverse();
  const report = revisions.find((one) => one.id === reportId);
  if (report === undefined) return refused(`There is no report ${reportId} that is READY.`);
  if (report.isHeld && evenIfHeld !== true)
    return refused(
      `The statement is held: '${commandLine('statement release', merchant, report.period)}' lets it go.`,
    );
  if (channel === 'webhook') return { parcel };
  const place = { channel, target, merchant, period };
  const { seen, attempts } = await loadPlace(store, place);
  const chosen = chooseFor(packing, id, { report, revisions, attempts });
  if ('refused' in chosen) return chosen;
  const proofs: ProvedReport[] = [];
  for (const one of revisions)
    if (chosen.files.some((file) => file.revision === one.revision))
      proofs.push(await packing.prove(one));
  const proving = proofs
    .flatMap((one) => filesOf(store, one.report))
    .filter(({ format }) => format === PROOF_FILE);
  const files = chosen.doubted === null ? [...chosen.files, ...proving] : chosen.files;
  const issued = report.issued as IssuedStatement;
  const {
    summary: figures,
    figures: column = null,
    reasons = { fr: [], en: [] },
    toDo = { fr: [], en: [] },
    chain = null,
  } = issued;
  const { verifierKey } = proofs.at(-1)!;
  const merchantName = await loadMerchantName(store, merchant);
  const packed = {
    ...chosen,
    verifierKey,
    chain,
    merchantName,
    figures,
    column,
    reasons,
    toDo,
    files,
  };
  return { parcel: { ...parcel, report: packed }, cargo: { place, seen, files } };
}

type Attempts = Awaited<ReturnType<typeof loadPlace>>['attempts'];
type Reports = Readonly<
  Record<'revisions', readonly ReportRecord[]> & Record<'report', ReportRecord>
>;

/**
 * Chooses the files to send: those that this target has not received. A mail that may or may not
 * have arrived is sent again with the same files. Refuses when the target has received a later
 * revision, or may have, or has received this revision since the mail in doubt.
 */
function chooseFor(
  { store, formats }: Packing,
  id: string,
  { report, revisions, attempts }: Reports & { readonly attempts: Attempts },
) {
  const { revision } = report;
  const broughtBy = (some: Attempts) =>
    some.flatMap(({ files, reportId: of, outcome, at }) => {
      // Earlier versions did not record the files: they sent all files of the report.
      const whole = revisions.filter((one) => one.id === of).flatMap((one) => filesOf(store, one));
      return (files ?? whole).map((file) => ({ ...file, at, isCertain: outcome === 'SUCCESS' }));
    });
  const later = Math.max(...broughtBy(attempts).map((file) => file.revision));
  if (later > revision)
    return refused(
      `Revision ${later} went there before, or may have; revision ${revision} is not sent after it.`,
    );
  const own = attempts.findIndex((one) => one.id === id && one.files !== null);
  const doubt = attempts[own];
  const before = doubt === undefined ? attempts : attempts.slice(0, own);
  const others = attempts.slice(before.length).filter((one) => one.id !== id);
  if (broughtBy(others).some((file) => file.revision === revision))
    return refused(
      `Revision ${revision} went there since, or may have; what is in doubt is not sent again.`,
    );
  const isSent = ({ fileName, sha256 }: ParcelFile): boolean =>
    doubt!.files!.some((sent) => sent.fileName === fileName && sent.sha256 === sha256);
  const again = doubt && revisions.flatMap((one) => filesOf(store, one)).filter(isSent);
  // Files of an earlier revision that is held are left out. If one of its deltas would be needed,
  // the whole document is sent instead.
  const issued = revisions
    .filter((one) => one === report || (one.revision < revision && !one.isHeld))
    .flatMap((one) => filesOf(store, one));
  const month = { revision, issued, brought: broughtBy(before), again };
  const portions = BOOKED.filter(({ of }) => doubt !== undefined || formats.includes(of)).flatMap(
    (one) => choosePortion(one, month) ?? [],
  );
  const plain = formats.filter((format) => !BOOKED.some(({ of }) => of === format));
  const whole = filesOf(store, report).filter(({ format }) => plain.includes(format));
  const files = again ?? [...whole, ...portions.flatMap((portion) => portion.files)];
  if (files.length === 0)
    return refused(`Report ${report.id} has no file in ${formats.join(' or ')}.`);
  return { revision, files, portions, doubted: doubt?.at ?? null };
}

function filesOf(store: Store, report: ReportRecord): readonly ParcelFile[] {
  const { revision } = report;
  return report.files.map((file) => ({
    ...file,
    revision,
    read: () => readReportFile(store, report, file.format),
  }));
}

const MOST_WAITING = 20;

async function loadOpenNow(
  { pool }: Store,
  at: Instant,
  merchant: string | undefined,
): Promise<OpenNow> {
  const exposure = await loadExposure(pool, { at, merchant });
  const [open, owners] = await Promise.all([loadOpen(pool, exposure, merchant), countOwners(pool)]);
  const stated = exposureByState(exposure).filter(isOpen);
  return { ...open, exposure: stated, owners };
}

function refused(detail: string): Extract<Packed, { readonly refused: unknown }> {
  return { refused: { outcome: 'REFUSED', detail } };
}
