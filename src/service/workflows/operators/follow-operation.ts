// What happened to one operation: its versions, its lines with the figures around them, its hold,
// fee and reversal, its notifications, the months that state it, and the findings that name it. It
// judges nothing anew. A line is shown as a break only when no interpretation makes its recorded
// figures follow from the line before.

import { EVERY_INTERPRETATION } from '../../../core/domain/assumptions.ts';
import { roundingsThatFit, sharesOf } from '../../../core/domain/decimal.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import type { Price } from '../../../core/domain/merchant.ts';
import type { DescribedOperation } from '../../../core/domain/operation.ts';
import { formatPeriod, periodOf, statedAt } from '../../../core/domain/period.ts';
import type { Zone } from '../../../core/domain/zone.ts';
import { moveOf } from '../../../core/kernel/replay/move-of.ts';
import {
  type PhoneNumbers,
  shownNumber,
  shownText,
} from '../../../core/statements/mask-phone-numbers.ts';
import { loadClosedMonths } from '../../../io/storage/issued/month-lock.ts';
import { loadIssuedReport } from '../../../io/storage/issued/reports.ts';
import { findNaming } from '../../../io/storage/operators/find-findings.ts';
import {
  loadLines,
  loadLinesAround,
  loadMirrored,
  loadNotifications,
  loadVersions,
  type MirroredLine,
  type MirroredMerchant,
} from '../../../io/storage/operators/operation-history.ts';
import { findHolders } from '../../../io/storage/operators/search-mirror.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import type { MerchantPlace } from '../month/open-month.ts';

export interface FollowTask {
  readonly store: Store;
  readonly zoneFor: (merchant: MerchantPlace) => Zone;
  readonly log: (event: object) => void;
}

/** Who sees phone numbers unmasked, and why. Each use is logged. */
export interface WholeNumbers {
  readonly by: string;
  readonly reason: string;
}

export interface OperationKey {
  readonly reference: string;
  /** Absent when the one merchant that has the operation is meant. */
  readonly merchant?: string | undefined;
  /** Absent: phone numbers are masked. */
  readonly whole?: WholeNumbers | undefined;
}

export type FollowedOperation = Awaited<ReturnType<typeof followAt>>;
/**
 * The operation, or the merchants that have one of this reference, sorted: none, or several of
 * which the caller must name one.
 */
export type Followed = FollowedOperation | { readonly holders: readonly string[] };

/**
 * Follows an operation. Amounts are whole units of `currency`. Instants are by the service's clock,
 * except `readAfter`, `readUntil` and `receivedAt`, which are by ours. Throws `StoreFailed`
 * (SEARCH_CUT).
 */
export async function followOperation(task: FollowTask, wanted: OperationKey): Promise<Followed> {
  const holders = await findHolders(task.store, wanted.reference);
  const { merchant = holders.length === 1 ? holders[0] : undefined } = wanted;
  if (merchant === undefined) return { holders };
  const mirrored = holders.includes(merchant) ? await loadMirrored(task.store, merchant) : null;
  return mirrored === null ? { holders: [] } : followAt(task, mirrored, wanted);
}

async function followAt(
  task: FollowTask,
  of: MirroredMerchant,
  { reference, whole }: OperationKey,
) {
  const { store, zoneFor } = task;
  const { merchant, profiles } = of;
  const phoneNumbers = numbersFor(task, whole, `${merchant} ${reference}`);
  const versions = await loadVersions(store, of, reference);
  const lines = await loadLines(store, of, reference);
  const judged = lines.filter(({ isJudged }) => isJudged);
  const newest = versions.at(-1)?.operation ?? null;
  const findings = await findNaming(store, {
    merchant,
    reference,
    sequences: judged.map(sequenceOf),
  });
  const zone = zoneFor({ reference: merchant, country: profiles.at(-1)?.country ?? null });
  return {
    merchant,
    reference,
    currency: newest?.currency ?? lines[0]?.entry.currency ?? null,
    versions: versions.map(({ operation, ...read }) => ({
      ...read,
      ...shownOperation(operation, phoneNumbers),
    })),
    lines: lines.map((line) => shownLine(line, phoneNumbers)),
    hold: holdOf(judged),
    fee: newest === null ? null : feeOf(newest, judged, of),
    reversal: reversalOf(newest, judged),
    notifications: await loadNotifications(store, of, reference),
    months: await monthsOf(store, {
      merchant,
      zone,
      lines: judged,
      otherwise: newest?.createdAt ?? null,
    }),
    findings: findings.map(({ finding, state }) => {
      const { fingerprint, kind, severity, status, sequence, causedBy, message } = finding;
      return {
        ...{ fingerprint, kind, severity, status, state, sequence, causedBy },
        message: shownText(phoneNumbers, message)!,
      };
    }),
  };
}

