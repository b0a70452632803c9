// This machine, looked at: room for the embedded database, the tables of time zones, the template of statements.

import { access, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { openZone } from '../../../core/domain/zone.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import { DEFAULT_TEMPLATE_FOLDER, loadTemplate } from '../../templates/load-template.ts';
import { broken, type Examination, good, idle, type Seen, warning } from './examination.ts';

const GIBIBYTE = 2 ** 30;
/** Below this the embedded database is one month-end away from standing still. */
const LITTLE_ROOM = 2 * GIBIBYTE;
const NO_ROOM = GIBIBYTE / 4;

export function examineMachine(configuration: Configuration): readonly Examination[] {
  const { databaseUrl, dataDirectory, reports, server } = configuration;
  const template = reports.template ?? DEFAULT_TEMPLATE_FOLDER;
  return [
    {
      what: 'disk',
      todo: `see that ${dataDirectory} can be reached`,
      examine: async () =>
        databaseUrl === undefined
          ? examineRoom(dataDirectory)
          : idle('the database has its own: see to its room there'),
    },
    {
      what: 'time zones',
      todo: 'use a Node.js with full ICU, as its own packages are',
      examine: async () => examineZones(),
    },
    {
      what: 'template',
      todo: 'correct the file that is named, or leave reports.template out',
      examine: async () => {
        loadTemplate(template);
        return good(reports.template === undefined ? 'that of pointage' : template);
      },
    },
    ...(isLoopback(server.host) ? [] : [proxiesOf(server)]),
  ];
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** Others reach the server, so there is a proxy that speaks TLS: without a name for it, all who call are one address. */
function proxiesOf({ host, trustedProxies }: Configuration['server']): Examination {
  const todo = 'give server.trustedProxies the address of the proxy in front';
  const says = `server.host is ${host}, and no proxy is trusted: behind one, all callers count as one address`;
  const seen = trustedProxies.length === 0 ? warning(says, todo) : good(trustedProxies.join(', '));
  return { what: 'proxies', todo, examine: async () => seen };
}

async function examineRoom(folder: string): Promise<Seen> {
  const { bavail, bsize } = await statfs(await nearestThere(resolve(folder)));
  const free = bavail * bsize;
  const says = `${(free / GIBIBYTE).toFixed(1)} GiB free for ${folder}`;
  const todo = 'make room, or move dataDirectory';
  if (free < NO_ROOM) return broken(says, todo);
  return free < LITTLE_ROOM ? warning(says, todo) : good(says);
}

/** The folder, or what of the way to it is there already. */
async function nearestThere(folder: string): Promise<string> {
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : nearestThere(dirname(folder));
}

/** A Node.js built without them takes every zone for UTC, or for none. */
function examineZones(): Seen {
  const january = Date.UTC(2026, 0, 1);
  const hours = openZone('Africa/Douala')?.offsetAt(january);
  if (hours === 3_600_000) return good('known');
  return broken(
    'Africa/Douala is not an hour ahead of UTC here',
    'use a Node.js with full ICU, as its own packages are',
  );
}
