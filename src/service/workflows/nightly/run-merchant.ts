// One merchant's part of a run: read what is new, replay it, check, read again what contradicts,
// save. When the source fails, the merchant is settled as incomplete, and what was read stays
// saved.

import type { Finding } from '../../../core/domain/finding.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import { NO_TRACING } from '../../../core/domain/measures.ts';
import type { Note } from '../../../core/domain/snapshot.ts';
import type { Subject } from '../../../core/kernel/checks/kinds/declaration.ts';
import { KINDS } from '../../../core/kernel/checks/port/kinds.ts';
import {
  type JudgedPart,
  judgedFingerprints,
} from '../../../core/kernel/reconcile/published/judged-part.ts';
import { SourceFailed } from '../../../io/sources/port/source.ts';
import { loadConfirmedFingerprints } from '../../../io/storage/conclusions/findings.ts';
import { NOTHING_READ, settleMembers } from '../../../io/storage/conclusions/run-members.ts';
import { saveConclusion } from '../../../io/storage/conclusions/save-conclusion.ts';
import type { FindingChanges } from '../../../io/storage/conclusions/save-findings.ts';
import {
  type Lease,
  LeaseLost,
  withMerchantLock,
} from '../../../io/storage/merchants/merchant-lock.ts';
import { enterMerchant } from '../../../io/storage/merchants/merchants.ts';
import { beginReread } from '../../../io/storage/mirror/save/begin-reread.ts';
import { countBrought } from '../../../io/storage/mirror/stored-extent.ts';
import {
  loadPayouts,
  savePaymentVersions,
  savePayouts,
} from '../../../io/storage/published/published-versions.ts';
import { NOTHING_ANNOUNCED } from '../announcements.ts';
import { unreachable } from '../audit/audit-source.ts';
import { comparePublished } from '../audit/compare-published.ts';
import { confirmFindings } from '../audit/confirm-findings.ts';
import { keepUnjudged } from '../audit/keep-unjudged.ts';
import { loadKeptPayments } from '../audit/kept-payments.ts';
import { type Mirrored, mirrorMerchant } from '../mirror/mirror-merchant.ts';
import { planSince } from '../mirror/plan-since.ts';
import { type Replayed, replayMirror } from '../mirror/replay-mirror.ts';
import { watchChain } from '../mirror/watch-chain.ts';
import { askUndelivered } from '../notifications/judge-mirrored.ts';
import type { MerchantOutcome, MerchantTask } from './merchant-task.ts';
import { digestAgain, quietOfReading, type ReadOnce } from './settle-quiet.ts';
import { watchMonths } from './watch-months.ts';

export interface Member {
  readonly runId: number;
  readonly merchant: string;
  /**
   * Called with the number of lines read so far. An exception thrown here ends the work on the
   * merchant; what was read stays saved.
   */
  readonly onProgress: (entries: number) => void;
}

/**
 * Settles the merchant's part of the run. Returns `null`, having done nothing, when another process
 * is working on the merchant. Throws errors of this program and of the database.
 */
export async function runMerchant(
  task: MerchantTask,
  member: Member,
): Promise<MerchantOutcome | null> {
  const { tracing = NO_TRACING } = task;
  const { merchant, runId } = member;
  return tracing.span('merchant', { merchant, runId }, async (note) => {
    const outcome = await runOrSettle(task, member);
    if (outcome !== null) note({ verdict: outcome.report.verdict, entries: outcome.entriesAdded });
    return outcome;
  });
}

async function runOrSettle(task: MerchantTask, member: Member): Promise<MerchantOutcome | null> {
  try {
    const outcome = await withMerchantLock(task.store, member.merchant, (lease) =>
      runUnderLock(task, member, lease),
    );
    return outcome.acquired ? outcome.value : null;
  } catch (failure) {
    if (failure instanceof LeaseLost) return null;
    if (!(failure instanceof SourceFailed)) throw failure;
    return settleUnread(task, member, `${failure.code}: ${failure.message}`);
  }
}

/** Settles the merchant's part of the run as incomplete, without reading its books. */
export async function settleUnread(
  task: Pick<MerchantTask, 'store' | 'clock'>,
  member: Omit<Member, 'onProgress'>,
  why: string,
): Promise<MerchantOutcome> {
  const report = unreachable(member.merchant, why);
  const merchantId = await enterMerchant(task.store, member.merchant);
  const settled = { ...NOTHING_READ, state: 'done', verdict: report.verdict, reason: why } as const;
  await settleMembers(task.store.pool, member.runId, [
    { merchantId, ...settled, finishedAt: task.clock() },
  ]);
  return {
    report,
    entriesAdded: 0,
    operationsChanged: 0,
    changes: NO_CHANGES,
    watermark: null,
    isAltered: false,
  };
}

