// Lets a simulation go on from books in which a fault was planted: the altered figures become its own, and the
// operations that the fault concerns are left as they are.

import type { Instant } from '../../core/domain/instant.ts';
import { isFinal } from '../../core/domain/operation.ts';
import type { Books } from '../books.ts';
import { addEvent, dropEvents } from '../event-queue.ts';
import { feesOutsideHold } from '../postings.ts';
import type { ServedOperation } from '../served.ts';
import type { Step } from './fates.ts';
import { addFunds, type Life, type Simulation } from './state.ts';

/**
 * `before` are the simulation's own books at this instant (`booksOf`), `after` the same with faults planted, `concerned`
 * the references that the faults name.
 */
export function adoptBooks(
  simulation: Simulation,
  change: { readonly before: Books; readonly after: Books; readonly concerned: ReadonlySet<string> },
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
    if (life.steps.length > 0) addEvent(simulation.queue, { at: life.steps[0]!.at, event: { what: 'STEP', life } });
  }
  const told = new Set(before.notifications);
  simulation.notifications = [...after.notifications];
  for (const one of after.notifications) if (!told.has(one)) simulation.onNotified?.(one, null);
  takeFigures(simulation, after);
  takeReports(simulation, change);
}

function takeFigures(simulation: Simulation, { entries, wallet, merchant }: Books): void {
  const head = entries.at(-1);
  const { balance, reserved, promisedFees } = simulation;
  simulation.merchant = merchant;
  simulation.entries = [...entries];
  simulation.sequence = head?.sequence ?? 0;
  simulation.balance = head?.balanceAfter ?? 0;
  simulation.reserved = head?.reservedAfter ?? 0;
  simulation.totals = {
    totalCollected: wallet.totalCollected,
    totalDisbursed: wallet.totalDisbursed,
    totalFees: wallet.totalFees,
  };
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

/** A summary that a fault changed stays wrong, also when the report is generated again. */
function takeReports(
  simulation: Simulation,
  { before, after }: { readonly before: Books; readonly after: Books },
): void {
  const known = new Set(before.reports);
  for (const report of after.reports) {
    if (!known.has(report) && report.summary !== null)
      simulation.dashboard.reports.wrong.set(report.period, report.summary);
  }
}

/** An open operation that a fault brought along expires when its time comes. */
function expiryOf({ status, expiresAt }: ServedOperation, now: Instant): readonly Step[] {
  const at = expiresAt === null ? now : Date.parse(expiresAt);
  return isFinal(status) || at <= now ? [] : [{ at, to: 'EXPIRED', failureCode: null }];
}
