// Confirms a contradiction before it is reported, because the source may have changed while it was
// read: requests the operations of new findings once more, and reads the lines around them once
// more. It judges nothing.

import type { Finding } from '../../../core/domain/finding.ts';
import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import type { Operation } from '../../../core/domain/operation.ts';
import { OutOfOrder } from '../../../core/domain/snapshot.ts';
import { KINDS } from '../../../core/kernel/checks/port/kinds.ts';
import { askReadable, type Since, type Source } from '../../../io/sources/port/source.ts';
import type { Lease } from '../../../io/storage/merchants/merchant-lock.ts';
import type { Page } from '../../../io/storage/mirror/save/find-new.ts';
import type { ReadingStart } from '../../../io/storage/mirror/save/save-entries.ts';
import { savePage } from '../../../io/storage/mirror/save/save-page.ts';
import { loadStoredExtent } from '../../../io/storage/mirror/stored-extent.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import { closable } from '../closable.ts';

/**
 * Most operations that are requested one by one. Above that, the list is read a second time, and
 * only operations that it lacks are requested.
 */
const MOST_ASKED = 200;
/**
 * Most stretches of lines that are read one by one. Above that, all lines from the first to the
 * last are read in one pass.
 */
const MOST_STRETCHES = 20;
/** Findings at most this many lines apart are read in one stretch. */
const NEIGHBOURS = 400;
/** A stretch covers at most this many lines. */
const LONGEST_STRETCH = 2_000;

export interface Confirmation {
  readonly store: Store;
  readonly source: Source;
  readonly lease: Lease;
  /** Findings for which neither this run nor an earlier one has read the rows a second time. */
  readonly doubted: readonly Finding[];
  /** Where this run's reading began; `null` when it began with the first row. */
  readonly since: Since | null;
  /**
   * How far the mirror reached when the reading began. Rows read again are saved as rows of the
   * same reading.
   */
  readonly began: ReadingStart;
}

export interface Confirmed {
  /**
   * True when a row was served differently the second time. The new row is in the mirror beside the
   * first.
   */
  readonly changed: boolean;
  /**
   * Fingerprints of findings whose rows were not read a second time, so that this run cannot
   * confirm them.
   */
  readonly unread: ReadonlySet<string>;
  /**
   * True when the list of operations was not whole: it lacks operations that the service has. It
   * may then also lack operations that no line names.
   */
  readonly isListCut: boolean;
}

/** Lines between two sequences, both included. */
interface Stretch {
  readonly from: number;
  to: number;
}

/**
 * Requests the operations of the doubted findings once more, and reads the lines around those that
 * are confirmed.
 */
export async function confirmFindings(confirmation: Confirmation): Promise<Confirmed> {
  const { store, lease, doubted, began } = confirmation;
  let changed = false;
  const save = async (page: Page): Promise<void> => {
    const { operationsChanged, entriesAdded } = await savePage(store, lease, { ...page, began });
    changed ||= operationsChanged + entriesAdded + (page.rejected?.length ?? 0) > 0;
  };
  // A missing notification is not found by requesting its operation, and a vanished operation was
  // requested already.
  const ofOperations = doubted.filter(
    ({ kind }) => kind !== 'EVENT_MISSING' && kind !== 'OPERATION_VANISHED',
  );
  const references = new Set(
    ofOperations.flatMap(({ operationReference }) => operationReference ?? []),
  );
  const unknown = ofOperations.filter(({ kind }) => kind === 'OPERATION_UNKNOWN');
  const lacking = new Set(unknown.flatMap(({ operationReference }) => operationReference ?? []));
  const { unasked, isListCut } = await askAgain(confirmation, { references, lacking, save });
  const stretches = stretchesAround(doubted.filter(({ status }) => status === 'confirmed'));
  const passes = stretches.length > MOST_STRETCHES ? [stretches] : stretches.map((one) => [one]);
  for (const pass of passes) await readStretches(confirmation, pass, save);
  const isUnread = ({ operationReference, kind }: Finding): boolean =>
    unasked.size > 0 && (unasked.has(operationReference ?? '') || KINDS[kind].subject === 'total');
  const unread = new Set(ofOperations.filter(isUnread).map(({ fingerprint }) => fingerprint));
  return { changed, unread, isListCut };
}

type Save = (page: Page) => Promise<void>;

interface Again {
  readonly references: ReadonlySet<string>;
  /** Those of `references` that lines name and the list did not contain. */
  readonly lacking: ReadonlySet<string>;
  readonly save: Save;
}

