// The direct API as a source: a key and a secret open one merchant's books. It reads only, and
// sends nothing but GETs.

import type { Instant } from '../../../core/domain/instant.ts';
import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import type {
  Batch,
  Closing,
  Note,
  OperationVersion,
  Recall,
  Recalled,
  RejectedRow,
  Snapshot,
} from '../../../core/domain/snapshot.ts';
import { hashOf } from '../../threads/hash-key.ts';
import { recallEntries } from '../port/recall-entries.ts';
import { absentSince, type Since, type Source, SourceFailed } from '../port/source.ts';
import { addressOf } from '../web/transport.ts';
import { openPlace } from '../web/web-settings.ts';
import { type Asker, listEntries, openList } from './ask.ts';
import { askDeliveries } from './ask-deliveries.ts';
import { askMany, askProfile, askSurely, askWallet, type PathProof } from './ask-object.ts';
import { checkHttpSettings, type HttpSettings } from './http-settings.ts';
import { type ListMemory, readList } from './read-list.ts';
import { OVERLAP, readOperations, readOperationsOf } from './read-operations.ts';
import { noteOffsets, openServedLines } from './served-lines.ts';
import type { KnownOrder, PagedList } from './served-page.ts';
import { movedWhileReading, openWindow, type SettlingWindow } from './settling-window.ts';

/**
 * Opens the source; nothing is sent before a merchant is opened. Throws `SourceFailed`
 * INVALID_SETTINGS.
 */
export function openHttpSource(given: HttpSettings): Source {
  checkHttpSettings(given);
  const settings = { ...given, place: openPlace(given.retries) };
  const memory: ServiceMemory = {
    ledger: { order: settings.ledgerOrder, longestPage: 0 },
    operations: { order: settings.operationsOrder, longestPage: 0 },
    proof: { isProven: false },
  };
  const control = new AbortController();
  const open = new Set<() => Promise<void>>();
  function expectConfigured(merchant: string): void {
    if (Object.hasOwn(settings.merchants, merchant)) return;
    throw new SourceFailed(
      'UNKNOWN_MERCHANT',
      `No credentials are configured for the merchant ${merchant}.`,
    );
  }
  return {
    name: addressOf(settings),
    isStateless: () => false,
    async merchants() {
      return Object.keys(settings.merchants).sort();
    },
    async open(merchant, since) {
      expectConfigured(merchant);
      const snapshot = await openHttpSnapshot({ settings, merchant, since, memory });
      const close = async (): Promise<void> => {
        open.delete(close);
        await snapshot.close();
      };
      open.add(close);
      return { ...snapshot, close };
    },
    async askOperation(merchant, reference) {
      expectConfigured(merchant);
      const asker: Asker = { settings, merchant, stop: control.signal };
      const asked = await askSurely(asker, { reference, proof: memory.proof });
      if (asked === null) return null;
      if (asked.kind === 'read') return asked.value;
      throw new SourceFailed(
        'UNREADABLE_OPERATION',
        `${asked.row.place} of ${merchant} was answered with an operation that cannot be read (${asked.row.reason}).`,
      );
    },
    async askDeliveries(merchant) {
      expectConfigured(merchant);
      return askDeliveries({ settings, merchant, stop: control.signal });
    },
    async close() {
      control.abort();
      await Promise.all([...open].map((close) => close()));
    },
  };
}

// One reading of a merchant's books over the direct API: the profile, the ledger up to its head,
// the operations, the wallet, and then the lines beyond that head. It keeps no lines, so that a
// recall must read them again.

/** What the readings of one source learn about the service, and share. */
interface ServiceMemory {
  readonly ledger: ListMemory;
  readonly operations: ListMemory;
  readonly proof: PathProof;
}

interface SnapshotOpening {
  readonly settings: HttpSettings;
  readonly merchant: string;
  readonly since: Since | null;
  readonly memory: ServiceMemory;
}

/** The end of the ledger as the last pass saw it. */
interface Head {
  /** `null` when the ledger was empty. */
  readonly last: LedgerEntry | null;
  readonly offset: number;
  readonly window: SettlingWindow<LedgerEntry>;
}

const ABSENT = (['HISTORY', 'REPORTS', 'PAYMENTS', 'PAYOUTS', 'EVENTS'] as const).map(
  (part): Note => ({ what: part.toLowerCase(), code: `API_WITHOUT_${part}` }),
);

