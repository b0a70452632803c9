// `pointage lab sandbox`: the simulated service, to try things on, until a signal stops it. Its
// keys come from its seed, so that a configuration written once holds good.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { DAY, formatInstant, HOUR, SECOND } from '../../../core/domain/instant.ts';
import type { DEMO_SEED } from '../../../sandbox/plans/demo-plans.ts';
import type { FATES, Fates } from '../../../sandbox/service/account/settings.ts';
import type { Sandbox } from '../../../sandbox/service/start-sandbox.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import { closable } from '../../workflows/closable.ts';
import { type Stage, stopRequested, wholeNumber } from '../stage/stage.ts';
import {
  faultsWished,
  LIST,
  plantWished,
  printSandboxList,
  settingsWished,
} from './sandbox-wishes.ts';

const EXAMPLES = `
Examples:
  pointage lab sandbox --port 4010 > pointage.config.json
  pointage lab sandbox --host 0.0.0.0 --follow            (for other machines; its time is that of this machine)
  pointage lab sandbox --follow --partners 60 --notify http://127.0.0.1:8080
  pointage lab sandbox --merchants 30 --faults BALANCE_DRIFT,CREDIT_MISSING
  pointage lab sandbox --fates decided --misbehaviours UNAVAILABLE,DELIVERED_TWICE=0.5
  pointage lab sandbox --faults list
  curl -X POST -d '{"by":86400000}' -H "content-type: application/json" http://127.0.0.1:4010/sandbox/advance`;

/** So many merchants have some hundred thousand lines, which are held in memory. */
const MOST_MERCHANTS = 500;

interface SandboxFlags {
  readonly host: string;
  readonly port: string;
  readonly seed: string;
  readonly follow?: true;
  readonly merchants?: number;
  readonly faults?: string;
  readonly misbehaviours?: string;
  readonly fates: Fates;
  readonly partners?: number;
  readonly notify?: string;
  readonly privateHttp?: true;
  readonly choices?: true;
}

export function defineSandbox(command: Command, stage: Stage): void {
  command
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on', '4010')
    .option(
      '--seed <seed>',
      'another seed makes other histories',
      'pointage' satisfies typeof DEMO_SEED,
    )
    .option('--follow', "let its time pass as this machine's does, instead of standing still")
    .option(
      '--merchants <count>',
      "so many merchants drawn from the seed, instead of the demonstration's",
      wholeNumber(1, MOST_MERCHANTS),
    )
    .option(
      '--faults <names>',
      'names with commas between them, each planted in the books of another merchant; or list',
    )
    .option(
      '--misbehaviours <names>',
      'trouble: names with commas between them, or NAME=SHARE of 0 to 1; or list',
    )
    .addOption(
      new Option(
        '--fates <who>',
        'what becomes of operations that calls create: it is drawn, or decided by calls',
      )
        .choices(['drawn', 'decided'] satisfies typeof FATES)
        .default('drawn'),
    )
    .option(
      '--partners <calls>',
      'let a partner of each merchant call it, so many times an hour',
      wholeNumber(1, 3_600),
    )
    .option(
      '--notify <url>',
      "where 'pointage serve' listens: it gets the notifications of every merchant",
      baseOf,
    )
    .option(
      '--private-http',
      'notifications may go to private networks by plain HTTP, as they may with --notify',
    )
    .option('--choices', 'list what it has chosen where the documents are silent, and end')
    .addHelpText('after', EXAMPLES)
    .action(async (flags: SandboxFlags) => {
      const listed = listWished(flags);
      return listed === null ? serveSandbox(stage, flags) : printSandboxList(stage, listed);
    });
}

/** Returns which list a person wants; `null` when the sandbox is to serve. */
function listWished({
  faults,
  misbehaviours,
  choices,
}: SandboxFlags): 'faults' | 'misbehaviours' | 'choices' | null {
  if (faults === LIST) return 'faults';
  if (misbehaviours === LIST) return 'misbehaviours';
  return choices === true ? 'choices' : null;
}

function baseOf(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol))
    return text.replace(/\/+$/, '');
  throw new InvalidArgumentError('It must be an address like http://127.0.0.1:8080.');
}

