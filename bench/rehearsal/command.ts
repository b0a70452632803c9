// `npm run rehearse`: the closed loop on the simulated service, with a database of its own. Says
// whether exactly what was planted was found, and what it did not rehearse.

import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import type { AnyFault } from '../../src/sandbox/faults/port/planting.ts';
import type { Sandbox } from '../../src/sandbox/service/start-sandbox.ts';
import { configurationFor } from '../../src/service/cli/lab/sandbox-command.ts';
import { LIST, namesWished, printSandboxList } from '../../src/service/cli/lab/sandbox-wishes.ts';
import { type Stage, wholeNumber } from '../../src/service/cli/stage/stage.ts';
import {
  eraseEmbeddedStore,
  openConfiguredStore,
} from '../../src/service/compose/open-configured.ts';
import {
  type Configuration,
  checkConfiguration,
} from '../../src/service/config/check-configuration.ts';
import { ConfigurationInvalid } from '../../src/service/config/configuration-invalid.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { listRuns } from '../../src/service/workflows/operators/runs-and-merchants.ts';
import { printRehearsal } from './print-rehearsal.ts';
import type { Wish } from './rehearse.ts';

const EXAMPLES = `
Examples:
  npm run rehearse                                          (three sound merchants and every fault: some minutes)
  npm run rehearse -- --merchants 20 --faults none --hours 24         (a day of load, and nothing wrong)
  npm run rehearse -- --faults CREDIT_MISSING,FEE_MISSING --calm
  npm run rehearse -- --faults list

Partners call the simulated service over HTTP, what it notifies flows into a server of ours, a worker reads and judges. The
service is slow, out of order and out of reach at times, within what its documents allow, unless --calm is given.

Exit status: 0 exactly what was planted was found · 1 something else was · 3 the command failed`;

const FAILED = 3;

interface RehearseFlags {
  readonly merchants: number;
  readonly faults: string;
  readonly hours: number;
  readonly calls: number;
  readonly operations: number;
  readonly seed: string;
  readonly calm?: true;
  readonly dataDirectory: string;
  readonly databaseUrl?: string;
}

/**
 * Runs the rehearsal that the words ask for, and returns the exit status. A mistake in the words or
 * the configuration is told in one sentence.
 */
export async function rehearseByWords(words: readonly string[], stage: Stage): Promise<number> {
  const { out, note } = stage.terminal;
  const command = new Command('npm run rehearse --')
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr: note });
  defineRehearse(command, stage);
  try {
    await command.parseAsync([...words], { from: 'user' });
    return stage.status;
  } catch (failure) {
    if (failure instanceof CommanderError) return failure.exitCode === 0 ? 0 : FAILED;
    if (!(failure instanceof ConfigurationInvalid)) throw failure;
    note(`rehearse: ${failure.message}\n`);
    return FAILED;
  }
}

function defineRehearse(command: Command, stage: Stage): void {
  command
    .option(
      '--merchants <count>',
      'merchants in which nothing is planted',
      wholeNumber(0, 1_000),
      3,
    )
    .option(
      '--faults <names>',
      'all, none, list, or names with commas between them: each in a merchant of its own',
      'all',
    )
    .option('--hours <count>', 'simulated hours in which partners call', wholeNumber(0, 240), 6)
    .option('--calls <count>', 'calls of each partner in an hour', wholeNumber(0, 1_000), 3)
    .option(
      '--operations <count>',
      'operations of each merchant in a day, beside the calls',
      wholeNumber(1, 1_000),
      14,
    )
    .option('--seed <seed>', 'another seed makes other histories, calls and troubles', 'rehearsal')
    .option('--calm', 'the service is prompt and in order')
    .option(
      '--data-directory <dir>',
      'where the rehearsal keeps its database',
      join('.pointage', 'rehearsal'),
    )
    .option('--database-url <url>', 'an empty PostgreSQL to use instead of an embedded one')
    .addHelpText('after', EXAMPLES)
    .action((flags: RehearseFlags) => rehearseAsAsked(stage, flags));
}

