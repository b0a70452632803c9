// The console over books of several merchants, one of them wrong, on a free port.

import type { Operator } from '../../src/core/domain/operators/role.ts';
import { openStore } from '../../src/io/storage/server/open-store.ts';
import { openConsole } from '../../src/service/console/open-console.ts';
import { openProvider, type ProviderSettings } from '../../src/service/console/provider.ts';
import { sessionsOf } from '../../src/service/workflows/operators/known-operators.ts';
import {
  entranceTo,
  type OperatorBooks,
  type OperatorEntrance,
  openOperatorBooks,
} from './operator-books.ts';
import { startTestServer, type TestServer } from './report-server.ts';
import { makeRoleLogins } from './role-logins.ts';

export interface ConsoleBooks {
  readonly books: OperatorBooks;
  readonly server: TestServer;
  readonly entrance: OperatorEntrance;
  /** The time that the server takes for now. A test may set it. */
  readonly clock: { now: number };
  close(): Promise<void>;
}

const OPENS_AT = Date.UTC(2026, 9, 24);
const READ_AT = Date.UTC(2026, 10, 8);
const NOW = Date.UTC(2026, 10, 9, 8);
const FAULTS = [
  'BALANCE_DRIFT',
  'CREDIT_MISSING',
  'LINES_MISSING',
  'FEE_AMOUNT_MISMATCH',
  'HOLD_NOT_RELEASED',
];

type Given = Operator & { readonly token: string };

/**
 * Opens the console over books. `shared`: books of another owner, which `close` does not close;
 * absent: the console opens its own. `others`: operators beside the usual one. `asServer`: the
 * database is used with the rights of the server's role, and not of the tables' owner.
 */
export async function openConsoleBooks(
  merchants: Readonly<Record<string, readonly string[]>> = { SOUND: [], DRIFTED: FAULTS },
  {
    mostWrongTokens = 1_000,
    publicUrl = null as string | null,
    others = [] as readonly Given[],
    secondPersonAbove = {} as Record<string, number>,
    webhooks = [] as readonly { readonly url: string; readonly secret: string }[],
    asServer = false,
    port = 0,
    oidc = undefined as ProviderSettings | undefined,
    shared = null as OperatorBooks | null,
  } = {},
): Promise<ConsoleBooks> {
  const clock = { now: NOW };
  const books =
    shared ?? (await openOperatorBooks(merchants, { opensAt: OPENS_AT, readAt: READ_AT }));
  const alerts = { ...books.configuration.alerts, webhooks: [...webhooks] };
  const configuration = { ...books.configuration, alerts, decisions: { secondPersonAbove } };
  const logins = asServer ? await makeRoleLogins(books.databaseUrl) : null;
  const store =
    logins === null
      ? books.store
      : await openStore({ databaseUrl: logins.as('server'), dataDirectory: '' });
  const entrance = entranceTo({ store, configuration }, () => clock.now, undefined, others);
  const { operators, findOperator, backend } = entrance;
  const sessions = sessionsOf(store, { operators, clock: () => clock.now });
  const provider = openProvider({ oidc, publicUrl: publicUrl ?? undefined }, operators.ofName);
  const pages = openConsole({ sessions, provider, language: 'fr', publicUrl });
  const server = await startTestServer(store, {
    server: {
      backend,
      pages,
      findOperator,
      mostWrongTokens,
      publicUrl,
      port,
      clock: () => clock.now,
    },
  });
  return {
    books,
    server,
    entrance,
    clock,
    close: async () => {
      await server.close();
      if (logins !== null) await store.close();
      if (shared === null) await books.close();
      await logins?.drop();
    },
  };
}
