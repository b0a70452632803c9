// The engine's name and version, as reports and checkpoints carry it.

import { readFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

export const ENGINE = `pointage ${version}`;
