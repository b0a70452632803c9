// Checks an audit kit and states its months anew from its rows, with no store and no configuration: what was read, decided and
// configured is in the kit. Refuses to replay a kit whose manifest was changed.

import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Instant } from '../../../core/domain/instant.ts';
import { type Bounds, parsePeriod } from '../../../core/domain/period.ts';
import type { StandingDecision } from '../../../core/domain/settlement.ts';
import type { ChainMark, Closing, Snapshot } from '../../../core/domain/snapshot.ts';
import { openZone } from '../../../core/domain/zone.ts';
import { reconcile } from '../../../core/reconcile/session.ts';
import type { MonthSettings } from '../../../core/statements/month-settings.ts';
import type { Statement, StatementChange } from '../../../core/statements/statement.ts';
import { KitFailed, openKit, unpackKit } from '../../../io/evidence/audit-kit.ts';
import { statementIn } from '../../../io/formats/read-back/read-back.ts';
import { openSource } from '../../../io/sources/register.ts';
import { type AuditOptions, auditBy } from '../audit/audit-snapshot.ts';
import { closable } from '../closable.ts';
import { rowsOfSnapshot } from '../month/month-rows.ts';
import {
  type MonthBefore,
  type MonthTask,
  type OpenBooks,
  stateOpenMonth,
  withOpenMonth,
} from '../month/open-month.ts';
import { NO_LINKS } from '../month/read-links.ts';
import type { ServiceMonth } from '../month/service-month.ts';

/** What is configured for the merchant, as far as a month rests on it. No secret is in it. */
export interface KitSettings extends Pick<MonthSettings, 'journal' | 'parties' | 'phoneNumbers'> {
  /** IANA name. */
  readonly zone: string;
  readonly judging: Omit<AuditOptions, 'onProgress' | 'asOf'>;
}

interface StatedAs extends Pick<Statement['integrity'], 'contentHash' | 'chainHead'> {
  readonly verdict: Statement['summary']['verdict']['state'];
}

/** Of the revision in force. */
export interface KitMonth {
  readonly period: string;
  readonly revision: number;
  readonly isHeld: boolean;
  /** Its JSON form, in the kit. */
  readonly json: string;
  readonly issued: StatedAs;
  /** As the rows of the kit state it: another than what was issued where something became known since. */
  readonly stated: StatedAs;
}

/** What is not in a kit: `months` were not issued, of a `night` there is no evidence, and why; the others never are. */
export interface LeftOut {
  readonly what: 'dashboard' | 'fields' | 'months' | 'night';
  readonly which?: string;
}

/** What a manifest says beside its files. */
export interface KitAbout {
  readonly merchant: string;
  readonly period: string;
  readonly engine: string;
  readonly createdAt: Instant;
  readonly createdBy: string;
  readonly settings: KitSettings;
  /** Over every line that was stored. */
  readonly chain: ChainMark | null;
  readonly months: readonly KitMonth[];
  readonly notIncluded: readonly LeftOut[];
  readonly replay: string;
}

/** The file of what the mirror knows beside lines and operations; `snapshot` has no stream in it. */
export const SURROUNDINGS = 'surroundings.json';
export interface Surroundings extends Required<Pick<OpenBooks, 'snapshot' | 'completeUntil' | 'closed' | 'chain'>> {
  readonly closing: Closing;
  readonly decisions: readonly StandingDecision[];
}

/** The service is not asked: bounds, and payments by link, are as they were issued. */
const AS_ISSUED: ServiceMonth = {
  ...{ bounds: null, isUnknown: true, compare: () => null },
  ...{ links: async () => NO_LINKS, document: async () => null, close: async () => {} },
};

interface RestateTask extends Pick<KitAbout, 'merchant' | 'settings' | 'createdAt'>, ReplayTask {
  readonly books: OpenBooks;
  readonly period: string;
  readonly before: MonthBefore;
  readonly issuedBounds: Bounds;
}

