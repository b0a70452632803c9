// What a configuration may hold. Refuses the rest, as a whole: every mistake is named in one sentence, by its key.

import { z } from 'zod';
import { type Merchant, merchant, pins, zone } from './check-merchant.ts';
import { ConfigurationInvalid } from './configuration-invalid.ts';
import { DEFAULTS } from './defaults.ts';
import { journalSettings } from './journal-settings.ts';
import { type MerchantList, merchantList } from './merchant-list.ts';
import { didYouMean } from './near-name.ts';
import { issuerSettings } from './party-settings.ts';
import { reportSettings, requireLongSecret, serverSettings } from './report-settings.ts';
import {
  alertSettings,
  deliverySettings,
  mailSettings,
  telemetrySettings,
  workerSettings,
} from './service-settings.ts';
import { dashboardSettings, httpSettings, postgresSettings, summaryKeys } from './source-settings.ts';

export const configurationSchema = z.strictObject({
  /** A PostgreSQL to keep the mirror in; without it the embedded one is used. */
  databaseUrl: z.string().optional(),
  dataDirectory: z.string().min(1).default(DEFAULTS.dataDirectory),
  /** `file:DIR`, `http://…/v1`, `https://…/v1` or `postgres://…`. */
  source: z.string().optional(),
  graceMinutes: z.number().min(0).max(1_440).default(DEFAULTS.graceMinutes),
  clockToleranceMinutes: z.number().min(0).max(1_440).default(DEFAULTS.clockToleranceMinutes),
  assumptions: pins.default(DEFAULTS.assumptions),
  /** By reference; `from`: a list of more of them. */
  merchants: z
    .object({ from: merchantList.optional() })
    .catchall(merchant)
    .refine((given) => !Object.hasOwn(given, ''), { message: 'a reference must not be empty' })
    .default(DEFAULTS.merchants),
  /** The zone in which months begin and days are counted. */
  zone: zone.default(DEFAULTS.zone),
  journal: journalSettings.default(DEFAULTS.journal),
  /** Whose statements they are: the first that fits a merchant's country and service. */
  issuers: z.array(issuerSettings).default(DEFAULTS.issuers),
  http: httpSettings.default(DEFAULTS.http),
  dashboard: dashboardSettings.optional(),
  summaryKeys: summaryKeys.default(DEFAULTS.summaryKeys),
  postgres: postgresSettings.default(DEFAULTS.postgres),
  reports: reportSettings.prefault({}),
  server: serverSettings.prefault({}),
  worker: workerSettings.prefault({}),
  mail: mailSettings.optional(),
  deliveries: deliverySettings.prefault({}),
  alerts: alertSettings.prefault({}),
  telemetry: telemetrySettings.prefault({}),
});

export type Configuration = Omit<z.infer<typeof configurationSchema>, 'merchants'> & {
  readonly merchants: Readonly<Record<string, Merchant>>;
  /** Absent: the merchants are all there are. */
  readonly merchantsFrom?: MerchantList | undefined;
};

const MOST_SAID = 5;

/** `file` is named in the sentence of a mistake. Throws `ConfigurationInvalid`. */
export function checkConfiguration(stated: unknown, file: string): Configuration {
  const parsed = configurationSchema.safeParse(stated);
  if (!parsed.success) throw new ConfigurationInvalid(describeIssues(parsed.error, file));
  const problem = requireLongSecret(parsed.data.server);
  if (problem !== null) throw new ConfigurationInvalid(problem);
  const { from: merchantsFrom, ...merchants } = parsed.data.merchants;
  return { ...parsed.data, merchants: merchants as Configuration['merchants'], merchantsFrom };
}

function describeIssues(error: z.ZodError, file: string): string {
  const { issues } = error;
  const sentences = issues
    .slice(0, MOST_SAID)
    .map((issue) => `${issue.path.join('.') || 'the whole'}: ${saidOf(issue)}`);
  const more = issues.length > MOST_SAID ? `; and ${issues.length - MOST_SAID} more` : '';
  const mistakes = issues.length === 1 ? '1 mistake' : `${issues.length} mistakes`;
  return `The configuration (${file}, environment and flags) has ${mistakes}: ${sentences.join('; ')}${more}. See docs/CONFIGURATION.md for every key.`;
}

function saidOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return issue.message;
  const known = keysAt(configurationSchema, issue.path);
  return issue.keys.map((key) => `Unrecognized key: ${JSON.stringify(key)}${didYouMean(key, known)}`).join(', ');
}

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

/** The keys that may stand at a path. */
function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  const below = (
    { properties, additionalProperties, items, anyOf }: JsonSchema,
    key: string,
  ): readonly JsonSchema[] => [
    ...[properties?.[key] ?? (typeof additionalProperties === 'object' ? additionalProperties : items)].filter(
      (one) => one !== undefined,
    ),
    ...(anyOf ?? []).flatMap((one) => below(one, key)),
  ];
  const whole = [z.toJSONSchema(schema, { io: 'input' }) as JsonSchema];
  const there = path.reduce<readonly JsonSchema[]>(
    (schemas, key) => schemas.flatMap((one) => below(one, String(key))),
    whole,
  );
  return there.flatMap(({ properties, anyOf = [] }) =>
    [properties, ...anyOf.map((one) => one.properties)].flatMap((one) => Object.keys(one ?? {})),
  );
}
