// Reads a template folder: layout.json, words.fr.json, words.en.json, and the fonts and logo that
// the layout names. Refuses a folder with a mistake by one sentence that names the file and the
// place in it; reads no other folder.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { LINKED, type LinkedLabels } from '../../core/words/tree.ts';
import {
  type Decoded,
  decodeLabels,
  decodeLayout,
  type Layout,
  type MailTemplate,
  type StatementTemplate,
} from '../../io/formats/port/template.ts';
import { wordingOf } from '../../io/formats/port/wording.ts';
import { ConfigurationInvalid } from '../config/configuration-invalid.ts';

/** The template that comes with pointage. */
export const DEFAULT_TEMPLATE_FOLDER = resolve(import.meta.dirname, '../../../reports-templates');

const PACKAGE = 'package:';

type Language = keyof StatementTemplate['labels'];

/** Throws ConfigurationInvalid. */
export function loadTemplate(folder = DEFAULT_TEMPLATE_FOLDER): StatementTemplate {
  const layoutFile = join(folder, 'layout.json');
  const layout = decodeFile(layoutFile, decodeLayout);
  const [fr, en] = [loadLabels(folder, 'fr'), loadLabels(folder, 'en')];
  return {
    layout,
    labels: { fr: fr.labels, en: en.labels },
    annualLabels: { fr: fr.annual, en: en.annual },
    fonts: {
      regular: loadFont(layoutFile, folder, { key: 'fonts.regular', name: layout.fonts.regular }),
      bold: loadFont(layoutFile, folder, { key: 'fonts.bold', name: layout.fonts.bold }),
    },
    logo: loadLogo(layoutFile, folder, layout),
  };
}

/** Throws ConfigurationInvalid. */
export function loadMailTemplates(
  folder = DEFAULT_TEMPLATE_FOLDER,
  consoleUrl: string | null = null,
): Readonly<Record<Language, MailTemplate>> {
  const load = (language: Language): MailTemplate => {
    const { labels } = loadLabels(folder, language);
    return {
      ...labels,
      words: labels.mail,
      consoleUrl,
      speech: wordingOf('UTC', { labels, language }).speech,
    };
  };
  return { fr: load('fr'), en: load('en') };
}

function loadLabels(folder: string, language: Language): LinkedLabels {
  // These labels are part of the program. They need no check, because the form that other words are
  // checked against is made of them.
  if (folder === DEFAULT_TEMPLATE_FOLDER) return LINKED[language];
  return decodeFile(join(folder, `words.${language}.json`), (input) =>
    decodeLabels(input, language),
  );
}

function decodeFile<Value>(file: string, decode: (input: unknown) => Decoded<Value>): Value {
  const decoded = decode(parseJson(file, readBytes(file).toString('utf8')));
  if ('value' in decoded) return decoded.value;
  throw new ConfigurationInvalid(`${file}: ${decoded.problem}`);
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new ConfigurationInvalid(`${file} is not JSON: ${(error as Error).message}.`);
  }
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new ConfigurationInvalid(
      `${file} cannot be read: ${(error as NodeJS.ErrnoException).code}.`,
    );
  }
}

interface NamedFile {
  /** The key in layout.json that names the file: `fonts.bold`. */
  readonly key: string;
  readonly name: string;
}

function loadFont(layoutFile: string, folder: string, named: NamedFile): Uint8Array {
  const bytes = loadNamed(layoutFile, folder, named);
  const start = bytes.toString('latin1', 0, 4);
  if (start === '\u0000\u0001\u0000\u0000' || start === 'true') return bytes;
  throw new ConfigurationInvalid(
    `${layoutFile}: ${named.key} is wrong: ${named.name} is not a TrueType font.`,
  );
}

function loadLogo(layoutFile: string, folder: string, { logo }: Layout): Uint8Array | null {
  if (logo === null) return null;
  const bytes = loadNamed(layoutFile, folder, { key: 'logo.file', name: logo.file });
  const problem = imageProblem(bytes);
  if (problem === null) return bytes;
  throw new ConfigurationInvalid(`${layoutFile}: logo.file is wrong: ${logo.file} ${problem}.`);
}

function loadNamed(layoutFile: string, folder: string, { key, name }: NamedFile): Buffer {
  try {
    return readFileSync(pathOf(folder, name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigurationInvalid(
      `${layoutFile}: ${key} is wrong: ${name} cannot be read (${code}).`,
    );
  }
}

function pathOf(folder: string, name: string): string {
  if (!name.startsWith(PACKAGE)) return join(folder, name);
  return createRequire(import.meta.url).resolve(name.slice(PACKAGE.length));
}

/**
 * Returns the rest of a sentence about the file, like `has transparency, …`; `null` when the image
 * can be used.
 */
function imageProblem(bytes: Buffer): string | null {
  if (bytes.length > 3 && bytes[0] === 0xff && bytes[1] === 0xd8) return null;
  if (bytes.length < 33 || bytes.toString('latin1', 1, 4) !== 'PNG')
    return 'is neither a PNG nor a JPEG';
  // Colour types 4 and 6 have an alpha channel; a tRNS chunk makes colours of the others
  // transparent.
  const colourType = bytes[25]!;
  if (colourType === 4 || colourType === 6 || bytes.includes('tRNS')) {
    return 'has transparency, which statements do not hold: save it without an alpha channel';
  }
  return null;
}
