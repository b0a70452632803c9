// Loads the configuration: files, over them the environment, over that flags, checked as a whole. A
// file may include folders of files; where two files give one key, or one merchant, neither wins.
// Secrets may be elsewhere and are never printed.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Clock, systemClock } from '../clock.ts';
import type { Configuration } from './check-configuration.ts';
import { ConfigurationInvalid } from './configuration-invalid.ts';
import { DEFAULTS } from './defaults.ts';
import { type Environment, withSecrets } from './given-secrets.ts';

/** Flags given on the command line, by configuration key; undefined when not given. */
export type Flags = Partial<
  Record<'config' | 'databaseUrl' | 'dataDirectory' | 'source', string | undefined>
>;

/** Throws `ConfigurationInvalid`. */
export async function loadConfiguration(
  flags: Flags,
  environment: Environment,
  clock: Clock = systemClock,
): Promise<Configuration> {
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
  // Any text that is not empty is right in these three places. Where nothing else is given, the
  // check need not be loaded.
  if (Object.keys(others).length === 0)
    return { ...DEFAULTS, ...(withSecrets(texts, environment) as Texts) };
  const { checkConfiguration } = await import('./check-configuration.ts');
  const checked = checkConfiguration(
    withSecrets({ ...others, ...texts }, environment),
    file ?? DEFAULT_FILE,
  );
  // Loaded where there are schedules to check, because a calendar takes longer than all else that
  // is done here.
  if ('worker' in others) (await import('./check-crons.ts')).checkCrons(checked);
  if (checked.issuers.some(({ seal }) => seal !== undefined))
    await (await import('./check-seals.ts')).checkSeals(checked, clock());
  return checked;
}

type Texts = Partial<Record<'databaseUrl' | 'dataDirectory' | 'source', string>>;

/** Returns the texts that the flags give, else those of the environment. */
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
  if (Number.isNaN(value))
    throw new ConfigurationInvalid(`${name} must be a number, not '${text}'.`);
  return value;
}

const DEFAULT_FILE = 'pointage.config.json';

type Settings = Readonly<Record<string, unknown>>;

/**
 * Returns what the file and its includes say; empty where no file is named and the usual one is not
 * there.
 */
function readConfigurationFiles(file: string | null): Settings {
  const { include, ...settings } = readFile(file ?? DEFAULT_FILE, file === null) ?? {};
  if (include === undefined) return settings;
  const merged = startMerge(file ?? DEFAULT_FILE, settings);
  for (const part of filesIn(include, file ?? DEFAULT_FILE)) {
    const included = readFile(part, false)!;
    if ('include' in included)
      throw new ConfigurationInvalid(
        `${part} is included, and includes others itself: name them in ${file}.`,
      );
    merged.add(part, included);
  }
  return merged.settings;
}

/**
 * Returns the `.json` files of the folders that `include` names, by name. A relative folder is
 * beside `file`.
 */
function filesIn(include: unknown, file: string): readonly string[] {
  const folders = Array.isArray(include) ? include : [include];
  return folders.flatMap((folder) => {
    if (typeof folder !== 'string' || folder === '')
      throw new ConfigurationInvalid(`include in ${file} must be a folder, or a list of them.`);
    const at = resolve(dirname(file), folder);
    try {
      const names = readdirSync(at).filter(
        (name) => name.endsWith('.json') && !name.startsWith('.'),
      );
      return names.sort().map((name) => join(at, name));
    } catch (cause) {
      const why = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
      throw new ConfigurationInvalid(
        `The folder ${at}, which ${file} includes, cannot be read (${why}).`,
      );
    }
  });
}

function startMerge(file: string, first: Settings) {
  const givenBy = new Map<string, string>();
  const merchants: Record<string, unknown> = {};
  const settings: Record<string, unknown> = {};
  const take = (part: string, key: string): void => {
    const other = givenBy.get(key);
    if (other !== undefined)
      throw new ConfigurationInvalid(
        `${key} is given by ${other} and by ${part}: leave it in one of them.`,
      );
    givenBy.set(key, part);
  };
  const add = (part: string, given: Settings): void => {
    for (const [key, value] of Object.entries(given)) {
      if (key !== 'merchants' || typeof value !== 'object' || value === null) {
        take(part, key);
        settings[key] = value;
        continue;
      }
      for (const [reference, merchant] of Object.entries(value)) {
        take(part, `merchants.${reference}`);
        merchants[reference] = merchant;
      }
      settings.merchants = merchants;
    }
  };
  add(file, first);
  return { settings, add };
}

/**
 * Returns what the file says, without `$schema`, which is for editors. Returns `null` where the
 * file may be absent, and is.
 */
function readFile(file: string, mayBeAbsent: boolean): Settings | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    if (mayBeAbsent) return null;
    const why = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
    throw new ConfigurationInvalid(
      `The configuration file ${file} cannot be read (${why}): give another with --config.`,
    );
  }
  const value = parse(text, file);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ConfigurationInvalid(`The configuration file ${file} must hold one JSON object.`);
  const { $schema: _, ...settings } = value as Record<string, unknown>;
  return settings;
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The parser's message may quote a secret: repeat the place alone.
    const place = /line \d+ column \d+/.exec((cause as Error).message)?.[0];
    const at = place === undefined ? '' : ` at ${place}`;
    throw new ConfigurationInvalid(
      `The configuration file ${file} is not JSON${at}: check its commas, quotes and brackets.`,
    );
  }
}

/** Matches the keys of secrets. */
const SECRET =
  /^(?:apiKey|apiSecret|numero|password|current|previous|token|secret|clientSecret|key|passphrase)$/;
/** Matches the keys of addresses in which there may be a password. */
const ADDRESS = /^(?:databaseUrl|source|url|tracesUrl)$/;

/**
 * Returns the texts that must not be printed, logged or traced: every secret value that is given,
 * and the passwords inside of addresses.
 */
export function secretsOf(configuration: Configuration): readonly string[] {
  // The keys in `summaryKeys` and `postgres` are the operator's own words. The settings in `each`
  // are in the merchants by now.
  const { summaryKeys: _, postgres: __, merchantsFrom, ...given } = configuration;
  const { each: ___, ...list } = merchantsFrom ?? {};
  const found: string[] = [];
  JSON.stringify({ ...given, list }, (key, value: unknown) => {
    if (typeof value !== 'string') return value;
    found.push(...(SECRET.test(key) ? [value] : ADDRESS.test(key) ? passwordOf(value) : []));
  });
  return [...new Set(found)].filter((one) => one !== '');
}

/**
 * Returns the password in an address as it is written, and decoded. A password that is its user's
 * own name is left out, because it is no secret, and is in every text.
 */
function passwordOf(address: string): readonly string[] {
  const [, user, written] = /^[a-z][a-z\d+.-]*:\/\/([^/?#@:]*):([^/?#]*)@/i.exec(address) ?? [];
  if (written === undefined || written === user) return [];
  try {
    return [written, decodeURIComponent(written)];
  } catch {
    return [written];
  }
}
