// Every command that README and docs print runs as it is printed, in a fresh folder with an empty
// home, against the simulated service that the commands start themselves. Only ports, the address
// of a database and the names of what was found are replaced. Of the service's dozen merchants four
// are there and three are read, because each command does to them what it does to all. A shell
// reads each line. Services are processes of their own, and the other commands run in one process,
// one after the other.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandProcess, openCommandProcess } from '../support/command-process.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { freePort } from '../support/free-port.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';

const root = resolve(import.meta.dirname, '../..');

/** Commands that are not run here, each with the reason. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'npm ci': 'installs from a registry; .ci/run begins with it',
  'npm test': 'runs the other tests',
  'npm run demo': 'docs.test runs the demonstration, and compares what it prints',
  'docker compose up': 'needs Docker',
  'npm run rehearse -- --merchants 2 --faults CREDIT_MISSING,EVENT_TYPE_MISMATCH --hours 2':
    'runs in a clone of the repository; rehearse.test rehearses',
  'npm run faultbench -- --date DAY --per-fault 300 --crowded 300 --clean 5000 --history 60 --part 1/2 --json one.json':
    'takes minutes; sweep/faultbench audits cases of every fault',
  'npm run faultbench -- --date DAY --per-fault 300 --crowded 300 --clean 5000 --history 60 --part 2/2 --json two.json':
    'takes minutes; sweep/faultbench audits cases of every fault',
  'npm run faultbench -- --join one.json two.json --write': 'joins what the two before it measured',
  'npm pack': 'package.test makes the archive, unpacks it and runs what is in it',
  'tar -xzf pointage-0.1.0.tgz --directory /opt --transform s/^package/pointage/':
    'needs root; package.test unpacks elsewhere',
  'npm ci --prefix /opt/pointage --omit=dev': 'needs root, and a registry',
  'ln -s /opt/pointage/src/service/cli/main.js /usr/local/bin/pointage': 'needs root',
  'npx pointage audit --source postgres://reader@127.0.0.1:5432/shop':
    'needs an operator’s own database; postgres-source.test fills and audits one',
  'npx pointage run M001 --reread --reason "the service restored a backup, ticket 812"':
    'needs lines that are served otherwise than before; run-altered-lines.test has them read anew',
  'pg_dump --format=custom --file=pointage.dump "$DATABASE_URL"':
    'needs PostgreSQL’s own programs; own-postgres.test goes through backup and restore',
  'createdb --owner=pointage pointage':
    'needs PostgreSQL’s own programs; own-postgres.test goes through backup and restore',
  'pg_restore --no-owner --dbname="$DATABASE_URL" pointage.dump':
    'needs PostgreSQL’s own programs; own-postgres.test goes through backup and restore',
};

const COMMAND = /^(?:npx|npm|node|curl|tar|ln|docker|createdb|pg_\w+|psql|systemctl|export|auth=)/;

/**
 * Returns the commands as they stand in blocks, in the order of the documents, each once. A line
 * that is continued is joined with the next.
 */
function printedCommands(): readonly string[] {
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  const texts = [join(root, 'README.md'), ...docs.map((name) => join(root, 'docs', name))].map(
    (path) => readFileSync(path, 'utf8'),
  );
  const blocks = texts.flatMap((text) =>
    [...text.matchAll(/^ *```(\w*)\n([\s\S]*?)^ *```$/gm)].flatMap(([, language, block]) =>
      language === '' || language === 'sh' ? [block!] : [],
    ),
  );
  const lines = blocks.flatMap((block) => block.replace(/\\\n\s*/g, '').split('\n'));
  return [...new Set(lines.filter((line) => COMMAND.test(line)))];
}

function printedCurls(): readonly string[] {
  return printedCommands().filter((line) => line.startsWith('curl '));
}

