// Configuration: files, then the environment, then flags, checked as a whole. Secrets may stand elsewhere and are never printed.

import type { Configuration } from './check-configuration.ts';
import { DEFAULT_FILE, readConfigurationFiles } from './configuration-files.ts';
import { ConfigurationInvalid } from './configuration-invalid.ts';
import { DEFAULTS } from './defaults.ts';
import { type Environment, withSecrets } from './given-secrets.ts';

/** Flags given on the command line, by configuration key; undefined when not given. */
export type Flags = Partial<Record<'config' | 'databaseUrl' | 'dataDirectory' | 'source', string | undefined>>;

/** Throws `ConfigurationInvalid`. */
export async function loadConfiguration(flags: Flags, environment: Environment): Promise<Configuration> {
  // A variable that is set to nothing is not set.
  const file = flags.config ?? (environment.POINTAGE_CONFIG || null);
  const fromFile = readConfigurationFiles(file);
  const graceMinutes = numberFrom('POINTAGE_GRACE_MINUTES', environment.POINTAGE_GRACE_MINUTES);
  const port = numberFrom('POINTAGE_TELEMETRY_PORT', environment.POINTAGE_TELEMETRY_PORT);
  const telemetry = { telemetry: { ...(fromFile.telemetry as object | undefined), port } };
  const others = {
    ...fromFile,
    ...(graceMinutes === undefined ? {} : { graceMinutes }),
    ...(port === undefined ? {} : telemetry),
  };
  const texts = textsOf(flags, environment);
  // A text that is not empty is right in these places. Where there is nothing else, the check is not waited for.
  if (Object.keys(others).length === 0) return { ...DEFAULTS, ...(withSecrets(texts, environment) as Texts) };
  const { checkConfiguration } = await import('./check-configuration.ts');
  const checked = checkConfiguration(withSecrets({ ...others, ...texts }, environment), file ?? DEFAULT_FILE);
  // Loaded where there is something to check: a calendar takes longer than all else that is done here.
  if ('worker' in others) (await import('./check-crons.ts')).checkCrons(checked);
  return checked;
}

type Texts = Partial<Record<'databaseUrl' | 'dataDirectory' | 'source', string>>;

/** Of flags, else of the environment. */
function textsOf(flags: Flags, environment: Environment): Texts {
  const texts = {
    databaseUrl: flags.databaseUrl || environment.POINTAGE_DATABASE_URL || environment.DATABASE_URL,
    dataDirectory: flags.dataDirectory || environment.POINTAGE_DATA_DIRECTORY,
    source: flags.source || environment.POINTAGE_SOURCE,
  };
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text));
}

function numberFrom(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (Number.isNaN(value)) throw new ConfigurationInvalid(`${name} must be a number, not '${text}'.`);
  return value;
}