const NO_CHANGES: FindingChanges = {
  added: [],
  resolved: [],
  settled: [],
  reopened: [],
  changed: [],
};

async function runUnderLock(
  given: MerchantTask,
  member: Member,
  lease: Lease,
): Promise<MerchantOutcome> {
  const { store, announcements = NOTHING_ANNOUNCED, tracing = NO_TRACING } = given;
  const { runId, merchant } = member;
  const { books = (await digestAgain(given, merchant))?.books ?? null } = given;
  const task = { ...given, books };
  const mirrored = await tracing.span('mirror', { merchant }, () => pullNew(task, member, lease));
  const { since, entriesAdded: added } = mirrored;
  const at = task.clock();
  const extent = since?.extent ?? null;
  const dueAt = await watchChain(store, { lease, extent, entriesAdded: added, now: at });
  const isQuiet = mirrored.entriesAdded + mirrored.operationsChanged === 0;
  await watchIssued(task, lease, mirrored, !isQuiet);
  const compared = await compareKept(task, lease, mirrored.watermark);
  const { whenThereIsRoom: room } = task;
  const read = { lease, member, mirrored, compared, chain: { at, dueAt } };
  const replay = () => replayConfirmed(task, read);
  const atOnce = isQuiet || room === undefined ? replay : () => room(replay);
  const { replayed, ...judged } = await tracing.span('replay', { merchant }, atOnce);
  const { watermark } = judged.mirrored;
  const report = await keepUnjudged(store, merchant, { ...replayed, asOf: watermark });
  const left = await leftByAttempts(task, lease, mirrored);
  const entriesAdded = judged.mirrored.entriesAdded + left.entries;
  const operationsChanged = judged.mirrored.operationsChanged + left.operations;
  const conclusion = {
    runId,
    report,
    checkpoint: replayed.isCheckpointStored ? null : replayed.checkpoint,
    judgedFingerprints: judgedFingerprints(merchant, judged.compared),
    decisions: replayed.decisions,
    settlement: { finishedAt: task.clock(), watermark, entriesAdded, operationsChanged },
    announce: (news: readonly string[]) => announcements.findings(report, news, runId),
    announceDecisions: announcements.decisions,
  };
  const changes = await tracing.span('save', { merchant }, () =>
    saveConclusion(store, lease, conclusion),
  );
  return {
    report,
    entriesAdded,
    operationsChanged,
    changes,
    watermark,
    isAltered: replayed.isAltered,
  };
}

/**
 * Counts the rows that earlier attempts stored without concluding, for example in a night that
 * failed halfway or whose process was killed.
 */
async function leftByAttempts(task: MerchantTask, lease: Lease, { since, began }: Mirrored) {
  const after = since === null ? began.storedPages : (since.extent.concludedIntake ?? 0);
  if (after >= began.storedPages) return { entries: 0, operations: 0 };
  return countBrought(task.store, lease.merchantId, { after, until: began.storedPages });
}

/**
 * States issued months again that new rows may change. "New" means since the last conclusion,
 * because an earlier process may have ended before it concluded.
 */
async function watchIssued(
  task: MerchantTask,
  lease: Lease,
  { since, began }: Mirrored,
  isNews: boolean,
): Promise<void> {
  const { store, compareIssued: compare, reread } = task;
  const isWhole = reread != null;
  const after = since?.extent.concludedIntake ?? began.storedPages;
  if (compare === undefined || began.storedPages === 0) return;
  if (isNews || isWhole || after < began.storedPages)
    await watchMonths(store, lease, { compare, after, isWhole });
}

/**
 * Compares published reports, payments and payouts with earlier looks, and stores this look.
 * Returns `null` when nothing is published.
 */
async function compareKept(
  { store, published }: MerchantTask,
  lease: Lease,
  watermark: Instant,
): Promise<JudgedPart | null> {
  if (!published) return null;
  const { merchant } = lease;
  const compared = await comparePublished(published, {
    merchant,
    asOf: watermark,
    kept: () => loadPayouts(store, { merchant, at: watermark }),
    keptPayments: ({ from }) => loadKeptPayments(store, { merchant, at: watermark, from }),
  });
  if (compared?.look != null) await savePayouts(store, lease, compared.look);
  if (compared?.payments != null)
    await savePaymentVersions(store, lease, { ...compared.payments, at: watermark });
  return compared?.part ?? null;
}

async function pullNew(task: MerchantTask, member: Member, lease: Lease): Promise<Mirrored> {
  if (task.reread != null) await beginReread(task.store, lease, task.reread);
  const { store, source, tracing, measures, rotation } = task;
  const since = await planSince(store, member.merchant);
  return mirrorMerchant({
    ...{ store, source, lease, tracing, measures, rotation },
    since: since && {
      ...since,
      ...(task.books?.isEdited && { newestOperationCreatedAt: Number.NEGATIVE_INFINITY }),
    },
    now: task.clock(),
    onProgress: member.onProgress,
  });
}