interface Step {
  /** The command as it is printed. */
  readonly run: string;
  /** The exit statuses that the command may end with; absent: 0. */
  readonly ends?: readonly number[];
  /**
   * Given for a service: the text that says that it runs. It is stopped by SIGTERM when the steps
   * are over, or by the next service of its kind.
   */
  readonly until?: RegExp;
}

const NPX = 'npx pointage';
const BOOKS = '--source file:docs/example-books';
const ADD_OPERATOR = `export POINTAGE_TOKEN=$(${NPX} operator add awa --role decider publisher --expires 90d)`;
/** The commands in an order in which a reader may type them. */
const STEPS: readonly Step[] = [
  { run: `${NPX} audit ${BOOKS}`, ends: [1] },
  { run: `${NPX} audit EPICERIE_EXEMPLE ${BOOKS} --as-of 2026-10-31 --out report.txt`, ends: [1] },
  {
    run: `${NPX} lab sandbox --port 4010 --follow > pointage.config.json`,
    until: /A configuration for it/,
  },
  { run: `${NPX} doctor` },
  { run: `${NPX} doctor --format json` },
  { run: `${NPX} run`, ends: [1] },
  { run: `${NPX} findings list` },
  { run: `${NPX} findings list --state open --severity critical` },
  { run: `${NPX} findings list --state open --limit 10000 --format xlsx --out findings.xlsx` },
  { run: `${NPX} tonight` },
  { run: `${NPX} findings exposure` },
  { run: `${NPX} findings show 66a8` },
  { run: ADD_OPERATOR },
  { run: `${NPX} findings acknowledge 66a8 --reason "asked the service, ticket 4412"` },
  { run: `${NPX} findings assign 66a8 Awa` },
  { run: `${NPX} findings comment 66a8 "they answer on Monday"` },
  {
    run: `${NPX} findings accept 66a8 --reason "below what an inquiry costs" --limit 500 --until 2027-01-01T00:00:00Z`,
  },
  { run: `${NPX} findings settle 66a8 --reason "paid back by bank transfer, ticket 4412"` },
  {
    run: `${NPX} findings decide acknowledge --state open --kind CREDIT_MISSING --expect 12 --seen 9f3c51d2a07be4468a1c3d5e7f902b46 --reason "ticket 4412"`,
  },
  { run: `${NPX} show MARCHE_LAGUNE_FICTIF#124` },
  { run: `${NPX} audit MARCHE_LAGUNE_FICTIF` },
  { run: `${NPX} run --format csv --out night.csv`, ends: [1] },
  { run: `${NPX} statement make MARCHE_LAGUNE_FICTIF 2026-10 --out releves` },
  { run: `${NPX} statement make EPICERIE_EXEMPLE 2026-10 ${BOOKS} --out releves` },
  { run: `${NPX} statement make --all 2026-10 --format csv --lang en --out statements` },
  { run: `${NPX} statement issue MARCHE_LAGUNE_FICTIF 2026-10` },
  { run: `${NPX} statement issue --all 2026-10` },
  { run: `${NPX} token MARCHE_LAGUNE_FICTIF` },
  { run: `${NPX} statement list --held` },
  { run: `${NPX} statement release M001 2026-10 --reason "put right by line 412"` },
  { run: `${NPX} statement send M001 2026-10 --to audit@example.com` },
  { run: `${NPX} deliveries list --state FAILED` },
  { run: `${NPX} deliveries list --state ABANDONED --format csv` },
  { run: `${NPX} deliveries register --period 2026-10 --format csv` },
  { run: `${NPX} merchants list --format csv` },
  { run: `${NPX} deliveries show 1f658be6` },
  { run: `${NPX} deliveries retry --in-doubt` },
  { run: `${NPX} operator list` },
  { run: `${NPX} operator revoke awa` },
  { run: `${NPX} trail --since 2026-11-01 --format csv --out trail.csv` },
  { run: `${NPX} serve`, until: /are served at/ },
  { run: `${NPX} serve --host 127.0.0.1 --port 8080`, until: /are served at/ },
  { run: `${NPX} worker --once ${BOOKS}`, ends: [1] },
  { run: `${NPX} worker`, until: /Working on/ },
  { run: 'export POINTAGE=http://127.0.0.1:8080' },
  { run: 'auth="Authorization: Bearer $M001_OPERATOR_TOKEN"' },
  // What the worker has sent by then is not tried again, and no proposal waits.
  ...printedCurls().flatMap((run) =>
    run.includes('$SANDBOX')
      ? []
      : [{ run, ends: /\/(?:retry|confirm|withdraw)"$/.test(run) ? [0, 22] : [0] }],
  ),
  { run: 'export DATABASE_URL=postgres://pointage:a-secret@127.0.0.1:5432/pointage' },
  { run: `${NPX} migrate` },
  { run: `${NPX} migrate --roles` },
  { run: `${NPX} run`, ends: [1] },
  { run: `${NPX} lab sandbox --misbehaviours list` },
  {
    run: `${NPX} lab sandbox --port 4010 --fates decided > pointage.config.json`,
    until: /A configuration for it/,
  },
  ...printedCommands().flatMap((run) =>
    /^export (?:SANDBOX|KEY|SECRET)=/.test(run) ? [{ run }] : [],
  ),
  ...printedCurls().flatMap((run) => (run.includes('$SANDBOX') ? [{ run }] : [])),
];

/**
 * Merchants with a fault in three months of history each, so that an open one is left when others
 * were decided about.
 */
const READ = ['MARCHE_LAGUNE_FICTIF', 'PHARMACIE_SAHEL_DEMO', 'ECOLE_FICTIVE_DU_LAC'];
/** These merchants, and one whose service partners call. */
const THERE = [...READ, 'LIBRAIRIE_KORAFICTIVE'];
const FEWER = pathToFileURL(join(root, 'test/support/fewer-demo-merchants.ts')).href;

let folder: string;
let opened: TestStore;
let mail: MailServer;
let commands: CommandProcess;
let entrance: Server;
/** What stands in the documents, with what it is here; the longest first. */
const names = new Map<string, string>();
const services = new Map<string, ChildProcess>();
/** Lines that later commands need, because they export variables. */
const said: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pointage-printed-'));
  cpSync(join(root, 'docs/example-books'), join(folder, 'docs/example-books'), { recursive: true });
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'home'));
  const npx = join(folder, 'bin/npx');
  const socket = join(folder, 'bin/commands');
  writeFileSync(npx, npxBy(socket));
  chmodSync(npx, 0o755);
  commands = openCommandProcess();
  entrance = createServer(async (request, response) => {
    const text = (await buffer(request)).toString();
    const [at, ...words] = text.slice(text.indexOf('\0\0') + 2, -1).split('\0');
    const variables = text
      .slice(0, text.indexOf('\0\0'))
      .split('\0')
      .map((line) => /^(.*?)=(.*)$/s.exec(line)!.slice(1));
    const environment = Object.fromEntries(variables) as Record<string, string>;
    const ended = await commands.run(words, { folder: at!, environment });
    writeFileSync(join(request.url!, 'out'), ended.out);
    writeFileSync(join(request.url!, 'err'), ended.err);
    response.end(String(ended.status));
  }).listen(socket);
  // A call that is refused ends curl with status 22.
  writeFileSync(join(folder, 'home/.curlrc'), 'fail\nsilent\nshow-error\n');
  opened = await openTestStore();
  mail = await startMailServer();
  for (const port of ['4010', '8080']) names.set(port, String(await freePort()));
  names.set('postgres://pointage:a-secret@127.0.0.1:5432/pointage', opened.databaseUrl);
});
afterAll(async () => {
  for (const child of services.values()) await stop(child);
  entrance.close();
  await commands.close();
  await mail.close();
  await opened.close();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Returns the script that takes the place of npx. It starts a service; another command is sent,
 * with its folder and its environment, to where commands run.
 */
function npxBy(socket: string): string {
  const main = `DEMO_MERCHANTS=${THERE} exec '${process.execPath}' --import '${FEWER}' '${join(root, 'src/service/cli/main.js')}' "$@"`;
  return `#!/bin/sh
shift
case "$1 $2" in 'lab sandbox' | serve* | 'worker ') ${main} ;; esac
said=$(mktemp -d '${folder}/bin/said-XXXXXX')
status=$({ env -0; printf '\\0%s\\0' "$PWD"; printf '%s\\0' "$@"; } |
  curl -q --silent --unix-socket '${socket}' --data-binary @- "http://commands$said")
cat "$said/out"
cat "$said/err" >&2
exit "$status"
`;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = once(child, 'exit');
  process.kill(-child.pid!, 'SIGTERM');
  await gone;
}

interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/**
 * Types a line in a shell of its own, which leads a group of processes, so that what it has started
 * can be stopped.
 */
async function type(line: string, until?: RegExp): Promise<Ended> {
  const PATH = [join(folder, 'bin'), dirname(process.execPath), process.env.PATH].join(':');
  const env = {
    PATH,
    HOME: join(folder, 'home'),
    M001_OPERATOR_TOKEN: 'for-trying-only-an-operator-of-nothing',
  };
  const child = spawn('bash', ['-c', [...said, line].join('\n')], {
    cwd: folder,
    env,
    detached: true,
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (part: Buffer) => {
    out += part.toString();
  });
  child.stderr.on('data', (part: Buffer) => {
    err += part.toString();
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  if (until === undefined) return { status: (await closed)[0], out, err };
  const word = line.split(' ')[2]!;
  services.set(word, child);
  while (child.exitCode === null && !until.test(out + err)) await sleep(50);
  return { status: child.exitCode ?? 0, out, err };
}

function asHere(line: string): string {
  const all = [...names].sort(([a], [b]) => b.length - a.length);
  return all.reduce((text, [printed, here]) => text.replaceAll(printed, here), line);
}

async function runStep({ run, ends = [0], until }: Step): Promise<void> {
  const earlier = services.get(run.split(' ')[2]!);
  if (until !== undefined && earlier !== undefined) await stop(earlier);
  if (run === ADD_OPERATOR) {
    // The command is run once, and not before each command that uses its output.
    const { out } = await type(asHere(/\$\((.*)\)/.exec(run)![1]!));
    expect(out).toMatch(/^pointage_[\w-]{43}\n$/);
    said.push(`export POINTAGE_TOKEN=${out.trim()}`);
    return;
  }
  if (/^(?:export |auth=)/.test(run)) {
    said.push(asHere(run));
    return;
  }
  const ended = await type(asHere(run), until);
  expect([
    run,
    ends.includes(ended.status!) ? 'runs' : ended.status,
    ended.err.slice(-2_000),
  ]).toEqual([run, 'runs', expect.any(String)]);
  expect(ended.err, run).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m);
  await learnFrom(run, ended);
}

/** Notes what the things are called here that the documents name by example. */
async function learnFrom(run: string, { out }: Ended): Promise<void> {
  if (run.includes(' sandbox ') && run.includes('>')) {
    const file = join(folder, 'pointage.config.json');
    // The file is written after the line that announces it.
    while (!readFileSync(file, 'utf8').endsWith('}\n')) await sleep(20);
    const settings = JSON.parse(readFileSync(file, 'utf8')) as {
      server: object;
      merchants: object;
    };
    const merchants = Object.fromEntries(
      Object.entries(settings.merchants).filter(([name]) => READ.includes(name)),
    );
    expect(Object.keys(merchants)).toHaveLength(READ.length);
    const server = { ...settings.server, port: Number(names.get('8080')) };
    writeFileSync(
      file,
      JSON.stringify({
        ...settings,
        server,
        merchants,
        mail: { url: mail.url, from: 'p@example.com' },
      }),
    );
    names.set('M001 2026-10', 'MARCHE_LAGUNE_FICTIF 2026-10');
  } else if (run.includes('statement send')) {
    const listed = await type('npx pointage deliveries list --format json');
    const { id } = (JSON.parse(listed.out) as { id: string }[])[0]!;
    names.set('1f658be6', id.slice(0, 8));
    names.set('1f658be6-8f1b-4b1d-9c1e-0d9a3c0f7a10', id);
  } else if (run.startsWith(`${NPX} worker --once`)) {
    const listed = await type(
      'npx pointage findings list --state open --severity critical --format json',
    );
    const critical = JSON.parse(listed.out) as {
      merchant: string;
      fingerprint: string;
      operation: string | null;
    }[];
    const [open] = critical.filter(
      ({ merchant }) => merchant !== 'MARCHE_LAGUNE_FICTIF' && merchant !== 'EPICERIE_EXEMPLE',
    );
    for (const form of ['=M001', '/M001', '"M001"'])
      names.set(form, form.replace('M001', open!.merchant));
    names.set('1f658be68f1bb1d2', open!.fingerprint);
    names.set(
      'GUI-CO-P7BAT40001X',
      critical.find(({ operation }) => operation !== null)!.operation!,
    );
    names.set('runs/34', 'runs/1');
  } else if (run.startsWith(`${NPX} findings settle`)) {
    const list = (filter: string) =>
      type(`${NPX} findings list --state open ${filter} --format json`);
    const { kind } = (JSON.parse((await list('')).out) as { kind: string }[]).at(-1)!;
    const [, expected, seen] = /--expect (\d+) --seen (\w+)/.exec(
      (await list(`--kind ${kind}`)).err,
    )!;
    names.set('--kind CREDIT_MISSING --expect 12', `--kind ${kind} --expect ${expected}`);
    names.set('9f3c51d2a07be4468a1c3d5e7f902b46', seen!);
  } else if (run.endsWith('/decisions"')) {
    const list = async (filter: string) =>
      JSON.parse((await type(`curl -s -H "$auth" "$POINTAGE/findings?${filter}"`)).out) as {
        readonly total: number;
        readonly seen: string;
        readonly items: readonly { readonly kind: string }[];
      };
    const { kind } = (await list('state=open')).items[0]!;
    const { total, seen } = await list(`state=open&kind=${kind}`);
    names.set('kind=CREDIT_MISSING', `kind=${kind}`);
    names.set('"expect": 12', `"expect": ${total}`);
    names.set('9f3c51d2a07be4468a1c3d5e7f902b46', seen);
  } else if (run.endsWith('/release"')) {
    const { openRoots } = JSON.parse(out) as { openRoots: number };
    names.set('"expectOpen": 0', `"expectOpen": ${openRoots}`);
  } else if (run.includes('"$POINTAGE/audits"')) {
    const { id } = JSON.parse(out) as { id: string };
    names.set('0b9b3c1e-55a8-4a35-9a5e-0d9a3c0f7a10', id);
    const asked = `curl -H "$auth" "$POINTAGE/audits/${id}"`;
    while (/"(?:QUEUED|RUNNING)"/.test((await type(asked)).out)) await sleep(200);
  }
}

test('each that is printed is run, or named with the reason why not', () => {
  const known = [...STEPS.map(({ run }) => run), ...Object.keys(NOT_RUN)];
  expect(printedCommands().filter((line) => !known.includes(line))).toEqual([]);
  expect([...new Set(known)].filter((line) => !printedCommands().includes(line))).toEqual([]);
});

test.each(STEPS.map((step) => [step.run, step] as const))(
  '%s',
  { timeout: 120_000 },
  async (_, step) => runStep(step),
);

test('what they wrote is where they said', () => {
  for (const name of [
    'report.txt',
    'night.csv',
    'findings.xlsx',
    'releves',
    'M001.pdf',
    'pointage.config.json',
  ])
    expect(existsSync(join(folder, name)), name).toBe(true);
});
