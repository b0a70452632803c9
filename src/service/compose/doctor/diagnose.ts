// Examines everything that a night depends on. Each row says what is examined, how, and what to do
// when it fails. All rows are examined at once, each within a bounded time. Nothing is sent, and
// nothing is changed, except that the delivery folder is made.

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY, formatInstant, type Instant } from '../../../core/domain/instant.ts';
import { sayFault } from '../../../core/domain/measures.ts';
import { boundsOf, parsePeriod, periodAfter } from '../../../core/domain/period.ts';
import { commandLine } from '../../../core/domain/printable.ts';
import type { ServiceReport } from '../../../core/domain/service-report.ts';
import { summaryKeysOf } from '../../../core/domain/summary-keys.ts';
import { openZone } from '../../../core/domain/zone.ts';
import { newestReady } from '../../../core/kernel/checks/reports/choose-reports.ts';
import { unmappedIn } from '../../../core/kernel/checks/reports/read-summary.ts';
import { findInsideAddress } from '../../../io/deliveries/public-address.ts';
import { examineLog, RESTORE } from '../../../io/storage/evidence/log.ts';
import { listNewestIssued } from '../../../io/storage/issued/month-readiness.ts';
import { loadOldestComparison } from '../../../io/storage/mirror/stored-chain.ts';
import { hasCluster } from '../../../io/storage/server/embedded-cluster.ts';
import { examineRoles } from '../../../io/storage/server/grant-roles.ts';
import { makeFolder } from '../../../io/storage/server/make-folder.ts';
import { describeMigrations } from '../../../io/storage/server/migrate.ts';
import { askDatabase, openStore } from '../../../io/storage/server/open-store.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import type { Clock } from '../../clock.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import { journalInCommon, toleranceOf, zoneFor } from '../../config/for-merchant.ts';
import { loadTemplate } from '../../templates/load-template.ts';
import type { EvidenceTask } from '../../workflows/evidence/record-evidence.ts';
import { CHAIN_DAYS } from '../../workflows/mirror/watch-chain.ts';
import { openIssued } from '../../workflows/month/issued-months.ts';
import { requireCanary } from '../canary.ts';
import { evidenceOf } from '../evidence.ts';
import { openConfiguredDashboard, type Runtime } from '../open-configured.ts';
import { findMailProblem } from '../outbox.ts';
import {
  broken,
  type Diagnosis,
  type Examination,
  examineAll,
  good,
  idle,
  judgeSkew,
  reasonOf,
  row,
  type Seen,
  warning,
} from './examination.ts';
import { examineSeals } from './examine-seals.ts';
import { examineDeliveries, examineIdentities, examineSource } from './examine-source.ts';

export interface DoctorTask {
  readonly configuration: Configuration;
  readonly runtime: Runtime;
  readonly conceal: (text: string) => string;
  /** Milliseconds that each examination may take. */
  readonly patience: number;
  /**
   * `true` tries the credentials of every merchant, however long that takes; otherwise those of at
   * most `MOST_ASKED`.
   */
  readonly all?: boolean;
}

/** Without `all`, the credentials of at most so many merchants are tried. */
const MOST_ASKED = 20;

/**
 * Returns the diagnoses in the order in which a person would look. Never fails: an examination that
 * throws or is late is a diagnosis `broken`.
 */
export async function diagnose(task: DoctorTask): Promise<readonly Diagnosis[]> {
  const { configuration, runtime, conceal, patience, all = false } = task;
  const { databaseUrl, dataDirectory } = configuration;
  const stop = new AbortController();
  const merchants = Object.keys(configuration.merchants).length;
  const most = all ? Math.max(merchants, MOST_ASKED) : MOST_ASKED;
  const asking = { runtime, stop: stop.signal, most, turns: Math.ceil(most / MOST_ASKED) };
  const isMade = databaseUrl !== undefined || hasCluster(dataDirectory);
  const store = isMade ? openStore({ databaseUrl: databaseUrl ?? null, dataDirectory }) : null;
  // Closes the store if it could be opened. The wait for it below is bounded, because an embedded
  // server may be late.
  const closed = store?.then(
    (opened) => () => opened.close(),
    () => async () => {},
  );
  const diagnoses = await examineAll(
    [
      ...examineStore(configuration, { store, clock: runtime.clock }),
      ...examineSource(configuration, asking),
      examineDeliveries(configuration, asking),
      examineDashboard(configuration, runtime),
      examineIdentities(configuration, asking),
      examineJournals(configuration),
      examineSeals(configuration, runtime.clock()),
      ...examineWaysOut(configuration, patience),
      ...examineMachine(configuration),
    ],
    { patience, conceal },
  );
  stop.abort();
  await Promise.race([
    closed?.then((close) => close()),
    sleep(patience, undefined, { ref: false }),
  ]);
  return diagnoses;
}

