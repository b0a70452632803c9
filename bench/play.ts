// `npm run play`: plays the whole service from a seed, prints a line for each step, and stops at
// the first step after which something does not hold.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { preparePrograms } from '../src/io/storage/server/embedded-cluster.ts';
import { openStore } from '../src/io/storage/server/open-store.ts';
import { withClient } from '../test/support/disturbed/end-state.ts';
import { serverAccount, startOwnPostgres } from '../test/support/own-postgres.ts';
import { play } from '../test/support/play/play.ts';
import type { Databases } from '../test/support/play/world.ts';

const HELP = `Usage: npm run play -- [options]

Options:
  --seed TEXT       decides what happens (default: the time)
  --steps N         steps of a play (default 40)
  --plays N         plays, of the seeds SEED, SEED.2, SEED.3, … (default 1)
  --without N,…     leaves these steps out: to find the shortest play that still fails
  --help            this text

Examples:
  npm run play -- --seed 7 --steps 16
  npm run play -- --seed 7 --steps 16 --without 3,4,9
  npm run play -- --plays 20

Exit status: 0 all held · 1 something did not, at the step printed last · 2 bad usage
`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: `${Date.now()}` },
    steps: { type: 'string', default: '40' },
    plays: { type: 'string', default: '1' },
    without: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
});
const [steps, plays] = [Number(values.steps), Number(values.plays)];
if (values.help) process.stdout.write(HELP);
else if (!(steps > 0) || !(plays > 0)) {
  process.stderr.write(HELP);
  process.exitCode = 2;
} else process.exitCode = await withDatabases(playAll);

async function playAll(databases: Databases): Promise<number> {
  const without = new Set(values.without.split(',').filter(Boolean).map(Number));
  const onStep = (line: string) => void process.stdout.write(`  ${line}\n`);
  let failed = 0;
  for (let number = 1; number <= plays; number += 1) {
    const seed = number === 1 ? values.seed : `${values.seed}.${number}`;
    process.stdout.write(`npm run play -- --seed ${seed} --steps ${steps}\n`);
    const wrong = await play({ databases, seed, steps, without, onStep });
    for (const line of wrong) process.stdout.write(`    WRONG ${line}\n`);
    if (wrong.length > 0) failed += 1;
  }
  process.stdout.write(`${plays} plays of ${steps} steps, ${failed} failed\n`);
  return failed > 0 ? 1 : 0;
}

async function withDatabases(use: (databases: Databases) => Promise<number>): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), 'pointage-play-'));
  // The server of root runs as another account, which must be able to pass through this folder.
  chmodSync(home, 0o711);
  const server = await startOwnPostgres(
    preparePrograms(home, serverAccount()),
    { synchronous_commit: 'off' },
    null,
    [home],
  );
  try {
    const template = 'template_play';
    await withClient(server.databaseUrl('postgres'), (client) =>
      client.query(`create database ${template}`),
    );
    await (
      await openStore({ databaseUrl: server.databaseUrl(template), dataDirectory: '' })
    ).close();
    return await use({ url: server.databaseUrl, template });
  } finally {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  }
}
