// Audit kits of a forger who knows the format: changed and sealed anew, with hostile manifests, and
// with things in a folder or an archive that are no files of a kit. Each is named, and nothing acts
// on the terminal, is waited for, or is written elsewhere.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newSigningKey, signerOf, verifierKeyOf } from '../../src/io/evidence/signed-note.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { runsOf } from '../support/assert-property.ts';
import { pointage } from '../support/command.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import {
  type ForgedManifest,
  manifestIn,
  packed,
  sealAnew,
  unpackInto,
} from '../support/kit-forgery.ts';
import { pointageAs } from '../support/operator-token.ts';
import { plantNamed } from '../support/plant-named.ts';
import { issueOctober } from '../support/publish-month.ts';
import { writeBundle } from '../support/sandbox-bundle.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { testFolder } from '../support/test-folder.ts';
import { TEST_SEED } from '../support/test-seed.ts';
import { readZip } from '../support/zip-reader.ts';

const READ_AT = Date.UTC(2026, 10, 2);
const scratch = mkdtempSync(join(tmpdir(), 'pointage-forged-'));
const STATEMENT = 'statements/2026-10/RELEVE_M001_2026-10_r1';
let opened: TestStore;
/** The kit of M001, as it was exported. */
let whole: string;

beforeAll(async () => {
  opened = await openTestStore();
  for (const [reference, names] of Object.entries({ M001: [], M002: ['SEQUENCE_DUPLICATE'] })) {
    const traffic = { ...ORDINARY_TRAFFIC, operationsPerDay: 4 };
    const plan = planMerchant({
      reference,
      country: 'SN',
      opensAt: Date.UTC(2026, 9, 28),
      traffic,
    });
    const sound = simulateBooks(plan, { seed: reference, until: READ_AT });
    await writeBundle(
      join(scratch, 'books', reference),
      plantNamed(sound, { names, seed: reference }).books,
    );
  }
  const config = join(scratch, 'config.json');
  const evidence = { lastSigned: join(scratch, 'last') };
  writeFileSync(
    config,
    JSON.stringify({
      databaseUrl: opened.databaseUrl,
      source: `file:${join(scratch, 'books')}`,
      evidence,
    }),
  );
  const done = async (minute: number, ...words: readonly string[]) => {
    const clock = () => READ_AT + minute * 60_000;
    const { status, err } = await pointageAs('awa', [...words, '--config', config], { clock });
    expect(status, `${words.join(' ')}: ${err}`).toBeLessThan(2);
  };
  await done(0, 'run');
  const merchants = ['M001', 'M002'];
  const formats = ['json', 'csv', 'pdf'] as const;
  for (const outcome of await issueOctober(config, {
    store: opened.store,
    merchants,
    formats,
    now: READ_AT + 60_000,
  }))
    expect(outcome).toMatchObject({ report: { status: 'READY' } });
  // A line is served with another content, and then read anew: the chain has it twice, the books
  // once.
  const ledger = join(scratch, 'books/M002/ledger.jsonl');
  edit(ledger, (text) =>
    text.replace(/"balanceAfter":(\d+)/, (_, balance) => `"balanceAfter":${Number(balance) + 1}`),
  );
  await done(2, 'run');
  await done(3, 'run', 'M002', '--reread', '--reason', 'agreed');
  for (const merchant of merchants)
    await done(4, 'audit-kit', merchant, '2026-10', '--out', join(scratch, 'kits/new'));
  whole = join(scratch, 'whole');
  unpackInto(whole, kitOf('M001'));
  const other = readZip(readFileSync(kitOf('M002'))).find(({ path }) =>
    path.endsWith('M002_2026-10_r1.tlog-proof'),
  )!;
  writeFileSync(join(scratch, 'other.tlog-proof'), other.content);
}, 120_000);
afterAll(async () => {
  await opened.close();
  rmSync(scratch, { recursive: true, force: true });
});

const kitOf = (merchant: string) => join(scratch, `kits/new/KIT_${merchant}_2026-10.zip`);
const textOf = (...path: string[]) => readFileSync(join(...path), 'utf8');