function numbersFor(
  { log }: FollowTask,
  whole: WholeNumbers | undefined,
  about: string,
): PhoneNumbers {
  if (whole === undefined) return 'masked';
  log({ event: 'phone numbers shown', operator: whole.by, about, reason: whole.reason });
  return 'whole';
}

function sequenceOf({ entry }: MirroredLine): number {
  return entry.sequence;
}

function shownOperation(operation: DescribedOperation, phoneNumbers: PhoneNumbers) {
  const {
    payerActionUrl: _,
    externalReference,
    description,
    failureMessage,
    metadata,
    ...rest
  } = operation;
  const texts = { externalReference, description, failureMessage, metadata };
  const shown = Object.entries(texts).map(([name, text]) => [name, shownText(phoneNumbers, text)]);
  return {
    ...rest,
    ...(Object.fromEntries(shown) as typeof texts),
    counterpartyNumber: shownNumber(phoneNumbers, operation.counterpartyNumber),
  };
}

export type FollowedLine = ReturnType<typeof shownLine>;

function shownLine({ entry, before, isJudged }: MirroredLine, phoneNumbers: PhoneNumbers) {
  const move = moveOf(entry, {
    before,
    opening: null,
    tally: null,
    standing: EVERY_INTERPRETATION,
  });
  const off = {
    balance: entry.balanceAfter - (move.from.balance + move.effect),
    reserved: entry.reservedAfter - (move.from.reserved + move.heldMove),
  };
  const follows = before === null || !isJudged || (off.balance === 0 && off.reserved === 0);
  return {
    ...entry,
    description: shownText(phoneNumbers, entry.description),
    /** The figures of the line before; `null` for the first known line. */
    before: before === null ? null : { balance: before.balance, reserved: before.reserved },
    /** How many numbers of the sequence are left out before this line. */
    missing: before === null ? 0 : entry.sequence - before.sequence - 1,
    /**
     * The recorded figures less those that follow from the line before; `null` when both follow, or
     * when this content of the line is not the judged one.
     */
    off: follows ? null : off,
    isJudged,
  };
}

function holdOf(lines: readonly MirroredLine[]) {
  const held = lines.filter(({ entry }) => entry.direction === 'HOLD');
  if (held.length === 0) return null;
  const moved = lines.map(({ entry, before }) => entry.reservedAfter - (before?.reserved ?? 0));
  return {
    amount: held.reduce((sum, { entry }) => sum + entry.amount, 0),
    lines: held.map(sequenceOf),
    releasedBy: lines.filter(({ entry }) => entry.direction === 'RELEASE').map(sequenceOf),
    /** What is still held, by the recorded moves of the reserved amount. */
    left: moved.reduce((sum, one) => sum + one, 0),
  };
}

