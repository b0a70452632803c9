// The documents are part of the product: what they show is what is printed, what they list is all
// there is, and what they tell a reader to type exists.

import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { INTERPRETATIONS, QUESTIONS } from '../src/core/domain/assumptions.ts';
import { CATALOGUE } from '../src/core/kernel/checks/port/kinds.ts';
import { TOTALS_INTERPRETATIONS } from '../src/core/kernel/checks/wallet/wallet.ts';
import type { AuditDocument } from '../src/core/kernel/reconcile/audit-document.ts';
import { LABELS } from '../src/core/words/tree.ts';
import { COLUMNS } from '../src/io/formats/text/csv.ts';
import { DASHBOARD_DEFAULTS } from '../src/io/sources/dashboard/dashboard-settings.ts';
import { HTTP_DEFAULTS } from '../src/io/sources/http/http-settings.ts';
import { PART_FIELDS, POSTGRES_DEFAULTS } from '../src/io/sources/postgres/postgres-settings.ts';
import { openSource } from '../src/io/sources/register.ts';
import { catalogueAsMarkdown } from '../src/service/cli/commands/explain-command.ts';
import { runCommand } from '../src/service/cli/program.ts';
import { stageOf } from '../src/service/cli/stage/stage.ts';
import { configurationJsonSchema } from '../src/service/config/check-configuration.ts';
import { loadConfiguration } from '../src/service/config/load-configuration.ts';
import { sampleDocument } from './support/sample-statement.ts';

const root = resolve(import.meta.dirname, '..');
const scratch = mkdtempSync(join(tmpdir(), 'pointage-docs-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const GENERATED = ['.git', 'node_modules', 'out', '.pointage', 'coverage'];

function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (GENERATED.includes(entry.name)) return [];
    return entry.isDirectory() ? walk(path) : entry.isFile() ? [path] : [];
  });
}

const files = walk(root).map((path) => relative(root, path));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const documents = files.filter((path) => path.endsWith('.md'));
const readme = read('README.md');
const manual = read('docs/MANUAL.md');
const configuration = read('docs/CONFIGURATION.md');

interface Said {
  readonly status: number;
  readonly out: string;
}

/** Runs the command in this process, as from the repository's root and without colours. */
async function pointage(...words: string[]): Promise<Said> {
  const printed: string[] = [];
  const silent = { update: () => {}, stop: () => {} };
  const terminal = {
    out: (text: string) => void printed.push(text),
    note: () => {},
    colour: false,
    width: null,
    progress: () => silent,
  };
  const status = await runCommand(words, stageOf(terminal, {}));
  return { status, out: printed.join('') };
}

/** The fenced blocks of a document in one language ('' for none), without their fences. */
function blocksOf(text: string, language: string): readonly string[] {
  const blocks = [...text.matchAll(/^ *```(\w*)\n([\s\S]*?)^ *```$/gm)];
  return blocks.filter((block) => block[1] === language).map((block) => block[2]!);
}