interface ReadMerchant extends ReadOnce {
  readonly member: Member;
  readonly compared: JudgedPart | null;
}

/**
 * How many times rows that contradict are read again. A contradiction that first appears after that
 * is left for the next run to confirm.
 */
const ROUNDS = 2;

/**
 * Replays the merchant's books, and reads again the rows behind each new finding before it is
 * reported, because the service may have changed them between two pages. Findings that first appear
 * in such a second reading are read again too, up to `ROUNDS` times. A finding whose rows were not
 * read again is provisional.
 */
async function replayConfirmed(
  task: MerchantTask,
  read: ReadMerchant,
): Promise<ReadMerchant & { readonly replayed: Replayed }> {
  const { store, source } = task;
  const { lease } = read;
  const unread = new Set<string>();
  const first = await replayRead(task, read, unread);
  if (!read.mirrored.moving || first.report.findings.length === 0)
    return { ...read, replayed: first };
  const readAgain = new Set(await loadConfirmedFingerprints(store, lease.merchantId));
  for (let [round, now, replayed] = [0, read, first]; ; round += 1) {
    const doubted = replayed.report.findings.filter(
      ({ kind, fingerprint, severity }) =>
        severity !== 'info' && KINDS[kind].ofStore !== true && !readAgain.has(fingerprint),
    );
    if (doubted.length === 0) return { ...now, replayed };
    for (const { fingerprint } of doubted) (round < ROUNDS ? readAgain : unread).add(fingerprint);
    if (round === ROUNDS) return { ...now, replayed: await replayRead(task, now, unread) };
    const { since, began } = read.mirrored;
    const confirmed = await confirmFindings({ store, source, lease, doubted, since, began });
    for (const fingerprint of confirmed.unread) unread.add(fingerprint);
    const stated = await readWhatIsStated(task, now, doubted);
    const absent = [...stated.mirrored.absent, LIST_CUT];
    const again = confirmed.isListCut
      ? { ...stated, mirrored: { ...stated.mirrored, absent } }
      : stated;
    if (again === now && !confirmed.changed && confirmed.unread.size === 0)
      return { ...now, replayed };
    if (confirmed.changed) await watchIssued(task, lease, read.mirrored, true);
    now = { ...again, mirrored: { ...again.mirrored, isAllServed: false } };
    replayed = await replayRead(task, now, unread);
  }
}

const LIST_CUT: Note = {
  what: 'list of operations',
  code: 'OPERATIONS_LIST_CUT',
  incomplete: true,
};

/** Reads the wallet or the published figures again when a doubted finding is about them. */
async function readWhatIsStated(
  task: MerchantTask,
  read: ReadMerchant,
  doubted: readonly Finding[],
): Promise<ReadMerchant> {
  const isOf = (...subjects: readonly Subject[]) =>
    doubted.some(({ kind }) => subjects.includes(KINDS[kind].subject));
  const { lease, member, mirrored } = read;
  const isOfWallet = isOf('wallet', 'total');
  const pulled = isOfWallet ? await pullNew(task, member, lease) : mirrored;
  const isOfPublished = task.published != null && isOf('report');
  const compared = isOfPublished ? await compareKept(task, lease, pulled.watermark) : read.compared;
  if (!isOfWallet && !isOfPublished) return read;
  // A part that the first reading could not deliver is missing from both readings.
  const { absent, adjustedAt } = mirrored;
  const entriesAdded = mirrored.entriesAdded + (isOfWallet ? pulled.entriesAdded : 0);
  const operationsChanged =
    mirrored.operationsChanged + (isOfWallet ? pulled.operationsChanged : 0);
  return {
    ...read,
    compared,
    mirrored: { ...pulled, absent, adjustedAt, entriesAdded, operationsChanged },
  };
}

function replayRead(
  task: MerchantTask,
  { member, compared, ...read }: ReadMerchant,
  unread: ReadonlySet<string>,
): Promise<Replayed> {
  const { store, source, engine } = task;
  const { lease, mirrored } = read;
  const { merchant } = lease;
  const onProgress = () => member.onProgress(mirrored.entriesAdded);
  const options = {
    ...task.optionsFor(merchant, mirrored.watermark),
    onProgress,
    compared,
    unread,
  };
  const undelivered = askUndelivered(source, merchant);
  const quietOf = quietOfReading(task, read);
  return replayMirror({
    store,
    merchant,
    engine,
    options,
    snapshot: mirrored,
    undelivered,
    quietOf,
    full: false,
  });
}
