// Concludes: judges every operation at hand, the wallet, and what concerns the whole ledger, and
// returns all drafts with what the search for roots needs. Nothing is filtered here; a fault that
// was seen twice becomes one finding by its place.

import { totalOf } from '../../domain/amount.ts';
import {
  emptyVotes,
  QUESTIONS,
  type Standing,
  standingOf,
  type Votes,
  vote,
} from '../../domain/assumptions.ts';
import type { FindingDraft } from '../../domain/finding.ts';
import type { Wallet } from '../../domain/merchant.ts';
import { isFinal, LAWFUL_DELAY } from '../../domain/operation.ts';
import type { DeliveryList } from '../../domain/published/failed-delivery.ts';
import type { Closing, Recalled, RejectedRow } from '../../domain/snapshot.ts';
import {
  describeBlocked,
  describeRejected,
  isBlocked,
  isFarAhead,
  isStillAhead,
  stillStanding,
} from '../checks/across/circumstances.ts';
import { judgeDailyLimit } from '../checks/across/daily-limit.ts';
import {
  judgeAlteration,
  judgeChangedMonth,
  judgeHistory,
  judgeMissing,
  judgeReplaced,
  judgeStoredLines,
} from '../checks/across/history.ts';
import {
  describeUnknown,
  judgeEntryIds,
  judgeExternalReferences,
} from '../checks/across/identities.ts';
import { judgePricing } from '../checks/across/pricing.ts';
import {
  isInMotion,
  isKnown,
  isOfEarlier,
  isTooNew,
  isUnjudged,
  judgeOperation,
} from '../checks/judge-operation.ts';
import { judgeOpening } from '../checks/lines/dates.ts';
import { describeForeignWallet } from '../checks/lines/line-checks.ts';
import type { WalletCase } from '../checks/port/check.ts';
import { appliesTo } from '../checks/port/kinds.ts';
import { TOTAL_CHECKS, WALLET_CHECKS } from '../checks/wallet/wallet.ts';
import { fitInterpretations } from '../replay/fit-interpretations.ts';
import { factsOf } from '../replay/operation-facts.ts';
import { eachTally } from '../replay/tallies-seen.ts';
import { compareTallies, type Tally } from '../replay/tally.ts';
import type { ReconcileSettings } from './books.ts';
import { type SplitOperation, splitCorrections } from './corrections/split-corrections.ts';
import { type CutBooks, isOfLater, tallyThen } from './cut-books.ts';
import { type Memory, takeRejected } from './memory.ts';
import { draftsOf, lacksNotification } from './notifications/describe-notified.ts';
import type { JudgedPart } from './published/judged-part.ts';
import {
  type Demand,
  demandOf as demandOfAll,
  minus,
  priceExcesses,
  strayExcesses,
  sumOf,
} from './roots/excess.ts';
import { settledSums, sumLines, sumOperation } from './sums.ts';

export interface Conclusion {
  readonly drafts: readonly FindingDraft[];
  /** The findings about dates of lines, also of lines behind a cut. */
  readonly impossible: readonly FindingDraft[];
  readonly compared: JudgedPart | null;
  readonly undelivered: DeliveryList | null;
  /**
   * The wallet as it was read; `null` where it was not read, or may have been another at the cut.
   */
  readonly wallet: Wallet | null;
  /** The books were read whole, and have neither rows nor money: the merchant has not begun. */
  readonly hasNotBegun: boolean;
  /** What the wallet states, or at a cut its last line; `null` where neither is there. */
  readonly recorded: RecordedFigures | null;
  readonly walletCase: WalletCase | null;
  /** Operations that could not be judged, and why. */
  readonly unjudged: readonly {
    readonly reference: string;
    readonly tooNew: boolean;
    readonly isAhead: boolean;
  }[];
  /** The operations at hand as they were judged, by reference. */
  readonly operations: ReadonlyMap<string, SplitOperation>;
  /** What the operations at hand must have moved, and what was moved beyond it. */
  readonly demand: Demand;
}

/** What is concluded from, besides the memory. */
export interface ConcludedFrom {
  readonly closing: Closing;
  /** The rows that `askBack` asked for. They must have been recalled already. */
  readonly recalled: Recalled;
  /**
   * What the service published beside the ledger, compared. `null` where nothing was; a note says
   * why.
   */
  readonly compared: JudgedPart | null;
  /** Deliveries that the service lists as failed; null: the list was not read. */
  readonly undelivered: DeliveryList | null;
}

