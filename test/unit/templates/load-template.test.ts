// A template folder. The one that pointage brings is complete, and a mistake in another is refused
// in a sentence that names the file and the place.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { namesIn } from '../../../src/core/words/finding.ts';
import { LABELS } from '../../../src/core/words/tree.ts';
import { ConfigurationInvalid } from '../../../src/service/config/configuration-invalid.ts';
import {
  DEFAULT_TEMPLATE_FOLDER,
  loadMailTemplates,
  loadTemplate,
} from '../../../src/service/templates/load-template.ts';

const scratch = mkdtempSync(join(tmpdir(), 'pointage-template-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

let count = 0;

function copyFolder(): string {
  count += 1;
  const folder = join(scratch, String(count));
  cpSync(DEFAULT_TEMPLATE_FOLDER, folder, { recursive: true });
  return folder;
}

type Change = readonly [path: string, value: unknown];

/** Copies the folder and changes values of one file; `undefined` takes a key away. */
function changed(file: string, ...changes: readonly Change[]): string {
  const folder = copyFolder();
  const content: unknown = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  for (const [path, value] of changes) {
    const keys = path.split('.');
    const parent = keys
      .slice(0, -1)
      .reduce((inner, key) => (inner as Record<string, unknown>)[key], content);
    (parent as Record<string, unknown>)[keys.at(-1)!] = value;
  }
  writeFileSync(join(folder, file), JSON.stringify(content));
  return folder;
}

function refusal(folder: string): string {
  try {
    loadTemplate(folder);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationInvalid);
    return (error as Error).message.replace(`${folder}/`, '');
  }
  throw new Error('the template was taken');
}

/**
 * Tags that stand around codes, because English sentences say the codes themselves. `refusal`
 * chooses between a French reason and one that is quoted, and `cause` is a library's English, which
 * French sentences may leave out.
 */
const SORTS: ReadonlySet<string> = new Set([...Object.keys(LABELS.fr.codes), 'refusal', 'cause']);

/** Returns the words with only its `{places}` left of each text. */
function shapeOf(words: unknown): unknown {
  if (typeof words === 'string')
    return namesIn(words)
      .filter((name) => !SORTS.has(name))
      .sort();
  if (Array.isArray(words)) return words.map(shapeOf);
  return Object.fromEntries(
    Object.entries(words as object).map(([key, value]) => [key, shapeOf(value)]),
  );
}

/** Returns a PNG of one pixel: signature, header, and nothing that this test does not need. */
function pngOf(colourType: number): Buffer {
  const header = Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010800000000', 'hex');
  header[25] = colourType;
  return Buffer.concat([header, Buffer.alloc(40)]);
}

describe('the template that comes with pointage', () => {
  test('has every text in a colour that can be read on each ground: 4.5 to 1 or more', () => {
    const { colours } = loadTemplate(DEFAULT_TEMPLATE_FOLDER).layout;
    const grounds = ['#ffffff', colours.band, colours.alertBand];
    const texts = [colours.text, colours.muted, colours.accent, colours.alert, colours.good];
    const poor = texts.flatMap((text) => grounds.filter((ground) => contrast(text, ground) < 4.5));
    expect(poor).toEqual([]);
    // This is the grey that holds had.
    expect(contrast('#77828f', '#ffffff')).toBeLessThan(4.5);
  });

  test('prints long lists at 7 points or more', () => {
    expect(loadTemplate(DEFAULT_TEMPLATE_FOLDER).layout.sizes.ledger).toBeGreaterThanOrEqual(7);
  });

  test('is whole, with the same words in both languages', () => {
    const { layout, labels, fonts, logo } = loadTemplate(DEFAULT_TEMPLATE_FOLDER);
    expect(layout.sections.length).toBe(7);
    expect(layout.ledger.mostLines).toBe(20_000);
    expect(fonts.regular.length).toBeGreaterThan(100_000);
    expect(logo).toBeNull();
    expect(labels.fr.numbers.group).toBe('\u202f');
    expect(shapeOf(labels.fr)).toEqual(shapeOf(labels.en));
  });

  test('has words that are taken from any other folder too', () => {
    expect(loadTemplate(copyFolder()).labels).toEqual(LABELS);
  });

  test('may be changed without touching code', () => {
    const folder = changed(
      'layout.json',
      ['sections', ['ledger', 'summary']],
      ['colours.accent', '#005522'],
    );
    expect(loadTemplate(folder).layout).toMatchObject({
      sections: ['ledger', 'summary'],
      colours: { accent: '#005522' },
    });
  });
});

const LAYOUT = 'layout.json';
const FRENCH = 'words.fr.json';

describe('a template is refused by file and place', () => {
  test.each<readonly [string, string, Change, string]>([
    ['a margin that is none', LAYOUT, ['page.margins.top', 2], 'page.margins.top is wrong'],
    [
      'a colour by name',
      LAYOUT,
      ['colours.accent', 'red'],
      "colours.accent is wrong: must be a colour like '#1f3a5f'.",
    ],
    ['an unknown section', LAYOUT, ['sections.2', 'weather'], 'sections[2] is wrong'],
    [
      'a section twice',
      LAYOUT,
      ['sections.1', 'summary'],
      'sections is wrong: must name each section once.',
    ],
    [
      'a key too many',
      LAYOUT,
      ['page.paper', 'A3'],
      'page.paper is not a key that a template has.',
    ],
    ['a key too few', LAYOUT, ['ledger', undefined], 'ledger is wrong'],
    [
      'a limit as text',
      LAYOUT,
      ['ledger.mostLines', '20000'],
      'ledger.mostLines is wrong: expected number',
    ],
    [
      'a font that is not there',
      LAYOUT,
      ['fonts.bold', 'none.ttf'],
      'fonts.bold is wrong: none.ttf cannot be read (ENOENT).',
    ],
    [
      'a package that is not there',
      LAYOUT,
      ['fonts.bold', 'package:none/a.ttf'],
      'fonts.bold is wrong: package:none/a.ttf cannot be read (MODULE_NOT_FOUND).',
    ],
    [
      'a font that is none',
      LAYOUT,
      ['fonts.regular', 'layout.json'],
      'fonts.regular is wrong: layout.json is not a TrueType font.',
    ],
    [
      'a word missing',
      FRENCH,
      ['ledger.carriedForward', undefined],
      'ledger.carriedForward is wrong',
    ],
    [
      'a plural without its last word',
      FRENCH,
      ['document.more', '{count, plural, one {un autre}}'],
      'document.more is wrong: is no message that can be filled: missing other clause.',
    ],
    [
      'a brace that is not closed',
      FRENCH,
      ['document.page', 'page {page'],
      'document.page is wrong: is no message that can be filled: expect argument closing brace.',
    ],
    [
      'an apostrophe that would hide a place',
      FRENCH,
      ['document.page', "n'{page}"],
      "document.page is wrong: must not have the apostrophe ' before a brace: write ’.",
    ],
    [
      'a figure that a finding does not have',
      FRENCH,
      ['findings.messages.HOLD_MISSING', '{reference} : {held}'],
      "findings.messages.HOLD_MISSING is wrong: '{held}' names nothing, known are {reference}, {ended}, {status}.",
    ],
    [
      'an empty word',
      FRENCH,
      ['summary.heading', '  '],
      'summary.heading is wrong: must not be empty.',
    ],
    [
      'a place without a value',
      FRENCH,
      ['document.page', 'p. {pgae}'],
      "document.page is wrong: '{pgae}' names nothing, known are {page}, {pages}.",
    ],
    [
      'a place where none is known',
      FRENCH,
      ['annex.howToVerify.1', '{x}'],
      "annex.howToVerify[1] is wrong: '{x}' names nothing, none is known here.",
    ],
    [
      'a group sign that is the decimal sign',
      FRENCH,
      ['numbers.group', ','],
      'numbers.group is wrong',
    ],
    [
      'a list instead of an object',
      FRENCH,
      ['annex', []],
      'annex is wrong: expected object, received array.',
    ],
  ])('%s', (_, file, change, message) => {
    const said = refusal(changed(file, change));
    expect(said).toContain(`${file}: ${message}`);
    expect(said.split('\n').length).toBe(1);
    expect(said).toMatch(/\.$/);
  });

  test('a file that is not JSON, or not there', () => {
    const folder = copyFolder();
    writeFileSync(join(folder, 'words.en.json'), '{ "numbers": ');
    expect(refusal(folder)).toMatch(/^words\.en\.json is not JSON: .+\.$/);
    rmSync(join(folder, 'words.en.json'));
    expect(refusal(folder)).toBe('words.en.json cannot be read: ENOENT.');
  });

  test('a logo that PDF/A cannot hold, and none that it can', () => {
    const withLogo = (bytes: Buffer): string => {
      const folder = changed(LAYOUT, ['logo', { file: 'logo.png', width: 80, height: 30 }]);
      writeFileSync(join(folder, 'logo.png'), bytes);
      return folder;
    };
    expect(refusal(withLogo(pngOf(6)))).toContain(
      'layout.json: logo.file is wrong: logo.png has transparency',
    );
    expect(refusal(withLogo(Buffer.from('GIF89a')))).toContain('is neither a PNG nor a JPEG.');
    expect(loadTemplate(withLogo(pngOf(2))).logo?.length).toBe(69);
  });
});

describe('the words of workbooks, audits and mails', () => {
  test('are those of the folder, or of pointage where it has none', () => {
    const own = changed(
      FRENCH,
      ['mail.greeting', 'Bien le bonjour,'],
      ['workbook', undefined],
      ['catalogue', undefined],
      ['console', undefined],
      ['audit.title', 'Contrôle'],
    );
    const { fr, en } = loadMailTemplates(own);
    expect([fr.words.greeting, en.words.greeting]).toEqual(['Bien le bonjour,', 'Hello,']);
    expect(fr.numbers.group).toBe('\u202f');
    const { workbook, audit } = loadTemplate(own).labels.fr;
    expect([workbook.sheets.ledger, audit.title]).toEqual(['Grand livre', 'Contrôle']);
  });

  test.each<readonly [string, Change, string]>([
    [
      'a place in a mail',
      ['mail.statement.subject', 'Statement of {moon}'],
      "mail.statement.subject is wrong: '{moon}' names nothing, known are {period}, {verdict}, {merchant}.",
    ],
    ['a list without a text', ['annex.howToVerify', []], 'annex.howToVerify is wrong'],
    [
      'headings without their keys',
      ['workbook.controls.columns', ['Jour']],
      'workbook.controls.columns is wrong',
    ],
    [
      'a heading without words',
      ['workbook.controls.columns.left', ' '],
      'workbook.controls.columns.left is wrong: must not be empty.',
    ],
    [
      'an apostrophe in the name of a sheet',
      ['workbook.sheets.days', "L'année"],
      'workbook.sheets.days is wrong',
    ],
    [
      'one name for two sheets',
      ['workbook.sheets.days', 'SYNTHÈSE'],
      'workbook.sheets is wrong: must name each',
    ],
    [
      'a word that nobody says',
      ['audit.wether', 'x'],
      'audit.wether is not a key that a template has.',
    ],
  ])('with a mistake are refused by file and place: %s', (_, change, message) => {
    expect(refusal(changed(FRENCH, change))).toContain(`words.fr.json: ${message}`);
  });
});

/** Returns the contrast as WCAG 2.2 defines it (relative luminance). */
function contrast(one: string, other: string): number {
  const luminance = (colour: string): number => {
    const [red, green, blue] = [1, 3, 5].map((at) => {
      const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
  };
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light! + 0.05) / (dark! + 0.05);
}