const CLOCK_UNKNOWN: Note = { what: 'clock of the source', code: 'CLOCK_UNKNOWN' };

/**
 * Requests the profile at once, so that a service that is down, or a closed account, fails here.
 */
async function openHttpSnapshot(opening: SnapshotOpening): Promise<Snapshot> {
  const { settings, merchant, since, memory } = opening;
  const control = new AbortController();
  const asker: Asker = { settings, merchant, stop: control.signal };
  const openedAt = settings.clock();
  const profile = await askProfile(asker);
  const begunAt = profile.date ?? openedAt;
  const stated =
    profile.date === null ? statedInstant(await askWallet(asker), { since, openedAt }) : null;
  const clockUnknown = stated === null ? [] : [CLOCK_UNKNOWN];
  const operationsTask = { asker, since, memory: memory.operations, proof: memory.proof, begunAt };
  let head: Head | null = null;
  let order: KnownOrder = 'ascending';
  const noted = noteOffsets(
    openList(asker, listEntries(settings)),
    since?.headSequence ?? since?.lastSequence ?? null,
  );
  const passTask = { memory: memory.ledger, begunAt };
  return {
    merchant,
    profiles: profile.kind === 'read' ? [profile.value] : [],
    moving: true,
    currency: null,
    watermark: stated ?? begunAt,
    absent: [...absentSince(since, ABSENT), ...clockUnknown],
    rejected: profile.kind === 'refused' ? [profile.row] : [],
    adjustedAt: null,
    notifications: null,
    hashOf,
    expectedEntries: null,
    async *entries() {
      const onOrder = (seen: KnownOrder): void => {
        order = seen;
      };
      const pass = openPass({ ...passTask, since, list: noted.list, limit: head, onOrder });
      yield* pass.batches();
      head ??= pass.head();
    },
    operations: () => readOperations(operationsTask),
    operationsAfter:
      since === null ? Number.NEGATIVE_INFINITY : since.newestOperationCreatedAt - OVERLAP,
    operationsOf: (asked) => readOperationsOf(operationsTask, asked),
    async closing() {
      return close({ asker, since, head, memory: memory.ledger, begunAt });
    },
    async recall(request) {
      const pass = openPass({
        ...passTask,
        since: null,
        list: openList(asker, listEntries(settings)),
        limit: head,
      });
      const everything = readOperations({ ...operationsTask, since: null });
      return recall(asker, {
        request,
        proof: memory.proof,
        entries: pass.batches(),
        operations: everything,
      });
    },
    servedLines: openServedLines({ ...noted, order: () => order }),
    async close() {
      control.abort();
    },
  };
}

/**
 * Returns the watermark when no answer says what time it is, for example because a proxy drops the
 * header `Date`. It is just after the newest instant that the service wrote into its books before
 * they were read, but not later than our own clock. All that happened up to then is served; rows
 * that are as new stay provisional until a newer instant appears. Throws NO_CLOCK when the books
 * have no such instant.
 */
function statedInstant(
  wallet: Awaited<ReturnType<typeof askWallet>>,
  { since, openedAt }: { readonly since: Since | null; readonly openedAt: Instant },
): Instant {
  const moved = wallet.kind === 'read' ? wallet.value.updatedAt : null;
  const newest = Math.max(
    ...[moved, since?.newestOperationUpdatedAt ?? null].filter((one) => one !== null),
  );
  if (Number.isFinite(newest)) return Math.min(newest + 1, openedAt);
  throw new SourceFailed(
    'NO_CLOCK',
    'The service sends no header Date, and has no wallet that says when it last moved: up to when its books are known cannot be said.',
  );
}

/**
 * Makes a pass over the ledger. A second pass stops at the `limit`, where the first one ended, so
 * that both deliver the same lines.
 */
