// Checks an audit kit and states its months anew from its rows, with an empty store and no configuration: what was read, decided and
// configured is in the kit. Refuses to guess what is not: a kit whose manifest was changed is checked, and not replayed.

import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Instant } from '../../../core/domain/instant.ts';
import type { Parties } from '../../../core/domain/merchant.ts';
import { type Bounds, type ClosedMonth, parsePeriod } from '../../../core/domain/period.ts';
import type { StandingDecision } from '../../../core/domain/settlement.ts';
import type { ChainMark, Closing, Snapshot } from '../../../core/domain/snapshot.ts';
import { openZone } from '../../../core/domain/zone.ts';
import { reconcile } from '../../../core/reconcile/session.ts';
import type { JournalSettings } from '../../../core/statements/journal.ts';
import type { PhoneNumbers } from '../../../core/statements/mask-phone-numbers.ts';
import type { IssuedStatement } from '../../../core/statements/revision.ts';
import type { Statement, StatementChange } from '../../../core/statements/statement.ts';
import {
  type KIT_FORMAT,
  KitFailed,
  type KitFault,
  openKit,
  type Sealed,
  unpackKit,
} from '../../../io/evidence/audit-kit.ts';
import { readStatement } from '../../../io/formats/text/json.ts';
import { openSource } from '../../../io/sources/register.ts';
import { type AuditOptions, auditBy } from '../audit/audit-snapshot.ts';
import { closable } from '../closable.ts';
import { rowsOfSnapshot } from '../month/month-rows.ts';
import { type MonthTask, type OpenBooks, stateOpenMonth, withOpenMonth } from '../month/open-month.ts';
import { NO_LINKS, type ServiceMonth } from '../month/service-month.ts';
import { firstLines } from '../month/write-statements.ts';

/** What is configured for the merchant, as far as a month rests on it. No secret is in it. */
export interface KitSettings {
  /** IANA name. */
  readonly zone: string;
  readonly judging: Omit<AuditOptions, 'onProgress' | 'asOf'>;
  readonly journal: JournalSettings;
  readonly parties: Parties;
  readonly phoneNumbers: PhoneNumbers;
}

export interface StatedAs {
  readonly contentHash: string;
  /** Of the chain over the month's lines. */
  readonly chainHead: string;
  readonly verdict: Statement['summary']['verdict']['state'];
}