function edit(file: string, change: (text: string) => string): void {
  const text = readFileSync(file, 'latin1');
  const changed = change(text);
  expect(changed, file).not.toBe(text);
  writeFileSync(file, changed, 'latin1');
}

function copyOfKit(): string {
  const folder = join(testFolder('pointage-forged-'), 'kit');
  cpSync(whole, folder, { recursive: true });
  return folder;
}

/** Returns the status of a replay, and what it named. */
async function replayed(kit: string, ...more: readonly string[]) {
  const { status, out, err } = await pointage(['audit-kit', 'replay', kit, ...more]);
  expect(`${out}${err}`).not.toMatch(/[^\P{Cc}\n]/u);
  expect(`${out}${err}`).not.toContain('pointage-kit-');
  return { status, named: (out.match(/^✗ .*$/gm) ?? []).map((line) => line.slice(2)), out, err };
}

const contradicting = (named: readonly string[]) =>
  new Set(named.map((line) => /^contradicts: ([^:]+)/.exec(line)?.[1] ?? line));

describe('a kit as it was exported', () => {
  test.each(['M001', 'M002'])(
    '%s is the same, with root and key from elsewhere',
    async (merchant) => {
      const folder = testFolder('pointage-kit-');
      unpackInto(folder, kitOf(merchant));
      const key = textOf(folder, 'evidence/log.vkey').trim();
      const [, , root] = textOf(folder, 'evidence/leaf.tlog-proof').split('\n\n')[1]!.split('\n');
      const { status, named, out } = await replayed(kitOf(merchant));
      expect([status, named]).toEqual([0, []]);
      expect(out).toMatch(/^Signed in the log pointage\/\w+: 2026-10 r1, the newest night\.$/m);
      expect(out).toMatch(
        /^Compare the root, and the key in evidence\/log\.vkey, with those that you hold from elsewhere/m,
      );
      for (const hex of [manifestIn(folder).root, Buffer.from(root!, 'base64').toString('hex')]) {
        const checked = await replayed(folder, '--root', hex, '--key', key);
        expect([checked.status, checked.named]).toEqual([0, []]);
        expect(checked.out).not.toContain('Compare');
      }
    },
  );

  test('of books that were read anew has every line as it was stored', () => {
    const folder = testFolder('pointage-kit-');
    unpackInto(folder, kitOf('M002'));
    const variants = textOf(folder, 'rows/stored.le1')
      .match(/^LE1\t-?\d+/gm)!
      .map((text) => Number(text.slice(4)));
    expect(Math.min(...variants)).toBeLessThan(0);
    expect(Math.max(...variants)).toBeGreaterThanOrEqual(1_000_000);
    expect(textOf(folder, 'findings/lines-read-anew.jsonl')).toContain('"reread":1');
  });

  test('is replayed by the command of its manifest, from another folder and with an empty home', async () => {
    const folder = testFolder('pointage-elsewhere-');
    cpSync(kitOf('M001'), join(folder, basename(kitOf('M001'))));
    const { replay } = manifestIn(whole);
    const [name, ...words] = String(replay).split(' ');
    expect(name).toBe('pointage');
    const home = testFolder('pointage-home-');
    const main = join(import.meta.dirname, '../../src/service/cli/main.js');
    const environment = { PATH: process.env.PATH!, HOME: home };
    const ended = spawnSync(process.execPath, [main, ...words], {
      cwd: folder,
      env: environment,
      encoding: 'utf8',
    });
    expect([ended.status, ended.stderr]).toEqual([0, '']);
    expect(ended.stdout).toContain('M001 2026-10: the same; ');
    expect(readdirSync(home)).toEqual([]);
  });

  test('a root or key that is not its own is a difference, and so is one out of form', async () => {
    const other = verifierKeyOf(signerOf(newSigningKey(), 'other.example/log')!);
    const root = await replayed(kitOf('M001'), '--root', 'a'.repeat(64));
    expect([root.status, root.named]).toEqual([
      1,
      [`contradicts: manifest.json: no root in the kit is ${'a'.repeat(64)}`],
    ]);
    const key = await replayed(kitOf('M001'), '--key', other);
    expect([key.status, key.named]).toEqual([
      1,
      ['2026-10 r1', 'the newest night'].map(
        (of) => `contradicts: manifest.json: no key that was given has signed the proof of ${of}`,
      ),
    ]);
    const own = verifierKeyOf(signerOf(newSigningKey(), manifestOrigin())!);
    for (const odd of [own, 'abc', `${manifestOrigin()}+abc`])
      expect((await replayed(kitOf('M001'), '--key', odd)).status, odd).toBe(1);
  });
});