/**
 * Returns a note with the keys of the newest report's summary that `summaryKeys` does not map, so
 * that they can be mapped before a report is compared. Empty if all are mapped.
 */
function unmappedNote(reports: readonly ServiceReport[], { summaryKeys }: Configuration): string {
  const summary = newestReady(reports)?.summary;
  const unmapped = [...unmappedIn(summary ?? {}, summaryKeysOf(summaryKeys))].slice(0, 20);
  if (unmapped.length === 0) return '';
  return `; of its newest report, summaryKeys does not map ${unmapped.map((name) => name.slice(0, 80)).join(', ')}`;
}

function examineDashboard(configuration: Configuration, runtime: Runtime): Examination {
  const todo = 'see that dashboard.baseUrl is right, and numero and password of the merchant';
  return row('dashboard', todo, async () => {
    if (configuration.dashboard === undefined) return idle('not configured');
    const once = {
      ...configuration.dashboard,
      retries: { ...configuration.dashboard.retries, attempts: 1 },
    };
    await using opened = await openConfiguredDashboard(
      { ...configuration, dashboard: once },
      undefined,
      runtime,
    );
    const { dashboard } = opened!;
    const [merchant] = await dashboard.merchants();
    if (merchant === undefined) return idle('no merchant has a numero and a password for it');
    const snapshot = await dashboard.open(merchant);
    const { rows } = await snapshot.reports();
    return good(`${dashboard.name} answers ${merchant}${unmappedNote(rows, configuration)}`);
  });
}

/**
 * Returns the examinations of the database. `store` is opened once for all of them, and rejects in
 * each when the database cannot be reached. It is `null` when no database was made yet.
 */
function examineStore(
  configuration: Configuration,
  { store, clock }: { readonly store: Promise<Store> | null; readonly clock: Clock },
): readonly Examination[] {
  const { databaseUrl, dataDirectory } = configuration;
  if (store === null) {
    const says = `none yet: the first run makes an embedded PostgreSQL in ${dataDirectory}`;
    return [row('database', '', () => idle(says))];
  }
  const todo =
    databaseUrl === undefined
      ? `see that ${dataDirectory} can be written, or give databaseUrl`
      : 'see that the server runs, and that databaseUrl names it, its user and its password rightly';
  const { clockTolerance: tolerance } = toleranceOf(configuration);
  const withStore = (examine: (store: Store) => Promise<Seen>) => async () => {
    const opened = await store.catch(() => null);
    return opened === null ? idle('not known without the database') : examine(opened);
  };
  return [
    row('database', todo, async () => {
      const opened = await store;
      const { version } = await askDatabase(opened);
      return good(`${opened.description}, PostgreSQL ${version}`);
    }),
    row('schema', todo, withStore(examineSchema)),
    row('queue', todo, withStore(examineQueue)),
    row(
      'issued months',
      todo,
      withStore((opened) => examineMonths(opened, configuration)),
    ),
    row('roles', todo, withStore(examineRights)),
    row(
      'hash chain',
      todo,
      withStore((opened) => examineChain(opened, clock())),
    ),
    row(
      'evidence log',
      todo,
      withStore(async (opened) =>
        examineEvidence(opened, evidenceOf(configuration, opened, { clock, log: () => {} })),
      ),
    ),
    row(
      'clock of the database',
      todo,
      withStore(async (opened) => {
        const before = clock();
        const { now } = await askDatabase(opened);
        return judgeSkew('it', { skew: now - (before + clock()) / 2, tolerance });
      }),
    ),
  ];
}

async function examineSchema(store: Store): Promise<Seen> {
  const { pending, unknown, isTooOld } = await describeMigrations(store);
  if (isTooOld)
    return broken(
      'made by a development version before the release of 0.1.0',
      'use an empty database or another data directory',
    );
  if (unknown.length > 0) {
    return broken(
      `made by a newer pointage (${unknown.join(', ')})`,
      'run that version, or restore a backup of before',
    );
  }
  if (pending.length === 0) return good('up to date');
  return warning(
    `${pending.length} migration(s) to come: ${pending.join(', ')}`,
    'npx pointage migrate',
  );
}