function sluggedHeadings(text: string): readonly string[] {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map((match) => match[1]!);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('every document', () => {
  test('links only to what is there', () => {
    expect(documents.length).toBeGreaterThan(10);
    const broken = documents.flatMap((path) => {
      const prose = read(path).replace(/^ *```[\s\S]*?^ *```$/gm, '');
      const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]!);
      return targets
        .filter((target) => !isThere(path, target))
        .map((target) => `${path} links to ${target}`);
    });
    expect(broken).toEqual([]);
  });

  test('names only files that are there', () => {
    const named = documents.flatMap((path) => {
      const paths = [...read(path).matchAll(/`((?:[\w-]+\/)+[\w-]+\.(?:ts|md|sql))`/g)].map(
        (match) => match[1]!,
      );
      const isIn = (file: string): boolean =>
        ['', 'src', 'src/core', 'src/io', 'src/service', dirname(path)].some((at) =>
          existsSync(join(root, at, file)),
        );
      return paths
        .filter((file) => !/[A-Z]{4}/.test(file) && !isIn(file))
        .map((file) => `${path} names ${file}`);
    });
    expect(named).toEqual([]);
  });

  test('and every comment names only files that are there, by their names alone too', () => {
    const names = new Set(files.map((path) => basename(path)));
    const sources = files.filter((path) => /^(?:src|bench)\/.*\.ts$/.test(path));
    const named = [...documents, ...sources].flatMap((path) =>
      [...read(path).matchAll(/`(?:[\w-]+\/)*([\w-]{2,}(?:\.[\w-]+)*\.(?:ts|sql))`/g)].map(
        (match) => [match[1]!, path] as const,
      ),
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter(([name]) => !/[A-Z]{4}/.test(name) && !names.has(name))).toEqual([]);
  });

  test('names only npm scripts and commands that exist, with options that they have', async () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const text = documents.map(read).join('\n');
    const named = [...text.matchAll(/npm run ([\w-]+)/g)].map((match) => match[1]!);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
    const lines = [...text.matchAll(/npx pointage ([^\n`>#]+)/g)].map((match) =>
      match[1]!.trim().split(/\s+/),
    );
    expect(lines.length).toBeGreaterThan(10);
    const wrong: string[] = [];
    for (const words of lines) {
      const help = await helpFor(words);
      const options = words.filter((word) => word.startsWith('--'));
      if (help === null || options.some((option) => !help.includes(option)))
        wrong.push(words.join(' '));
    }
    expect(wrong).toEqual([]);
  });

  /**
   * Most words of all documents that people write. Fenced blocks are not counted, nor are
   * FINDINGS.md and the reference of SANDBOX.md, which are written from the code. The numbers may
   * only fall: say it once, take away first.
   */
  const MOST_WORDS = 35_860;
  /** Most words of README.md and docs/*.md as `wc -w` counts them, with tables and blocks. */
  const MOST_WITH_ALL = 50_000;

  test('is short: no fact twice, nothing that the code says already', () => {
    const written = documents.filter((path) => /^(?:README|docs\/(?!FINDINGS)\w+)\.md$/.test(path));
    const prose = written.map((path) =>
      read(path)
        .replace(/^<!-- reference: [\s\S]*/m, '')
        .replace(/^ *```[\s\S]*?^ *```$/gm, ''),
    );
    const words = prose.flatMap((text) =>
      text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)),
    );
    expect(written.length).toBeGreaterThan(10);
    expect(words.length, 'words of all documents: take away first').toBeLessThanOrEqual(MOST_WORDS);
    const all = documents.filter((path) => /^(?:README|docs\/\w+)\.md$/.test(path));
    const counted = all.flatMap((path) => read(path).match(/\S+/g)!);
    expect(counted.length, 'words with tables and blocks').toBeLessThanOrEqual(MOST_WITH_ALL);
  });

  test('stays within the repository, as does every other file', () => {
    const outside = ['..', 'shared'].join('/');
    expect(files.length).toBeGreaterThan(200);
    expect(
      files.filter(
        (path) => statSync(join(root, path)).size < 2_000_000 && read(path).includes(outside),
      ),
    ).toEqual([]);
  });
});

function isThere(path: string, target: string): boolean {
  if (/^https?:/.test(target)) return true;
  const [file, heading] = target.split('#') as [string, string?];
  const found = file === '' ? join(root, path) : resolve(root, dirname(path), file);
  if (!existsSync(found)) return false;
  return heading === undefined || sluggedHeadings(readFileSync(found, 'utf8')).includes(heading);
}

/** Returns the help of the command that `words` call; `null` when there is none. */
async function helpFor(words: readonly string[]): Promise<string | null> {
  const { status, out } = await pointage(words[0]!, '--help');
  if (status !== 0) return null;
  if (!/^Commands:/m.test(out)) return out;
  const below = await pointage(words[0]!, words[1]!, '--help');
  return below.status === 0 && below.out !== out ? below.out : null;
}

describe('the README', () => {
  const example = 'file:docs/example-books';

  test('begins with an installation that the lock file allows on every platform it names', () => {
    type Locked = Readonly<Partial<Record<'dependencies' | 'optionalDependencies', object>>>;
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, Locked>;
    };
    const missing = Object.entries(packages).flatMap(([path, locked]) =>
      Object.keys({ ...locked.dependencies, ...locked.optionalDependencies }).filter(
        (name) =>
          packages[`node_modules/${name}`] === undefined &&
          packages[`${path}/node_modules/${name}`] === undefined,
      ),
    );
    expect(missing).toEqual([]);
  });

  test('shows what the audit of the example books prints, cut only where it says so', async () => {
    const { status, out } = await pointage('audit', '--source', example);
    expect(status).toBe(1);
    const shown = blocksOf(readme, 'text').find((block) => block.includes('EPICERIE_EXEMPLE'))!;
    const pieces = shown.split(/^…\n/m).filter((piece) => piece !== '');
    expect(pieces.length).toBeGreaterThan(0);
    for (const piece of pieces) expect(out).toContain(piece);
  });

  test('shows a finding and lists the fields of the JSON form as they are', async () => {
    const { out } = await pointage('audit', '--source', example, '--format', 'json');
    const document = JSON.parse(out) as AuditDocument;
    const [report] = document.merchants;
    const shown = blocksOf(manual, 'json').map((block) => JSON.parse(block) as unknown);
    expect(shown).toContainEqual(report!.findings[0]);
    for (const part of [document, report!, report!.recorded, document.totals]) {
      const fields = Object.keys(part).map((key) => `\`${key}\``);
      expect(manual).toContain(`| ${fields.join(', ')} |`);
    }
  });

  test('says rightly how a command ends, and what a verdict cannot do without', async () => {
    const sound = join(scratch, 'sound');
    cpSync(join(root, 'docs/example-books'), sound, { recursive: true });
    for (const name of ['ledger.jsonl', 'wallet.json']) {
      const text = readFileSync(join(sound, name), 'utf8');
      writeFileSync(
        join(sound, name),
        text.replaceAll('11802', '11755').replaceAll('11702', '11655'),
      );
    }
    expect((await pointage('audit', '--source', `file:${sound}`)).status).toBe(0);
    for (const name of ['ledger.jsonl', 'operations.jsonl', 'wallet.json', 'merchant.json']) {
      const folder = join(scratch, `without-${name}`);
      cpSync(sound, folder, { recursive: true });
      rmSync(join(folder, name));
      const { status, out } = await pointage('audit', '--source', `file:${folder}`);
      expect([name, status]).toEqual([name, 2]);
      expect(out).toContain(`${name} is not there`);
    }
    expect((await pointage('audit', '--source', `file:${join(scratch, 'nowhere')}`)).status).toBe(
      3,
    );
    expect((await pointage('audit', '--format', 'xml', '--source', example)).status).toBe(3);
  });

  test('counts the catalogue in its table', () => {
    const { sections } = LABELS.en.catalogue;
    for (const { section, kinds } of CATALOGUE)
      expect(manual).toContain(`| ${sections[section]} | ${kinds.length} |`);
  });
});

