// The files of a configuration: one, and those in the folders that it includes. Nothing may be said twice: of two files that give
// one key, or one merchant, neither wins.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ConfigurationInvalid } from './configuration-invalid.ts';

export const DEFAULT_FILE = 'pointage.config.json';

type Settings = Readonly<Record<string, unknown>>;

/** What the file and its includes say; empty where no file is named and the usual one is not there. */
export function readConfigurationFiles(file: string | null): Settings {
  const { include, ...settings } = readFile(file ?? DEFAULT_FILE, file === null) ?? {};
  if (include === undefined) return settings;
  const merged = startMerge(file ?? DEFAULT_FILE, settings);
  for (const part of filesIn(include, file ?? DEFAULT_FILE)) {
    const included = readFile(part, false)!;
    if ('include' in included)
      throw new ConfigurationInvalid(`${part} is included, and includes others itself: name them in ${file}.`);
    merged.add(part, included);
  }
  return merged.settings;
}

/** `include` names folders, beside the file where they are relative. Of each the `.json` files, by name. */
function filesIn(include: unknown, file: string): readonly string[] {
  const folders = Array.isArray(include) ? include : [include];
  return folders.flatMap((folder) => {
    if (typeof folder !== 'string' || folder === '')
      throw new ConfigurationInvalid(`include in ${file} must be a folder, or a list of them.`);
    const at = resolve(dirname(file), folder);
    try {
      const names = readdirSync(at).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
      return names.sort().map((name) => join(at, name));
    } catch (cause) {
      const why = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
      throw new ConfigurationInvalid(`The folder ${at}, which ${file} includes, cannot be read (${why}).`);
    }
  });
}

function startMerge(file: string, first: Settings) {
  const saidBy = new Map<string, string>();
  const merchants: Record<string, unknown> = {};
  const settings: Record<string, unknown> = {};
  const take = (part: string, key: string): void => {
    const other = saidBy.get(key);
    if (other !== undefined)
      throw new ConfigurationInvalid(`${key} is given by ${other} and by ${part}: leave it in one of them.`);
    saidBy.set(key, part);
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

/** Null where the file may be absent, and is. `$schema` is for editors. */
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
    // The parser's own words may quote what stands there, which may be a secret: only the place is repeated.
    const place = /line \d+ column \d+/.exec((cause as Error).message)?.[0];
    const at = place === undefined ? '' : ` at ${place}`;
    throw new ConfigurationInvalid(
      `The configuration file ${file} is not JSON${at}: check its commas, quotes and brackets.`,
    );
  }
}
