// Configuration: a file, then the environment, then flags, validated as a whole. Every mistake is one sentence that names
// the key; secrets may be given as `env:NAME` and are never printed.

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { reportSettings, serverSettings, withServerSecrets } from './config/report-settings.ts';
import { QUESTIONS, READINGS, type Standing, setOf } from './domain/assumptions.ts';
import { MINUTE } from './domain/instant.ts';
import { openZone, type Zone, zoneNameOf } from './domain/zone.ts';
import { ACCOUNT_ROLES, type AccountRole, DEFAULT_JOURNAL, type JournalSettings } from './statements/journal.ts';

/** Wrong configuration or usage: the command fails with this sentence and status 3. */
export class ConfigurationInvalid extends Error {
  override readonly name = 'ConfigurationInvalid';
}

const pins = z.strictObject(
  Object.fromEntries(QUESTIONS.map((question) => [question, z.enum(READINGS[question]).optional()])) as unknown as {
    [Q in keyof typeof READINGS]: z.ZodOptional<z.ZodEnum<{ [R in (typeof READINGS)[Q][number]]: R }>>;
  },
);

const zone = z.string().refine((name) => name === 'local' || openZone(name) !== null, {
  message: "must be the name of a zone, like Africa/Douala, or 'local' for that of the merchant's country",
});

const account = z.strictObject({ number: z.string().min(1), label: z.string().min(1) });

/** The double-entry journal: what an accountant may want otherwise. */
const journal = z.strictObject({
  code: z.string().min(1).max(10).optional(),
  label: z.string().min(1).optional(),
  accounts: z
    .strictObject(
      Object.fromEntries(ACCOUNT_ROLES.map((role) => [role, account.optional()])) as Record<
        AccountRole,
        z.ZodOptional<typeof account>
      >,
    )
    .optional(),
  /** Tax contained in commissions, in basis points of the commission without tax. */
  feeTaxBps: z.int().min(0).max(10_000).optional(),
});

const merchant = z.strictObject({
  apiKey: z.string().min(1).optional(),
  apiSecret: z.string().min(1).optional(),
  /** What logs the merchant in to its dashboard. */
  dashboard: z.strictObject({ numero: z.string().min(1), password: z.string().min(1) }).optional(),
  /** Declared figures before the first line, in whole units. */
  opening: z.strictObject({ balance: z.int(), reserved: z.int().default(0) }).optional(),
  assumptions: pins.optional(),
  zone: zone.optional(),
  journal: journal.optional(),
});

/** How long to wait for a service, how often to ask it again, and how much to read. */
const patience = {
  /** Milliseconds for one attempt. */
  deadline: z.int().min(100).optional(),
  retries: z
    .strictObject({
      attempts: z.int().min(1).max(20).optional(),
      firstDelay: z.int().min(0).optional(),
      longestDelay: z.int().min(0).optional(),
      longestRetryAfter: z.int().min(0).optional(),
    })
    .optional(),
  maxResponseBytes: z.int().min(1_024).optional(),
};

/** The direct API: what its document does not show. */
const http = z.strictObject({
  paths: z
    .strictObject({
      profile: z.string().startsWith('/').optional(),
      wallet: z.string().startsWith('/').optional(),
      ledger: z.string().startsWith('/').optional(),
      operations: z.string().startsWith('/').optional(),
      operation: z.string().startsWith('/').includes('{reference}').optional(),
    })
    .optional(),
  envelope: z.string().min(1).optional(),
  pageSize: z.int().min(2).max(200).optional(),
  ledgerOrder: z.enum(['auto', 'ascending', 'descending']).optional(),
  operationsOrder: z.enum(['auto', 'ascending', 'descending']).optional(),
  ...patience,
});

/** The dashboard API: where it is, and what its document does not show. */
const dashboard = z.strictObject({
  baseUrl: z.string().min(1),
  parameters: z
    .strictObject({
      merchant: z.string().min(1).optional(),
      from: z.string().min(1).optional(),
      until: z.string().min(1).optional(),
    })
    .optional(),
  /** How many of the newest months' reports are compared. */
  months: z.int().min(1).max(240).default(3),
  ...patience,
});

