// What a run and a statement leave in the evidence log, and what others, without us, accept and
// refuse of it.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NewDelivery } from '../../src/core/domain/delivery/delivery.ts';
import {
  newSigningKey,
  openCheckpoint,
  signerOf,
  verifierKeyOf,
} from '../../src/io/evidence/signed-note.ts';
import { examineLog, openLog } from '../../src/io/storage/evidence/log.ts';
import { loadIssuedReport } from '../../src/io/storage/issued/reports.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { recordStatement } from '../../src/service/workflows/evidence/record-evidence.ts';
import { pointage } from '../support/command.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { areInstalled } from '../support/installed.ts';
import { announce } from '../support/outbox.ts';
import { plantNamed } from '../support/plant-named.ts';
import { issueOctober } from '../support/publish-month.ts';
import { writeBundle } from '../support/sandbox-bundle.ts';
import { simulateBooks } from '../support/simulate-books.ts';

const READ_AT = Date.UTC(2026, 10, 2);
const scratch = mkdtempSync(join(tmpdir(), 'pointage-evidence-'));
const lastSigned = join(scratch, 'last-signed');
const hasPython = areInstalled('python3');

let opened: TestStore;

beforeAll(async () => {
  opened = await openTestStore();
  for (const [reference, names] of Object.entries({ SOUND: [], DRIFTED: ['BALANCE_DRIFT'] })) {
    const traffic = { ...ORDINARY_TRAFFIC, operationsPerDay: 4 };
    const plan = planMerchant({
      reference,
      country: 'SN',
      opensAt: Date.UTC(2026, 9, 22),
      traffic,
    });
    const { books } = plantNamed(simulateBooks(plan, { seed: reference, until: READ_AT }), {
      names,
      seed: reference,
    });
    await writeBundle(join(scratch, 'books', reference), books);
  }
});
afterAll(async () => {
  await opened.close();
  rmSync(scratch, { recursive: true, force: true });
});

function command(...words: readonly string[]) {
  return commandWith({}, ...words);
}

function commandWith(evidence: object, ...words: readonly string[]) {
  return pointage([...words, '--config', configWith(evidence)], { clock: () => READ_AT });
}

function configWith(evidence: object): string {
  const file = join(scratch, 'pointage.config.json');
  const source = `file:${join(scratch, 'books')}`;
  const deliveries = { folder: join(scratch, 'deliveries') };
  const settings = {
    databaseUrl: opened.databaseUrl,
    source,
    deliveries,
    evidence: { lastSigned, ...evidence },
  };
  writeFileSync(file, JSON.stringify(settings));
  return file;
}

const leaves = async () =>
  (await opened.store.pool.query('select subject, content from log_leaves order by leaf_index'))
    .rows as readonly {
    readonly subject: string;
    readonly content: string;
  }[];

interface Checked {
  readonly status: number | null;
  readonly said: string;
}

function verify(folder: string, ...more: readonly string[]): Checked {
  const { status, stdout, stderr } = spawnSync(
    'python3',
    [join(folder, 'verify.py'), folder, ...more],
    {
      encoding: 'utf8',
    },
  );
  return { status, said: `${stdout}${stderr}` };
}

/**
 * Runs the verify.py of each folder in one start of Python, because most of the time is the start.
 */
const RUN_EACH = `
import contextlib, io, json, runpy, sys
checked = []
for folder in sys.argv[1:]:
    said, status = io.StringIO(), 0
    sys.argv = [folder + '/verify.py', folder]
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            runpy.run_path(sys.argv[0], run_name='__main__')
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) or end.code is None else 1
            if isinstance(end.code, str):
                print(end.code)
    checked.append({'status': status or 0, 'said': said.getvalue()})
print(json.dumps(checked))
`;