const ROLES_TODO =
  'npx pointage migrate --roles, and a login for each process (OPERATIONS, Roles of the database)';

async function examineRights(store: Store): Promise<Seen> {
  if ((await describeMigrations(store)).pending.length > 0)
    return idle('not known before the migrations');
  const { areMade, isOwner, excess } = await examineRoles(store);
  if (!areMade) return idle('not made: every process works as the owner of the tables');
  if (excess.length > 0) return broken(excess.join(', '), ROLES_TODO);
  if (isOwner)
    return warning(
      'worker and server have the least rights, but this login is the owner of the tables',
      ROLES_TODO,
    );
  return good('worker and server have the least rights');
}

async function examineChain(store: Store, now: Instant): Promise<Seen> {
  if ((await describeMigrations(store)).pending.length > 0)
    return idle('not known before the migrations');
  const oldest = await loadOldestComparison(store);
  if (oldest === null) return idle('nothing is stored yet');
  const { merchant, at, isTampered } = oldest;
  if (isTampered)
    return broken(
      `rows of ${merchant} were changed in the store`,
      `npx ${commandLine('audit', merchant)}`,
    );
  const days = at === null ? null : Math.max(0, Math.floor((now - at) / DAY));
  const says =
    days === null
      ? `${merchant} was not compared yet`
      : `every merchant was compared within ${days + 1} day(s)`;
  if (days !== null && days <= CHAIN_DAYS) return good(says);
  return warning(
    `${says}, ${merchant} last of all`,
    `see why no night reads ${merchant}; npx ${commandLine('audit', merchant)} compares it now`,
  );
}

async function examineEvidence(
  store: Store,
  { lastSigned }: Pick<EvidenceTask, 'lastSigned'>,
): Promise<Seen> {
  if ((await describeMigrations(store)).pending.length > 0)
    return idle('not known before the migrations');
  const state = await examineLog(store.pool, await lastSigned?.load());
  if (state === null) return idle('nothing is signed yet');
  if (state === 'continued') return good('it goes on from what was signed');
  return broken(`${sayFault(state)}: nothing is signed any more`, RESTORE);
}

/** Examines whether each merchant's next month begins where its newest issued month ended. */
async function examineMonths(store: Store, configuration: Configuration): Promise<Seen> {
  if ((await describeMigrations(store)).pending.length > 0)
    return idle('not known before the migrations');
  const newest = await listNewestIssued(store);
  if (newest.length === 0) return idle('none yet');
  for (const { period, end, ...merchant } of newest) {
    const zone = zoneFor(configuration, merchant);
    const { start } = boundsOf(periodAfter(parsePeriod(period)!), zone);
    if (start === end) continue;
    const issued = (await openIssued(store, { merchant: merchant.reference, period }))?.statement
      ?.period;
    // A month whose bounds the payment service published is followed by bounds of the service, so
    // that only bounds from the configuration can leave a gap.
    if (issued?.boundsFrom !== 'configuration') continue;
    const says = `${period} of ${merchant.reference} was issued to ${formatInstant(end)} (${issued.zone}), and the next would begin at ${formatInstant(start)} (${zone.name}): it is not stated`;
    return broken(says, `set merchants.${merchant.reference}.zone to '${issued.zone}'`);
  }
  return good(`the next month of ${newest.length} merchant(s) begins where the last ended`);
}

async function examineQueue(store: Store): Promise<Seen> {
  const { queueVersion } = await askDatabase(store);
  if (queueVersion === null) return idle('not there yet: the first worker makes it');
  return good(`there, schema ${queueVersion}`);
}

function examineJournals(configuration: Configuration): Examination {
  const common = journalInCommon(configuration);
  return row('journals', '', () =>
    common === null ? good('no two of one company have one code') : warning(...common),
  );
}

