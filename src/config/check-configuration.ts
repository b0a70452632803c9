// What a configuration may hold. Refuses the rest, as a whole: every mistake is named in one sentence, by its key.

import { z } from 'zod';
import { INTERPRETATIONS, QUESTIONS } from '../domain/assumptions.ts';
import { openZone } from '../domain/zone.ts';
import { ConfigurationInvalid } from './configuration-invalid.ts';
import { DEFAULTS } from './defaults.ts';
import { journalSettings } from './journal-settings.ts';
import { holderSettings, issuerSettings } from './party-settings.ts';
import { reportSettings, requireLongSecret, serverSettings } from './report-settings.ts';
import {
  accountant,
  alertSettings,
  deliverySettings,
  mailSettings,
  signingSecrets,
  telemetrySettings,
  workerSettings,
} from './service-settings.ts';
import { dashboardSettings, httpSettings, postgresSettings, summaryKeys } from './source-settings.ts';

const pins = z.strictObject(
  Object.fromEntries(
    QUESTIONS.map((question) => [question, z.enum(INTERPRETATIONS[question]).optional()]),
  ) as unknown as {
    [Q in keyof typeof INTERPRETATIONS]: z.ZodOptional<z.ZodEnum<{ [R in (typeof INTERPRETATIONS)[Q][number]]: R }>>;
  },
);

const zone = z.string().refine((name) => name === 'local' || openZone(name) !== null, {
  message: "must be the name of a zone, like Africa/Douala, or 'local' for that of the merchant's country",
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
  journal: journalSettings.optional(),
  /** What stands on its documents beside its name. */
  holder: holderSettings.optional(),
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
  dataDirectory: z.string().min(1).default(DEFAULTS.dataDirectory),
  /** `file:DIR`, `http://…/v1`, `https://…/v1` or `postgres://…`. */
  source: z.string().optional(),
  graceMinutes: z.number().min(0).max(1_440).default(DEFAULTS.graceMinutes),
  clockToleranceMinutes: z.number().min(0).max(1_440).default(DEFAULTS.clockToleranceMinutes),
  assumptions: pins.default(DEFAULTS.assumptions),
  merchants: z.record(z.string().min(1), merchant).default(DEFAULTS.merchants),
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

export type Configuration = z.infer<typeof schema>;

/** `file` is named in the sentence of a mistake. Throws `ConfigurationInvalid`. */
export function checkConfiguration(stated: unknown, file: string): Configuration {
  const parsed = schema.safeParse(stated);
  if (!parsed.success) throw new ConfigurationInvalid(describeIssues(parsed.error, file));
  const problem = requireLongSecret(parsed.data.server);
  if (problem !== null) throw new ConfigurationInvalid(problem);
  return parsed.data;
}

function describeIssues(error: z.ZodError, file: string): string {
  const sentences = error.issues.slice(0, 5).map((issue) => `${issue.path.join('.') || 'the whole'}: ${issue.message}`);
  return `The configuration (${file}, environment and flags) has ${error.issues.length} mistake(s): ${sentences.join('; ')}. See docs/CONFIGURATION.md for every key.`;
}