async function rehearseAsAsked(stage: Stage, flags: RehearseFlags): Promise<void> {
  if (flags.faults === LIST) return printSandboxList(stage, 'all faults');
  // Loaded when they are needed: the list of commands should not wait for a simulation.
  const { ALL_FAULTS } = await import('../../src/sandbox/faults/register.ts');
  const { faults, left } = wantedFaults(flags, ALL_FAULTS);
  const { merchants: sound, hours, calls, operations: operationsPerDay, seed } = flags;
  if (sound + faults.length === 0)
    throw new ConfigurationInvalid(
      'There is no merchant to rehearse with: give --merchants or --faults.',
    );
  await prepareStore(flags);
  const { rehearse } = await import('./rehearse.ts');
  const wish: Wish = {
    seed,
    sound,
    faults,
    hours,
    calls,
    operationsPerDay,
    isUnruly: flags.calm !== true,
  };
  const rehearsed = await rehearse(stage, wish, (sandbox, secrets) =>
    configured(flags, sandbox, secrets),
  );
  stage.status = printRehearsal(stage.terminal, rehearsed, left);
}

/**
 * Returns the faults to plant, and in `left` those that are not rehearsed, each with the reason.
 */
function wantedFaults(flags: RehearseFlags, known: readonly AnyFault[]) {
  const { faults: names } = flags;
  if (names === 'none') return { faults: [], left: [] };
  if (names === 'all') {
    const left = known.flatMap((fault) => {
      const why = obstacleTo(fault.name, flags);
      return why === null ? [] : [{ name: fault.name, why }];
    });
    return { faults: known.filter((fault) => obstacleTo(fault.name, flags) === null), left };
  }
  const faults = namesWished(names, {
    option: '--faults',
    known: known.map(({ name }) => name),
  }).map((name) => {
    const fault = known.find((one) => one.name === name)!;
    const why = obstacleTo(fault.name, flags);
    if (why !== null) throw new ConfigurationInvalid(`${fault.name} cannot be rehearsed: ${why}.`);
    return fault;
  });
  return { faults, left: [] };
}

/** Empties the rehearsal's own database; refuses another that is not empty. */
async function prepareStore({ dataDirectory, databaseUrl }: RehearseFlags): Promise<void> {
  if (databaseUrl === undefined) return eraseEmbeddedStore(dataDirectory);
  await using store = await openConfiguredStore(await loadConfiguration({ databaseUrl }, {}));
  const [run] = (await listRuns(store, { limit: 1 })).items;
  if (run !== undefined) {
    throw new ConfigurationInvalid(
      'The database has seen nights before: give --database-url one that is empty.',
    );
  }
}

/**
 * Returns the configuration of a rehearsal. Waits between retries are short, because the service is
 * at hand. Few merchants are worked on at once, because each refresh wakes all places of the
 * worker.
 */
async function configured(
  { dataDirectory, databaseUrl }: RehearseFlags,
  sandbox: Sandbox,
  secrets: ReadonlyMap<string, string>,
): Promise<Configuration> {
  const { merchants, dashboard, ...rest } = configurationFor(sandbox);
  const signed = sandbox.merchants.map(({ reference }) => [
    reference,
    { ...merchants[reference], notifications: { current: secrets.get(reference) } },
  ]);
  const retries = { attempts: 10, firstDelay: 5, longestDelay: 100, longestRetryAfter: 100 };
  const asked = { http: { retries }, dashboard: { ...dashboard, retries } };
  const worker = { concurrency: 4 };
  const stated = {
    ...rest,
    ...asked,
    worker,
    dataDirectory,
    databaseUrl,
    merchants: Object.fromEntries(signed),
  };
  return checkConfiguration(stated, 'the rehearsal');
}

/**
 * Faults that show only where a night reads the operation again: the operation must stand on the
 * page on which the new ones begin.
 */
const NEAR_THE_NEW: ReadonlySet<string> = new Set(['OPERATION_FIELD_CHANGED', 'STATUS_REGRESSION']);
/**
 * Calls after which such an operation is still on its page of 200, beside the operations that
 * happen by themselves.
 */
const MOST_CALLS = 80;

/** Returns why a fault cannot be rehearsed; `null` where it can. */
export function obstacleTo(
  fault: string,
  { hours, calls }: Pick<Wish, 'hours' | 'calls'>,
): string | null {
  if (NEAR_THE_NEW.has(fault) && hours * calls > MOST_CALLS)
    return `after more than ${MOST_CALLS} calls a night need not read again what was read before`;
  return fault === 'OPERATION_VANISHED'
    ? 'two nights after it tell that it is gone, and a rehearsal has one'
    : null;
}