function openPass(options: {
  readonly since: Since | null;
  readonly memory: ListMemory;
  readonly begunAt: Instant;
  readonly list: PagedList<LedgerEntry>;
  readonly limit: Head | null;
  readonly onOrder?: (order: KnownOrder) => void;
}): { readonly batches: () => AsyncGenerator<Batch<LedgerEntry>>; readonly head: () => Head } {
  const { since, list, limit, onOrder } = options;
  let [last, offset]: [LedgerEntry | null, number] = [null, 0];
  let isOver = false;
  const window = openWindow<LedgerEntry>({
    kind: list.kind,
    isNewer: () => false,
    onLate: (late) => {
      // Once the head is known, a line committed late below it is left for the next reading, which
      // reads this part again.
      if (!isOver) throw movedWhileReading(list, late);
    },
  });
  const snapshot = {
    list,
    window,
    memory: options.memory,
    floor: since?.lastSequence ?? null,
    newest: since?.lastSequence ?? null,
    hint: since?.entryCount ?? 0,
    begunAt: options.begunAt,
    onEnd: (end: number) => {
      offset = end;
    },
    ...(onOrder === undefined ? {} : { onOrder }),
  };
  return {
    async *batches() {
      for await (const batch of readList(snapshot)) {
        const rows =
          limit === null
            ? batch.rows
            : batch.rows.filter((row) => row.sequence <= (limit.last?.sequence ?? -1));
        last = rows.at(-1) ?? last;
        yield rows === batch.rows ? batch : { rows, rejected: batch.rejected };
      }
      isOver = true;
    },
    head: () => ({ last, offset, window }),
  };
}

/**
 * Reads the wallet, and after it the lines beyond the head: the wallet must agree with the ledger
 * at one of those lines. If the ledger ended where it ended before, and the wallet agrees with it
 * there, no further lines are requested.
 */
async function close(closing: {
  readonly asker: Asker;
  readonly since: Since | null;
  readonly head: Head | null;
  readonly memory: ListMemory;
  readonly begunAt: Instant;
}): Promise<Closing> {
  const { asker, since, head } = closing;
  const wallet = await askWallet(asker);
  const sequence = head?.last?.sequence ?? null;
  const isAsKnown =
    sequence !== null && sequence === since?.lastSequence && equalsAt(head!.last!, wallet);
  const rejected: RejectedRow[] = wallet.kind === 'refused' ? [wallet.row] : [];
  const laterEntries: LedgerEntry[] = [];
  if (head !== null && !isAsKnown) {
    const later = readList({
      list: openList(asker, listEntries(asker.settings)),
      window: head.window,
      memory: closing.memory,
      floor: sequence,
      newest: sequence,
      hint: head.offset,
      begunAt: closing.begunAt,
      onEnd: () => {},
    });
    for await (const batch of later) {
      laterEntries.push(
        ...batch.rows.filter((row) => sequence === null || row.sequence > sequence),
      );
      rejected.push(...batch.rejected);
    }
  }
  return {
    wallet: wallet.kind === 'read' ? wallet.value : null,
    readAt: wallet.date,
    laterEntries,
    rejected,
  };
}

function equalsAt(line: LedgerEntry, wallet: Awaited<ReturnType<typeof askWallet>>): boolean {
  if (wallet.kind !== 'read') return true;
  const { balance, reserved } = wallet.value;
  return balance === line.balanceAfter && reserved === line.reservedAfter;
}

/**
 * Requests each operation by its reference. Lines are found by reading the whole ledger up to its
 * head, and operations of an externalReference by reading all operations, because the service can
 * be asked for neither. Mirrored books are recalled from the mirror instead.
 */
async function recall(
  asker: Asker,
  asking: {
    readonly request: Recall;
    readonly proof: PathProof;
    readonly entries: AsyncIterable<Batch<LedgerEntry>>;
    readonly operations: AsyncIterable<Batch<OperationVersion>>;
  },
): Promise<Recalled> {
  const { references, entryIds, externalReferences } = asking.request;
  const wantsLines = references.size > 0 || entryIds.size > 0;
  const entries = wantsLines ? await recallEntries(asking.entries, asking.request) : [];
  const asked = await askMany(asker, { references, proof: asking.proof });
  const operations = new Map(asked.operations.map((operation) => [operation.reference, operation]));
  if (externalReferences.size > 0) {
    for await (const { rows } of asking.operations) {
      for (const { operation } of rows) {
        const { externalReference, reference } = operation;
        const isWanted = externalReference !== null && externalReferences.has(externalReference);
        if (isWanted && !operations.has(reference)) operations.set(reference, operation);
      }
    }
  }
  return {
    entries,
    operations: [...operations.values()].map((operation) => ({ operation, previous: null })),
  };
}
