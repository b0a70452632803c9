// Configuration: a file, then the environment, then flags, checked as a whole. Secrets may be given as `env:NAME` and are
// never printed.

import { readFileSync } from 'node:fs';
import type { Configuration } from './check-configuration.ts';
import { ConfigurationInvalid } from './configuration-invalid.ts';
import { DEFAULTS } from './defaults.ts';

const DEFAULT_FILE = 'pointage.config.json';

/** Flags given on the command line, by configuration key; undefined when not given. */
export type Flags = Partial<Record<'config' | 'databaseUrl' | 'dataDirectory' | 'source', string | undefined>>;

/** Throws `ConfigurationInvalid`. */
export async function loadConfiguration(
  flags: Flags,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Configuration> {
  // A variable that is set to nothing is not set.
  const file = flags.config ?? (environment.POINTAGE_CONFIG || null);
  const fromFile = readConfigurationFile(file);
  const graceMinutes = numberFrom('POINTAGE_GRACE_MINUTES', environment.POINTAGE_GRACE_MINUTES);
  const others = { ...fromFile, ...(graceMinutes === undefined ? {} : { graceMinutes }) };
  const texts = textsOf(flags, environment);
  // A text that is not empty is right in these places. Where there is nothing else, the check is not waited for.
  if (Object.keys(others).length === 0) return { ...DEFAULTS, ...(withSecrets(texts, environment) as Texts) };
  const { checkConfiguration } = await import('./check-configuration.ts');
  return checkConfiguration(withSecrets({ ...others, ...texts }, environment), file ?? DEFAULT_FILE);
}

type Texts = Partial<Record<'databaseUrl' | 'dataDirectory' | 'source', string>>;

/** Of flags, else of the environment. */
function textsOf(flags: Flags, environment: Readonly<Record<string, string | undefined>>): Texts {
  const texts = {
    databaseUrl: flags.databaseUrl || environment.POINTAGE_DATABASE_URL || environment.DATABASE_URL,
    dataDirectory: flags.dataDirectory || environment.POINTAGE_DATA_DIRECTORY,
    source: flags.source || environment.POINTAGE_SOURCE,
  };
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text));
}

function readConfigurationFile(file: string | null): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(file ?? DEFAULT_FILE, 'utf8');
  } catch (cause) {
    if (file === null) return {};
    const why = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
    throw new ConfigurationInvalid(
      `The configuration file ${file} cannot be read (${why}): give another with --config.`,
    );
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (cause) {
    // The parser's own words may quote what stands there, which may be a secret: only the place is repeated.
    const place = /line \d+ column \d+/.exec((cause as Error).message)?.[0];
    const at = place === undefined ? '' : ` at ${place}`;
    throw new ConfigurationInvalid(
      `The configuration file ${file ?? DEFAULT_FILE} is not JSON${at}: check its commas, quotes and brackets.`,
    );
  }
  throw new ConfigurationInvalid(`The configuration file ${file ?? DEFAULT_FILE} must hold one JSON object.`);
}

function numberFrom(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (Number.isNaN(value)) throw new ConfigurationInvalid(`${name} must be a number, not '${text}'.`);
  return value;
}

/** Every text that is `env:NAME` replaced by what that variable holds: secrets need not stand in a file. */
function withSecrets(
  value: unknown,
  environment: Readonly<Record<string, string | undefined>>,
  path: readonly string[] = [],
): unknown {
  if (typeof value === 'string' && value.startsWith('env:')) {
    const name = value.slice(4);
    const found = environment[name];
    if (found !== undefined && found !== '') return found;
    throw new ConfigurationInvalid(`${path.join('.')} refers to the environment variable ${name}, which is not set.`);
  }
  if (Array.isArray(value)) return value.map((one, i) => withSecrets(one, environment, [...path, String(i)]));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, withSecrets(one, environment, [...path, key])]),
  );
}