function verifyEach(folders: readonly string[]): readonly Checked[] {
  const { stdout, stderr } = spawnSync('python3', ['-c', RUN_EACH, ...folders], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as readonly Checked[];
}

test('a run with news enters a leaf for each merchant, and signs; one without news adds nothing', async () => {
  expect(await command('run')).toMatchObject({ status: 1 });
  expect((await leaves()).map(({ subject }) => subject)).toEqual(
    ['night SOUND 1', 'night DRIFTED 1'].sort(),
  );
  const note = readFileSync(lastSigned, 'utf8');
  expect(note.split('\n')[1]).toBe('2');
  expect(await command('run')).toMatchObject({ status: 1 });
  expect(await leaves()).toHaveLength(2);
  expect(readFileSync(lastSigned, 'utf8')).toBe(note);
});

test('a leaf says what the run came to, and is salted', async () => {
  const [drifted] = await leaves();
  const keys = drifted!.content.split('\n').map((line) => line.split('\t')[0]);
  expect(keys).toEqual(
    'pointage-leaf/v1 kind merchant run lines chain sequences recorded verdict findings coverage rules engine read salt'
      .split(' ')
      .concat(''),
  );
  expect(drifted!.content).toContain('\nverdict\tbroken\n');
});

describe.skipIf(!hasPython)('a bundle of a night', () => {
  const bundle = join(scratch, 'night');

  test('is accepted by a program of the standard library of Python alone', async () => {
    expect(await command('evidence', 'export', 'DRIFTED', '--out', bundle)).toMatchObject({
      status: 0,
      err: '',
    });
    expect(readdirSync(bundle).sort()).toEqual([
      'coverage.txt',
      'findings.txt',
      'leaf.tlog-proof',
      'leaf.txt',
      'lines.le1',
      'log.vkey',
      'rules.txt',
      'verify.py',
    ]);
    expect(verify(bundle)).toMatchObject({
      status: 0,
      said: expect.stringMatching(/^OK kind night, merchant DRIFTED/),
    });
    const imports = [
      ...readFileSync(join(bundle, 'verify.py'), 'utf8').matchAll(/^(?:import|from) (\w+)/gm),
    ];
    expect(imports.map(([, name]) => name)).toEqual(['base64', 'hashlib', 'pathlib', 're', 'sys']);
    expect(readFileSync(join(bundle, 'verify.py'), 'utf8').split('\n').length).toBeLessThan(151);
    expect(await command('evidence', 'export', 'DRIFTED', '--out', bundle)).toMatchObject({
      status: 3,
    });
  });

  const edit = (name: string, change: (text: string) => string) => (folder: string) => {
    const file = join(folder, name);
    const before = readFileSync(file, 'utf8');
    const after = change(before);
    expect(after).not.toBe(before);
    writeFileSync(file, after);
  };
  const swapped = (lines: readonly string[], i: number): string =>
    [...lines.slice(0, i), lines[i + 1], lines[i], ...lines.slice(i + 2)].join('\n');

  const TAMPERED: readonly (readonly [string, (folder: string) => void])[] = [
    [
      'an amount of a line',
      edit('lines.le1', (text) =>
        text.replace(/\t(\d+)\tXOF/, (_, n) => `\t${Number(n) + 1}\tXOF`),
      ),
    ],
    ['a line left out', edit('lines.le1', (text) => text.split('\n').toSpliced(5, 1).join('\n'))],
    [
      'the last line cut off',
      edit('lines.le1', (text) => text.split('\n').slice(0, -2).join('\n').concat('\n')),
    ],
    ['a line added', edit('lines.le1', (text) => text.concat(text.split('\n')[0]!, '\n'))],
    ['two lines that changed places', edit('lines.le1', (text) => swapped(text.split('\n'), 20))],
    [
      'another verdict',
      edit('leaf.txt', (text) => text.replace('verdict\tbroken', 'verdict\tclean')),
    ],
    [
      'another balance',
      edit('leaf.txt', (text) => text.replace(/recorded\t\d/, (found) => `${found}0`)),
    ],
    ['a finding left out', edit('findings.txt', (text) => text.split('\n').slice(1).join('\n'))],
    ['what was not checked left out', edit('coverage.txt', () => '')],
    ['other answers to open questions', edit('rules.txt', (text) => text.replace('\t', '\tX'))],
    ['another index', edit('leaf.tlog-proof', (text) => text.replace('index 0', 'index 1'))],
    [
      'a hash of the proof',
      edit('leaf.tlog-proof', (text) => text.replace(/(index \d\n)(.+)/, (_, a, b) => a + flip(b))),
    ],
    [
      'a hash of the proof left out',
      edit('leaf.tlog-proof', (text) => text.replace(/(index \d\n).+\n/, '$1')),
    ],
    ['the size of the tree', edit('leaf.tlog-proof', (text) => text.replace(/\n2\n/, '\n3\n'))],
    [
      'the root',
      edit('leaf.tlog-proof', (text) => text.replace(/(\n2\n)(.+)/, (_, a, b) => a + flip(b))),
    ],
    [
      'the signature',
      edit('leaf.tlog-proof', (text) => text.replace(/(— \S+ .{20})(.)/, (_, a, b) => a + flip(b))),
    ],
    ['no signature', edit('leaf.tlog-proof', (text) => text.replace(/— .*\n/, ''))],
    ['the key of another log of that name', edit('log.vkey', (text) => otherKey(text))],
    ['the leaf of another merchant', edit('leaf.txt', (text) => text.replace('DRIFTED', 'SOUND'))],
  ];
  const checked = new Map<string, Checked>();

  test.each(TAMPERED)('is refused with %s', (name) => {
    if (checked.size === 0) {
      const folders = TAMPERED.map(([_, tamper], i) => {
        const folder = join(scratch, `tampered-${i}`);
        cpSync(bundle, folder, { recursive: true });
        tamper(folder);
        return folder;
      });
      for (const [i, one] of verifyEach(folders).entries()) checked.set(TAMPERED[i]![0], one);
    }
    expect(checked.get(name)).toMatchObject({
      status: 1,
      said: expect.stringMatching(/^REFUSED /),
    });
  });

  test('is refused with the key of another log, given from elsewhere', () => {
    const key = readFileSync(join(bundle, 'log.vkey'), 'utf8').trim();
    expect(verify(bundle, key)).toMatchObject({ status: 0 });
    expect(verify(bundle, otherKey(key))).toMatchObject({ status: 1 });
  });
});

/** Returns the text with another first letter, which is also a hexadecimal digit. */
function flip(text: string): string {
  return `${text[0] === 'A' ? 'B' : 'A'}${text.slice(1)}`;
}

function otherKey(verifierKey: string): string {
  return verifierKeyOf(signerOf(newSigningKey(), verifierKey.split('+')[0]!)!);
}

describe.skipIf(!hasPython)('a bundle of a statement', () => {
  const bundle = join(scratch, 'statement');

  test('proves the issued files, and is refused with another one', async () => {
    expect(await command('statement', 'issue', 'SOUND', '2026-10')).toMatchObject({ status: 0 });
    expect((await leaves()).at(-1)?.subject).toBe('statement SOUND 2026-10 1');
    expect(await command('evidence', 'export', 'SOUND', '2026-10', '--out', bundle)).toMatchObject({
      status: 0,
      err: '',
    });
    expect(verify(bundle)).toMatchObject({
      status: 0,
      said: expect.stringMatching(/merchant SOUND, period 2026-10/),
    });
    const pdf = readdirSync(bundle).find((name) => name.endsWith('.pdf'))!;
    writeFileSync(
      join(bundle, pdf),
      Buffer.concat([readFileSync(join(bundle, pdf)), Buffer.from(' ')]),
    );
    expect(verify(bundle)).toMatchObject({
      status: 1,
      said: expect.stringContaining(`${pdf} is not the file`),
    });
  }, 120_000);

  test('a delivered month is checked by its .tlog-proof alone, and names the files that it proves', async () => {
    const folder = join(scratch, 'deliveries');
    const deliver = async () => {
      const { id } = (
        await opened.store.pool.query(`select report_id as id from reports where status = 'READY'`)
      ).rows[0];
      const content = {
        topic: 'statement',
        merchant: 'SOUND',
        period: '2026-10',
        reportId: id,
        language: 'fr',
      };
      await announce(opened.store, [
        {
          channel: 'folder',
          announces: `report/${id}`,
          target: folder,
          merchant: 'SOUND',
          content,
        } as NewDelivery,
      ]);
      return commandWith({}, 'deliveries', 'send');
    };
    expect(await deliver()).toMatchObject({ status: 0 });
    const month = join(folder, 'SOUND', '2026-10');
    const files = readdirSync(month).sort();
    expect(files).toEqual(
      ['pdf', 'tlog-proof', 'xlsx'].map((extension) => `RELEVE_SOUND_2026-10_r1.${extension}`),
    );
    const key = readFileSync(join(bundle, 'log.vkey'), 'utf8').trim();
    const check = (place: string, vkey = key) => {
      const { status, stdout, stderr } = spawnSync(
        'python3',
        [join(bundle, 'verify.py'), place, vkey],
        {
          encoding: 'utf8',
        },
      );
      return { status, said: `${stdout}${stderr}` };
    };
    expect(check(month)).toMatchObject({
      status: 0,
      said: expect.stringMatching(/revision 1, .*r1\.pdf, .*r1\.xlsx: leaf 2 of 3/),
    });
    expect(check(month, otherKey(key))).toMatchObject({ status: 1 });
    const { issued } = (
      await opened.store.pool.query(`select issued from reports where status = 'READY'`)
    ).rows[0];
    const { lines, head } = issued.chain as { readonly lines: number; readonly head: string };
    const night = join(scratch, 'sound-night');
    expect(await command('evidence', 'export', 'SOUND', '--out', night)).toMatchObject({
      status: 0,
    });
    const mark = `${lines}:${head.slice(0, 12)}`;
    expect(verify(night, key, mark, `0:${head.slice(0, 0)}`)).toMatchObject({ status: 0 });
    for (const wrong of [
      `${lines - 1}:${head.slice(0, 12)}`,
      `${lines}:${flip(head.slice(0, 12))}`,
    ])
      expect(verify(night, key, mark, wrong)).toMatchObject({
        status: 1,
        said: expect.stringContaining('the mark'),
      });
    const [pdf, proof] = files.map((name) => join(month, name));
    const text = readFileSync(proof!, 'utf8');
    const inside = Buffer.from(/^extra (.*)$/m.exec(text)![1]!, 'base64').toString();
    const other = Buffer.from(inside.replace('period\t2026-10', 'period\t2026-11')).toString(
      'base64',
    );
    writeFileSync(proof!, text.replace(/^extra .*$/m, `extra ${other}`));
    expect(check(month)).toMatchObject({
      status: 1,
      said: expect.stringContaining('the leaf is not in the log'),
    });
    writeFileSync(proof!, text);
    writeFileSync(pdf!, 'another document');
    expect(check(month)).toMatchObject({
      status: 1,
      said: expect.stringContaining('r1.pdf is not the file'),
    });
    for (const name of files.filter((one) => !one.endsWith('.tlog-proof')))
      rmSync(join(month, name));
    expect(check(month)).toMatchObject({
      status: 1,
      said: expect.stringContaining('none of the files'),
    });
  });

  test('a month that was not issued, and a merchant that is not known, are refused in a sentence', async () => {
    const out = join(scratch, 'nothing');
    expect(await command('evidence', 'export', 'SOUND', '2026-09', '--out', out)).toMatchObject({
      status: 3,
      err: expect.stringContaining('No statement of SOUND 2026-09 was issued'),
    });
    expect(await command('evidence', 'export', 'NONE', '--out', out)).toMatchObject({
      status: 3,
      err: expect.stringContaining("There is no merchant 'NONE'"),
    });
  });
});

test('the store holds a log that was signed with the key of the configuration to that key', async () => {
  const key = newSigningKey();
  const file = join(scratch, 'own');
  const own = { key, origin: 'books.example/log', lastSigned: file };
  expect(
    await commandWith(
      own,
      'evidence',
      'export',
      'SOUND',
      '2026-10',
      '--out',
      join(scratch, 'own-key'),
    ),
  ).toMatchObject({ status: 0 });
  const note = readFileSync(file, 'utf8');
  expect(openCheckpoint(note, verifierKeyOf(signerOf(key, 'books.example/log')!))).toMatchObject({
    size: 1,
  });
  const { status, err } = await commandWith(
    { origin: own.origin },
    'evidence',
    'export',
    'SOUND',
    '2026-10',
    '--out',
    join(scratch, 'x'),
  );
  expect([status, err]).toEqual([3, expect.stringContaining('give it again as evidence.key')]);
});

test('a statement has one proof; with the key of another log it is not sent', async () => {
  const report = (await loadIssuedReport(opened.store, { merchant: 'SOUND', period: '2026-10' }))!;
  const task = {
    store: opened.store,
    lastSigned: null,
    engine: '',
    clock: () => READ_AT,
    log: () => {},
  };
  const first = readFileSync(lastSigned, 'utf8').split('\n')[0]!;
  for (const [origin, key, isOurs] of [
    [first, null, true],
    ['other.example/log', newSigningKey(), false],
  ] as const) {
    const { report: again, verifierKey } = await recordStatement(
      { ...task, settings: { key, origin } },
      report,
    );
    expect(again.files).toEqual(report.files);
    expect(report.files.filter(({ format }) => format === 'tlog-proof')).toHaveLength(1);
    expect(verifierKey?.startsWith(`${first}+`) ?? false).toBe(isOurs);
  }
});

test('processes that begin a log at once begin one', async () => {
  const fresh = await openTestStore();
  try {
    const begun = await Promise.all(
      Array.from({ length: 8 }, () => openLog(fresh.store, { key: null, origin: null }, 0)),
    );
    expect(new Set(begun.map(({ number }) => number)).size).toBe(1);
    expect(new Set(begun.map(({ verifierKey }) => verifierKey)).size).toBe(1);
  } finally {
    await fresh.close();
  }
});

test('a file for the last checkpoint that cannot be written holds up nothing', async () => {
  const nowhere = join(scratch, 'books', 'SOUND', 'ledger.jsonl', 'checkpoint');
  expect(await commandWith({ lastSigned: nowhere }, 'run')).toMatchObject({ status: 1 });
});

test('a log that does not continue what was signed is not signed again: a backup was restored, or leaves were changed', async () => {
  const [origin] = readFileSync(lastSigned, 'utf8').split('\n');
  const refused = async (name: string) => {
    const { status, err } = await commandWith(
      { origin },
      'evidence',
      'export',
      'DRIFTED',
      '2026-10',
      '--out',
      join(scratch, name),
    );
    expect(status).toBe(3);
    return err;
  };
  const issued = {
    store: opened.store,
    merchants: ['DRIFTED'],
    formats: ['json'],
    now: READ_AT,
  } as const;
  expect(await issueOctober(configWith({ origin }), issued)).toMatchObject([
    { report: { status: 'READY' } },
  ]);
  // The newest leaf is gone with its checkpoint, as after an older backup was restored.
  const client = await opened.store.pool.connect();
  await client.query('set session_replication_role = replica');
  await client.query('update evidence_logs set size = 2 where origin = $1', [origin]);
  await client.query('delete from log_checkpoints where size > 2');
  await client.query('delete from log_leaves where leaf_index >= 2');
  await client.query(
    'delete from log_nodes where (level = 0 and position >= 2) or (level = 1 and position >= 1)',
  );
  expect(await refused('restored')).toMatch(
    /it has 3 leaves, and a checkpoint of 4 leaves was signed.*restore a newer backup.*new evidence\.origin/,
  );
  const others =
    'delete from log_checkpoints where log_number <> (select log_number from evidence_logs where origin = $1)';
  await client.query(others, [origin]);
  // The database agrees with itself, but not with the file beside it.
  expect(await examineLog(opened.store.pool)).toBe('continued');
  const beside = await examineLog(opened.store.pool, readFileSync(lastSigned, 'utf8'));
  expect(beside).toEqual({ fault: 'shorter', leaves: 3, signed: 4 });
  await client.query('update log_leaves set content = content || chr(10) where leaf_index = 1');
  expect(await examineLog(opened.store.pool)).toEqual({ fault: 'altered', leaves: 3, signed: 2 });
  await client.query('update log_leaves set content = left(content, -1) where leaf_index = 1');
  await client.query('update evidence_logs set size = 1 where origin = $1', [origin]);
  const at = ['--database-url', opened.databaseUrl];
  const says = 'it has 1 leaf, and a checkpoint of 2 leaves was signed: nothing is signed any more';
  expect((await pointage(['tonight', ...at])).out).toMatch(
    new RegExp(`^log +${says}$[\\s\\S]*^type +pointage doctor$`, 'm'),
  );
  expect((await pointage(['doctor', ...at])).out).toMatch(new RegExp(`✗ +evidence log: ${says}`));
  await client.query('delete from log_nodes where level = 1 and position = 0');
  await client.query('update evidence_logs set size = 3 where origin = $1', [origin]);
  expect(await examineLog(opened.store.pool)).toEqual({ fault: 'altered', leaves: 3, signed: 2 });
  await client.query('set session_replication_role = default');
  client.release();
}, 120_000);
