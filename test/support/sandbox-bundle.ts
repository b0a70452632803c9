// Writes books in the file form: merchant.json, wallet.json, ledger.jsonl, operations.jsonl,
// events.jsonl, and where the merchant has a dashboard reports.json, payments.jsonl and
// payouts.json, each object exactly as the service gives it. Streams, so that a ledger need not fit
// in memory.

import { type FileHandle, mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY, type Instant } from '../../src/core/domain/instant.ts';
import type { Books, MerchantPlan } from '../../src/sandbox/model/plan.ts';
import type {
  ServedEntry,
  ServedNotification,
  ServedOperation,
} from '../../src/sandbox/model/served.ts';
import {
  advance,
  openSimulation,
  publishedBy,
  type Simulation,
} from '../../src/sandbox/simulation/simulate.ts';
import { walletOf } from '../../src/sandbox/simulation/state.ts';

/**
 * Books in pieces. All pieces come first, with each file's rows in order, then the profile and the
 * wallet at the end.
 */
export interface BookStream {
  readonly pieces: Iterable<{
    readonly entries: readonly ServedEntry[];
    readonly operations: readonly ServedOperation[];
    readonly notifications: readonly ServedNotification[];
  }>;
  /** Returns the rest. Must be called after the last piece. */
  readonly closing: () => Pick<Books, 'merchant' | 'wallet' | 'payments' | 'reports' | 'payouts'>;
}

/** Simulates a merchant day by day and drops from memory what can no longer change. */
export function streamBooks(
  plan: MerchantPlan,
  run: { readonly seed: string; readonly until: Instant },
): BookStream {
  const simulation = openSimulation(plan, run.seed);
  return {
    pieces: piecesOf(simulation, run.until),
    closing: () => ({
      merchant: simulation.merchant,
      wallet: walletOf(simulation),
      ...publishedBy(simulation),
    }),
  };
}

/**
 * Writes one merchant's files into `folder`, which is made when it is missing. Files of these names
 * are replaced.
 */
export async function writeBundle(folder: string, books: Books | BookStream): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { pieces, closing } = 'pieces' in books ? books : asStream(books);
  await using ledger = await open(join(folder, 'ledger.jsonl'), 'w');
  await using operations = await open(join(folder, 'operations.jsonl'), 'w');
  await using events = await open(join(folder, 'events.jsonl'), 'w');
  for (const piece of pieces) {
    await writeRows(ledger, piece.entries);
    await writeRows(operations, piece.operations);
    await writeRows(events, piece.notifications);
  }
  const { merchant, wallet, payments, reports, payouts } = closing();
  await writeFile(join(folder, 'merchant.json'), `${JSON.stringify(merchant, null, 2)}\n`);
  await writeFile(join(folder, 'wallet.json'), `${JSON.stringify(wallet, null, 2)}\n`);
  if (payments.length === 0 && reports.length === 0) return;
  await writeFile(join(folder, 'reports.json'), `${JSON.stringify(reports, null, 2)}\n`);
  if (payouts !== null)
    await writeFile(join(folder, 'payouts.json'), `${JSON.stringify(payouts, null, 2)}\n`);
  await using paymentFile = await open(join(folder, 'payments.jsonl'), 'w');
  await writeRows(paymentFile, payments);
}

/**
 * Takes away and returns what can no longer change: lines in ascending sequence, and operations in
 * ascending createdAt up to the first that may still move. `all` takes all others too, at the end.
 * Keeps memory flat in long simulations.
 */
export function takeSettled(
  simulation: Simulation,
  what: 'settled' | 'all',
): {
  readonly entries: readonly ServedEntry[];
  readonly operations: readonly ServedOperation[];
  readonly notifications: readonly ServedNotification[];
} {
  const { entries, lives, notifications } = simulation;
  const moving = what === 'all' ? -1 : lives.findIndex((life) => life.steps.length > 0);
  const operations = lives
    .slice(0, moving < 0 ? lives.length : moving)
    .map((life) => life.operation);
  simulation.entries = [];
  simulation.notifications = [];
  simulation.lives = moving < 0 ? [] : lives.slice(moving);
  return { entries, operations, notifications };
}

function* piecesOf(
  simulation: Simulation,
  until: Instant,
): Generator<ReturnType<typeof takeSettled>> {
  while (simulation.now < until) {
    advance(simulation, Math.min(simulation.now + DAY, until));
    yield takeSettled(simulation, simulation.now < until ? 'settled' : 'all');
  }
}

function asStream(books: Books): BookStream {
  return { pieces: [books], closing: () => books };
}

async function writeRows(file: FileHandle, rows: readonly object[]): Promise<void> {
  for (let from = 0; from < rows.length; from += 2_000) {
    const text = rows.slice(from, from + 2_000).map((row) => `${JSON.stringify(row)}\n`);
    await file.appendFile(text.join(''));
  }
}
