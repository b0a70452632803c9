// `pointage sandbox`: the simulated service, to try things on. Serves until it is asked to stop; its keys come from its seed,
// so that a configuration written once holds good.

import type { Command } from 'commander';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import { DAY, formatInstant, SECOND } from '../../domain/instant.ts';
import { DEMO_SEED, DEMO_START, demoPlans } from '../../sandbox/demo-plans.ts';
import type { Sandbox } from '../../sandbox/service/start-sandbox.ts';
import type { Stage } from '../command.ts';
import { stopRequested } from '../stop-requested.ts';

const EXAMPLES = `
Examples:
  pointage sandbox --port 4010 > pointage.config.json
  pointage sandbox --host 0.0.0.0 --follow            (for other machines; its time is that of this machine)
  curl -X POST -d '{"by":86400000}' -H "content-type: application/json" http://127.0.0.1:4010/sandbox/advance`;

interface SandboxFlags {
  readonly host: string;
  readonly port: string;
  readonly seed: string;
  readonly follow?: true;
}

export function defineSandbox(command: Command, stage: Stage): void {
  command
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on', '4010')
    .option('--seed <seed>', 'another seed makes other histories', DEMO_SEED)
    .option('--follow', "let its time pass as this machine's does, instead of standing still")
    .addHelpText('after', EXAMPLES)
    .action((flags: SandboxFlags) => serve(stage, flags));
}

async function serve(stage: Stage, flags: SandboxFlags): Promise<void> {
  const port = Number(flags.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new ConfigurationInvalid(`--port must be 0 to 65535, not '${flags.port}'.`);
  const stopped = stopRequested();
  const { startSandbox } = await import('../../sandbox/service/start-sandbox.ts');
  const { host, seed } = flags;
  const sandbox = await startSandbox({ seed, merchants: demoPlans(), start: DEMO_START, host, port, control: true });
  const follow = following(sandbox, stage.clock);
  const pulse = flags.follow === true ? setInterval(follow, SECOND) : undefined;
  if (flags.follow === true) await follow();
  const merchants = sandbox.merchants.length;
  stage.terminal.note(
    `The sandbox serves ${merchants} merchants at ${sandbox.url} as of ${formatInstant(sandbox.now())}.\n`,
  );
  stage.terminal.note(
    `Advance its time: POST ${sandbox.origin}/sandbox/advance {"by": ${DAY}}. Stop with Ctrl-C. A configuration for it:\n`,
  );
  stage.terminal.out(`${JSON.stringify(configurationFor(sandbox), null, 2)}\n`);
  await stopped;
  clearInterval(pulse);
  await sandbox.close();
}

/** Before its beginning the simulated time stands still; while receivers are waited for, it is not asked to go on again. */
function following(sandbox: Sandbox, clock: () => number): () => Promise<void> {
  let isBusy = false;
  return async () => {
    if (isBusy || clock() <= sandbox.now()) return;
    isBusy = true;
    await sandbox.advanceTo(clock()).finally(() => (isBusy = false));
  };
}

/** Known to everybody who reads this: for books that nobody owns. */
const TRIED_SECRET = 'for-trying-only-everybody-knows-it';
const TRIED_TOKEN = 'for-trying-only-an-operator-of-nothing';

/** What pointage needs to read the sandbox and to serve what it made of it: addresses, keys, and who may call. */
export function configurationFor({ url, dashboardUrl, merchants }: Sandbox) {
  const keys = merchants.map(({ reference, apiKey, apiSecret, dashboard }) => [
    reference,
    { apiKey, apiSecret, dashboard: dashboard ?? undefined },
  ]);
  return {
    source: url,
    dashboard: { baseUrl: dashboardUrl },
    server: { tokens: { secret: TRIED_SECRET }, operators: [{ name: 'essai', token: TRIED_TOKEN }] },
    merchants: Object.fromEntries(keys),
  };
}