const part = z.strictObject({
  from: z.union([z.strictObject({ relation: z.string().min(1) }), z.strictObject({ select: z.string().min(1) })]),
  merchantColumn: z.string().min(1),
  columns: z.record(z.string(), z.string().nullable()).default({}),
});

/** The operator's own tables: where they differ from the usual form. */
const postgres = z.strictObject({
  merchants: part.nullable().optional(),
  wallets: part.nullable().optional(),
  entries: part.optional(),
  operations: part.optional(),
  timeZone: z.string().nullable().optional(),
  connectTimeout: z.int().min(100).optional(),
});

const schema = z.strictObject({
  /** A PostgreSQL to keep the mirror in; without it the embedded one is used. */
  databaseUrl: z.string().optional(),
  dataDirectory: z.string().min(1).default('.pointage'),
  /** `file:DIR`, `http://…/v1`, `https://…/v1` or `postgres://…`. */
  source: z.string().optional(),
  graceMinutes: z.number().min(0).max(1_440).default(10),
  clockToleranceMinutes: z.number().min(0).max(1_440).default(5),
  assumptions: pins.default({}),
  merchants: z.record(z.string().min(1), merchant).default({}),
  /** The zone in which months begin and days are counted. */
  zone: zone.default('UTC'),
  journal: journal.default({}),
  http: http.default({}),
  dashboard: dashboard.optional(),
  postgres: postgres.default({}),
  reports: reportSettings.prefault({}),
  server: serverSettings.prefault({}),
});

export type Configuration = z.infer<typeof schema>;

const DEFAULT_FILE = 'pointage.config.json';

/** Flags given on the command line, by configuration key; undefined when not given. */
export type Flags = Partial<Record<'config' | 'databaseUrl' | 'dataDirectory' | 'source', string | undefined>>;

export function loadConfiguration(
  flags: Flags,
  environment: Readonly<Record<string, string | undefined>>,
): Configuration {
  // A variable that is set to nothing is not set.
  const file = flags.config ?? (environment.POINTAGE_CONFIG || null);
  const fromFile = readConfigurationFile(file);
  const fromEnvironment = {
    databaseUrl: environment.POINTAGE_DATABASE_URL || environment.DATABASE_URL,
    dataDirectory: environment.POINTAGE_DATA_DIRECTORY,
    source: environment.POINTAGE_SOURCE,
    graceMinutes: numberFrom('POINTAGE_GRACE_MINUTES', environment.POINTAGE_GRACE_MINUTES),
  };
  const { config: _, ...fromFlags } = flags;
  const merged = { ...fromFile, ...given(fromEnvironment), ...given(fromFlags) };
  const parsed = schema.safeParse(merged);
  if (!parsed.success) throw new ConfigurationInvalid(describeIssues(parsed.error, file ?? DEFAULT_FILE));
  return withSecrets(parsed.data, environment);
}

function readConfigurationFile(file: string | null): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(file ?? DEFAULT_FILE, 'utf8');
  } catch (cause) {
    if (file === null) return {};
    const why = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
    throw new ConfigurationInvalid(
      `The configuration file ${file} cannot be read (${why}): give another with --config.`,
    );
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (cause) {
    // The parser's own words may quote what stands there, which may be a secret: only the place is repeated.
    const place = /line \d+ column \d+/.exec((cause as Error).message)?.[0];
    const at = place === undefined ? '' : ` at ${place}`;
    throw new ConfigurationInvalid(
      `The configuration file ${file ?? DEFAULT_FILE} is not JSON${at}: check its commas, quotes and brackets.`,
    );
  }
  throw new ConfigurationInvalid(`The configuration file ${file ?? DEFAULT_FILE} must hold one JSON object.`);
}

function given(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ''));
}

function numberFrom(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (Number.isNaN(value)) throw new ConfigurationInvalid(`${name} must be a number, not '${text}'.`);
  return value;
}