async function serveSandbox(stage: Stage, flags: SandboxFlags): Promise<void> {
  const { host, seed, notify, privateHttp } = flags;
  const port = portOf(flags.port);
  // With `--notify`, private networks may be notified without TLS, because the sandbox is for
  // trying.
  const settings = await settingsWished({
    ...flags,
    privateHttp: privateHttp === true || notify !== undefined,
  });
  const faults = await faultsWished(flags.faults);
  const stopped = stopRequested();
  const { DEMO_START } = await import('../../../sandbox/plans/demo-plans.ts');
  const { startSandbox } = await import('../../../sandbox/service/start-sandbox.ts');
  const merchants = await plansOf(flags);
  await using sandbox = closable(
    await startSandbox({ seed, merchants, start: DEMO_START, host, port, control: true, settings }),
  );
  for (const name of faults) stage.terminal.note(plantWished(sandbox, name));
  const follow = following(sandbox, stage.clock);
  const pulse = flags.follow === true ? setInterval(follow, SECOND) : undefined;
  if (flags.follow === true) await follow();
  const leave = await letPartnersCall(stage, sandbox, flags);
  printIntroduction(stage, sandbox);
  await stopped;
  clearInterval(pulse);
  await leave();
}

function printIntroduction({ terminal }: Stage, sandbox: Sandbox): void {
  const { merchants, url, origin } = sandbox;
  terminal.note(
    `The sandbox serves ${merchants.length} merchants at ${url} as of ${formatInstant(sandbox.now())}.\n`,
  );
  terminal.note(
    `Advance its time: POST ${origin}/sandbox/advance {"by": ${DAY}}. Stop with Ctrl-C. A configuration for it:\n`,
  );
  terminal.out(`${JSON.stringify(configurationFor(sandbox), null, 2)}\n`);
}

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new ConfigurationInvalid(`--port must be 0 to 65535, not '${text}'.`);
}

async function plansOf({ merchants, seed }: SandboxFlags) {
  const { DEMO_START, demoPlans } = await import('../../../sandbox/plans/demo-plans.ts');
  if (merchants === undefined) return demoPlans();
  const { drawnPlans } = await import('../../../sandbox/plans/drawn-plans.ts');
  return drawnPlans(merchants, { seed, start: DEMO_START });
}

/**
 * Says where the partners' notifications go, and lets the partners call from then on. Returns the
 * function that ends their calls.
 */
async function letPartnersCall(
  stage: Stage,
  { url, dashboardUrl, merchants }: Sandbox,
  { seed, partners: calls, notify }: SandboxFlags,
): Promise<() => Promise<void>> {
  if (calls === undefined && notify === undefined) return async () => {};
  const { openPartner } = await import('../../../sandbox/partners/open-partner.ts');
  const partners = merchants.map((merchant) =>
    openPartner({ url, dashboardUrl, ...merchant }, merchant.plan, seed),
  );
  if (notify !== undefined) {
    for (const one of partners) await one.listenAt(notify);
  }
  if (calls === undefined) return async () => {};
  let working = Promise.resolve();
  const call = (): void => {
    const all = () => Promise.all(partners.map((one) => one.work(1)));
    working = working.then(all).then(
      () => undefined,
      (failure: Error) => stage.terminal.note(`A partner's call failed: ${failure.message}\n`),
    );
  };
  const pulse = setInterval(call, HOUR / calls);
  return () => {
    clearInterval(pulse);
    return working;
  };
}

/**
 * Returns the function that moves the simulated time on to the time of `clock`. The simulated time
 * does not move while `clock` is before its beginning, and while receivers are waited for.
 */
function following(sandbox: Sandbox, clock: () => number): () => Promise<void> {
  let isBusy = false;
  return async () => {
    if (isBusy || clock() <= sandbox.now()) return;
    isBusy = true;
    await sandbox.advanceTo(clock()).finally(() => (isBusy = false));
  };
}

/** This secret is public, as this file is. It protects books that belong to no one. */
const TRIED_SECRET = 'for-trying-only-everybody-knows-it';
const TRIED_OPERATOR = {
  name: 'essai',
  token: 'for-trying-only-an-operator-of-nothing',
  roles: ['decider', 'publisher', 'auditor', 'metrics'],
};

/**
 * Returns the configuration that pointage needs to read the sandbox and to serve what it made of
 * it: addresses, keys, and who may call.
 */
export function configurationFor({ url, dashboardUrl, merchants }: Sandbox) {
  const keys = merchants.map(({ reference, apiKey, apiSecret, signingSecret, dashboard }) => {
    const notifications = { current: signingSecret };
    return [
      reference,
      { apiKey, apiSecret, dashboard: dashboard ?? undefined, notifications },
    ] as const;
  });
  return {
    source: url,
    dashboard: { baseUrl: dashboardUrl },
    server: { tokens: { secret: TRIED_SECRET }, operators: [TRIED_OPERATOR] },
    merchants: Object.fromEntries(keys),
  };
}
