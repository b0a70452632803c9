// What every command shares: the way it gets its configuration, and the way it ends.

import { type Command, InvalidArgumentError } from 'commander';
import { type Instant, parseInstantOrDay } from '../../../core/domain/instant.ts';
import { systemClock } from '../../clock.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import type { Environment } from '../../config/given-secrets.ts';
import { type Flags, loadConfiguration, secretsOf } from '../../config/load-configuration.ts';
import { LOG_LEVELS, type LogLevel, openLog } from '../../log.ts';
import type { Terminal } from './terminal.ts';

export type Stage = ReturnType<typeof stageOf>;

export function stageOf(terminal: Terminal, environment: Environment) {
  // A variable that is set to nothing is not set.
  const wanted = environment.POINTAGE_LOG
    ? oneOf('POINTAGE_LOG', environment.POINTAGE_LOG, LOG_LEVELS)
    : null;
  const log = openLog(wanted ?? 'silent');
  return {
    terminal,
    environment,
    clock: systemClock,
    /** From 0 up to, not including, 1: jitter of waits. */
    random: Math.random,
    log: log.write,
    /** For services: the level of the log where the environment names none. */
    logFrom: (level: LogLevel) => {
      if (wanted === null) log.listenFrom(level);
    },
    /** From now on these texts are printed and logged nowhere. */
    keepSecret: log.keep,
    /** A text for people, without secrets. */
    conceal: log.conceal,
    /** Set by a command; the process ends with it. */
    status: 0,
  };
}

/** Options of every command that may need the store. */
export function withCommonOptions(command: Command): Command {
  return withConfigurationOption(command)
    .option('--database-url <url>', 'a PostgreSQL to keep the mirror in (default: an embedded one)')
    .option('--data-directory <dir>', 'where the embedded PostgreSQL lives (default: .pointage)');
}

/** The one option of a command that needs no store. */
export function withConfigurationOption(command: Command): Command {
  return command.option(
    '--config <file>',
    'configuration file (default: pointage.config.json where it exists)',
  );
}

export async function configurationOf(stage: Stage, flags: Flags): Promise<Configuration> {
  const { config, databaseUrl, dataDirectory, source } = flags;
  const configuration = await loadConfiguration(
    { config, databaseUrl, dataDirectory, source },
    stage.environment,
    stage.clock,
  );
  stage.keepSecret(secretsOf(configuration));
  return configuration;
}

/**
 * Returns the configuration as `configurationOf` does, with the merchants that an outside list
 * names. Commands that read books or state months need it.
 */
export async function wholeConfigurationOf(stage: Stage, flags: Flags): Promise<Configuration> {
  const configuration = await configurationOf(stage, flags);
  if (configuration.merchantsFrom === undefined) return configuration;
  const { withListedMerchants } = await import('../../compose/listed-merchants.ts');
  const whole = await withListedMerchants(configuration, stage.environment, stage);
  stage.keepSecret(secretsOf(whole));
  return whole;
}

/**
 * Reads an instant given on the command line: an ISO 8601 date-time with a zone, or a date (its
 * midnight, UTC). Returns `otherwise` where none is given.
 */
export function instantOf(text: string | undefined, otherwise: Instant): Instant {
  if (text === undefined) return otherwise;
  const instant = parseInstantOrDay(text);
  if (instant === null) {
    throw new ConfigurationInvalid(
      `'${text}' is not an instant; write it like 2026-11-15T12:00:00Z or 2026-11-15.`,
    );
  }
  return instant;
}

export function oneOf<T extends string>(option: string, text: string, choices: readonly T[]): T {
  if ((choices as readonly string[]).includes(text)) return text as T;
  throw new ConfigurationInvalid(`${option} must be one of ${choices.join(', ')}, not '${text}'.`);
}

/** Reads the value of an option: a whole number within bounds. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d{1,9}$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

/**
 * Resolves with the first SIGTERM or SIGINT. A second signal ends the process at once, as the
 * system does by default; so does the first one after `over`.
 */
export function stopRequested(over?: AbortSignal): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const ignore = (): void => {
      process.off('SIGTERM', stop);
      process.off('SIGINT', stop);
    };
    const stop = (signal: NodeJS.Signals): void => {
      ignore();
      resolve(signal);
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
    over?.addEventListener('abort', ignore);
  });
}