function describeIssues(error: z.ZodError, file: string): string {
  const sentences = error.issues.slice(0, 5).map((issue) => `${issue.path.join('.') || 'the whole'}: ${issue.message}`);
  return `The configuration (${file}, environment and flags) has ${error.issues.length} mistake(s): ${sentences.join('; ')}. See docs/CONFIGURATION.md for every key.`;
}

function withSecrets(
  configuration: Configuration,
  environment: Readonly<Record<string, string | undefined>>,
): Configuration {
  const resolve = (key: string, value: string | undefined): string | undefined => {
    if (value === undefined || !value.startsWith('env:')) return value;
    const found = environment[value.slice(4)];
    if (found === undefined || found === '') {
      throw new ConfigurationInvalid(`${key} refers to the environment variable ${value.slice(4)}, which is not set.`);
    }
    return found;
  };
  const merchants = Object.entries(configuration.merchants).map(([reference, one]) => [
    reference,
    {
      ...one,
      apiKey: resolve(`merchants.${reference}.apiKey`, one.apiKey),
      apiSecret: resolve(`merchants.${reference}.apiSecret`, one.apiSecret),
      dashboard: one.dashboard && {
        numero: resolve(`merchants.${reference}.dashboard.numero`, one.dashboard.numero),
        password: resolve(`merchants.${reference}.dashboard.password`, one.dashboard.password),
      },
    },
  ]);
  const databaseUrl = resolve('databaseUrl', configuration.databaseUrl);
  const source = resolve('source', configuration.source);
  const baseUrl = resolve('dashboard.baseUrl', configuration.dashboard?.baseUrl);
  const dashboard =
    configuration.dashboard === undefined || baseUrl === undefined
      ? undefined
      : { ...configuration.dashboard, baseUrl };
  const server = withServerSecrets(configuration.server, resolve, (sentence) => {
    throw new ConfigurationInvalid(sentence);
  });
  return { ...configuration, databaseUrl, source, dashboard, server, merchants: Object.fromEntries(merchants) };
}

/** The readings pinned for a merchant: its own, else those for all. */
export function pinnedFor(configuration: Configuration, reference: string): Partial<Standing> {
  const named = { ...configuration.assumptions, ...configuration.merchants[reference]?.assumptions };
  const sets = QUESTIONS.flatMap((question) => {
    const reading = named[question];
    return reading === undefined ? [] : [[question, setOf(question, reading)] as const];
  });
  return Object.fromEntries(sets);
}

/** The zone of a merchant's months: its own, else the one for all; `local` is that of its country. */
export function zoneFor(
  configuration: Configuration,
  merchant: { readonly reference: string; readonly country: string | null },
): Zone {
  const named = configuration.merchants[merchant.reference]?.zone ?? configuration.zone;
  return openZone(named === 'local' ? zoneNameOf(merchant.country) : named)!;
}

/** The journal of a merchant: its own settings over those for all, over the defaults. */
export function journalFor(configuration: Configuration, reference: string): JournalSettings {
  const layers = [configuration.journal, configuration.merchants[reference]?.journal ?? {}];
  const given = (role: AccountRole) =>
    layers.map((layer) => layer.accounts?.[role]).findLast((one) => one !== undefined);
  const accounts = ACCOUNT_ROLES.map((role) => [role, given(role) ?? DEFAULT_JOURNAL.accounts[role]] as const);
  const last = <Key extends 'code' | 'label' | 'feeTaxBps'>(key: Key): JournalSettings[Key] =>
    (layers.map((layer) => layer[key]).findLast((one) => one !== undefined) ??
      DEFAULT_JOURNAL[key]) as JournalSettings[Key];
  return {
    code: last('code'),
    label: last('label'),
    accounts: Object.fromEntries(accounts) as JournalSettings['accounts'],
    feeTaxBps: last('feeTaxBps'),
  };
}

export function toleranceOf(configuration: Configuration): { readonly grace: number; readonly clockTolerance: number } {
  return {
    grace: configuration.graceMinutes * MINUTE,
    clockTolerance: configuration.clockToleranceMinutes * MINUTE,
  };
}