export function conclude(memory: Memory, from: ConcludedFrom): Conclusion {
  const { closing, recalled, compared, undelivered } = from;
  const { books, context, settings } = memory;
  takeRejected(memory, closing.rejected);
  const operations = judgedOperations(memory);
  const tallies = [...operations.values()].map(({ tally }) => tally);
  const judged = judgeTallies(memory, tallies);
  const pricing = judgePricing(books.pricing, settings.profiles, context.standing);
  // The wallet is known as of the reading. At a cut it counts only if nothing has moved it since.
  const { cutBooks } = memory;
  const read = cutBooks === null || isStill(cutBooks, closing) ? closing.wallet : null;
  const walletCase =
    read === null || !settings.present.ledger ? null : walletCaseOf(memory, closing, tallies);
  const checks = [...WALLET_CHECKS, ...(settings.present.operations ? TOTAL_CHECKS : [])];
  const walletDrafts =
    walletCase === null ? [] : checks.flatMap((check) => check(walletCase, context));
  const blocked = [...(books.first === null ? [] : [books.first]), ...books.recent].filter(
    (operation) =>
      isBlocked(
        operation,
        { wallet: walletThen(memory, closing), profiles: settings.profiles },
        context,
      ),
  );
  const isLater = (draft: FindingDraft): boolean => cutBooks !== null && isOfLater(cutBooks, draft);
  const standing = stillStanding(books.lineDrafts, context);
  const lineDrafts = judgeOpening(standing, isLater).filter((draft) =>
    isStillAhead(draft, context),
  );
  return {
    drafts: [
      ...lineDrafts.filter((draft) => !isLater(draft)),
      ...judgeEntryIds(
        recalled.entries.filter(
          ({ entry }) => books.suspectIds.has(entry.id) && cutBooks?.cut.isBehind(entry) !== true,
        ),
      ),
      ...judged.drafts,
      ...(read === null || read.currency === settings.currency
        ? []
        : [describeForeignWallet(read, books.replay.firstSequence)]),
      ...pricing,
      ...judgeExternalReferences(recalled.operations.map((version) => version.operation)),
      ...books.limitDrafts,
      ...judgeDailyLimit([...books.paidOut.values()], settings.profiles, books.paidOutFrom),
      ...describeBlocked(blocked),
      ...walletDrafts,
      ...historyDrafts(settings),
      ...(compared?.drafts ?? []).filter((draft) => appliesTo(draft, settings.profiles)),
      ...(books.notified === null
        ? []
        : draftsOf(books.notified, { ...settings, unread: unreadOf(memory), undelivered }).filter(
            (draft) => wasNotified(memory, draft),
          )),
      ...rejectedRows(memory, compared).map(describeRejected),
    ],
    impossible: lineDrafts.filter(({ kind }) => kind === 'ENTRY_TIME_IMPOSSIBLE'),
    compared,
    undelivered,
    wallet: read,
    hasNotBegun: hasNotBegun(memory, closing),
    recorded: recordedAt(memory, closing),
    walletCase,
    unjudged: judged.unjudged,
    operations,
    demand: demandOf(memory, tallies, pricing),
  };
}

function rejectedRows({ books }: Memory, compared: ConcludedFrom['compared']) {
  return [
    ...books.rejected.values(),
    ...(compared?.rejected ?? []),
    ...(books.notified?.rejected.values() ?? []),
  ];
}

/**
 * Returns drafts where the mirror remembers something otherwise than it is served, or stored, now.
 */
function historyDrafts(settings: ReconcileSettings) {
  const { alterations, departures, missing, replaced, tampered, changedMonths } = settings;
  return [
    ...(alterations ?? []).map(judgeAlteration),
    ...judgeHistory(departures ?? []),
    ...judgeMissing(missing ?? []),
    ...(replaced == null ? [] : [judgeReplaced(replaced)]),
    ...(tampered == null ? [] : [judgeStoredLines(tampered)]),
    ...(changedMonths ?? []).map(judgeChangedMonth),
  ];
}

/**
 * Returns the operations at hand, each without the lines that correct a fault of it. They are in
 * the order of their lines: operations come in another order when books are read in parts, and that
 * must not show.
 */
