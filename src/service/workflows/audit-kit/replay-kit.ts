// Checks an audit kit and states its months again from its rows, without a store or a
// configuration: rows, decisions and settings are in the kit. Refuses to replay a kit whose
// manifest was changed.

import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parsePeriod } from '../../../core/domain/period.ts';
import type { StandingDecision } from '../../../core/domain/settlement.ts';
import type { Closing, Snapshot } from '../../../core/domain/snapshot.ts';
import { openZone } from '../../../core/domain/zone.ts';
import { reconcile } from '../../../core/kernel/reconcile/session.ts';
import type { StatementChange } from '../../../core/statements/statement.ts';
import { KitFailed, openKit } from '../../../io/evidence/audit-kit.ts';
import { statementIn } from '../../../io/formats/read-back/read-back.ts';
import { openSource } from '../../../io/sources/register.ts';
import { auditBy } from '../audit/audit-snapshot.ts';
import { closable } from '../closable.ts';
import type { PlaceIssued } from '../month/issued-months.ts';
import { auditAtCut, rowsOfSnapshot } from '../month/month-rows.ts';
import {
  type MonthBefore,
  type MonthTask,
  type OpenBooks,
  stateOpenMonth,
  withOpenMonth,
} from '../month/open-month.ts';
import { NO_LINKS } from '../month/read-links.ts';
import type { ServiceMonth } from '../month/service-month.ts';
import {
  type HoldTask,
  holdKit,
  type KitAbout,
  type KitMonth,
  MANIFEST_SHAPE,
  type StatedAs,
  SURROUNDINGS,
  statedAs,
} from './hold-kit.ts';

/** What the mirror knows besides lines and operations. `snapshot` has no streams. */
export interface Surroundings
  extends Required<Pick<OpenBooks, 'snapshot' | 'completeUntil' | 'closed' | 'chain'>> {
  readonly closing: Closing;
  readonly decisions: readonly StandingDecision[];
}

/**
 * Replaces the service, to which no request is sent: bounds, and payments by link, stay as they
 * were issued.
 */
const AS_ISSUED: ServiceMonth = {
  ...{ bounds: null, isUnknown: true, compare: () => null },
  ...{ links: async () => NO_LINKS, document: async () => null, close: async () => {} },
};

interface RestateTask
  extends Pick<KitAbout, 'merchant' | 'settings' | 'createdAt'>,
    Omit<ReplayTask, 'key' | 'root'> {
  readonly books: OpenBooks;
  readonly period: string;
  readonly before: MonthBefore;
  readonly issuedBounds: PlaceIssued;
}

/**
 * States one month from these books as it would be issued now. Leaves the books open. Throws
 * `StatementRefused`.
 */
export async function restateMonth(
  task: RestateTask,
): Promise<StatedAs & { readonly changes: readonly StatementChange[] }> {
  const { merchant, createdAt: now, books, engine, before, issuedBounds } = task;
  const { zone, judging, journal, parties, phoneNumbers } = task.settings;
  const open = async () => ({ ...books, snapshot: { ...books.snapshot, close: async () => {} } });
  const month = {
    ...{ period: parsePeriod(task.period)!, phoneNumbers, engine, now },
    repository: { open, merchants: async () => [merchant], knows: async () => true },
    zoneFor: () => openZone(zone)!,
    journalFor: () => journal,
    partiesFor: () => parties,
    auditFor: () => ({ ...judging, asOf: now }),
    serviceMonthOf: async () => AS_ISSUED,
    // Begin with the accounts that the issued month itself began with.
    issuedOf: async () => {
      const issued = await statementIn(before.readJson());
      return (
        issued && {
          ...issued,
          ...(issued.journal.goesOnFrom && { books: issued.journal.goesOnFrom }),
        }
      );
    },
    // Report progress by month, because a person waits for months.
    onMerchant: (_: string, expected: number | null) => task.onMerchant(task.period, expected),
  };
  return withOpenMonth(month, { merchant, issuedBounds }, async (opened) => {
    const { statement } = await stateOpenMonth(month, opened, before);
    const { number, changes } = statement.revision;
    return {
      ...statedAs(statement),
      changes: number === before.issued.revision.number ? [] : changes,
    };
  });
}

