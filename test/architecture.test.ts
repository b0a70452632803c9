// The house rules that a machine can check. Each names its files when it fails, and fails if it saw
// none.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { knownTimes, slowFiles } from './support/file-times.ts';
import {
  importedPaths,
  listCode,
  ROOT,
  readSources,
  roomOf,
  type Source,
} from './support/house.ts';

/**
 * The rooms of each door: `core` is pure, `io` the edges, `service` the order of work and the
 * entrances.
 */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  core: ['domain', 'bytes', 'kernel', 'words', 'samples', 'statements', 'icu'],
  io: ['threads', 'together', 'evidence', 'sources', 'storage', 'seals', 'formats', 'deliveries'],
  service: [
    'workflows',
    'templates',
    'queue',
    'telemetry',
    'worker',
    'compose',
    'http',
    'console',
    'config',
    'clock',
    'log',
    'engine',
    'cli',
    'embed',
  ],
  sandbox: ['sandbox'],
};

/** For each door, the doors that its rooms may import. */
const DOORS_OPEN: Readonly<Record<string, readonly string[]>> = {
  core: ['core'],
  io: ['core', 'io'],
  service: ['core', 'io', 'service', 'sandbox'],
  sandbox: ['core', 'sandbox'],
};

/**
 * For each room, the rooms whose files it may import, and folders beside src. A room that is not
 * listed here may not exist.
 */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  bytes: ['domain'],
  kernel: ['domain'],
  words: ['domain', 'icu', 'reports-templates'],
  samples: ['domain', 'kernel', 'words'],
  statements: ['domain', 'kernel'],
  seals: ['domain'],
  formats: ['domain', 'words', 'statements', 'seals'],
  threads: ['domain'],
  together: [],
  evidence: ['domain'],
  sources: ['domain', 'bytes', 'threads', 'together'],
  storage: ['domain', 'bytes', 'kernel', 'threads', 'together', 'evidence', 'sql'],
  sandbox: ['domain'],
  workflows: [
    'domain',
    'kernel',
    'words',
    'statements',
    'formats',
    'evidence',
    'sources',
    'storage',
  ],
  templates: ['words', 'formats', 'config'],
  queue: ['domain', 'storage', 'workflows'],
  deliveries: ['domain', 'words', 'statements', 'formats'],
  telemetry: ['domain'],
  worker: ['domain', 'workflows', 'log', 'clock'],
  compose: [
    'domain',
    'kernel',
    'samples',
    'statements',
    'seals',
    'formats',
    'sources',
    'storage',
    'workflows',
    'templates',
    'queue',
    'deliveries',
    'telemetry',
    'worker',
    'config',
    'clock',
    'log',
    'engine',
  ],
  http: ['domain', 'kernel', 'statements', 'formats', 'workflows'],
  console: ['domain', 'kernel', 'words', 'statements', 'formats', 'workflows', 'http'],
  config: ['domain', 'statements', 'seals', 'clock'],
  clock: ['domain'],
  log: [],
  engine: [],
  icu: [],
  embed: ['domain', 'kernel', 'sources', 'threads', 'workflows'],
  cli: [
    'domain',
    'kernel',
    'words',
    'samples',
    'statements',
    'formats',
    'workflows',
    'templates',
    'compose',
    'http',
    'console',
    'worker',
    'telemetry',
    'config',
    'clock',
    'log',
    'engine',
    'sandbox',
  ],
};

/** For each folder of the kernel, the folders of the kernel whose files it may import. */
const KERNEL_ARROWS: Readonly<Record<string, readonly string[]>> = {
  replay: [],
  checks: ['replay'],
  reconcile: ['replay', 'checks'],
  // The file at the kernel's door, for rows in memory.
  '.': ['checks', 'reconcile'],
};

/**
 * Whether a file is pure: all of the core is, except the file that loads the library of messages
 * when the first sentence is written.
 */
const isPure = ({ path }: Source): boolean =>
  path.startsWith('src/core/') && path !== 'src/core/icu.ts';

const sources = readSources();

