// Automatic payouts that were due and did not come. Whatever is unknown of the time between two
// looks counts in favour of the service.

import { asDecimal } from '../../../domain/decimal.ts';
import { DAY, formatInstant, formatKnown, type Instant, MINUTE } from '../../../domain/instant.ts';
import type { SettlementSettings } from '../../../domain/published/payout.ts';
import { openZone, type Zone } from '../../../domain/zone.ts';
import { isSame, type Judgement, judged, NOT_JUDGED, noted, seriesOf } from '../port/judgement.ts';
import { type PayoutCase, seenAt } from './payout-case.ts';

const PLACE = 'settlement';
/**
 * Whole units. A service may wait with a balance of this or less, because the document names no
 * least amount of a payout.
 */
const SMALL = 1_000;

export function judgeSettlement(subject: PayoutCase): Judgement {
  const { read, kept } = subject;
  const now = read.settlement;
  if (now === null) return NOT_JUDGED;
  const quiet = judged('SETTLEMENT_MISSED', PLACE, null);
  if (now.mode === 'MANUAL' || now.time === null) return quiet;
  const zone = openZone(now.timezone ?? 'UTC');
  if (zone === null) {
    return noted({
      what: PLACE,
      code: 'SETTLEMENT_ZONE',
      figures: { zone: now.timezone!.slice(0, 80) },
    });
  }
  // The last look that saw other terms: every later look saw the present ones.
  const since = seriesOf(kept.settlement, now, read.until).findLast(
    ({ value }) => !isSame(termsOf(value), termsOf(now)),
  );
  const first = kept.settlement.find(
    ({ at, value }) => isSame(termsOf(value), termsOf(now)) && at > (since?.at ?? 0),
  );
  if (first === undefined || !now.hasPrimaryAccount) return quiet;
  const moves = (read.payouts ?? []).map(({ createdAt, completedAt }) =>
    Math.max(createdAt, completedAt ?? createdAt),
  );
  const from = moves.reduce(
    (last, one) => Math.max(last, one),
    Math.max(first.at, now.lastSettlementAt ?? first.at),
  );
  const missed = findMissed(subject, { from, isLook: from === first.at, zone, settings: now });
  if (missed === null) return quiet;
  const { due, until, balance } = missed;
  const figures = {
    mode: now.mode,
    time: now.time,
    timezone: zone.name.slice(0, 80),
    due: formatInstant(due),
    last: formatKnown(now.lastSettlementAt),
  };
  return judged('SETTLEMENT_MISSED', PLACE, {
    figures,
    evidence: [first, { at: read.until, value: now }].map(({ at, value }) =>
      seenAt(
        PLACE,
        at,
        `${value.mode} ${value.time}, balance ${balance}, last ${figures.last ?? 'never'}`,
      ),
    ),
    newestEvidence: until,
  });
}

/**
 * Returns the settings that must be the same at both looks. `lastSettlementAt` is not among them,
 * because it is what is judged.
 */
function termsOf({ mode, time, timezone, hasPrimaryAccount }: SettlementSettings) {
  return [mode, time, timezone, hasPrimaryAccount];
}

/** Returns the latest instant at which the next automatic payout after `from` may be due. */
function dueAfter(from: Instant, { mode, time }: SettlementSettings, zone: Zone): Instant {
  const [hour, minute] = time!.split(':').map(Number) as [number, number];
  const local = from + zone.offsetAt(from);
  const midnight = local - (((local % DAY) + DAY) % DAY);
  const instants = [-1, 0, 1, 2, 3].map((day) => {
    const clock = midnight + day * DAY + (hour * 60 + minute) * MINUTE;
    // Where clocks are set back, this is the later of the two instants; where they are set forward
    // over this time, it is at or after the end of the jump.
    return clock - Math.min(zone.offsetAt(clock - DAY), zone.offsetAt(clock + DAY));
  });
  const later = instants.filter((at) => at > from);
  return mode === 'T0' ? later[0]! : later[1]!;
}

interface Wait {
  /** Nothing was paid out since this instant. */
  readonly from: Instant;
  /** `from` is the instant of a look, and not of a payout. */
  readonly isLook: boolean;
  readonly settings: SettlementSettings;
  readonly zone: Zone;
}

/**
 * Returns the first payout that was due after a look, and could have been made at every look until
 * `until`, the latest instant for it; `null` where there is none.
 */
function findMissed({ read, kept, clockTolerance }: PayoutCase, wait: Wait) {
  const { settings, zone, from } = wait;
  if ((read.payouts ?? []).some(({ status }) => status === 'PENDING')) return null;
  const seen = seriesOf(kept.balance, read.before.balance, read.from);
  const beginning = wait.isLook ? seen.findLastIndex(({ at }) => at <= from) : -1;
  const balances = beginning < 0 ? seen.filter(({ at }) => at >= from) : seen.slice(beginning);
  const limits = seriesOf(kept.limits, read.before.limits, read.from);
  const cost = asDecimal(settings.bankFixed ?? '0')!.plus(SMALL);
  for (const [i, { at, value }] of balances.entries()) {
    const due = dueAfter(Math.max(from, at), settings, zone);
    const until = due + (settings.mode === 'T0' ? DAY : 2 * DAY);
    if (until + clockTolerance >= read.from) return null;
    const inForce = limits
      .slice(
        Math.max(
          0,
          limits.findLastIndex((row) => row.at <= due),
        ),
      )
      .filter((row) => row.at <= until);
    const room = inForce.length === 0 ? 0 : Math.min(...inForce.map((row) => row.value.remaining));
    const amounts = balances
      .slice(i)
      .flatMap((row) => (row.at <= until ? [asDecimal(row.value.balance)!] : []));
    const couldBePaid = amounts.every((amount) => amount.gt(cost) && amount.lte(room));
    if (couldBePaid) return { due, until, balance: value.balance };
  }
  return null;
}