/**
 * Requests operations again. `unasked` holds those that were not served again. An operation that is
 * unreadable by itself keeps its row of the list. If the service has an operation that its list
 * lacked, the list was not whole and is read again, because it may lack others that no line names.
 */
async function askAgain(
  { source, lease, since }: Confirmation,
  { references, lacking, save }: Again,
): Promise<{ readonly unasked: ReadonlySet<string>; readonly isListCut: boolean }> {
  const { merchant } = lease;
  const left = new Set(references);
  const isListed = left.size > MOST_ASKED;
  let listed: ReadonlySet<string> = isListed
    ? await listAgain(source, merchant, { since: null, save })
    : new Set();
  for (const reference of listed) left.delete(reference);
  const operations: Operation[] = [];
  for (const reference of [...left].slice(0, MOST_ASKED)) {
    const operation = await askReadable(source, merchant, reference);
    if (operation !== null && operation !== 'unreadable') operations.push(operation);
    left.delete(reference);
  }
  // `outOfTurn` leaves the cursor of the mirror in place: operations requested by name do not show
  // whether newer ones exist.
  if (operations.length > 0) await save({ operations, outOfTurn: true });
  const lacked = operations
    .map(({ reference }) => reference)
    .filter((reference) => lacking.has(reference));
  if (lacked.length > 0 && !isListed) listed = await listAgain(source, merchant, { since, save });
  return { unasked: left, isListCut: lacked.some((reference) => !listed.has(reference)) };
}

/** Saves everything that the list serves a second time, and returns its references. */
async function listAgain(
  source: Source,
  merchant: string,
  { since, save }: { readonly since: Since | null; readonly save: Save },
): Promise<ReadonlySet<string>> {
  const listed = new Set<string>();
  await using snapshot = closable(await source.open(merchant, since, 'described'));
  try {
    for await (const { rows } of snapshot.operations()) {
      const operations = rows.map(({ operation }) => operation);
      for (const { reference } of operations) listed.add(reference);
      if (operations.length > 0) await save({ operations });
    }
  } catch (failure) {
    // Keep the rows served so far; operations that are still lacking are requested one by one.
    if (!(failure instanceof OutOfOrder)) throw failure;
  }
  return listed;
}

/**
 * Returns the stretches to read: from the last line before each finding, as its evidence names it,
 * to the finding's own line. Stretches that overlap or lie close together are joined.
 */
function stretchesAround(findings: readonly Finding[]): readonly Stretch[] {
  const around = findings.flatMap(({ sequence, evidence }): Stretch[] => {
    if (sequence === null) return [];
    const to = Number(sequence);
    const before = evidence.flatMap((one) =>
      one.what === 'line' && Number(one.sequence) < to ? [one.sequence] : [],
    );
    return [
      {
        from: Math.max(...before.map(Number), before.length === 0 ? to : Number.NEGATIVE_INFINITY),
        to,
      },
    ];
  });
  const joined: Stretch[] = [];
  for (const { from, to } of around.sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    const isNear =
      last !== undefined && from <= last.to + NEIGHBOURS && to <= last.from + LONGEST_STRETCH;
    if (isNear) last.to = Math.max(last.to, to);
    else joined.push({ from, to });
  }
  return joined;
}

/**
 * Reads the lines of the stretches in one pass from the first to the last. Lines after the last are
 * left to the next reading.
 */
async function readStretches(
  { store, source, lease }: Confirmation,
  stretches: readonly Stretch[],
  save: Save,
): Promise<void> {
  const extent = await loadStoredExtent(store, lease.merchant);
  if (extent === null) return;
  const [from, to] = [stretches[0]!.from, stretches.at(-1)!.to];
  const entryCount = Math.max(0, extent.entryCount - (extent.lastSequence - from));
  const since = { ...extent, lastSequence: from - 1, entryCount, reversedCount: null, open: [] };
  await using snapshot = closable(await source.open(lease.merchant, since));
  let at = 0;
  const isWithin = ({ sequence }: LedgerEntry): boolean => {
    while (at < stretches.length && stretches[at]!.to < sequence) at += 1;
    return at < stretches.length && sequence >= stretches[at]!.from;
  };
  for await (const { rows, rejected } of snapshot.entries()) {
    const entries = rows.filter(isWithin);
    if (entries.length + rejected.length > 0) await save({ entries, rejected });
    if ((rows.at(-1)?.sequence ?? from) > to) break;
  }
}
