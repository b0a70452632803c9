// Runs commands that decide as an operator types them: with a token in POINTAGE_TOKEN, whose hash
// is in the store of the test.

import { readFileSync } from 'node:fs';
import type { Role } from '../../src/core/domain/operators/role.ts';
import { openStore } from '../../src/io/storage/server/open-store.ts';
import { createOperator } from '../../src/service/workflows/operators/known-operators.ts';
import { type CommandOptions, type Ended, pointage } from './command.ts';

const tokens = new Map<string, Promise<string>>();

/**
 * Runs a command as the operator `name`. The words must name the database, or a configuration that
 * does.
 */
export async function pointageAs(
  name: string,
  words: readonly string[],
  options: CommandOptions = {},
): Promise<Ended> {
  const databaseUrl = databaseIn(words);
  const key = `${name} ${databaseUrl}`;
  if (!tokens.has(key)) tokens.set(key, addToken(databaseUrl, name, ['decider', 'publisher']));
  const environment = { ...options.environment, POINTAGE_TOKEN: await tokens.get(key)! };
  return pointage(words, { ...options, environment });
}

/** Adds an operator, and returns the token. */
export async function addToken(
  databaseUrl: string,
  name: string,
  roles: readonly Role[],
): Promise<string> {
  const store = await openStore({ databaseUrl, dataDirectory: '' });
  const operator = { name, roles, merchant: null, addedAt: 0, expiresAt: null };
  return createOperator(store, [], operator).finally(() => store.close());
}

function databaseIn(words: readonly string[]): string {
  const after = (option: string) =>
    words.includes(option) ? words[words.indexOf(option) + 1] : undefined;
  const given = after('--database-url');
  if (given !== undefined) return given;
  const config = readFileSync(after('--config')!, 'utf8');
  return (JSON.parse(config) as { readonly databaseUrl: string }).databaseUrl;
}