function examineWaysOut(configuration: Configuration, patience: number): readonly Examination[] {
  const { mail, alerts, deliveries } = configuration;
  return [
    row('mail server', MAIL_TODO, async () => {
      if (mail === undefined) return idle('not configured: no statement and no alert goes by mail');
      const problem = await findMailProblem({
        ...configuration,
        mail: { ...mail, deadline: patience },
      });
      const { host, username } = new URL(mail.url);
      if (problem !== null) return broken(problem, MAIL_TODO);
      return good(`${host}: ${username === '' ? 'connected' : 'connected and logged in'}`);
    }),
    row('webhooks', 'see that alerts.webhooks name hosts that there are', () =>
      examineWebhooks(alerts),
    ),
    row(
      'delivery folder',
      `make ${deliveries.folder} writable for the user that the worker runs as`,
      async () => {
        if (deliveries.folder === undefined) return idle('not configured');
        await tryWriting(deliveries.folder);
        return good(`${deliveries.folder} can be written`);
      },
    ),
  ];
}

const MAIL_TODO =
  'see that mail.url names its host, its port and its login rightly, and that this machine may reach it';

async function examineWebhooks({ webhooks, allowPrivate }: Configuration['alerts']): Promise<Seen> {
  if (webhooks.length === 0) return idle('not configured');
  for (const { url } of webhooks) {
    const { host } = new URL(url);
    let inside: string | null;
    try {
      inside = await findInsideAddress(url);
    } catch (failure) {
      return broken(`${host}: ${reasonOf(failure)}`, `see that ${host} is the right name`);
    }
    if (inside !== null && !allowPrivate) {
      const says = `${host} is ${inside}, which is no public address: nothing is sent there`;
      return broken(says, `give ${host} another address`);
    }
  }
  return good(`${webhooks.length} target(s) have an address`);
}

/** Writes a file to `folder` and removes it again. Makes the folder if it is missing. */
async function tryWriting(folder: string): Promise<void> {
  makeFolder(folder);
  const file = join(folder, `.pointage-${randomUUID()}`);
  try {
    await writeFile(file, '');
  } finally {
    await rm(file, { force: true });
  }
}

const GIBIBYTE = 2 ** 30;
/** Below this the embedded database is one month-end away from standing still. */
const LITTLE_ROOM = 2 * GIBIBYTE;
const NO_ROOM = GIBIBYTE / 4;

function examineMachine(configuration: Configuration): readonly Examination[] {
  const { databaseUrl, dataDirectory, reports, server } = configuration;
  return [
    row('disk', `see that ${dataDirectory} can be reached`, () =>
      databaseUrl === undefined
        ? examineRoom(dataDirectory)
        : idle('the database has its own: see to its room there'),
    ),
    row('engine', 'install the version that ran before', () => {
      requireCanary(configuration);
      return good('finds just what is wrong with broken books of its own');
    }),
    row('time zones', ZONES_TODO, examineZones),
    row('template', 'correct the file that is named, or leave reports.template out', () => {
      loadTemplate(reports.template);
      return good(reports.template ?? 'that of pointage');
    }),
    ...(isLoopback(server.host) ? [] : [proxiesOf(server)]),
  ];
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.');

/**
 * Examines the proxies of a server that other machines reach. Such a server is behind a proxy that
 * speaks TLS, and unless `trustedProxies` names that proxy, all callers count as one address.
 */
function proxiesOf({ host, trustedProxies }: Configuration['server']): Examination {
  const todo = 'give server.trustedProxies the address of the proxy in front';
  const says = `server.host is ${host}, and no proxy is trusted: behind one, all callers count as one address`;
  const seen = trustedProxies.length === 0 ? warning(says, todo) : good(trustedProxies.join(', '));
  return row('proxies', todo, () => seen);
}

async function examineRoom(folder: string): Promise<Seen> {
  const { bavail, bsize } = await statfs(nearestThere(resolve(folder)));
  const free = bavail * bsize;
  const says = `${(free / GIBIBYTE).toFixed(1)} GiB free for ${folder}`;
  const todo = 'make room, or move dataDirectory';
  if (free < NO_ROOM) return broken(says, todo);
  return free < LITTLE_ROOM ? warning(says, todo) : good(says);
}

/** Returns `folder`, or the nearest folder above it that exists. */
function nearestThere(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestThere(dirname(folder));
}

const ZONES_TODO = 'use a Node.js with full ICU, as its own packages are';

/**
 * Examines whether Node.js knows time zones. A build without full ICU takes every zone for UTC, or
 * knows none.
 */
function examineZones(): Seen {
  const january = Date.UTC(2026, 0, 1);
  const hours = openZone('Africa/Douala')?.offsetAt(january);
  if (hours === 3_600_000) return good('known');
  return broken('Africa/Douala is not an hour ahead of UTC here', ZONES_TODO);
}