describe('a list in the documents is the list in the code', () => {
  test('FINDINGS.md is current', () => {
    expect(read('docs/FINDINGS.md')).toBe(catalogueAsMarkdown());
  });

  test('CONFIGURATION.md: every key, with the defaults of the direct API, and examples that are accepted', async () => {
    const source = [
      ...files.filter((path) => path.startsWith('src/service/config/')).map(read),
    ].join('');
    const keys = [
      ...source.matchAll(/^\s+(\w+): (?:z$|z\.|part|pins|merchant|http|postgres)/gm),
    ].map((m) => m[1]!);
    expect(keys.length).toBeGreaterThan(25);
    expect(keys.filter((key) => !new RegExp(`["\`.]${key}["\`.]`).test(configuration))).toEqual([]);
    for (const [key, value] of [...flatten(HTTP_DEFAULTS), ...flatten(DASHBOARD_DEFAULTS)]) {
      const row = configuration
        .split('\n')
        .find((line) => line.startsWith('|') && line.includes(`\`${key}\``));
      expect(row, key).toMatch(
        new RegExp(`^\\| [^|]* \\| \`?${RegExp.escape(String(value))}\`? \\|`),
      );
    }
    const environment = new Proxy(
      {},
      {
        get: (_, name) => {
          if (name === 'MAIL_URL') return 'smtp://mail.example';
          return /^(M00|POINTAGE_STORE)/.test(String(name)) ? 'a-secret' : undefined;
        },
      },
    );
    const examples = [manual, configuration, read('docs/ASSUMPTIONS.md')].flatMap((text) =>
      blocksOf(text, 'json'),
    );
    const settings = examples.filter((block) => !block.includes('fingerprint'));
    expect(settings.length).toBeGreaterThan(3);
    for (const block of settings) {
      const file = join(scratch, 'example.json');
      writeFileSync(file, block);
      expect(Object.keys(await loadConfiguration({ config: file }, environment))).not.toEqual([]);
    }
  });

  test('config.schema.json is current, and each of its references leads to a form', () => {
    const text = read('docs/config.schema.json');
    const schema = JSON.parse(text);
    expect(schema).toEqual(configurationJsonSchema());
    const named = [...text.matchAll(/"\$ref": "#\/\$defs\/(\w+)"/g)].map(([, name]) => name!);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !(name in (schema.$defs ?? {})))).toEqual([]);
  });

  test('CONFIGURATION.md: every environment variable', () => {
    const sources = files.filter((path) => path.startsWith('src/')).map(read);
    const named = sources.flatMap((text) => [
      ...text.matchAll(/(?:environment|process\.env)\.([A-Z][A-Z_]+)/g),
    ]);
    expect(named.length).toBeGreaterThan(4);
    const ours = named.map((match) => match[1]!).filter((name) => name !== 'PATH');
    expect(ours.filter((name) => !configuration.includes(`\`${name}\``))).toEqual([]);
  });

  test('CONFIGURATION.md: every form of address, and every field of books in tables', async () => {
    const refusal = await openSource('nosuch:place', {}).catch((error: Error) => error.message);
    const forms = String(refusal).split('one of: ')[1]!.split(', ');
    expect(forms).toContain('file:DIR');
    expect(forms.filter((form) => !configuration.includes(`\`${form}\``))).toEqual([]);
    for (const [part, fields] of Object.entries(PART_FIELDS)) {
      const { from, merchantColumn } = POSTGRES_DEFAULTS[part as keyof typeof PART_FIELDS];
      const cells = [part, from.relation, merchantColumn].map((cell) => `\`${cell}\``).join(' | ');
      expect(configuration).toContain(
        `| ${cells} | ${fields.map(({ name }) => `\`${name}\``).join(', ')} |`,
      );
    }
  });

  test('ASSUMPTIONS.md: every question and every interpretation', () => {
    const text = read('docs/ASSUMPTIONS.md');
    const words = [
      ...QUESTIONS,
      ...QUESTIONS.flatMap((question) => INTERPRETATIONS[question]),
      ...TOTALS_INTERPRETATIONS,
    ];
    expect(words.filter((word) => !text.includes(`\`${word}\``))).toEqual([]);
  });

  test('STATEMENTS.md: every key of a statement and of its summary, and every column', () => {
    const text = read('docs/STATEMENTS.md');
    const { statement } = sampleDocument();
    const keys = [...Object.keys(statement), ...Object.keys(statement.summary)];
    expect(keys.filter((key) => !text.includes(`\`${key}\``))).toEqual([]);
    const rows = [...text.matchAll(/^\| ([^|`]+) \| ([^|`]+) \|$/gm)].map(([, fr, en]) => ({
      fr,
      en,
    }));
    expect(rows.slice(-COLUMNS.length)).toEqual(
      COLUMNS.map((name) => ({
        fr: LABELS.fr.ledgerColumns[name],
        en: LABELS.en.ledgerColumns[name],
      })),
    );
  });

  test('GLOSSARY.md: fewer than sixty rows, each term once', () => {
    const rows = [...read('docs/GLOSSARY.md').matchAll(/^\| (?!English \|)([^|]+) \|/gm)].map(
      ([, terms]) => terms!,
    );
    const terms = rows.flatMap((row) => row.replace(/ \(.*?\)/g, '').split(', '));
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.length).toBeLessThan(60);
    expect(terms.filter((term, i) => terms.indexOf(term) !== i)).toEqual([]);
  });

  test('ARCHITECTURE.md: every room', () => {
    const doors = readdirSync(join(root, 'src'));
    const behind = doors
      .filter((door) => door !== 'sandbox')
      .flatMap((door) => readdirSync(join(root, 'src', door)));
    const rooms = [...doors, ...behind.map((name) => name.replace(/\.ts$/, ''))];
    expect(rooms.length).toBeGreaterThan(20);
    const text = read('docs/ARCHITECTURE.md');
    expect(rooms.filter((room) => !text.includes(`\`${room}\``))).toEqual([]);
  });

  test('DEPENDENCIES.md: every package at its exact version with a reason, and no other', () => {
    const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
    const groups = ['dependencies', 'optionalDependencies', 'devDependencies'].map(
      (group) => manifest[group] ?? {},
    );
    const rows = [...read('docs/DEPENDENCIES.md').matchAll(/^\| `([^`]+)` \| (\S+) \| (.+) \|$/gm)];
    expect(Object.fromEntries(rows.map((row) => [row[1], row[2]]))).toEqual(
      Object.assign({}, ...groups),
    );
    expect(rows.filter((row) => !/^[A-Z].{15,}\.$/.test(row[3]!)).map((row) => row[1])).toEqual([]);
  });

  test('CHANGELOG.md and LICENSE: the version and the licence of package.json', () => {
    const { version, license } = JSON.parse(read('package.json')) as {
      version: string;
      license: string;
    };
    expect(read('CHANGELOG.md')).toContain(`## [${version}]`);
    expect(license).toBe('Apache-2.0');
    expect(read('LICENSE')).toMatch(/Apache License\s+Version 2\.0, January 2004/);
  });
});

/** Returns the values with their paths: `retries.attempts` → 6, and so on. */
function flatten(value: object, prefix = ''): readonly (readonly [string, unknown])[] {
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'object' && inner !== null
      ? flatten(inner, `${prefix}${key}.`)
      : [[`${prefix}${key}`, inner] as const],
  );
}
