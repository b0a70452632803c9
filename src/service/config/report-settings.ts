// Configuration of reports and of the server that gives them out. Refuses keys and algorithms that do not belong together:
// a secret shared with the signer, or the public keys of one.

import { z } from 'zod';
import { LANGUAGES } from '../../core/statements/statement.ts';
import { DEFAULTS } from './defaults.ts';

const SHARED = ['HS256', 'HS384', 'HS512'] as const;
const PUBLIC = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const;

/** Of an HMAC secret, in bytes: as long as the shortest hash. */
const SHORTEST_SECRET = 32;

const claims = {
  /** The claim that holds the merchant's reference. */
  merchantClaim: z.string().min(1).default('merchant_reference'),
  issuer: z.string().min(1).optional(),
  audience: z.string().min(1).optional(),
  clockToleranceSeconds: z.int().min(0).max(600).default(30),
};

const webAddress = z.string().refine(isWebAddress, { message: 'must be an http:// or https:// address' });

const tokens = z.union(
  [
    z.strictObject({
      secret: z.string().min(1),
      algorithms: z.array(z.enum(SHARED)).min(1).default(['HS256']),
      ...claims,
    }),
    z.strictObject({
      jwksUrl: webAddress,
      algorithms: z.array(z.enum(PUBLIC)).min(1).default(['RS256', 'ES256', 'EdDSA']),
      ...claims,
    }),
    z.strictObject({
      jwks: z.strictObject({ keys: z.array(z.record(z.string(), z.unknown())).min(1) }),
      algorithms: z.array(z.enum(PUBLIC)).min(1).default(['RS256', 'ES256', 'EdDSA']),
      ...claims,
    }),
  ],
  { error: 'needs one of secret (with HS… algorithms), jwksUrl or jwks (with public-key algorithms)' },
);

/** A token of at least 32 characters, of the operator's own making. */
const operator = z.strictObject({ name: z.string().min(1).max(100), token: z.string().min(SHORTEST_SECRET) });

/** What `pointage serve` listens on, and whom it lets in. */
export const serverSettings = z.strictObject({
  host: z.string().min(1).default(DEFAULTS.server.host),
  port: z.int().min(0).max(65_535).default(DEFAULTS.server.port),
  /** Before the paths of files in `fileUrl`. */
  publicUrl: webAddress.optional(),
  maxBodyBytes: z.int().min(256).max(1_048_576).default(DEFAULTS.server.maxBodyBytes),
  /** Of a signed notification, which carries free data of the partner. */
  maxNotificationBytes: z.int().min(1_024).max(8_388_608).default(DEFAULTS.server.maxNotificationBytes),
  /** Milliseconds after which a report that is still being made is answered as PENDING. */
  answerWithin: z.int().min(0).max(600_000).default(DEFAULTS.server.answerWithin),
  /** Wrong tokens of one address within a minute, after which it is not listened to for the rest of it. */
  mostWrongTokens: z.int().min(1).max(1_000_000).default(DEFAULTS.server.mostWrongTokens),
  /** Addresses, or ranges like 10.0.0.0/8, of proxies that say in X-Forwarded-For who calls. */
  trustedProxies: z.array(z.string().regex(/^[\da-f.:]+(?:\/\d{1,3})?$/i)).default(DEFAULTS.server.trustedProxies),
  tokens: tokens.optional(),
  /** Who may ask about every merchant, and for audits. */
  operators: z
    .array(operator)
    .refine(areDistinct, { message: 'must have different names and different tokens' })
    .default(DEFAULTS.server.operators),
});

export const reportSettings = z.strictObject({
  language: z.enum(LANGUAGES).default(DEFAULTS.reports.language),
  phoneNumbers: z.enum(['masked', 'whole']).default(DEFAULTS.reports.phoneNumbers),
  verifyAt: webAddress.optional(),
  /** A folder of `reports-templates`' form; that of pointage where none is named. */
  template: z.string().min(1).optional(),
});

/** Null, or what is wrong: said here and not by the schema, whose union would only say that none of its forms fits. */
export function requireLongSecret({ tokens: given }: z.infer<typeof serverSettings>): string | null {
  if (given === undefined || !('secret' in given) || Buffer.byteLength(given.secret) >= SHORTEST_SECRET) return null;
  return `server.tokens.secret must have at least ${SHORTEST_SECRET} bytes.`;
}

/** A name says who decided; a token says the name. */
function areDistinct(operators: readonly z.infer<typeof operator>[]): boolean {
  const [names, tokens] = [operators.map(({ name }) => name), operators.map(({ token }) => token)];
  return [names, tokens].every((values) => new Set(values).size === values.length);
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