function judgedOperations(memory: Memory): ReadonlyMap<string, SplitOperation> {
  const { books, context } = memory;
  const drifts = new Map<string | null, bigint>();
  for (const { line, balance } of books.drifts) {
    drifts.set(
      line.operationReference,
      (drifts.get(line.operationReference) ?? 0n) + BigInt(balance),
    );
  }
  const driftOf = (reference: string): bigint => drifts.get(reference) ?? 0n;
  const judged = Array.from(talliesOf(memory), (tally) =>
    splitCorrections(tally, context, driftOf),
  );
  judged.sort((a, b) => compareTallies(a.tally, b.tally));
  return new Map(judged.map((one) => [one.tally.reference, one]));
}

/** Yields the tallies at hand; at a cut, as they were then. */
function* talliesOf({ books, cutBooks }: Memory): Generator<Tally, undefined> {
  for (const tally of eachTally(books.replay.tallies)) {
    const then = cutBooks === null ? tally : tallyThen(cutBooks, tally);
    if (then !== null) yield then;
  }
}

/** Whether the wallet has not moved since the cut, so that it was then as it was read. */
function isStill({ cut, withWallet }: CutBooks, { wallet }: Closing): boolean {
  return withWallet && !cut.hasLater && wallet !== null && wallet.updatedAt < cut.end;
}

/** Whether there is no line and no operation, before a cut or behind it. */
export function hasNoRows({ books, cutBooks }: Memory): boolean {
  return cutBooks?.cut.hasRows !== true && books.replay.entries + books.operations === 0;
}

function hasNotBegun(memory: Memory, { wallet }: Closing): boolean {
  const { present, opening } = memory.settings;
  if (!present.ledger || !present.operations || wallet === null || !hasNoRows(memory)) return false;
  return [wallet, opening].every(
    (one) => one === null || (one.balance === 0 && one.reserved === 0),
  );
}

/**
 * Returns the wallet by which blocked operations are judged. One that changed since the cut was
 * active until then, so that it does not count.
 */
function walletThen({ cutBooks }: Memory, { wallet }: Closing): Wallet | null {
  return cutBooks === null || wallet === null || wallet.updatedAt < cutBooks.cut.end
    ? wallet
    : null;
}

/**
 * Whether the draft is older than the cut: what was notified later is no fact of the time before.
 */
function wasNotified({ cutBooks }: Memory, { newestEvidence }: FindingDraft): boolean {
  return cutBooks === null || newestEvidence === null || newestEvidence < cutBooks.cut.end;
}

export type RecordedFigures = Pick<Wallet, 'balance' | 'reserved' | 'available'>;

/**
 * Returns the recorded figures: those of the wallet, or at a cut those of the last line before it.
 * Where the wallet was not read there are none, not even at a cut.
 */
function recordedAt({ cutBooks, settings }: Memory, closing: Closing): RecordedFigures | null {
  const { wallet } = closing;
  if (cutBooks === null || wallet === null || isStill(cutBooks, closing)) return wallet;
  const { balance, reserved } = cutBooks.recorded ??
    settings.opening ?? { balance: 0, reserved: 0 };
  return { balance, reserved, available: balance - reserved };
}

/**
 * Returns what operations must have moved. A fee that no price gives is not required beyond the
 * price.
 */
function demandOf(
  memory: Memory,
  tallies: readonly Tally[],
  pricing: readonly FindingDraft[],
): Demand {
  const { books, context } = memory;
  const { required, excesses } = demandOfAll(tallies, context.standing, (tally) =>
    isKnown(tally, context),
  );
  const overcharged = priceExcesses(pricing, books.pricing.misfits, context.standing);
  return {
    required: minus(required, sumOf(overcharged)),
    excesses: [...excesses, ...overcharged, ...strayExcesses(books.strays)],
  };
}

/** Whether some notification is missing, so that the service may list why. */
export function isMissingSome(memory: Memory): boolean {
  const { notified } = memory.books;
  return (
    notified !== null &&
    lacksNotification(notified, { ...memory.settings, unread: unreadOf(memory) })
  );
}

/** Returns the notifications that could not be read, wherever they came from. */
function unreadOf({ books }: Memory): readonly RejectedRow[] {
  return [
    ...[...books.rejected.values()].filter(({ part }) => part === 'events'),
    ...books.notified!.rejected.values(),
  ];
}

