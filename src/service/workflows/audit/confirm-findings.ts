// Confirms a contradiction before it is reported: asks for its operations once more, and reads the
// lines around a new finding once more, where the source may have moved while it was read. It
// judges nothing.

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
 * Ask for so many operations one by one; above that, read the list a second time and ask for what
 * it lacks.
 */
const MOST_ASKED = 200;
/**
 * Stretches of lines that are read one by one; more are read in one pass from the first to the
 * last.
 */
const MOST_STRETCHES = 20;
/**
 * Findings closer together than this are read in one stretch, which grows no longer than the second
 * figure.
 */
const NEIGHBOURS = 400;
const LONGEST_STRETCH = 2_000;

export interface Confirmation {
  readonly store: Store;
  readonly source: Source;
  readonly lease: Lease;
  /** Findings that neither this run nor an earlier one has read a second time. */
  readonly doubted: readonly Finding[];
  /**
   * From where this run read, and how far the mirror reached then: what is read again belongs to
   * that reading.
   */
  readonly since: Since | null;
  readonly began: ReadingStart;
}

export interface Confirmed {
  /**
   * Something was served otherwise the second time: it is in the mirror now, beside what was read
   * first.
   */
  readonly changed: boolean;
  /**
   * Fingerprints of findings that rest on what was not read a second time: they cannot be confirmed
   * in this run.
   */
  readonly unread: ReadonlySet<string>;
  /**
   * The list of operations lacks what is served by itself: those that no line names may be missing.
   */
  readonly isListCut: boolean;
}

/** Lines from one sequence to another, both included. */
interface Stretch {
  readonly from: number;
  to: number;
}

/**
 * Asks for the operations of the findings once more, and reads the lines around those that are
 * confirmed.
 */
export async function confirmFindings(confirmation: Confirmation): Promise<Confirmed> {
  const { store, lease, doubted, began } = confirmation;
  let changed = false;
  const save = async (page: Page): Promise<void> => {
    const { operationsChanged, entriesAdded } = await savePage(store, lease, { ...page, began });
    changed ||= operationsChanged + entriesAdded + (page.rejected?.length ?? 0) > 0;
  };
  // What is missing among notifications is not found by asking for the operation, and what is gone
  // was asked for already.
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
  /** Of these, those that lines name and the list did not have. */
  readonly lacking: ReadonlySet<string>;
  readonly save: Save;
}

/**
 * `unasked`: those that were not served again. An operation that cannot be read by itself stays as
 * it was read: the list's row counts. A list that lacked an operation which is served by itself was
 * not whole, and may lack others that no line names: it is read again.
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
  // The next reading looks for new operations from where it would have: these say nothing of what
  // else there is.
  if (operations.length > 0) await save({ operations, outOfTurn: true });
  const lacked = operations
    .map(({ reference }) => reference)
    .filter((reference) => lacking.has(reference));
  if (lacked.length > 0 && !isListed) listed = await listAgain(source, merchant, { since, save });
  return { unasked: left, isListCut: lacked.some((reference) => !listed.has(reference)) };
}

/** Keeps all that the list serves a second time, and gives its references. */
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
    // Keep what it served until then, and ask for the rest.
    if (!(failure instanceof OutOfOrder)) throw failure;
  }
  return listed;
}

/**
 * From the last line before each finding, as its evidence names it, to the finding's own line;
 * overlapping ones joined.
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
 * A reading that begins at the first stretch is given up behind the last. Lines beyond belong to
 * the next reading.
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