/** Returns the fee of an operation. */
function feeOf(
  { type, amount, fees }: DescribedOperation,
  lines: readonly MirroredLine[],
  of: MirroredMerchant,
) {
  const prices = of.profiles.map(({ pricing }) =>
    type === 'CASHIN' ? pricing.cashin : pricing.cashout,
  );
  const fits = (price: Price): boolean => roundingsThatFit({ amount, fees }, price) !== 0;
  const price = prices.findLast(fits) ?? prices.at(-1) ?? null;
  const shares =
    price === null ? [] : sharesOf(amount, price.bps).map((share) => share + price.flat);
  const posted = lines.filter(
    ({ entry }) => entry.kind === 'CASHIN_FEE' || entry.kind === 'CASHOUT_FEE',
  );
  return {
    /** The fee that the operation states. */
    charged: fees,
    /** The fee that its lines have posted. */
    posted: posted.reduce((sum, { entry }) => sum + entry.amount, 0),
    /**
     * The newest known price of the merchant's profile that fits the fee under some rounding,
     * otherwise the newest price; `null` when no price is known. `least` and `most` are the fees
     * that this price allows.
     */
    price:
      price === null
        ? null
        : { ...price, least: Math.min(...shares), most: Math.max(...shares), fits: fits(price) },
  };
}

function reversalOf(newest: DescribedOperation | null, lines: readonly MirroredLine[]) {
  const posted = lines.filter(({ entry }) => entry.kind.startsWith('REVERSAL_')).map(sequenceOf);
  const at = newest?.status === 'REVERSED' ? newest.updatedAt : null;
  // `at` is `null` when lines reverse an operation whose state is not REVERSED.
  return at === null && posted.length === 0 ? null : { at, lines: posted };
}

/**
 * Returns the months that state the lines, on the calendar of the merchant's months. A line that
 * came after its month was closed is in a later month. `report` is `null` for a month that was not
 * issued.
 */
async function monthsOf(
  store: Store,
  of: {
    readonly merchant: string;
    readonly zone: Zone;
    readonly lines: readonly MirroredLine[];
    /** The instant that decides the month when there is no line. */
    readonly otherwise: Instant | null;
  },
) {
  const { merchant, zone, lines, otherwise } = of;
  const closed = await loadClosedMonths(store, merchant);
  const placed: readonly { readonly sequence: number | null; readonly at: Instant }[] = lines.map(
    ({ entry }) => ({
      sequence: entry.sequence,
      at: statedAt(entry, { closed, moved: new Map() }),
    }),
  );
  const dated =
    placed.length > 0 || otherwise === null ? placed : [{ sequence: null, at: otherwise }];
  const months = Map.groupBy(dated, ({ at }) => formatPeriod(periodOf(at, zone)));
  return Promise.all(
    [...months]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(async ([period, within]) => {
        const report = await loadIssuedReport(store, { merchant, period });
        const lock = closed.find((month) => month.period === period);
        return {
          period,
          lines: within.flatMap(({ sequence }) => sequence ?? []),
          report:
            report === null
              ? null
              : { revision: report.revision, issuedAt: report.generatedAt, isHeld: report.isHeld },
          closedAt: lock?.at ?? null,
          closedBy: lock?.by ?? null,
        };
      }),
  );
}

export interface EntryWish {
  readonly merchant: string;
  /** The sequence in the middle of the page; `null` for the newest lines. */
  readonly around: number | null;
  /** Most lines of the page. */
  readonly limit: number;
  readonly whole?: WholeNumbers | undefined;
}

export type EntryPage = NonNullable<Awaited<ReturnType<typeof listEntries>>>;

/**
 * Returns lines ascending by sequence, with every content that was served of each; `null` when the
 * mirror does not know the merchant.
 */
export async function listEntries(task: FollowTask, { merchant, around, limit, whole }: EntryWish) {
  const { store } = task;
  const of = await loadMirrored(store, merchant);
  if (of === null) return null;
  const phoneNumbers = numbersFor(task, whole, `lines of ${merchant}`);
  const before = around === null ? limit : Math.floor((limit - 1) / 2);
  const lines = await loadLinesAround(store, of, {
    sequence: around,
    before,
    after: limit - before,
  });
  const findings = await findNaming(store, {
    merchant,
    reference: null,
    sequences: lines.map(sequenceOf),
  });
  return {
    merchant,
    around,
    items: lines.map((line) => ({
      ...shownLine(line, phoneNumbers),
      findings: findings.flatMap(({ finding: { sequence, fingerprint, kind } }) =>
        sequence === String(line.entry.sequence) ? [{ fingerprint, kind }] : [],
      ),
    })),
  };
}
