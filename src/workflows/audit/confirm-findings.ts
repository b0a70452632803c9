// Confirms a contradiction before it is reported: its operations are asked for once more, and the lines around a new
// finding are read once more, where the source may have moved while it was read. It judges nothing.

import type { Finding } from '../../domain/finding.ts';
import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import type { Operation } from '../../domain/operation.ts';
import type { RejectedRow } from '../../domain/snapshot.ts';
import { type Source, SourceFailed } from '../../sources/source.ts';
import { loadConfirmedFingerprints } from '../../storage/conclusions/findings.ts';
import type { Lease } from '../../storage/merchants/merchant-lock.ts';
import { savePage } from '../../storage/mirror/save/save-page.ts';
import { loadStoredExtent } from '../../storage/mirror/stored-extent.ts';
import type { Store } from '../../storage/server/store.ts';

/** Contradicting operations that are asked for a second time in one run; the others wait for the next. */
const MOST_ASKED = 200;
/** Stretches of lines read a second time in one run: a race loses few lines, and books with more faults have them truly. */
const MOST_STRETCHES = 20;
/** Findings closer together than this are read in one stretch, which is buffered and grows no longer than this. */
const NEIGHBOURS = 400;
const LONGEST_STRETCH = 2_000;

export interface Confirmation {
  readonly store: Store;
  readonly source: Source;
  readonly lease: Lease;
  readonly findings: readonly Finding[];
}

/** Lines from one sequence to another, both included. */
interface Stretch {
  readonly from: number;
  to: number;
}

/** Adds what is served otherwise now to the mirror, beside what was read first. True when anything was added. */
export async function confirmFindings(confirmation: Confirmation): Promise<boolean> {
  const { store, lease } = confirmation;
  const operations = await askAgain(confirmation);
  const { entries, rejected } = await readAgain(confirmation);
  if (operations.length + entries.length + rejected.length === 0) return false;
  const saved = await savePage(store, lease, { operations, entries, rejected });
  return saved.operationsChanged + saved.entriesAdded + rejected.length > 0;
}

/** An operation that cannot be read when it is asked for alone stays as it was read: the list's row counts. */
async function askAgain({ source, lease, findings }: Confirmation): Promise<readonly Operation[]> {
  // What is missing among notifications is not found by asking for the operation.
  const doubted = findings.filter(
    ({ operationReference, severity, kind }) =>
      operationReference !== null && severity !== 'info' && kind !== 'EVENT_MISSING',
  );
  const references = [...new Set(doubted.map((finding) => finding.operationReference!))].slice(0, MOST_ASKED);
  const operations: Operation[] = [];
  for (const reference of references) {
    const operation = await source.askOperation(lease.merchant, reference).catch((failure: unknown) => {
      if (failure instanceof SourceFailed && failure.code === 'UNREADABLE_OPERATION') return null;
      throw failure;
    });
    if (operation !== null) operations.push(operation);
  }
  return operations;
}

/** Lines around findings that would be confirmed for the first time. */
async function readAgain(
  confirmation: Confirmation,
): Promise<{ entries: readonly LedgerEntry[]; rejected: RejectedRow[] }> {
  const entries: LedgerEntry[] = [];
  const rejected: RejectedRow[] = [];
  const known = await loadConfirmedFingerprints(confirmation.store, confirmation.lease.merchantId);
  const doubted = confirmation.findings.filter(
    ({ fingerprint, status, severity }) => status === 'confirmed' && severity !== 'info' && !known.has(fingerprint),
  );
  for (const stretch of stretchesAround(doubted)) await readStretch(confirmation, stretch, { entries, rejected });
  return { entries, rejected };
}

/** From the last line before each finding, as its evidence names it, to the finding's own line; overlapping ones joined. */
function stretchesAround(findings: readonly Finding[]): readonly Stretch[] {
  const around = findings.flatMap(({ sequence, evidence }): Stretch[] => {
    if (sequence === null) return [];
    const to = Number(sequence);
    const before = evidence.flatMap((one) => (one.what === 'line' && Number(one.sequence) < to ? [one.sequence] : []));
    return [{ from: Math.max(...before.map(Number), before.length === 0 ? to : Number.NEGATIVE_INFINITY), to }];
  });
  const joined: Stretch[] = [];
  for (const { from, to } of around.sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    const isNear = last !== undefined && from <= last.to + NEIGHBOURS && to <= last.from + LONGEST_STRETCH;
    if (isNear) last.to = Math.max(last.to, to);
    else joined.push({ from, to });
  }
  return joined.slice(0, MOST_STRETCHES);
}

/** A reading that begins at the stretch is given up behind it. Lines beyond belong to the next reading, and are not kept. */
async function readStretch(
  { store, source, lease }: Confirmation,
  { from, to }: Stretch,
  found: { readonly entries: LedgerEntry[]; readonly rejected: RejectedRow[] },
): Promise<void> {
  const extent = await loadStoredExtent(store, lease.merchant);
  if (extent === null) return;
  const entryCount = Math.max(0, extent.entryCount - (extent.lastSequence - from));
  const since = { ...extent, lastSequence: from - 1, entryCount, openReferences: [] };
  const snapshot = await source.open(lease.merchant, since);
  try {
    for await (const batch of snapshot.entries()) {
      found.entries.push(...batch.rows.filter((entry) => entry.sequence >= from && entry.sequence <= to));
      found.rejected.push(...batch.rejected);
      if ((batch.rows.at(-1)?.sequence ?? from) > to) break;
    }
  } finally {
    await snapshot.close();
  }
}
