// Opens an HTTP source on a test service with short waits, and reads its streams into arrays.

import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import type { Operation } from '../../src/core/domain/operation.ts';
import type { Closing, RejectedRow, Snapshot } from '../../src/core/domain/snapshot.ts';
import { HTTP_DEFAULTS, type HttpSettings } from '../../src/io/sources/http/http-settings.ts';
import { openHttpSource } from '../../src/io/sources/http/http-source.ts';
import type { Since, Source } from '../../src/io/sources/port/source.ts';
import type { WebEvent } from '../../src/io/sources/web/web-settings.ts';
import { credentialsOf, type HttpService } from './http-service.ts';

export interface ReadBooks {
  readonly entries: readonly LedgerEntry[];
  readonly operations: readonly Operation[];
  readonly closing: Closing;
  readonly rejected: readonly RejectedRow[];
}

/** Returns settings with waits of a few milliseconds; `events` takes what is logged. */
export function settingsFor(
  service: HttpService,
  change: Partial<HttpSettings> & { readonly events?: WebEvent[] } = {},
): HttpSettings {
  const { events, ...settings } = change;
  const merchants = Object.fromEntries(
    Object.keys(service.books).map((name) => [name, credentialsOf(name)]),
  );
  return {
    ...HTTP_DEFAULTS,
    baseUrl: service.baseUrl,
    merchants,
    deadline: 2_000,
    retries: { attempts: 4, firstDelay: 2, longestDelay: 10, longestRetryAfter: 50 },
    clock: () => Date.now(),
    random: () => 0.5,
    log: (event) => events?.push(event),
    ...settings,
  };
}

export function openSource(
  service: HttpService,
  change: Parameters<typeof settingsFor>[1] = {},
): Source {
  return openHttpSource(settingsFor(service, change));
}

export async function readBooks(
  source: Source,
  merchant: string,
  since: Since | null = null,
): Promise<ReadBooks> {
  const snapshot = await source.open(merchant, since);
  try {
    const entries = await readEntries(snapshot);
    const operations = await readOperations(snapshot);
    const closing = await snapshot.closing();
    const rejected = [
      ...snapshot.rejected,
      ...entries.rejected,
      ...operations.rejected,
      ...closing.rejected,
    ];
    return { entries: entries.rows, operations: operations.rows, closing, rejected };
  } finally {
    await snapshot.close();
  }
}

export async function readEntries(
  snapshot: Snapshot,
): Promise<{ readonly rows: readonly LedgerEntry[]; readonly rejected: readonly RejectedRow[] }> {
  const rows: LedgerEntry[] = [];
  const rejected: RejectedRow[] = [];
  for await (const batch of snapshot.entries()) {
    rows.push(...batch.rows);
    rejected.push(...batch.rejected);
  }
  return { rows, rejected };
}

export async function readOperations(
  snapshot: Snapshot,
): Promise<{ readonly rows: readonly Operation[]; readonly rejected: readonly RejectedRow[] }> {
  const rows: Operation[] = [];
  const rejected: RejectedRow[] = [];
  for await (const batch of snapshot.operations()) {
    rows.push(...batch.rows.map((version) => version.operation));
    rejected.push(...batch.rejected);
  }
  return { rows, rejected };
}

/**
 * Returns what a reading that stopped after these lines and operations of `makeHttpBooks` hands on
 * to the next.
 */
export function sinceFirst(
  read: { readonly entries: readonly LedgerEntry[]; readonly operations: readonly Operation[] },
  openReferences: readonly string[] = [],
): Since {
  return {
    lastSequence: read.entries.at(-1)?.sequence ?? 0,
    entryCount: read.entries.length,
    operationCount: read.operations.length,
    newestOperationCreatedAt: read.operations.at(-1)?.createdAt ?? 0,
    newestOperationUpdatedAt: Math.max(
      0,
      ...read.operations.map((operation) => operation.updatedAt),
    ),
    reversedCount: null,
    open: openReferences.map((reference) => ({ reference, status: null, createdAt: null })),
  };
}