function offenders(offends: (source: Source) => boolean): string[] {
  expect(sources.length, 'no source files were seen').toBeGreaterThan(10);
  return sources.filter(offends).map((source) => source.path);
}

function importersOf(name: RegExp): string[] {
  return offenders((source) => source.imports.some((specifier) => name.test(specifier)));
}

/**
 * Returns the code without comments, strings and templates, because rules about code must not trip
 * over prose.
 */
function bareCode(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g, '');
}

describe('the house', () => {
  test('has only known rooms, and its arrows point one way', () => {
    const wrong = sources.flatMap((source) => {
      const allowed = ARROWS[source.room];
      if (allowed === undefined)
        return [`${source.path}: room '${source.room}' is not in the plan`];
      return importedPaths(source)
        .map(roomOf)
        .filter((room) => room !== source.room && !allowed.includes(room))
        .map((room) => `${source.path} imports ${room}`);
    });
    expect(sources.length).toBeGreaterThan(10);
    expect(wrong).toEqual([]);
  });

  test('has four doors: the core imports the core, the edges the core, the simulated service nothing of the engine', () => {
    const doors = new Map(
      Object.entries(DOORS).flatMap(([door, rooms]) => rooms.map((room) => [room, door] as const)),
    );
    expect([...doors.keys()].sort()).toEqual(Object.keys(ARROWS).sort());
    expect(offenders((source) => doors.get(source.room) !== source.door)).toEqual([]);
    const wrong = Object.entries(ARROWS).flatMap(([room, allowed]) =>
      allowed
        .filter(
          (other) => doors.has(other) && !DOORS_OPEN[doors.get(room)!]!.includes(doors.get(other)!),
        )
        .map((other) => `${room} may import ${other}`),
    );
    expect(wrong).toEqual([]);
  });

  test('takes words from the template in one file', () => {
    expect(importersOf(/reports-templates|\.json$/)).toEqual(['src/core/words/tree.ts']);
  });

  test('keeps sources apart from each other: only port, decode and web are shared', () => {
    const wrong = sources.flatMap((source) => {
      const [, , room, sibling] = source.path.split('/');
      if (room !== 'sources' || sibling!.endsWith('.ts')) return [];
      return source.imports
        .filter((specifier) => specifier.startsWith('..'))
        .map((specifier) =>
          relative(join(ROOT, 'src/io/sources'), resolve(ROOT, dirname(source.path), specifier)),
        )
        .filter((target) => !target.startsWith('..') && !/^(decode|port|web)\//.test(target))
        .filter((target) => target.split('/')[0] !== sibling)
        .map((target) => `${source.path} imports sources/${target}`);
    });
    expect(wrong).toEqual([]);
  });

  test('lets only the queue know pg-boss, only telemetry its libraries, only deliveries mail and webhooks', () => {
    const inside = (room: string, name: RegExp): string[] =>
      offenders(
        (source) =>
          source.room !== room && source.imports.some((specifier) => name.test(specifier)),
      );
    expect(inside('queue', /^pg-boss$/)).toEqual([]);
    expect(inside('telemetry', /^(prom-client|@opentelemetry\/.*)$/)).toEqual([]);
    expect(inside('deliveries', /^(nodemailer|standardwebhooks|ipaddr\.js)$/)).toEqual([]);
  });

  test('lets no command wait for libraries that only services need', () => {
    const byPath = new Map(sources.map((source) => [source.path, source]));
    const reached = new Set<string>();
    const reach = (path: string): void => {
      const source = byPath.get(path);
      if (source === undefined || reached.has(path)) return;
      reached.add(path);
      for (const [, from] of source.text.matchAll(
        /^(?:import|export) (?!type )[^;]*?from '([^']+)';$/gms,
      )) {
        if (from!.startsWith('.')) reach(relative(ROOT, resolve(ROOT, dirname(path), from!)));
        else reached.add(from!);
      }
    };
    // A command's file is loaded when the command is asked for.
    for (const { path } of sources)
      if (/^src\/service\/cli\/(?:main\.js|program\.ts|.*-command\.ts)$/.test(path)) reach(path);
    expect(reached.has('commander'), 'the walk reaches packages').toBe(true);
    expect([...reached].filter((name) => /-command\.ts$/.test(name)).length).toBeGreaterThan(10);
    const heavy =
      /^(fastify|intl-messageformat|prom-client|@opentelemetry|pg-boss|nodemailer|@fastify|jose|exceljs|pdfkit)/;
    expect([...reached].filter((name) => heavy.test(name))).toEqual([]);
  });

  test('names what it loads on demand in plain words, so that every other rule sees it', () => {
    const onDemand = /\b(?:import|require|createRequire\([^)]*\))\s*\((?!\))[^)]*\)/g;
    const loads = ({ text }: Source): readonly string[] =>
      [...text.matchAll(onDemand)].map(([found]) => found);
    const seen = sources.flatMap(loads);
    expect(seen.length).toBeGreaterThan(20);
    expect(
      offenders((source) => loads(source).some((found) => !/\(\s*'[^']+',?\s*\)$/.test(found))),
    ).toEqual([]);
  });

  test('lets only storage and the Postgres source talk to PostgreSQL', () => {
    expect(
      importersOf(/^(kysely|pg|pg-copy-streams)$/).filter(
        (path) => !/^src\/io\/(storage|sources\/postgres)\//.test(path),
      ),
    ).toEqual([]);
  });

  /**
   * Files that may have SQL as text. Each says in its first lines why: what Kysely cannot say, or
   * what is asked before there is a schema.
   */
  const SQL_AS_TEXT = [
    'src/io/storage/evidence/kept-rows.ts',
    'src/io/storage/mirror/copy/copy.ts',
    'src/io/storage/mirror/entry-chain.ts',
    'src/io/storage/mirror/read/copy-worker.ts',
    'src/io/storage/mirror/read/streams.ts',
    'src/io/storage/mirror/row-digests.ts',
    'src/io/storage/mirror/save/save-entries.ts',
    'src/io/storage/server/connections.ts',
    'src/io/storage/server/database-snapshot.ts',
    'src/io/storage/server/embedded-server.ts',
    'src/io/storage/server/grant-roles.ts',
    'src/io/storage/server/merchant-store.ts',
    'src/io/storage/server/migrate.ts',
  ];

  test('builds queries with Kysely: nothing in storage but what is named holds SQL as text', () => {
    const literal = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;
    const statement =
      /\b(?:select|insert into|delete from|truncate)\s|\bupdate \w+(?: \w+)?\s+set\s|['"`]\s*(?:(?:copy|create|alter|drop)\s|begin\b|commit\b|rollback\b|set local\s)/;
    const literalsOf = (text: string): readonly string[] =>
      text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '').match(literal) ?? [];
    const holdsSql = ({ text }: Source): boolean =>
      /\.query[<(]|\.execute(?:TakeFirst\w*)?\(/.test(bareCode(text)) ||
      literalsOf(text).some((one) => statement.test(one));
    const offence = (text: string): boolean => holdsSql({ text } as Source);
    expect(offence('const rows = sql`(select 1 from merchants)`;')).toBe(true);
    expect(
      offence("client.query('x')") && offence('await built.execute()') && offence("'begin'"),
    ).toBe(true);
    expect(offence("build.selectFrom('runs').select('run_id') // select a\n")).toBe(false);
    const holding = offenders((source) => source.room === 'storage' && holdsSql(source));
    expect(holding.filter((path) => path !== 'src/io/storage/server/ask.ts').sort()).toEqual(
      SQL_AS_TEXT,
    );
    const unexplained = sources.filter(
      ({ path, text }) => SQL_AS_TEXT.includes(path) && !/^(\/\/.*\n)*\/\/.*SQL/.test(text),
    );
    expect(unexplained.map(({ path }) => path)).toEqual([]);
  });

  test('keeps formats to writing: no files, network, processes or clock, and libraries of documents nowhere else', () => {
    const outside = /^(?:node:(?!stream|zlib|buffer)|fastify|pg|kysely)/;
    const clock = /\b(?:Date\.now|new Date\(\)|Math\.random|process\.)/;
    const isFormat = (source: Source): boolean => source.room === 'formats';
    expect(
      offenders((source) => isFormat(source) && source.imports.some((name) => outside.test(name))),
    ).toEqual([]);
    expect(offenders((source) => isFormat(source) && clock.test(bareCode(source.text)))).toEqual(
      [],
    );
    expect(
      importersOf(/^(?:pdfkit|exceljs|unpdf|qrcode)/).filter(
        (path) => !path.startsWith('src/io/formats/'),
      ),
    ).toEqual([]);
  });

  test('asks for zones and locales in one file, and never for those of the machine', () => {
    const asks =
      /\bIntl\.|\.toLocale|localeCompare|getTimezoneOffset|\.get(?:FullYear|Month|Date|Day|Hours|Minutes)\(/;
    expect(offenders((source) => asks.test(bareCode(source.text)))).toEqual([
      'src/core/domain/zone.ts',
    ]);
    expect(importersOf(/^date-fns/)).toEqual(['src/core/domain/zone.ts']);
  });

  test('knows the library of messages in one file', () => {
    expect(importersOf(/^intl-messageformat$/)).toEqual(['src/core/icu.ts']);
  });

  test('imports decimal.js in at most one file', () => {
    expect(importersOf(/^decimal\.js$/).length).toBeLessThanOrEqual(1);
  });

  test('keeps the core pure: no clock, randomness, environment, I/O or async', () => {
    const impure =
      /\b(Date\.now|new Date\(\)|Math\.random|process\.|async |await |setTimeout|fetch\()/;
    expect(offenders((source) => isPure(source) && impure.test(bareCode(source.text)))).toEqual([]);
    expect(
      offenders(
        (source) =>
          isPure(source) && source.imports.some((specifier) => specifier.startsWith('node:')),
      ),
    ).toEqual([]);
  });

  test('asks kinds for what they declare: no prefix, expression or weight in the search for roots', () => {
    const judges = ({ path }: Source): boolean => path.startsWith('src/core/kernel/reconcile/');
    const spelling = /\.(?:startsWith|endsWith|match|matchAll|search)\(|\bRegExp\b/;
    const expression =
      /(?:^|[=(,:?!&|{[;]|=>|return)\s*\/(?![/*])(?:\\.|[^/\\\n])+\/[a-z]*\s*[.,;)\]]/m;
    const weight = /\brankOf\([^()]*\)\s*[-+*/]\s*[\d_]/;
    expect(sources.filter(judges).length).toBeGreaterThan(20);
    const offence = (text: string): boolean =>
      [spelling, expression, weight].some((rule) => rule.test(text));
    expect(
      offence('if (/^HOLD_/.test(kind)) return;') && offence('return rankOf(kind) - 1_000;'),
    ).toBe(true);
    expect(offenders((source) => judges(source) && offence(bareCode(source.text)))).toEqual([]);
  });

  test('has no default exports, no barrel files, no utils', () => {
    expect(offenders((source) => /^export default/m.test(source.text))).toEqual([]);
    expect(
      offenders((source) => /\/(index|utils?|helpers?|common)(\.ts|\/)/.test(source.path)),
    ).toEqual([]);
  });

  test('opens every file with a sentence that says what it is for', () => {
    expect(offenders((source) => !/^(#![^\n]*\n)?\/\/ \S.{20,}/.test(source.text))).toEqual([]);
  });
});

const BY_PATH = new Map(sources.map((source) => [source.path, source]));

/** Returns the files that a file imports, types included. */
function importedBy(source: Source): readonly Source[] {
  return importedPaths(source).flatMap((path) => BY_PATH.get(path) ?? []);
}

/**
 * Returns, for each file, the longest way down over `next`, by path. Throws for a file that is on
 * its own way, because it is in a circle.
 */
function waysDown(
  next: (source: Source) => readonly Source[],
): ReadonlyMap<string, readonly string[]> {
  const ways = new Map<string, readonly string[]>();
  const walking: string[] = [];
  const wayFrom = (source: Source): readonly string[] => {
    const known = ways.get(source.path);
    if (known !== undefined) return known;
    if (walking.includes(source.path))
      throw new Error(`a circle: ${[...walking, source.path].join(' → ')}`);
    walking.push(source.path);
    let longest: readonly string[] = [];
    for (const one of next(source)) {
      const way = wayFrom(one);
      if (way.length > longest.length) longest = way;
    }
    walking.pop();
    ways.set(source.path, [source.path, ...longest]);
    return [source.path, ...longest];
  };
  for (const source of sources) wayFrom(source);
  return ways;
}

describe('inside a room', () => {
  test('no files import each other in a circle, type-only imports counted', () => {
    const ways = waysDown(importedBy);
    expect(ways.size).toBeGreaterThan(300);
    expect(
      Math.max(...[...ways.values()].map((way) => way.length)),
      'the walk goes down',
    ).toBeGreaterThan(15);
  });

  test('folders do not import each other both ways', () => {
    const arrows = new Set(
      sources.flatMap((source) =>
        importedBy(source).map((one) => `${dirname(source.path)} ${dirname(one.path)}`),
      ),
    );
    const pairs = [...arrows].filter((arrow) => {
      const [from, to] = arrow.split(' ');
      return from! < to! && arrows.has(`${to} ${from}`);
    });
    expect(arrows.size).toBeGreaterThan(100);
    expect(pairs).toEqual([]);
  });

  test('the kernel goes down from its door to reconcile to checks to replay', () => {
    const folderOf = ({ path }: Source): string => path.split('/').slice(3, -1)[0] ?? '.';
    const inside = sources.filter(({ room }) => room === 'kernel');
    expect([...new Set(inside.map(folderOf))].sort()).toEqual(Object.keys(KERNEL_ARROWS).sort());
    const wrong = inside.flatMap((source) =>
      importedBy(source)
        .filter((one) => one.room === 'kernel' && folderOf(one) !== folderOf(source))
        .filter((one) => !KERNEL_ARROWS[folderOf(source)]!.includes(folderOf(one)))
        .map((one) => `${source.path} imports ${one.path}`),
    );
    expect(inside.length).toBeGreaterThan(50);
    expect(wrong).toEqual([]);
  });

  test.each(['storage', 'workflows'])('the subjects of %s build on each other one way', (room) => {
    const inside = sources.filter((source) => source.room === room);
    const subjects = inside.map(({ path }) => path.split('/').slice(3, -1)[0] ?? '.');
    const arrows = new Map(subjects.map((subject) => [subject, new Set<string>()]));
    for (const [i, source] of inside.entries())
      for (const one of importedBy(source)) {
        const subject = subjects[inside.indexOf(one)];
        if (subject !== undefined && subject !== subjects[i])
          arrows.get(subjects[i]!)!.add(subject);
      }
    expect(arrows.size).toBeGreaterThan(6);
    const reaches = (from: string, to: string, seen: ReadonlySet<string> = new Set()): boolean =>
      [...arrows.get(from)!].some(
        (next) => next === to || (!seen.has(next) && reaches(next, to, new Set([...seen, next]))),
      );
    expect([...arrows.keys()].filter((subject) => reaches(subject, subject))).toEqual([]);
  });

  test('there is one door: no x.ts beside x/', () => {
    const folders = new Set(sources.flatMap(({ path }) => [dirname(path), dirname(dirname(path))]));
    expect(folders.size).toBeGreaterThan(30);
    expect(offenders(({ path }) => folders.has(path.replace(/\.[jt]s$/, '')))).toEqual([]);
  });
});

describe('plain words', () => {
  /**
   * Words that hide who acts: persons for processes, passive verbs of saying, "stands" for is. Name
   * the subject instead.
   */
  const HIDING = /\b(?:nobody|somebody|whoever|told|stands|(?:is|are)[\s/*]+(?:said|asked))\b/gi;

  /** Most of these words in src, docs and README.md together. The number may only fall. */
  const HIDING_MOST = 8;

  test('a sentence names its subject, in src and in the documents', () => {
    const documents = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
    const texts = [...documents.map((name) => `docs/${name}`), 'README.md'].map((path) => ({
      path,
      text: readFileSync(join(ROOT, path), 'utf8'),
    }));
    const found = [...sources, ...texts].map(
      ({ path, text }) => `${text.match(HIDING)?.length ?? 0} ${path}`,
    );
    const count = found.reduce((sum, one) => sum + Number.parseInt(one, 10), 0);
    const places = found
      .filter((one) => !one.startsWith('0 '))
      .sort((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10));
    expect(texts.length).toBeGreaterThan(10);
    expect('Nobody is\n// asked twice, Whoever stands there'.match(HIDING)).toHaveLength(4);
    expect(count, places.join('\n')).toBeLessThanOrEqual(HIDING_MOST);
  });
});

describe('the inside of a library', () => {
  /**
   * Casts past a library's types, uses of its private fields, and overrides of its methods. Each
   * would break without a message when the library changes.
   */
  const REACHES =
    /\bas unknown as\b|\boverride \w+\(|\._[a-z]|\b_[a-z]\w*[?:]|\.removeListener\(|Object\.assign\(workbook/;

  /**
   * For each library, the files that may reach inside it. Tests of these files fail when the
   * library has changed inside.
   */
  const GUARDED: Readonly<Record<string, readonly string[]>> = {
    exceljs: [
      'src/io/formats/read-back/wanted-figures.ts',
      'src/io/formats/xlsx/write-workbook.ts',
    ],
    pdfkit: ['src/io/formats/pdf/page/pdfkit-inside.ts'],
    pg: ['src/io/sources/postgres/session.ts', 'src/io/storage/server/database-snapshot.ts'],
  };

  test.each([
    ['exceljs', /'exceljs'/],
    ['pdfkit', /'pdfkit'|\bPDFKit\./],
    ['pg', /'pg'/],
  ] as const)('of %s is reached in the files that are named here', (library, names) => {
    const reaching = offenders(
      ({ text }) => names.test(text) && REACHES.test(bareCode(text.replace(/_,|\(_\b/g, ''))),
    );
    expect(reaching.sort()).toEqual(GUARDED[library]);
  });
});

describe('the tests', () => {
  const tests = listCode(join(ROOT, 'test')).map((path) => ({
    path: relative(ROOT, path),
    text: readFileSync(path, 'utf8'),
  }));

  test('of `npm test` enter every room: its own files, or one that imports them', () => {
    const left = slowFiles(knownTimes());
    const quick = tests.filter(({ path }) => path.endsWith('.test.ts') && !left.includes(path));
    const entered = new Set(
      quick.flatMap(({ path, text }) =>
        [...text.matchAll(/'(\.[^']*\/src\/[^']+)'/g)].map(([, name]) =>
          join(dirname(path), name!),
        ),
      ),
    );
    expect(entered.size).toBeGreaterThan(100);
    const rooms = new Set(
      sources
        .filter(({ path }) => entered.has(path))
        .flatMap((source) => [source, ...importedBy(source)].map(({ room }) => room)),
    );
    expect(Object.keys(ARROWS).filter((room) => !rooms.has(room))).toEqual([]);
  });

  test('clean up where they make: a module loads once for many files, and a hook of its own runs for the first alone', () => {
    const shared = tests.filter(({ path }) => !path.endsWith('.test.ts'));
    expect(shared.length).toBeGreaterThan(50);
    const hooked = shared.filter(({ text }) => /^(?:before|after)(?:Each|All)\(/m.test(text));
    // The runner loads this file anew for every test file.
    expect(hooked.map(({ path }) => path)).toEqual(['test/support/measure-file.ts']);
  });

  test('draw every property by one count of runs and one seed', () => {
    const drawing = tests.filter(({ text }) => /\bfc\.assert\(/.test(text)).map(({ path }) => path);
    expect(drawing).toEqual(['test/support/assert-property.ts']);
  });
});
