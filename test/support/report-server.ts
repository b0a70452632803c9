// The Report API on a free port, over a mirror of tests, with tokens that the tests sign
// themselves.

import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { REPORT_FILES } from '../../src/io/formats/deltas.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import { obstaclesIn } from '../../src/service/compose/service.ts';
import { openTokens, type TokenSettings } from '../../src/service/http/port/tokens.ts';
import { type ServerOptions, startServer } from '../../src/service/http/start-server.ts';
import { withStack } from '../../src/service/log.ts';
import {
  type PublishTask,
  publishStatement,
} from '../../src/service/workflows/month/publish-statement.ts';
import { reportRepositoryOf } from '../../src/service/workflows/month/read-reports.ts';
import { openOperators } from '../../src/service/workflows/operators/known-operators.ts';
import { openTrail, type Trail } from '../../src/service/workflows/operators/trail.ts';
import { publishTask, READ_AT } from './report-books.ts';

export const SECRET = randomUUID() + randomUUID();

export const OPERATOR_TOKEN = randomUUID();
const TESTS = { name: 'tests', roles: ['metrics'], merchant: null, token: OPERATOR_TOKEN } as const;

const CLAIMS = { merchantClaim: 'merchant_reference', clockToleranceSeconds: 30 };
const TOKENS: TokenSettings = { secret: SECRET, algorithms: ['HS256'], ...CLAIMS };

const now = () => READ_AT;

/**
 * Returns a token of that merchant, good for an hour from the tests' instant, or as `claims` and
 * `algorithm` have it.
 */
export function tokenOf(
  merchant: unknown,
  otherwise: {
    readonly claims?: Record<string, unknown>;
    readonly algorithm?: string;
    readonly key?: Parameters<SignJWT['sign']>[0];
  } = {},
): Promise<string> {
  const claims = {
    merchant_reference: merchant,
    exp: READ_AT / 1_000 + 3_600,
    ...otherwise.claims,
  };
  const given = Object.fromEntries(
    Object.entries(claims).filter(([, value]) => value !== undefined),
  );
  const signer = new SignJWT(given).setProtectedHeader({ alg: otherwise.algorithm ?? 'HS256' });
  return signer.sign(otherwise.key ?? new TextEncoder().encode(SECRET));
}

export interface TestServer {
  readonly origin: string;
  readonly events: readonly object[];
  readonly trail: Trail;
  close(): Promise<void>;
}

export async function startTestServer(
  store: Store,
  otherwise: {
    readonly server?: Partial<ServerOptions>;
    readonly tokens?: Omit<TokenSettings, keyof typeof CLAIMS> &
      ({ readonly jwks: object } | { readonly jwksUrl: string });
    readonly task?: Partial<PublishTask>;
  } = {},
): Promise<TestServer> {
  const events: object[] = [];
  const clock = otherwise.server?.clock ?? now;
  const trail = openTrail(store, { clock, log: (event) => void events.push(event) });
  const running = await startServer({
    repository: reportRepositoryOf(store),
    generate: async ({ merchant, period }, onPending) =>
      (
        await publishStatement(
          publishTask(store, { period, onPending, ...otherwise.task }),
          merchant,
        )
      ).report,
    verifyToken: openTokens(
      otherwise.tokens === undefined ? TOKENS : { ...CLAIMS, ...otherwise.tokens },
      now,
    ),
    inbox: null,
    clock: now,
    findOperator: openOperators({ configured: [TESTS], store: null, clock: now }).ofToken,
    trail,
    mostWrongTokens: 1_000,
    trustedProxies: [],
    obstacles: () => obstaclesIn(store),
    metrics: {
      render: async () => ({ mediaType: 'text/plain; version=0.0.4', text: 'a_metric 1\n' }),
    },
    callAnswered: () => {},
    formats: REPORT_FILES,
    publicUrl: null,
    answerWithin: 20_000,
    maxBodyBytes: 2_048,
    host: '127.0.0.1',
    port: 0,
    version: '0.0.0-test',
    backend: null,
    pages: null,
    log: (event) => void events.push(withStack(event)),
    ...otherwise.server,
  });
  return { ...running, events, trail };
}
