// Configuration: a file, then the environment, then flags, validated as a whole. Every mistake is one sentence that names
// the key; secrets may be given as `env:NAME` and are never printed.

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { reportSettings, requireLongSecret, serverSettings } from './config/report-settings.ts';
import {
  accountant,
  alertSettings,
  deliverySettings,
  mailSettings,
  signingSecrets,
  telemetrySettings,
  workerSettings,
} from './config/service-settings.ts';
import { dashboardSettings, httpSettings, postgresSettings } from './config/source-settings.ts';
import { QUESTIONS, READINGS, type Standing, setOf } from './domain/assumptions.ts';
import { MINUTE } from './domain/instant.ts';
import { openZone, type Zone, zoneNameOf, zoneNamesOfCountries } from './domain/zone.ts';
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
  /** Where this merchant's books are, when they are not at `source`. */
  source: z.string().min(1).optional(),
  /** To whom its statements are sent. */
  accountants: z.array(accountant).default([]),
  /** What the service signs its notifications with. */
  notifications: signingSecrets.optional(),
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
  http: httpSettings.default({}),
  dashboard: dashboardSettings.optional(),
  postgres: postgresSettings.default({}),
  reports: reportSettings.prefault({}),
  server: serverSettings.prefault({}),
  worker: workerSettings.prefault({}),
  mail: mailSettings.optional(),
  deliveries: deliverySettings.prefault({}),
  alerts: alertSettings.prefault({}),
  telemetry: telemetrySettings.prefault({}),
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
  const parsed = schema.safeParse(withSecrets(merged, environment));
  if (!parsed.success) throw new ConfigurationInvalid(describeIssues(parsed.error, file ?? DEFAULT_FILE));
  const problem = requireLongSecret(parsed.data.server);
  if (problem !== null) throw new ConfigurationInvalid(problem);
  return parsed.data;
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

/** Every text that is `env:NAME` replaced by what that variable holds: secrets need not stand in a file. */
function withSecrets(
  value: unknown,
  environment: Readonly<Record<string, string | undefined>>,
  path: readonly string[] = [],
): unknown {
  if (typeof value === 'string' && value.startsWith('env:')) {
    const name = value.slice(4);
    const found = environment[name];
    if (found !== undefined && found !== '') return found;
    throw new ConfigurationInvalid(`${path.join('.')} refers to the environment variable ${name}, which is not set.`);
  }
  if (Array.isArray(value)) return value.map((one, i) => withSecrets(one, environment, [...path, String(i)]));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, withSecrets(one, environment, [...path, key])]),
  );
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

/** Every zone in which some merchant's months may begin, sorted. */
export function zonesOfMonths({ zone, merchants }: Configuration): readonly string[] {
  const named = [zone, ...Object.values(merchants).flatMap((one) => one.zone ?? [])];
  const zones = named.flatMap((name) => (name === 'local' ? zoneNamesOfCountries() : [name]));
  return [...new Set(zones)].sort();
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