/**
 * A month of the kit after its replay. `replayed` is `null` when it cannot be stated; `refused`
 * then says why.
 */
export interface ReplayedMonth extends KitMonth {
  readonly replayed: Awaited<ReturnType<typeof restateMonth>> | null;
  readonly refused: string | null;
  readonly isSame: boolean;
}

interface ReplayTask
  extends Pick<KitAbout, 'engine'>,
    Pick<MonthTask, 'onMerchant'>,
    Omit<HoldTask, 'openBooks'> {}

export type Replayed = Awaited<ReturnType<typeof replayKit>>;

/**
 * Checks and replays a kit. `path` is its ZIP, or the folder into which it was unpacked. Throws
 * `KitFailed` when it is neither.
 */
export async function replayKit(path: string, task: ReplayTask) {
  const folder = await mkdtemp(join(tmpdir(), 'pointage-kit-'));
  try {
    const { manifest, faults } = await openKit<KitAbout>(path, folder, MANIFEST_SHAPE);
    // If files differ from the list, the kit is not read any further.
    if (manifest === null || faults.some(({ fault }) => fault !== 'extra'))
      return { manifest, faults, proofs: [], months: [] };
    const held = await holdKit(folder, manifest, {
      ...task,
      openBooks: () => openBooks(folder, manifest.merchant),
    });
    const months: ReplayedMonth[] = [];
    for (const month of manifest.months)
      months.push(await replayMonth(folder, month, { ...manifest, ...task }));
    return { manifest, faults: [...faults, ...held.faults], proofs: held.proofs, months };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function replayMonth(
  folder: string,
  month: KitMonth,
  task: KitAbout & ReplayTask,
): Promise<ReplayedMonth> {
  try {
    const replayed = await restateIssued(folder, month, task);
    const isSame =
      JSON.stringify({ ...replayed, changes: 0 }) ===
      JSON.stringify({ ...month.stated, changes: 0 });
    return { ...month, replayed, refused: null, isSame };
  } catch (failure) {
    const refused = (failure as Error).message.replaceAll(`${folder}/`, '');
    return { ...month, replayed: null, refused, isSame: false };
  }
}

async function restateIssued(
  folder: string,
  { period, json }: KitMonth,
  task: KitAbout & ReplayTask,
) {
  await using books = await openBooks(folder, task.merchant);
  const file = join(folder, json);
  const issued = await statementIn(createReadStream(file));
  if (issued === null) throw new KitFailed(`${json} is no statement of this version.`);
  // The file is opened only if it is read.
  const readJson = async function* () {
    yield* createReadStream(file);
  };
  return await restateMonth({
    ...task,
    books,
    period,
    before: { issued, readJson },
    issuedBounds: issued.period,
  });
}

async function openBooks(folder: string, merchant: string): Promise<OpenBooks & AsyncDisposable> {
  const known = JSON.parse(await readFile(join(folder, SURROUNDINGS), 'utf8')) as Surroundings;
  const { decisions, closing } = known;
  const filed = await (await openSource(`file:${folder}/rows`, {})).open(
    merchant,
    null,
    'described',
  );
  // Files are always complete; the mirror did not promise that for its operations, so it is not
  // promised here.
  const given = { ...filed, operationsAfter: null, ...known.snapshot };
  const snapshot: Snapshot = { ...given, closing: async () => closing };
  const audit: OpenBooks['audit'] = ({ options }) =>
    auditBy(reconcile, snapshot, { ...options, decisions });
  const auditAt: OpenBooks['auditAt'] = (cut, options) =>
    auditAtCut(snapshot, { ...options, decisions }, cut);
  return closable({
    ...known,
    snapshot,
    audit,
    auditAt,
    rows: () => rowsOfSnapshot(snapshot),
    close: () => filed.close(),
  });
}
