// Who decides by command: the operator whose token is in POINTAGE_TOKEN, or in the file that
// POINTAGE_TOKEN_FILE names. Refuses an operator without the permission, as over HTTP, and leaves
// an entry of the trail, also of a refusal.

import { readFileSync } from 'node:fs';
import { type Operator, type Permission, refusalOf } from '../../../core/domain/operators/role.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import { openOperators } from '../../workflows/operators/known-operators.ts';
import { type Deed, openTrail } from '../../workflows/operators/trail.ts';
import type { Stage } from './stage.ts';

export type OpenStore = Parameters<typeof openTrail>[0];

export interface Signed extends Pick<Deed, 'action' | 'merchant' | 'subject'> {
  readonly store: OpenStore;
  readonly configuration: Configuration;
  readonly permission: Permission;
  /**
   * Allows the command without a token too, as a scheduler runs it: the trail then names the
   * account of the system.
   */
  readonly orAccount?: true;
}

type About = Pick<Deed, 'merchant' | 'subject'>;

/**
 * Runs `act` as the operator whose token is at hand and writes the trail, also when `act` throws.
 * `aboutOf` returns what was done, where only `act` knows it. Throws as `signAs` does.
 */
export async function asOperator<T>(
  stage: Stage,
  signed: Signed,
  act: (operator: Operator) => Promise<T>,
  aboutOf: (done: T) => readonly About[] = () => [signed],
): Promise<T> {
  const { operator, leave } = await signAs(stage, signed);
  try {
    const done = await act(operator);
    await leave(0, aboutOf(done));
    return done;
  } catch (failure) {
    await leave(3, [signed]);
    throw failure;
  }
}

/**
 * Returns the operator whose token is at hand, and `leave`, which writes an entry of the trail for
 * each thing done. Throws `ConfigurationInvalid` without an operator, or without the permission.
 */
export async function signAs(stage: Stage, signed: Signed) {
  const { store, configuration, permission, action, orAccount = false } = signed;
  const { ofToken } = openOperators({
    configured: configuration.server.operators,
    store,
    clock: stage.clock,
  });
  const token = tokenIn(stage);
  const account = orAccount ? accountOf(stage) : null;
  const operator = token === null ? account : await ofToken(token);
  if (operator === null) throw new ConfigurationInvalid(token === null ? NO_TOKEN : WRONG_TOKEN);
  const log = (): void => stage.terminal.note('The trail could not be written.\n');
  const entry = { operator: operator.name, via: 'cli', action } as const;
  const leave = (status: number, about: readonly About[]): Promise<void> =>
    openTrail(store, { clock: stage.clock, log }).write(
      about.map(({ merchant, subject }) => ({ ...entry, merchant, subject, status })),
    );
  const refusal = refusalOf(operator, permission);
  if (refusal === null) return { operator, leave };
  await leave(3, [signed]);
  throw new ConfigurationInvalid(refusal);
}

function accountOf({ environment: { USER, LOGNAME } }: Stage): Operator {
  return {
    name: `account ${USER ?? LOGNAME ?? process.getuid?.()}`,
    roles: ['publisher'],
    merchant: null,
  };
}

const HOW = 'pointage operator add NAME --role decider publisher prints one';
const NO_TOKEN = `Give your token in POINTAGE_TOKEN, or a file with it in POINTAGE_TOKEN_FILE: ${HOW}.`;
const WRONG_TOKEN = `The token in POINTAGE_TOKEN is no operator's, or no longer: ${HOW}.`;

function tokenIn({ environment, keepSecret }: Stage): string | null {
  const { POINTAGE_TOKEN: given, POINTAGE_TOKEN_FILE: file } = environment;
  const token = (given || (file ? contentOf(file) : '')).trim();
  keepSecret([token]);
  return token === '' ? null : token;
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ConfigurationInvalid(
      `POINTAGE_TOKEN_FILE cannot be read: ${(cause as Error).message}.`,
    );
  }
}