export interface KitMonth {
  readonly period: string;
  /** The one in force. */
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
  readonly format: typeof KIT_FORMAT;
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

/** What the mirror knows beside lines and operations; all of it is JSON. */
export type Surroundings = Pick<
  Snapshot,
  | 'profiles'
  | 'currency'
  | 'watermark'
  | 'absent'
  | 'rejected'
  | 'adjustedAt'
  | 'departures'
  | 'missing'
  | 'alterations'
  | 'tampered'
  | 'changedMonths'
> & {
  readonly closing: Closing;
  readonly completeUntil: Instant | null;
  readonly closed: readonly ClosedMonth[];
  readonly chain: ChainMark | null;
  readonly decisions: readonly StandingDecision[];
};

export const SURROUNDINGS = 'surroundings.json';

/** The service is not asked: bounds, and payments by link, are as they were issued. */
const AS_ISSUED: ServiceMonth = {
  bounds: null,
  isUnknown: true,
  compare: () => null,
  links: async () => NO_LINKS,
  document: async () => null,
  close: async () => {},
};

interface RestateTask extends Pick<KitAbout, 'merchant' | 'settings' | 'createdAt'> {
  readonly books: OpenBooks;
  readonly period: string;
  readonly engine: string;
  readonly issued: IssuedStatement;
  readonly issuedBounds: Bounds;
  readonly readJson: () => AsyncIterable<Uint8Array>;
  readonly onProgress: (entries: number) => void;
}

/** One month out of these books, which stay open, as it would be issued now. Throws `StatementRefused`. */
export async function restateMonth(task: RestateTask): Promise<Statement> {
  const {
    merchant,
    settings,
    createdAt: now,
    books,
    period,
    engine,
    issued,
    issuedBounds,
    readJson,
    onProgress,
  } = task;
  const { zone, judging, journal, parties, phoneNumbers } = settings;
  const snapshot = { ...books.snapshot, close: async () => {} };
  const month: MonthTask = {
    repository: {
      merchants: async () => [merchant],
      knows: async (name) => name === merchant,
      open: async () => ({ ...books, snapshot }),
    },
    period: parsePeriod(period)!,
    phoneNumbers,
    zoneFor: () => openZone(zone)!,
    journalFor: () => journal,
    partiesFor: () => parties,
    auditFor: () => ({ ...judging, asOf: now }),
    serviceMonthOf: async () => AS_ISSUED,
    engine,
    now,
    onMerchant: () => onProgress,
  };
  return withOpenMonth(month, { merchant, issuedBounds }, async (open) => {
    const { statement } = await stateOpenMonth(month, open, { issued, readJson });
    return statement;
  });
}

export function statedAs({ integrity: { contentHash, chainHead }, summary }: Statement): StatedAs {
  return { contentHash, chainHead, verdict: summary.verdict.state };
}

export interface ReplayedMonth extends KitMonth {
  /** Null: it cannot be stated, for this reason. */
  readonly replayed: StatedAs | null;
  readonly refused: string | null;
  /** Against what was issued. */
  readonly changes: readonly StatementChange[];
  readonly isSame: boolean;
}

export interface Replayed {
  /** Null: it was changed, and nothing was replayed. */
  readonly manifest: Sealed<KitAbout> | null;
  readonly faults: readonly KitFault[];
  readonly months: readonly ReplayedMonth[];
}

interface ReplayTask {
  readonly engine: string;
  /** Called when a month begins, with its expected number of lines, and as they pass. */
  readonly onMonth: (period: string, expectedEntries: number | null) => (entries: number) => void;
}

/** `path`: a kit's ZIP, or the folder that it was unpacked into. Throws `KitFailed` where it is neither. */
export async function replayKit(path: string, task: ReplayTask): Promise<Replayed> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw new KitFailed(`${path} does not exist.`);
  if (found.isDirectory()) return replayFolder(path, [], task);
  const folder = await mkdtemp(join(tmpdir(), 'pointage-kit-'));
  try {
    return await replayFolder(folder, await unpackKit(path, folder), task);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function replayFolder(folder: string, damaged: readonly string[], task: ReplayTask): Promise<Replayed> {
  const { manifest, faults } = await openKit<KitAbout>(folder, damaged);
  if (manifest === null) return { manifest, faults, months: [] };
  const months: ReplayedMonth[] = [];
  for (const month of manifest.months) months.push(await replayMonth(folder, { ...task, manifest, month }));
  return { manifest, faults, months };
}

interface OneMonth extends ReplayTask {
  readonly manifest: KitAbout;
  readonly month: KitMonth;
}

async function replayMonth(folder: string, { manifest, month, engine, onMonth }: OneMonth): Promise<ReplayedMonth> {
  try {
    await using books = await openBooks(folder, manifest.merchant);
    const issued = readStatement(await firstLines(join(folder, month.json)));
    if (issued === null) throw new KitFailed(`${month.json} is not a statement of this version.`);
    const { period } = month;
    const onProgress = onMonth(period, books.snapshot.expectedEntries);
    const readJson = () => createReadStream(join(folder, month.json));
    const statement = await restateMonth({
      ...manifest,
      books,
      period,
      engine,
      issued,
      issuedBounds: issued.period,
      readJson,
      onProgress,
    });
    const replayed = statedAs(statement);
    const isSame = JSON.stringify(replayed) === JSON.stringify(month.stated);
    const changes = statement.revision.number === issued.revision.number ? [] : statement.revision.changes;
    return { ...month, replayed, refused: null, changes, isSame };
  } catch (failure) {
    return { ...month, replayed: null, refused: (failure as Error).message, changes: [], isSame: false };
  }
}

async function openBooks(folder: string, merchant: string): Promise<OpenBooks & AsyncDisposable> {
  const rows = join(folder, 'rows');
  const known = JSON.parse(await readFile(join(rows, SURROUNDINGS), 'utf8')) as Surroundings;
  const { closing, completeUntil, closed, chain, decisions, ...surroundings } = known;
  const source = await openSource(`file:${rows}`, {});
  const filed = await source.open(merchant, null, 'described');
  const { operationsAfter: _, ...streams } = filed;
  const snapshot: Snapshot = { ...streams, ...surroundings, notifications: null, closing: async () => closing };
  const audit: OpenBooks['audit'] = ({ options }) => auditBy(reconcile, snapshot, { ...options, decisions });
  const books = { snapshot, completeUntil, closed, chain, audit, rows: () => rowsOfSnapshot(snapshot) };
  return closable({ ...books, close: () => filed.close() });
}
