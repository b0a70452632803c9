// Checks what a configuration holds: sources and how patient to be with them, reports, the server.
// A configuration with mistakes is refused as a whole, in one sentence that names the mistakes by
// their keys. What each key means is in docs/CONFIGURATION.md.

import { z } from 'zod';
import { INCONSISTENT, isConsistent } from '../../core/domain/operators/role.ts';
import { FIGURE_MEANINGS, parseSummaryKey } from '../../core/domain/summary-keys.ts';
import { LANGUAGES } from '../../core/statements/statement.ts';
import {
  issuerSettings,
  journalSettings,
  type Merchant,
  merchant,
  pins,
  zone,
} from './check-merchant.ts';
import { ConfigurationInvalid, didYouMean } from './configuration-invalid.ts';
import { DEFAULTS } from './defaults.ts';
import { type MerchantList, merchantList } from './merchant-list.ts';
import { requireOwnAccounts } from './own-accounts.ts';
import {
  alertSettings,
  decisionSettings,
  deliverySettings,
  deskSettings,
  evidenceSettings,
  mailSettings,
  roleSettings,
  telemetrySettings,
  workerSettings,
  zoneName,
} from './service-settings.ts';

/** How long to wait for a service, how often to ask it again, and how much to read. */
const patience = {
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
const httpSettings = z.strictObject({
  paths: z
    .strictObject({
      profile: z.string().startsWith('/').optional(),
      wallet: z.string().startsWith('/').optional(),
      ledger: z.string().startsWith('/').optional(),
      operations: z.string().startsWith('/').optional(),
      operation: z.string().startsWith('/').includes('{reference}').optional(),
      deliveries: z.string().startsWith('/').optional(),
    })
    .optional(),
  envelope: z.string().min(1).optional(),
  pageSize: z.int().min(2).max(200).optional(),
  ledgerOrder: z.enum(['auto', 'ascending', 'descending']).optional(),
  operationsOrder: z.enum(['auto', 'ascending', 'descending']).optional(),
  ...patience,
});

/** The dashboard API: where it is, and what its document does not show. */
const dashboardSettings = z.strictObject({
  baseUrl: z.string().min(1),
  parameters: z
    .strictObject({
      merchant: z.string().min(1).optional(),
      from: z.string().min(1).optional(),
      until: z.string().min(1).optional(),
    })
    .optional(),
  months: z.int().min(1).max(240).default(3),
  ...patience,
});

/** Which keys of a report's summary hold which figures. */
const summaryKeys = z
  .record(z.string().min(1), z.enum(FIGURE_MEANINGS).nullable())
  .superRefine((keys, context) => {
    for (const [path, meaning] of Object.entries(keys)) {
      if (meaning === null || parseSummaryKey(path, meaning) !== null) continue;
      const message =
        "must be a path like totals.amount, and like byOperator[operator].amount where it is '… by …'";
      context.addIssue({ code: 'custom', path: [path], message });
    }
  });

const part = z.strictObject({
  from: z
    .union([
      z.strictObject({ relation: z.string().min(1) }),
      z.strictObject({ select: z.string().min(1) }),
    ])
    .optional(),
  merchantColumn: z.string().min(1).optional(),
  columns: z.record(z.string(), z.string().nullable()).default({}),
});

/** The operator's own tables: where they differ from the usual form. */
const postgresSettings = z.strictObject({
  merchants: part.nullable().optional(),
  wallets: part.nullable().optional(),
  entries: part.optional(),
  operations: part.optional(),
  timeZone: zoneName().nullable().optional(),
  connectTimeout: z.int().min(100).optional(),
});

const SHARED = ['HS256', 'HS384', 'HS512'] as const;
const PUBLIC = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

/** Bytes that an HMAC secret must have at least: as many as the shortest hash. */
const SHORTEST_SECRET = 32;

const claims = {
  merchantClaim: z.string().min(1).default('merchant_reference'),
  issuer: z.string().min(1).optional(),
  audience: z.string().min(1).optional(),
  clockToleranceSeconds: z.int().min(0).max(600).default(30),
};

/**
 * Returns the settings of tokens with public keys. It makes a new form for each use, as `countries`
 * does.
 */
const signed = () => ({
  algorithms: z.array(z.enum(PUBLIC)).min(1).default(['RS256', 'ES256', 'EdDSA']),
  ...claims,
});

const webAddress = z
  .string()
  .refine(isWebAddress, { message: 'must be an http:// or https:// address' });

const tokens = z.union(
  [
    z.strictObject({
      secret: z.string().min(1),
      algorithms: z.array(z.enum(SHARED)).min(1).default(['HS256']),
      ...claims,
    }),
    z.strictObject({ jwksUrl: webAddress, ...signed() }),
    z.strictObject({
      jwks: z.strictObject({ keys: z.array(z.record(z.string(), z.unknown())).min(1) }),
      ...signed(),
    }),
  ],
  {
    error:
      'needs one of secret (with HS… algorithms), jwksUrl or jwks (with public-key algorithms)',
  },
);

/**
 * An operator of the API, with a token of at least 32 characters that people make up themselves.
 */
const operator = z
  .strictObject({
    name: z.string().min(1).max(100),
    token: z.string().min(SHORTEST_SECRET),
    ...roleSettings,
  })
  .refine(isConsistent, { message: INCONSISTENT });

/**
 * A provider of OpenID Connect. It says who a person is; the operator of that name here says what
 * the person may do.
 */
const oidc = z.strictObject({
  issuer: webAddress.refine(
    (text) => /^https:|^http:\/\/(?:localhost|127\.0\.0\.1)[:/]/.test(`${text}/`),
    {
      message: 'must begin with https://',
    },
  ),
  clientId: z.string().min(1),
  clientSecret: z.string().min(1).optional(),
  nameClaim: z.string().min(1).default('email'),
});

/** What `pointage serve` listens on, and whom it lets in. */
const serverSettings = z.strictObject({
  host: z.string().min(1).default(DEFAULTS.server.host),
  port: z.int().min(0).max(65_535).default(DEFAULTS.server.port),
  publicUrl: webAddress.optional(),
  maxBodyBytes: z.int().min(256).max(1_048_576).default(DEFAULTS.server.maxBodyBytes),
  maxNotificationBytes: z
    .int()
    .min(1_024)
    .max(8_388_608)
    .default(DEFAULTS.server.maxNotificationBytes),
  answerWithin: z.int().min(0).max(600_000).default(DEFAULTS.server.answerWithin),
  mostWrongTokens: z.int().min(1).max(1_000_000).default(DEFAULTS.server.mostWrongTokens),
  trustedProxies: z
    .array(z.string().regex(/^[\da-f.:]+(?:\/\d{1,3})?$/i))
    .default(DEFAULTS.server.trustedProxies),
  tokens: tokens.optional(),
  oidc: oidc.optional(),
  operators: z
    .array(operator)
    .refine(areDistinct, { message: 'must have different names and different tokens' })
    .default(DEFAULTS.server.operators),
});

const reportSettings = z.strictObject({
  language: z.enum(LANGUAGES).default(DEFAULTS.reports.language),
  phoneNumbers: z.enum(['masked', 'whole']).default(DEFAULTS.reports.phoneNumbers),
  verifyAt: webAddress.optional(),
  template: z.string().min(1).optional(),
});

/**
 * Returns what is wrong with the server's settings, or `null`. The schema cannot say it, because
 * its union would only say that none of its forms fits.
 */
function problemOf({
  tokens: given,
  oidc,
  publicUrl,
}: z.infer<typeof serverSettings>): string | null {
  if (oidc !== undefined && publicUrl === undefined)
    return 'server.oidc needs server.publicUrl, the address to which its provider sends people back.';
  if (
    given === undefined ||
    !('secret' in given) ||
    Buffer.byteLength(given.secret) >= SHORTEST_SECRET
  )
    return null;
  return `server.tokens.secret must have at least ${SHORTEST_SECRET} bytes.`;
}

/**
 * Whether all names and all tokens differ, because a name says who decided, and a token says the
 * name.
 */
function areDistinct(operators: readonly z.infer<typeof operator>[]): boolean {
  const [names, tokens] = [operators.map(({ name }) => name), operators.map(({ token }) => token)];
  return [names, tokens].every((values) => new Set(values).size === values.length);
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

const historySettings = z.strictObject({
  nights: z.int().min(2).max(366).default(DEFAULTS.history.nights),
  beforeStatement: z.boolean().default(DEFAULTS.history.beforeStatement),
});

export const configurationSchema = z.strictObject({
  databaseUrl: z.string().optional(),
  dataDirectory: z.string().min(1).default(DEFAULTS.dataDirectory),
  source: z.string().optional(),
  graceMinutes: z.number().min(0).max(1_440).default(DEFAULTS.graceMinutes),
  clockToleranceMinutes: z.number().min(0).max(1_440).default(DEFAULTS.clockToleranceMinutes),
  history: historySettings.prefault({}),
  assumptions: pins.default(DEFAULTS.assumptions),
  merchants: z
    .object({ from: merchantList.optional() })
    .catchall(merchant)
    .refine((given) => !Object.hasOwn(given, ''), { message: 'a reference must not be empty' })
    .default(DEFAULTS.merchants),
  zone: zone.default(DEFAULTS.zone),
  journal: journalSettings.default(DEFAULTS.journal),
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
  desk: deskSettings.prefault({}),
  evidence: evidenceSettings.prefault({}),
  decisions: decisionSettings.prefault({}),
});

export type Configuration = Omit<z.infer<typeof configurationSchema>, 'merchants'> & {
  readonly merchants: Readonly<Record<string, Merchant>>;
  /** The outside list of further merchants; absent: `merchants` holds all there are. */
  readonly merchantsFrom?: MerchantList | undefined;
};

const MOST_NAMED = 5;

/**
 * Returns the configuration with its defaults. `file` is named in the sentence about mistakes.
 * Throws `ConfigurationInvalid`.
 */
export function checkConfiguration(stated: unknown, file: string): Configuration {
  const parsed = configurationSchema.safeParse(stated);
  if (!parsed.success) throw new ConfigurationInvalid(describeIssues(parsed.error, file));
  const problem = problemOf(parsed.data.server);
  if (problem !== null) throw new ConfigurationInvalid(problem);
  const { from: merchantsFrom, ...merchants } = parsed.data.merchants;
  for (const [reference, { journal = {} }] of [['', {}], ...Object.entries(merchants)] as [
    string,
    Merchant,
  ][]) {
    const place = reference === '' ? 'journal' : `merchants.${reference}.journal`;
    requireOwnAccounts(place, parsed.data.journal, journal);
  }
  return { ...parsed.data, merchants: merchants as Configuration['merchants'], merchantsFrom };
}

function describeIssues(error: z.ZodError, file: string): string {
  const { issues } = error;
  const sentences = issues
    .slice(0, MOST_NAMED)
    .map((issue) => `${issue.path.join('.') || 'the whole'}: ${wordsOf(issue)}`);
  const more = issues.length > MOST_NAMED ? `; and ${issues.length - MOST_NAMED} more` : '';
  const mistakes = issues.length === 1 ? '1 mistake' : `${issues.length} mistakes`;
  return `The configuration (${file}, environment and flags) has ${mistakes}: ${sentences.join('; ')}${more}. See docs/CONFIGURATION.md for every key.`;
}

function wordsOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return issue.message;
  const known = keysAt(configurationSchema, issue.path);
  return issue.keys
    .map((key) => `Unrecognized key: ${JSON.stringify(key)}${didYouMean(key, known)}`)
    .join(', ');
}

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

/** Returns the keys that may stand at a path. */
function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  const below = (
    { properties, additionalProperties, items, anyOf }: JsonSchema,
    key: string,
  ): readonly JsonSchema[] => [
    ...[
      properties?.[key] ??
        (typeof additionalProperties === 'object' ? additionalProperties : items),
    ].filter((one) => one !== undefined),
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

type Node = Record<string, unknown>;

const FORMS = ['pattern', 'format', 'allOf'];
const ELSEWHERE = { type: 'string', pattern: '^(?:env|file):' };

/**
 * Returns the configuration as JSON Schema, for editors: keys, forms and defaults. A text with a
 * form may also be `env:NAME` or `file:PATH`.
 */
export function configurationJsonSchema(): object {
  const { $schema, properties, $defs, ...schema } = z.toJSONSchema(configurationSchema, {
    io: 'input',
    reused: 'ref',
  }) as Node;
  const folder = { type: 'string', minLength: 1 };
  const ofFiles = {
    $schema: { type: 'string', description: 'This schema, for editors' },
    include: {
      description: 'Folders whose .json files are read as well',
      anyOf: [folder, { type: 'array', items: folder }],
    },
  };
  return {
    $schema,
    title: 'pointage.config.json',
    ...schema,
    properties: { ...ofFiles, ...mayBeElsewhere(properties) },
    $defs: mayBeElsewhere($defs),
  };
}

/**
 * Returns the schema with `env:NAME` or `file:PATH` as another choice for each text that has a
 * form, because an editor must not mark a secret that is kept elsewhere.
 */
function mayBeElsewhere(node: unknown): Node {
  const walked = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walked);
    if (typeof value !== 'object' || value === null) return value;
    const one = value as Node;
    const hasForm =
      one.type === 'string' &&
      (FORMS.some((form) => form in one) || Number(one.minLength ?? 0) > 1);
    if (hasForm) return { anyOf: [one, ELSEWHERE] };
    return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, walked(inner)]));
  };
  return walked(node) as Node;
}
