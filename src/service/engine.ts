// The engine's name and version, as reports and checkpoints carry it.

import { readFileSync } from 'node:fs';

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as {
  version: string;
};

/** `0.1.0`. */
export const VERSION = version;
export const ENGINE = `pointage ${version}`;