const manifestOrigin = () => textOf(whole, 'evidence/log.vkey').split('+')[0]!;

const LEDGER = 'rows/ledger.jsonl';
const LINES = 'rows/stored.le1';
const READINGS = 'rows/readings.jsonl';
const NIGHT = 'evidence/leaf.txt';
/** The file of a statement whose proof belongs to another merchant. */
const OTHERS = [`${STATEMENT}.tlog-proof`];

/**
 * For each forgery, what is done to the kit before it is sealed anew, and which files then
 * contradict each other.
 */
const FORGERIES: Readonly<
  Record<
    string,
    readonly [(folder: string) => unknown, readonly string[], ((manifest: ForgedManifest) => void)?]
  >
> = {
  'a line of the ledger has another amount': [changeLedger, [LEDGER]],
  'a line of the ledger is left out': [
    (kit) => edit(join(kit, LEDGER), (text) => text.replace(/\n.*/, '')),
    [LEDGER],
  ],
  'a line of the ledger is there twice': [
    (kit) => edit(join(kit, LEDGER), (text) => text.replace(/\n(.*)/, '\n$1\n$1')),
    [LEDGER],
  ],
  'a line has another amount in the ledger and as it was stored': [
    (kit) => [changeLedger(kit), changeLines(kit)],
    ['manifest.json', READINGS, NIGHT, `${STATEMENT}.json`],
  ],
  'the order of two stored lines is another': [
    (kit) => edit(join(kit, LINES), (text) => text.replace(/^(.*\n)(.*\n)/, '$2$1')),
    ['manifest.json', READINGS, NIGHT, `${STATEMENT}.json`],
  ],
  'the last stored line is left out': [
    (kit) => edit(join(kit, LINES), (text) => text.replace(/.*\n$/, '')),
    ['manifest.json', READINGS, NIGHT, `${STATEMENT}.json`, LINES, LEDGER],
  ],
  'the chain of the manifest is another': [
    () => {},
    ['manifest.json', 'rows/surroundings.json'],
    (manifest) => {
      (manifest.chain as { head: string }).head = 'c'.repeat(64);
    },
  ],
  'a reading has fewer lines': [
    (kit) =>
      edit(join(kit, READINGS), (text) =>
        text.replace(/"lines":(\d+)/, (_, n) => `"lines":${n - 1}`),
      ),
    [READINGS],
  ],
  'a reading ends elsewhere': [
    (kit) =>
      edit(join(kit, READINGS), (text) =>
        text.replace(/"last_sequence":(\d+)/, '"last_sequence":1'),
      ),
    [READINGS],
  ],
  'a reading has another hash': [
    (kit) =>
      edit(join(kit, READINGS), (text) => text.replace(/"chain_head":"./, '"chain_head":"g')),
    [READINGS],
  ],
  'a reading was at another time': [
    (kit) =>
      edit(join(kit, READINGS), (text) => text.replace(/"started_at":(\d+)/, '"started_at":1')),
    [READINGS],
  ],
  'a reading is left out': [(kit) => writeFileSync(join(kit, READINGS), ''), [LINES]],
  'a run was complete up to another time': [
    (kit) =>
      edit(join(kit, 'rows/runs.jsonl'), (text) =>
        text.replace(/"watermark":(\d+)/g, '"watermark":1'),
      ),
    ['rows/runs.jsonl'],
  ],
  'a run has another verdict': [
    (kit) => edit(join(kit, 'rows/runs.jsonl'), (text) => text.replaceAll('"clean"', '"broken"')),
    ['rows/runs.jsonl'],
  ],
  'rows are no JSON': [
    (kit) => writeFileSync(join(kit, 'rows/runs.jsonl'), '{'),
    ['rows/readings.jsonl', NIGHT],
  ],
  'a document of the statement is another': [
    (kit) => edit(join(kit, `${STATEMENT}.pdf`), (text) => `${text}%`),
    [`${STATEMENT}.pdf`],
  ],
  'the statement is another': [
    (kit) =>
      edit(join(kit, `${STATEMENT}.json`), (text) =>
        text.replace('"phoneNumbers":"masked"', '"phoneNumbers":"shown"'),
      ),
    [`${STATEMENT}.json`],
  ],
  'the statement has other hashes': [
    (kit) =>
      edit(join(kit, `${STATEMENT}.json`), (text) =>
        text.replace(/"contentHash":"./, '"contentHash":"0'),
      ),
    [`${STATEMENT}.json`, 'manifest.json'],
  ],
  'the statement is of another document': [
    (kit) =>
      edit(join(kit, `${STATEMENT}.json`), (text) =>
        text.replace(/"documentHash":"....../, '"documentHash":"000000'),
      ),
    [`${STATEMENT}.json`, `${STATEMENT}.tlog-proof`],
  ],
  'the manifest says that something else was issued': [
    () => {},
    ['manifest.json'],
    ({ months }) => {
      months[0]!.issued = { ...months[0]!.issued, verdict: 'broken' };
    },
  ],
  'a file lies with the statement that no proof has': [
    (kit) => writeFileSync(join(kit, `${STATEMENT}.txt`), 'more'),
    [`${STATEMENT}.txt`],
    ({ files }) => void files.push({ path: `${STATEMENT}.txt`, size: 4, sha256: sha256Of('more') }),
  ],
  'a month has no row in the manifest': [
    (kit) => {
      mkdirSync(join(kit, 'statements/2026-09'));
      writeFileSync(join(kit, 'statements/2026-09/a.pdf'), 'more');
    },
    ['statements/2026-09/a.pdf'],
    ({ files }) =>
      void files.push({ path: 'statements/2026-09/a.pdf', size: 4, sha256: sha256Of('more') }),
  ],
  'a month is there twice': [
    () => {},
    ['manifest.json'],
    ({ months }) => void months.push(months[0]!),
  ],
  'a proof is of another statement': [
    (kit) => cpSync(join(scratch, 'other.tlog-proof'), join(kit, `${STATEMENT}.tlog-proof`)),
    OTHERS,
  ],
  'a proof has another signature': [
    (kit) =>
      edit(join(kit, `${STATEMENT}.tlog-proof`), (text) =>
        text.replace(/.{9}=\n$/, 'AAAAAAAAA=\n'),
      ),
    [`${STATEMENT}.tlog-proof`],
  ],
  'a proof is of another leaf': [
    (kit) =>
      edit(join(kit, `${STATEMENT}.tlog-proof`), (text) => text.replace(/index \d+/, 'index 0')),
    [`${STATEMENT}.tlog-proof`],
  ],
  'a proof is no proof': [
    (kit) => writeFileSync(join(kit, `${STATEMENT}.tlog-proof`), 'c2sp.org/tlog-proof@v1\n'),
    [`${STATEMENT}.tlog-proof`],
  ],
  'the night has another verdict': [
    (kit) => edit(join(kit, NIGHT), (text) => text.replace('\tclean\n', '\tbroken\n')),
    ['evidence/leaf.tlog-proof'],
  ],
  'the night has other findings': [
    (kit) => writeFileSync(join(kit, 'evidence/findings.txt'), 'a\tb\n'),
    ['evidence/findings.txt'],
  ],
  'the night has fewer lines': [
    (kit) => edit(join(kit, 'evidence/lines.le1'), (text) => text.replace(/.*\n$/, '')),
    ['evidence/lines.le1'],
  ],
  'the key is another': [
    (kit) =>
      writeFileSync(
        join(kit, 'evidence/log.vkey'),
        `${verifierKeyOf(signerOf(newSigningKey(), manifestOrigin())!)}\n`,
      ),
    [`${STATEMENT}.tlog-proof`, 'evidence/leaf.tlog-proof'],
  ],
};

function changeLedger(kit: string): void {
  edit(join(kit, LEDGER), (text) =>
    text.replace(/"amount":(\d+)/, (_, amount) => `"amount":${Number(amount) + 1}`),
  );
}

function changeLines(kit: string): void {
  edit(join(kit, LINES), (text) =>
    text.replace(
      /^((?:[^\t]*\t){6})(\d+)/,
      (_, before, amount) => `${before}${Number(amount) + 1}`,
    ),
  );
}

const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex');

describe('sealed anew, it is named that', () => {
  test.each(Object.entries(FORGERIES))('%s', async (_, [forge, paths, change]) => {
    const kit = copyOfKit();
    forge(kit);
    sealAnew(kit, change);
    const { root } = manifestIn(whole);
    const { status, named } = await replayed(kit, '--root', root);
    const ofRoot = `contradicts: manifest.json: no root in the kit is ${root}`;
    expect(named).toContain(ofRoot);
    // The root is left out. Of files of another statement, and of files without a proof, only the
    // proof is compared here.
    const others = contradicting(named.filter((line) => line !== ofRoot));
    const found = [...others].filter((path) => paths !== OTHERS || path.endsWith('.tlog-proof'));
    expect([status, new Set(found)]).toEqual([1, new Set(paths)]);
  });
});

test('what no root and no key from elsewhere shows: a kit whose proofs were taken out, and all else made to fit', async () => {
  const kit = copyOfKit();
  const proofs = /^evidence\/|\.tlog-proof$/;
  for (const { path } of manifestIn(kit).files) if (proofs.test(path)) rmSync(join(kit, path));
  rmSync(join(kit, 'evidence'), { recursive: true });
  edit(join(kit, `${STATEMENT}.pdf`), (text) => `${text}%`);
  const forged = manifestIn(kit);
  forged.files = forged.files.filter(({ path }) => !proofs.test(path));
  writeFileSync(join(kit, 'manifest.json'), JSON.stringify(forged));
  sealAnew(
    kit,
    ({ notIncluded }) => void (notIncluded as object[]).push({ what: 'night', which: 'none' }),
  );
  const { status, named, out } = await replayed(kit);
  expect([status, named]).toEqual([0, []]);
  expect(out).toContain('Signed by no known key: 2026-10 r1, the newest night.');
  const { root } = manifestIn(whole);
  expect((await replayed(kit, '--root', root)).status).toBe(1);
  expect((await replayed(kit, '--key', textOf(whole, 'evidence/log.vkey').trim())).status).toBe(1);
});

/** For each hostile manifest, what is changed in it, and how it is named. */
const HOSTILE: Readonly<Record<string, readonly [(manifest: ForgedManifest) => unknown, RegExp]>> =
  {
    'no files': [(manifest) => Object.assign(manifest, { files: null }), /files: /],
    'an absolute path': [
      ({ files }) => Object.assign(files[0]!, { path: '/etc/passwd' }),
      /files\.0\.path: must be a path/,
    ],
    'a path that leads up': [
      ({ files }) => Object.assign(files[0]!, { path: '../a' }),
      /files\.0\.path: must be a path/,
    ],
    'a size below zero': [
      ({ files }) => Object.assign(files[0]!, { size: -1 }),
      /files\.0\.size: /,
    ],
    'no hash': [
      ({ files }) => Object.assign(files[0]!, { sha256: 'z' }),
      /files\.0\.sha256: must be 64 hexadecimal digits/,
    ],
    'no months': [({ months }) => months.splice(0), /months: /],
    'a revision that acts': [
      ({ months }) => Object.assign(months[0]!, { revision: '\u001b[2J1' }),
      /months\.0\.revision: /,
    ],
    'a month that acts': [
      ({ months }) => Object.assign(months[0]!, { period: '\u001b[2J' }),
      /months\.0\.period: must be YYYY-MM/,
    ],
    'a verdict that acts': [
      ({ months }) => Object.assign(months[0]!.stated, { verdict: '\u001b[2J' }),
      /months\.0\.stated\.verdict/,
    ],
    'a name that acts': [
      (manifest) => Object.assign(manifest, { '\u001b[2J': 1 }),
      /manifest\.json: .*\\u001b\[2J/,
    ],
    'no zone': [
      ({ settings }) => Object.assign(settings as object, { zone: 'Mars/Base' }),
      /settings: /,
    ],
    'no settings': [(manifest) => Object.assign(manifest, { settings: null }), /settings: /],
    'another form': [
      (manifest) => Object.assign(manifest, { format: 'pointage audit kit 9' }),
      /format: /,
    ],
  };

describe('a manifest', () => {
  test.each(Object.entries(HOSTILE))(
    'with %s is named, and no file is read by it',
    async (_, [change, said]) => {
      const kit = copyOfKit();
      sealAnew(kit, (manifest) => void change(manifest));
      const { status, named, out } = await replayed(kit);
      expect([status, named]).toEqual([1, [expect.stringMatching(/^changed: manifest\.json: /)]]);
      expect(named[0]).toMatch(said);
      expect(out).toContain('no month was stated anew');
    },
  );

  test('that leads out of the kit by a month is named, and texts that act are shown', async () => {
    const kit = copyOfKit();
    sealAnew(kit, (manifest) => {
      manifest.months[0]!.json = '../../../etc/\u001b[31mpasswd';
      Object.assign(manifest, { engine: 'pointage \u001b]0;owned\u0007', createdBy: '\u001b[2J' });
    });
    const { status, named, out } = await replayed(kit);
    expect(status).toBe(1);
    expect(named).toContain(
      'contradicts: manifest.json: 2026-10 is not as ../../../etc/\\u001b[31mpasswd states it',
    );
    expect(out).toContain('written by pointage \\u001b]0;owned\\u0007');
  });

  test('that is no JSON, nested without end, or longer than any is named', async () => {
    for (const text of [
      '',
      '{',
      '[]',
      'null',
      '['.repeat(200_000),
      `"${'a'.repeat(17_000_000)}"`,
    ]) {
      const kit = copyOfKit();
      writeFileSync(join(kit, 'manifest.json'), text);
      const { status, named } = await replayed(kit);
      expect([status, named]).toEqual([1, [expect.stringMatching(/^changed: manifest\.json/)]]);
    }
  });
});

describe('in a folder, it is named and not followed:', () => {
  test.each<readonly [string, (kit: string) => unknown, readonly string[]]>([
    [
      'a link',
      (kit) => symlinkSync('/etc/passwd', join(kit, 'rows/more')),
      ['extra: rows/more: it is a symbolic link'],
    ],
    [
      'a link in place of a file',
      (kit) => {
        renameSync(join(kit, LEDGER), join(kit, '../ledger'));
        symlinkSync('../../ledger', join(kit, LEDGER));
      },
      [`changed: ${LEDGER}: it is a symbolic link`],
    ],
    [
      'a link in place of a folder',
      (kit) => {
        renameSync(join(kit, 'notifications'), join(kit, '../notifications'));
        symlinkSync('../notifications', join(kit, 'notifications'));
      },
      ['extra: notifications: it is a symbolic link', 'missing: notifications/notifications.jsonl'],
    ],
    [
      'a pipe',
      (kit) => spawnSync('mkfifo', [join(kit, 'rows/events.jsonl')]),
      ['extra: rows/events.jsonl: it is no regular file'],
    ],
    [
      'a pipe in place of a file',
      (kit) => {
        rmSync(join(kit, LEDGER));
        spawnSync('mkfifo', [join(kit, LEDGER)]);
      },
      [`changed: ${LEDGER}: it is no regular file`],
    ],
    [
      'a name that is no UTF-8',
      (kit) =>
        writeFileSync(Buffer.concat([Buffer.from(`${kit}/rows/caf`), Buffer.from([0xe9])]), ''),
      ['extra: rows/caf\ufffd: its name is no UTF-8'],
    ],
    [
      'a name that acts',
      (kit) => writeFileSync(join(kit, 'rows/\u001b[2J'), ''),
      ['extra: rows/\\u001b[2J'],
    ],
    [
      'an empty folder',
      (kit) => mkdirSync(join(kit, 'rows/none')),
      ['extra: rows/none/: the folder is empty'],
    ],
    [
      'what a file manager adds',
      (kit) => writeFileSync(join(kit, 'rows/.DS_Store'), 'x'),
      ['extra: rows/.DS_Store: the computer’s file manager added it'],
    ],
    [
      'a file more',
      (kit) => writeFileSync(join(kit, 'rows/more.jsonl'), ''),
      ['extra: rows/more.jsonl'],
    ],
    [
      'a longer file',
      (kit) => edit(join(kit, LEDGER), (text) => `${text}\n`),
      [`changed: ${LEDGER}: it is longer than it may be`],
    ],
  ])(
    '%s',
    async (_, change, expected) => {
      const kit = copyOfKit();
      change(kit);
      const { status, named, out } = await replayed(kit);
      expect([status, named]).toEqual([1, expected]);
      const isStated = expected.every((line) => line.startsWith('extra'));
      expect(out.includes('as issued')).toBe(isStated);
    },
    60_000,
  );

  test('a pipe or a link that leads nowhere in place of the kit', async () => {
    const folder = testFolder('pointage-pipe-');
    spawnSync('mkfifo', [join(folder, 'pipe')]);
    symlinkSync('nowhere', join(folder, 'link'));
    expect(await replayed(join(folder, 'pipe'))).toMatchObject({
      status: 3,
      err: expect.stringMatching(/is no file and no folder/),
    });
    expect(await replayed(join(folder, 'link'))).toMatchObject({
      status: 3,
      err: expect.stringMatching(/does not exist/),
    });
  });
});

describe('in an archive', () => {
  const parts = () => readZip(readFileSync(kitOf('M001')));
  const replayedZip = async (bytes: Buffer) => {
    const file = join(testFolder('pointage-zip-'), 'kit.zip');
    writeFileSync(file, bytes);
    const found = await replayed(file);
    expect(readdirSync(dirname(file))).toEqual(['kit.zip']);
    return [found.status, found.named] as const;
  };

  test('the parts may be packed anew, with folders of their own', async () => {
    expect(await replayedZip(packed(parts()))).toEqual([0, []]);
    const folders = ['rows/', 'statements/', 'statements/2026-10/'].map((path) => ({
      path,
      content: Buffer.alloc(0),
    }));
    expect(await replayedZip(packed([...folders, ...parts()]))).toEqual([0, []]);
    const more = [...folders, { path: 'none/', content: Buffer.alloc(0) }, ...parts()];
    expect(await replayedZip(packed(more))).toEqual([1, ['extra: none/: the folder is empty']]);
  });

  test('another program packs it and it is the same', async () => {
    const file = join(testFolder('pointage-zip-'), 'kit.zip');
    const { status } = spawnSync('zip', ['-q', '-r', file, '.'], { cwd: whole });
    expect(status).toBe(0);
    expect(await replayed(file)).toMatchObject({ status: 0, named: [] });
  });

  test.each<readonly [string, () => Buffer, readonly string[]]>([
    [
      'a part twice',
      () => packed([...parts(), parts()[0]!]),
      ['changed: README.txt: it is there twice'],
    ],
    [
      'a link',
      () =>
        packed([...parts(), { path: 'a', content: Buffer.from('/etc/passwd'), mode: 0o120777 }]),
      ['extra: a: it is a symbolic link'],
    ],
    [
      'paths that lead out',
      () =>
        packed([
          ...parts(),
          ...['../a', '/tmp/a', 'a/../../b'].map((path) => ({ path, content: Buffer.from('x') })),
        ]),
      ['extra: ../a', 'extra: /tmp/a', 'extra: a/../../b'],
    ],
    [
      'a name that is no UTF-8',
      () => packed([...parts(), { path: Buffer.from([0xe9]), content: Buffer.from('x') }]),
      ['extra: \ufffd: its name is no UTF-8'],
    ],
    [
      'what a Mac adds',
      () => packed([...parts(), { path: '__MACOSX/._rows', content: Buffer.from('x') }]),
      ['extra: __MACOSX/._rows: the computer’s file manager added it'],
    ],
    [
      'a part with two names',
      () => {
        const bytes = packed(parts());
        bytes.write('rowz', bytes.indexOf('rows/wallet.json'));
        return bytes;
      },
      ['changed: rows/wallet.json: it has two names'],
    ],
  ])('%s is named', async (_, bytes, expected) => {
    expect(await replayedZip(bytes())).toEqual([1, expected]);
  });

  test('bytes behind it are named as damage', async () => {
    const file = join(testFolder('pointage-zip-'), 'kit.zip');
    writeFileSync(file, Buffer.concat([readFileSync(kitOf('M001')), Buffer.from('more')]));
    const { status, err } = await replayed(file);
    expect([status, err]).toEqual([3, expect.stringMatching(/is damaged, or no ZIP file/)]);
  });

  test('a bomb is inflated no further than its part is listed, and not at all where it is not', async () => {
    const size = 16_000_000;
    // Its first bytes are sound, and the rest is no deflate stream, so that it fails if it is read
    // on.
    const bomb = deflateRawSync(Buffer.alloc(size));
    bomb.fill(0xff, Math.floor(bomb.length / 2));
    const armed = parts().map((part) =>
      part.path === 'rows/wallet.json' ? { ...part, packed: bomb } : part,
    );
    expect(
      await replayedZip(
        packed([...armed, { path: 'bomb', content: Buffer.alloc(size), packed: bomb }]),
      ),
    ).toEqual([1, ['extra: bomb', 'changed: rows/wallet.json: it is longer than it may be']]);
  });

  test('a byte at a random place is named, or a sentence says that there is no such ZIP', async () => {
    const bytes = readFileSync(kitOf('M001'));
    for (const at of placesIn(bytes.length, runsOf(10))) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1 << (at % 8);
      const [status, named] = await replayedZip(changed);
      // Dates and versions of the archive's parts belong to no file, and no program unpacks
      // differently because of them.
      if (status === 0)
        expect(
          readZip(changed).every(
            ({ path, content }, i) =>
              path === parts()[i]!.path && content.equals(parts()[i]!.content),
          ),
          `byte ${at}`,
        ).toBe(true);
      else
        expect([status, named.length > 0], `byte ${at}`).toEqual(
          status === 3 ? [3, false] : [1, true],
        );
    }
  }, 120_000);
});

/** Draws places from the seed of this run. */
function placesIn(length: number, count: number): readonly number[] {
  const hash = (i: number) =>
    createHash('sha256').update(`${TEST_SEED} ${length} ${i}`).digest().readUInt32LE();
  return Array.from({ length: count }, (_, i) => hash(i) % length);
}

test('a byte at random places in each file is named, and nothing else is', async () => {
  const kit = copyOfKit();
  const paths = [...manifestIn(kit).files.map((file) => file.path), 'SHA256SUMS'];
  const full = paths.filter((path) => readFileSync(join(kit, path)).length > 0).sort();
  // Some files are changed at once, and each is named. Where the manifest was changed, no other
  // file is looked at.
  const apart = Math.ceil(full.length / 4);
  const together = full.slice(0, apart).map((_, i) => full.filter((_, at) => at % apart === i));
  for (const group of [...together, ['manifest.json']])
    for (let time = 0; time < runsOf(1); time += 1) {
      const before = group.map((path) => readFileSync(join(kit, path)));
      for (const [i, path] of group.entries()) {
        const at = placesIn(before[i]!.length, runsOf(1))[time]!;
        const changed = Buffer.from(before[i]!);
        changed[at]! ^= 1 << (at % 8);
        writeFileSync(join(kit, path), changed);
      }
      const { status, named } = await replayed(kit);
      expect(
        [status, named.map((line) => line.split(': ').slice(0, 2).join(': '))],
        `${group} ${time}`,
      ).toEqual([1, group.map((path) => `changed: ${path}`)]);
      for (const [i, path] of group.entries()) writeFileSync(join(kit, path), before[i]!);
    }
  expect((await replayed(kit)).status).toBe(0);
}, 120_000);

test('its README says what is there, and the commands that it gives do what they say', async () => {
  const readMe = textOf(whole, 'README.txt');
  const commands = readMe.match(/python3 evidence\/verify\.py \S+ (?:CLE|KEY)/g)!;
  expect(commands).toHaveLength(2);
  const key = textOf(whole, 'evidence/log.vkey').trim();
  for (const command of commands) {
    const [program, ...words] = command.replace(/CLE|KEY/, key).split(' ');
    const { status, stdout } = spawnSync(program!, words, { cwd: whole, encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^OK kind (night|statement)/)]);
  }
});
