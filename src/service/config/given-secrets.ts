// Looks up texts of the configuration that are kept elsewhere: `env:NAME` in a variable of the
// environment, `file:PATH` in a file, as containers are handed secrets. No sentence repeats such a
// text.

import { readFileSync } from 'node:fs';
import { ConfigurationInvalid } from './configuration-invalid.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const LONGEST_SECRET = 65_536;

/**
 * Returns `value` with every such text replaced by the value that it names. Throws
 * `ConfigurationInvalid` where there is none.
 */
export function withSecrets(
  value: unknown,
  environment: Environment,
  path: readonly string[] = [],
): unknown {
  if (typeof value === 'string') return textOf(value, environment, path);
  if (Array.isArray(value))
    return value.map((one, i) => withSecrets(one, environment, [...path, String(i)]));
  // Settings for each merchant of a list are looked up later, when they are filled in for each.
  if (typeof value !== 'object' || value === null || path.join('.') === 'merchants.from.each')
    return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, withSecrets(one, environment, [...path, key])]),
  );
}

function textOf(text: string, environment: Environment, path: readonly string[]): string {
  if (text.startsWith('env:')) return ofVariable(text.slice('env:'.length), environment, path);
  // In these places `file:DIR` is where books are.
  const isAddress = path.at(-1) === 'source' || path.at(-2) === 'sources';
  return text.startsWith('file:') && !isAddress ? ofFile(text.slice('file:'.length), path) : text;
}

function ofVariable(name: string, environment: Environment, path: readonly string[]): string {
  const found = environment[name];
  if (found !== undefined && found !== '') return found;
  throw new ConfigurationInvalid(
    `${path.join('.')} refers to the environment variable ${name}, which is not set.`,
  );
}

/** Returns the text of the file without the end of its last line, which editors add. */
function ofFile(file: string, path: readonly string[]): string {
  const refused = (why: string) =>
    new ConfigurationInvalid(`${path.join('.')} refers to the file ${file}, which ${why}.`);
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    throw refused(
      `cannot be read (${(cause as NodeJS.ErrnoException).code ?? (cause as Error).message})`,
    );
  }
  if (text === '') throw refused('is empty');
  if (text.length > LONGEST_SECRET)
    throw refused(`holds more than ${LONGEST_SECRET} characters, and no secret`);
  return text;
}