/** One month out of these books, which stay open, as it would be issued now, and how. Throws `StatementRefused`. */
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
    // The month is what a person waits for.
    onMerchant: (_: string, expected: number | null) => task.onMerchant(task.period, expected),
  };
  return withOpenMonth(month, { merchant, issuedBounds }, async (opened) => {
    const { statement } = await stateOpenMonth(month, opened, before);
    const { number, changes } = statement.revision;
    return { ...statedAs(statement), changes: number === before.issued.revision.number ? [] : changes };
  });
}

export function statedAs({ integrity, summary }: Pick<Statement, 'integrity' | 'summary'>): StatedAs {
  const { contentHash, chainHead } = integrity;
  return { contentHash, chainHead, verdict: summary.verdict.state };
}

/** `replayed` null: it cannot be stated, for the reason. */
export interface ReplayedMonth extends KitMonth {
  readonly replayed: Awaited<ReturnType<typeof restateMonth>> | null;
  readonly refused: string | null;
  readonly isSame: boolean;
}

type ReplayTask = Pick<KitAbout, 'engine'> & Pick<MonthTask, 'onMerchant'>;

export type Replayed = Awaited<ReturnType<typeof replayFolder>>;

/** `path`: a kit's ZIP, or the folder that it was unpacked into. Throws `KitFailed` where it is neither. */
export async function replayKit(path: string, task: ReplayTask): Promise<Replayed> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw new KitFailed(`${path} does not exist.`);
  if (found.isDirectory()) return replayFolder(path, new Set(), task);
  const folder = await mkdtemp(join(tmpdir(), 'pointage-kit-'));
  try {
    return await replayFolder(folder, await unpackKit(path, folder), task);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Nothing is replayed where the manifest was changed, and is null. */
async function replayFolder(folder: string, damaged: ReadonlySet<string>, task: ReplayTask) {
  const { manifest, faults } = await openKit<KitAbout>(folder, damaged);
  const months: ReplayedMonth[] = [];
  for (const month of manifest?.months ?? []) {
    try {
      const replayed = await replayMonth(folder, month, { ...manifest!, ...task });
      const isSame = JSON.stringify({ ...replayed, changes: 0 }) === JSON.stringify({ ...month.stated, changes: 0 });
      months.push({ ...month, replayed, refused: null, isSame });
    } catch (failure) {
      months.push({ ...month, replayed: null, refused: (failure as Error).message, isSame: false });
    }
  }
  return { manifest, faults, months };
}

async function replayMonth(folder: string, { period, json }: KitMonth, task: KitAbout & ReplayTask) {
  await using books = await openBooks(join(folder, 'rows'), task.merchant);
  const file = join(folder, json);
  const issued = await statementIn(createReadStream(file));
  if (issued === null) throw new KitFailed(`${json} is no statement of this version.`);
  // Opened when it is read, which it may never be.
  const readJson = async function* () {
    yield* createReadStream(file);
  };
  return await restateMonth({ ...task, books, period, before: { issued, readJson }, issuedBounds: issued.period });
}

async function openBooks(folder: string, merchant: string): Promise<OpenBooks & AsyncDisposable> {
  const known = JSON.parse(await readFile(join(folder, SURROUNDINGS), 'utf8')) as Surroundings;
  const { decisions, closing } = known;
  const filed = await (await openSource(`file:${folder}`, {})).open(merchant, null, 'described');
  // The mirror promises less of its operations than files do.
  const given = { ...filed, operationsAfter: null, ...known.snapshot };
  const snapshot: Snapshot = { ...given, closing: async () => closing };
  const audit: OpenBooks['audit'] = ({ options }) => auditBy(reconcile, snapshot, { ...options, decisions });
  return closable({ ...known, snapshot, audit, rows: () => rowsOfSnapshot(snapshot), close: () => filed.close() });
}
