// A command that cannot do what it was told says so in one sentence that tells what to do instead,
// on standard error, with status 3, and never with a stack trace. Help shows examples.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { KINDS } from '../../src/core/kernel/checks/port/kinds.ts';
import { LABELS } from '../../src/core/words/tree.ts';
import { COMMANDS } from '../../src/service/cli/program.ts';
import { type Ended, pointage, pointageProcess } from '../support/command.ts';
import { withEmptyDatabase } from '../support/database-store.ts';
import { areInstalled } from '../support/installed.ts';

const BOOKS = `file:${join(import.meta.dirname, '../../docs/example-books')}`;
const scratch = mkdtempSync(join(tmpdir(), 'pointage-cli-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function expectRefusal(ended: Ended, says: RegExp): void {
  expect(ended).toMatchObject({ status: 3, out: '' });
  expect(ended.err).toMatch(says);
  expect(ended.err).not.toMatch(/^\s+at |\.ts:\d|Error:/m);
  // Lines in parentheses point to the help.
  expect(ended.err.split('\n').filter((line) => line !== '' && !line.startsWith('('))).toHaveLength(
    1,
  );
}

function configured(content: unknown): string {
  const file = join(scratch, 'settings.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

describe('bad usage', () => {
  test.each<[string, readonly string[], RegExp]>([
    ['a command that is not there', ['adit'], /unknown command 'adit'.*audit.*pointage --help/s],
    [
      'an option that is not there',
      ['audit', '--sources', BOOKS],
      /unknown option '--sources'.*pointage --help/s,
    ],
    ['an option without its value', ['audit', '--source'], /'--source <uri>' argument missing/],
    [
      'a source of no known form',
      ['audit', '--source', 'books'],
      /'books' is not a source; a source is one of: file:DIR/,
    ],
    [
      'a folder that is not there',
      ['audit', '--source', 'file:/no/such/folder'],
      /\/no\/such\/folder does not exist/,
    ],
    [
      'a merchant of another source',
      ['audit', 'M9', '--source', BOOKS],
      /no merchant 'M9'; it has 1: EPICERIE_EXEMPLE/,
    ],
    [
      'an instant in words',
      ['audit', '--source', BOOKS, '--as-of', 'noon'],
      /write it like 2026-11-15T12:00:00Z/,
    ],
    [
      'a format of no kind',
      ['audit', '--source', BOOKS, '--format', 'xml'],
      /--format must be one of text, json/,
    ],
    [
      'a file that cannot be written',
      ['audit', '--source', BOOKS, '--out', '/no/such/out'],
      /cannot be written to \/no/,
    ],
    ['a run over nothing', ['run'], /give --source, for example/],
    ['a port past all ports', ['lab', 'sandbox', '--port', '70000'], /--port must be 0 to 65535/],
    [
      'a limit of none',
      ['findings', 'list', '--limit', '0'],
      /--limit must be a whole number above 0/,
    ],
    [
      'a state of no kind',
      ['findings', 'list', '--state', 'gone'],
      /one of open, acknowledged, settled, accepted, resolved/,
    ],
    [
      'a decision without a reason',
      ['findings', 'accept', 'ab'],
      /required option '--reason <text>'/,
    ],
    [
      'a database of no known form',
      ['migrate', '--database-url', 'store'],
      /write it like postgres:\/\/USER@HOST/,
    ],
    [
      'a database without a server',
      ['migrate', '--database-url', 'postgres://me:hush@127.0.0.1:1/books'],
      /can't be reached \(postgres:\/\/me@127.0.0.1:1\/books\)/,
    ],
    ['a kind that is not there', ['explain', 'NONSENSE'], /'pointage explain' lists them/],
    [
      'a kind that is nearly there',
      ['explain', 'HOLD_KEPT'],
      /did you mean HOLD_EXCEEDS_AVAILABLE, HOLD_MISSING/,
    ],
  ])('%s is refused in one sentence', async (_, words, says) => {
    expectRefusal(await pointage(words), says);
  });

  test('of a process ends it with status 3, nothing on standard output and no stack trace', async () => {
    expectRefusal(
      await pointageProcess(['audit', '--source', 'books']),
      /^pointage: 'books' is not a source/,
    );
  });
});

describe('an output that takes no more', () => {
  const FULL =
    /^pointage: standard output cannot be written \(ENOSPC: .*\): what this command printed is not whole/;

  test.each([
    ['audit', '--source', BOOKS],
    ['audit', '--source', BOOKS, '--format', 'csv'],
    ['explain'],
  ])(
    '%s %s ends with status 3 and a sentence when the disk behind it is full',
    async (...words) => {
      expectRefusal(await pointageProcess(words, { into: '/dev/full' }), FULL);
    },
  );

  test('is no success either when nothing is left to say so', async () => {
    expect(
      await pointageProcess(['explain'], { into: '/dev/full', notesInto: '/dev/full' }),
    ).toMatchObject({
      status: 3,
    });
  });

  test('a failure that no caller catches is status 3 and one sentence without the secrets in it', async () => {
    const thrown = `setTimeout(() => { throw Object.assign(new Error('gone: postgres://me:hush@x/y'), { code: 'E' }) }, 5)`;
    const preload = `data:text/javascript,process.once('beforeExit', () => { ${encodeURIComponent(thrown)} })`;
    const ended = await pointageProcess(['explain', 'BALANCE_DRIFT'], {
      environment: { NODE_OPTIONS: `--import "${preload}"` },
    });
    expect([ended.status, ended.err]).toEqual([3, 'pointage: gone: postgres://me@x/y\n']);
  });
});

describe('a command that only looks', () => {
  test.each([
    ['audit'],
    ['findings', 'list'],
    ['statement', 'issue', 'M001', '2026-10'],
    ['run', 'M9', '--source', BOOKS],
  ])('%s %s makes no store where there is none, and says what to do', async (...words) => {
    const folder = join(scratch, 'nothing-yet');
    const ended = await pointage([...words, '--data-directory', folder]);
    expectRefusal(ended, /Nothing was read yet: .*'npx pointage run' first|no merchant 'M9'/);
    expect(existsSync(folder)).toBe(false);
  });

  test('nor does doctor, which says so', async () => {
    const folder = join(scratch, 'nothing-yet');
    const { out } = await pointage(['doctor', '--data-directory', folder]);
    expect(out).toContain(
      `– database: none yet: the first run makes an embedded PostgreSQL in ${folder}\n`,
    );
    expect(existsSync(folder)).toBe(false);
  });
});

describe('a process that cannot begin', () => {
  test('names the level of the log that is none', async () => {
    const environment = { POINTAGE_LOG: 'trace' };
    expectRefusal(
      await pointageProcess(['explain'], { environment }),
      /POINTAGE_LOG must be one of silent, error/,
    );
  });

  test('says which Node it needs, where it is an older one', async () => {
    const older =
      'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } })';
    const environment = {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(older)}`,
    };
    const says =
      /it needs Node 24 or later, and this is Node 20\.1\.0: run 'npx pointage' in the folder of pointage/;
    expectRefusal(await pointageProcess(['--help'], { environment }), says);
  });
});

describe('bad configuration', () => {
  const api = 'https://api.example/v1';
  const key = { apiKey: 'k', apiSecret: 's' };
  test.each<[string, unknown, RegExp]>([
    ['text that is no JSON', '{"source": ', /is not JSON.*: check its commas/],
    ['a list', [], /must hold one JSON object/],
    [
      'a key that is not known',
      { sorce: api },
      /Unrecognized key: "sorce" \(did you mean source\?\)\. See docs\/CONFIGURATION\.md/,
    ],
    [
      'a key that a merchant does not have',
      { merchants: { M1: { ...key, pin: 1 } } },
      /merchants\.M1: Unrecognized key/,
    ],
    [
      'a number as text',
      { graceMinutes: '10' },
      /graceMinutes: .*expected number, received string/,
    ],
    ['a number out of bounds', { graceMinutes: 2_000 }, /graceMinutes: .*<=1440/],
    ['a page of one row', { http: { pageSize: 1 } }, /http\.pageSize: .*>=2/],
    ['a page too long', { http: { pageSize: 201 } }, /http\.pageSize: .*<=200/],
    [
      'a path that names no operation',
      { http: { paths: { operation: '/operations' } } },
      /http\.paths\.operation/,
    ],
    [
      'an interpretation of no kind',
      { assumptions: { reversal: 'NONE' } },
      /assumptions\.reversal: .*"LINES"\|"NET"/,
    ],
    [
      'an empty secret',
      { merchants: { M1: { apiKey: 'k', apiSecret: '' } } },
      /merchants\.M1\.apiSecret/,
    ],
    [
      'an opening in parts',
      { merchants: { M1: { opening: { balance: 0.5 } } } },
      /merchants\.M1\.opening\.balance/,
    ],
    [
      'a secret that is not there',
      { merchants: { M1: { ...key, apiSecret: 'env:NO_SUCH' } } },
      /NO_SUCH, which is not set/,
    ],
    [
      'no credentials for the API',
      { source: api },
      /https:\/\/api\.example needs credentials: give merchants\.REFERENCE/,
    ],
    [
      'a secret that no header can hold',
      { merchants: { M1: { ...key, apiSecret: 'a\nb' } } },
      /the apiSecret of M1/,
    ],
  ])('%s is refused in one sentence', async (_, content, says) => {
    expectRefusal(
      await pointage(['audit', '--source', api, '--config', configured(content)]),
      says,
    );
  });

  test('a file that is not there is refused, also when the environment names it', async () => {
    const says = /\/no\/such\.json cannot be read \(ENOENT\): give another with --config/;
    expectRefusal(await pointage(['audit', '--source', BOOKS, '--config', '/no/such.json']), says);
    const environment = { POINTAGE_CONFIG: '/no/such.json' };
    expectRefusal(await pointage(['audit', '--source', BOOKS], { environment }), says);
  });

  test('a grace in words in the environment is refused, and a variable set to nothing is as if not set', async () => {
    const words = ['audit', '--source', BOOKS, '--format', 'json'];
    const says = /POINTAGE_GRACE_MINUTES must be a number, not 'soon'/;
    expectRefusal(await pointage(words, { environment: { POINTAGE_GRACE_MINUTES: 'soon' } }), says);
    const environment = { POINTAGE_GRACE_MINUTES: '', POINTAGE_CONFIG: '', POINTAGE_SOURCE: '' };
    expect((await pointage(words, { environment })).status).toBe(1);
    const stores = { POINTAGE_DATABASE_URL: '', DATABASE_URL: 'postgres://me@127.0.0.1:1/theirs' };
    expectRefusal(await pointage(['migrate'], { environment: stores }), /127\.0\.0\.1:1\/theirs/);
  });
});

test.each([
  ['publish', 'statement issue'],
  ['statements', 'statement'],
  ['close', 'statement close'],
  ['sandbox', 'lab sandbox'],
])('pointage %s is pointage %s still, and says so', async (old, now) => {
  const [before, after] = [
    await pointage([old, '--help']),
    await pointage([...now.split(' '), '--help']),
  ];
  expect(after).toMatchObject({ status: 0, err: '' });
  expect(before).toEqual({
    ...after,
    err: `pointage ${old} is pointage ${now} now; the next version knows the new name alone.\n`,
  });
});

describe('help', () => {
  const commands = [
    '',
    'lab demo',
    'run',
    'audit',
    'findings',
    'explain',
    'migrate',
    'lab sandbox',
    'statement issue',
  ];
  const decisions = ['list', 'show', 'acknowledge', 'settle', 'accept', 'reopen'].map(
    (name) => `findings ${name}`,
  );

  test.each([...commands, ...decisions])(
    'of pointage %s shows examples that the command understands',
    async (name) => {
      const { status, out, err } = await pointage([
        ...name.split(' ').filter((word) => word !== ''),
        '--help',
      ]);
      expect({ status, err }).toEqual({ status: 0, err: '' });
      const examples = [
        ...out.slice(out.indexOf('Examples:')).matchAll(/^ {2}pointage (.*)$/gm),
      ].map((match) => match[1]!);
      expect(examples.length).toBeGreaterThan(0);
      for (const example of examples) {
        const named = [...example.split('  ')[0]!.matchAll(/--[a-z-]+/g)].map((match) => match[0]);
        const help = await pointage([
          ...example
            .split(/ (?=-)| {2}/)[0]!
            .split(' ')
            .slice(0, 2),
          '--help',
        ]);
        expect(
          named.filter((option) => !help.out.includes(option)),
          example,
        ).toEqual([]);
      }
    },
  );

  test.each(COMMANDS.map(({ name }) => [name]))(
    'lists pointage %s with the words that it takes',
    async (name) => {
      const { out } = await pointage(['--help']);
      const [, listed] = new RegExp(`^  ${name}((?: [[<][^\\]>]+[\\]>])*)  `, 'm').exec(out)!;
      const [, taken] = /^Usage: pointage \w+(.*)$/m.exec((await pointage([name, '--help'])).out)!;
      expect(listed).toBe(taken!.endsWith('[command]') ? '' : taken);
    },
  );

  test('without any command is shown as the answer to bad usage', async () => {
    const { status, out, err } = await pointage([]);
    expect({ status, out }).toEqual({ status: 3, out: '' });
    expect(err).toMatch(/^Usage: pointage/);
  });
});

test('explain shows a kind with a ledger on which it fires, in any case of letters, and lists all without one', async () => {
  const { status, out } = await pointage(['explain', 'balance_drift']);
  expect(status).toBe(0);
  expect(out).toMatch(/^BALANCE_DRIFT \(critical\)\n.*Fires on:.*off by 47.*Stays quiet on:/s);
  const all = await pointage(['explain']);
  expect(Object.keys(KINDS).filter((kind) => !all.out.includes(`  ${kind} `))).toEqual([]);
});

test('explain speaks French when asked, and has the whole catalogue in English alone', async () => {
  const { out } = await pointage(['explain', 'BALANCE_DRIFT', '--lang', 'fr']);
  expect(out).toMatch(
    /^BALANCE_DRIFT \(critique\)\n.*Se déclenche sur :.*écart de 47\..*Reste muet sur :/s,
  );
  expect(out).toContain(LABELS.fr.catalogue.explanations.BALANCE_DRIFT);
  expect((await pointage(['explain', '--lang', 'fr'])).out).toMatch(
    /^A\. Lignes seules\n {2}LINES_MISSING +critique\n/,
  );
  expectRefusal(
    await pointage(['explain', '--markdown', '--lang', 'fr']),
    /cannot be used with option '--markdown'/,
  );
});

test('migrate brings an empty database up to date, and a second time finds nothing to do', async () => {
  await withEmptyDatabase(async (databaseUrl) => {
    for (let times = 0; times < 2; times += 1) {
      const { status, out, err } = await pointage(['migrate', '--database-url', databaseUrl]);
      expect({ status, err }).toEqual({ status: 0, err: '' });
      expect(out).toMatch(/^The schema of postgres:\/\/.* is up to date\.\n$/);
    }
    const list = await pointage(['findings', 'list', '--database-url', databaseUrl]);
    expect(list).toMatchObject({ status: 0, out: 'There are no such findings.\n' });
  });
});

describe.skipIf(!areInstalled('script'))('init (needs script, for a terminal)', () => {
  /** Answers each question when it is asked. Returns what was printed, and the status. */
  async function answered(
    file: string,
    answers: readonly (readonly [question: string, answer: string])[],
  ) {
    const line = `stty cols 100 rows 40; '${process.execPath}' '${join(import.meta.dirname, '../../src/service/cli/main.js')}' init --config '${file}'`;
    const child = spawn('script', ['-qefc', line, '/dev/null'], {
      cwd: scratch,
      env: { PATH: process.env.PATH },
    });
    let printed = '';
    child.stdout.on('data', (part: Buffer) => {
      printed += part.toString();
    });
    const closed = once(child, 'close') as Promise<[number]>;
    for (const [question, answer] of answers) {
      await expect.poll(() => printed).toContain(question);
      child.stdin.write(`${answer}\r`);
    }
    return { status: (await closed)[0], printed };
  }

  test('asks, keeps secrets in files, and looks at what it wrote; what is there stays', {
    timeout: 60_000,
  }, async () => {
    const file = join(scratch, 'new', 'pointage.config.json');
    const { status, printed } = await answered(file, [
      ['Where are the books?', 'http://127.0.0.1:9/v1'],
      ['References of the merchants', 'M001'],
      ['API key of M001', 'a-key-that-none-sees'],
      ['API secret of M001', 'a-secret-that-none-sees'],
      ['PostgreSQL for the mirror', ''],
      ['Mail server', ''],
    ]);
    expect(printed).not.toContain('none-sees');
    expect(printed).toMatch(
      /configuration: valid, 1 merchant.*source: http:\/\/127\.0\.0\.1:9\/v1: 1 of 1 asked/s,
    );
    expect(status).toBe(3);
    const secret = (name: string) => join(scratch, 'new', 'secrets', name);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      source: 'http://127.0.0.1:9/v1',
      merchants: {
        M001: { apiKey: `file:${secret('M001.key')}`, apiSecret: `file:${secret('M001.secret')}` },
      },
    });
    expect(readFileSync(secret('M001.secret'), 'utf8')).toBe('a-secret-that-none-sees\n');
    for (const one of [file, secret('M001.key')]) expect(statSync(one).mode & 0o077, one).toBe(0);
    expectRefusal(await pointageProcess(['init', '--config', file]), /is there already/);
    expectRefusal(
      await pointageProcess(['init', '--config', join(scratch, 'other.json')]),
      /there is no terminal to answer on/,
    );
    const beside = join(scratch, 'new', 'other.json');
    expectRefusal(await pointageProcess(['init', '--config', beside]), /secrets is there already/);
    const left = await answered(join(scratch, 'left.json'), [['Where are the books?', '\u0003']]);
    expect([left.status, existsSync(join(scratch, 'left.json'))]).toEqual([3, false]);
    expect(left.printed).toContain('Given up: nothing was written.');
  });
});