function judgeTallies(
  memory: Memory,
  tallies: readonly Tally[],
): { drafts: FindingDraft[]; unjudged: Conclusion['unjudged'] } {
  const { context, settings } = memory;
  const drafts: FindingDraft[] = [];
  const unjudged: { reference: string; tooNew: boolean; isAhead: boolean }[] = [];
  const askedUntil = Math.max(context.latest, settings.askedUntil ?? context.latest);
  const newestKnown = Math.max(
    ...memory.books.recent.map(({ createdAt, updatedAt }) => Math.max(createdAt, updatedAt)),
  );
  for (const tally of tallies) {
    if (!settings.present.operations || !settings.present.ledger) continue;
    if (isOfEarlier(tally, context)) memory.books.leavesOutEarlier = true;
    else if (tally.operation === null) {
      if (!isKnown(tally, context)) continue;
      const draft = describeUnknown(tally);
      // A list of operations may lag behind the ledger. So for a day nothing is proven, as long as
      // the list shows no operation that is as new.
      const age = context.watermark - (draft.newestEvidence ?? 0);
      const isAhead = tally.lines.every(({ entry }) => entry.createdAt > newestKnown);
      drafts.push({ ...draft, againstOlder: isAhead && age < LAWFUL_DELAY });
    } else if (isUnjudged(tally, context)) {
      const tooNew = isTooNew(tally.operation, context);
      unjudged.push({
        reference: tally.reference,
        tooNew,
        isAhead: isFarAhead(tally.operation, askedUntil),
      });
      // Such findings are provisional, and the books are not clean.
      if (tooNew && !isInMotion(tally, context)) drafts.push(...judgeOperation(tally, context));
    } else {
      drafts.push(...judgeOperation(tally, context));
    }
  }
  unjudged.sort((a, b) => (a.reference < b.reference ? -1 : 1));
  return { drafts, unjudged };
}

/**
 * Returns the interpretations that all operations, settled or at hand, vote for. If a pass judged
 * by others, the books must be judged again.
 */
export function standingNow(memory: Memory): Standing {
  return standingOf(votesNow(memory), memory.settings.pinned);
}

export function votesNow(memory: Memory): Votes {
  return votesOf(memory.books.votes, talliesOf(memory));
}

/**
 * Returns the currency that lines must be in, after some were read: the expected one (the
 * wallet's). If no line is in it and all are in one other currency, it is the other one: then the
 * wallet is wrong, which is one finding, and not one for each line.
 */
export function settledCurrency(
  currencies: ReadonlySet<string>,
  expected: string | null,
): string | null {
  const [only, ...others] = currencies.keys();
  return only === undefined || others.length > 0 || expected === null ? expected : only;
}

/** Adds up the votes of settled operations and of those at hand. */
function votesOf(settled: Votes, tallies: Iterable<Tally>): Votes {
  const votes = emptyVotes();
  for (const question of QUESTIONS) votes[question] = [...settled[question]];
  for (const { operation, lines } of tallies) {
    if (operation !== null && isFinal(operation.status))
      vote(votes, fitInterpretations(operation, factsOf(lines)), 1);
  }
  return votes;
}

function walletCaseOf(memory: Memory, closing: Closing, tallies: readonly Tally[]): WalletCase {
  const { books, context } = memory;
  const { last } = books.replay;
  const later = closing.laterEntries.map((entry) => ({
    sequence: entry.sequence,
    balance: entry.balanceAfter,
    reserved: entry.reservedAfter,
  }));
  const older = structuredClone(books.operationSums);
  const lines = structuredClone(books.lineSums);
  for (const tally of tallies) {
    if (tally.operation === null) continue;
    if (isTooNew(tally.operation, context)) sumOperation(older, tally.operation, -1);
    sumLines(lines, { operation: tally.operation, facts: factsOf(tally.lines) }, 1);
  }
  return {
    wallet: closing.wallet!,
    opening: memory.settings.opening,
    heads: last === null ? later : [last, ...later],
    held: totalOf(books.replay.held) + BigInt(memory.settings.opening?.reserved ?? 0),
    operations: settledSums(books.operationSums),
    older: settledSums(older),
    lines: settledSums(lines),
  };
}
