// PDFs as foreign programs see them: written to a file, and read back by poppler, qpdf, zbar and
// Apache PDFBox.

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { FormatOptions, StatementDocument } from '../../src/io/formats/port/format.ts';
import { pdfFormat } from '../../src/io/formats/register.ts';
import { areInstalled, isThereOrNotRequired } from './installed.ts';
import { bytesOf } from './written-document.ts';

export interface PdfFolder {
  write(document: StatementDocument, options?: Partial<FormatOptions>): Promise<string>;
  remove(): void;
}

export function openPdfFolder(): PdfFolder {
  const folder = mkdtempSync(join(tmpdir(), 'pointage-pdf-'));
  let count = 0;
  return {
    write: async (document, options = {}) => {
      count += 1;
      const file = join(folder, `${count}.pdf`);
      writeFileSync(file, await bytesOf(pdfFormat, document, options));
      return file;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Returns the text of each page, laid out as on the page. */
export function pagesOf(file: string): readonly string[] {
  return readPages(file, '-layout');
}

/** Returns the text of each page in the order of reading: columns beside each other one by one. */
export function rawPagesOf(file: string): readonly string[] {
  return readPages(file, '-raw');
}

function readPages(file: string, how: '-layout' | '-raw'): readonly string[] {
  const text = execFileSync('pdftotext', [how, file, '-'], { encoding: 'utf8', maxBuffer: 1e9 });
  return text.split('\f').slice(0, -1);
}

/** A word as it lies on its page, in points from the upper left corner. */
export interface PlacedWord {
  readonly from: number;
  readonly to: number;
  readonly top: number;
  readonly bottom: number;
  readonly text: string;
}

/** Returns the words of each page with their places. */
export function wordsOf(file: string): readonly (readonly PlacedWord[])[] {
  const html = execFileSync('pdftotext', ['-bbox', file, '-'], {
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  return html
    .split('<page ')
    .slice(1)
    .map((page) => {
      const words = page.matchAll(
        /<word xMin="(.*?)" yMin="(.*?)" xMax="(.*?)" yMax="(.*?)">(.*?)<\/word>/g,
      );
      return [...words].map(([, from, top, to, bottom, text]) => ({
        from: +from!,
        to: +to!,
        top: +top!,
        bottom: +bottom!,
        text: unescaped(text!),
      }));
    });
}

/**
 * Returns the lines of each page by the places of their words, whatever lies beside them. Two
 * spaces stand where a column ends.
 */
export function linesOf(file: string): readonly (readonly string[])[] {
  return wordsOf(file).map((words) => {
    const rows: PlacedWord[][] = [];
    for (const word of words.toSorted((one, other) => one.top - other.top)) {
      const last = rows.at(-1);
      if (last !== undefined && word.top - last[0]!.top < 1) last.push(word);
      else rows.push([word]);
    }
    return rows.map((row) =>
      row
        .toSorted((one, other) => one.from - other.from)
        .map(({ from, text }, i, all) =>
          i === 0 ? text : `${from - all[i - 1]!.to > 3.5 ? '  ' : ' '}${text}`,
        )
        .join(''),
    );
  });
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

/** Returns the text without spaces of any kind, so that figures can be sought in it. */
export function squeezed(text: string): string {
  return text.replace(/\s+/g, '');
}

export function qpdfCheck(file: string): string {
  return execFileSync('qpdf', ['--check', file], { encoding: 'utf8' });
}

/** Returns what a scanner reads off a page, at 150 dots an inch. */
export function scanCode(file: string, page: number): string {
  const image = file.replace('.pdf', '');
  const number = String(page);
  execFileSync('pdftoppm', [
    '-r',
    '150',
    '-f',
    number,
    '-l',
    number,
    '-singlefile',
    '-png',
    file,
    image,
  ]);
  return spawnSync('zbarimg', ['-q', '--raw', `${image}.png`], { encoding: 'utf8' }).stdout.trim();
}

const JARS = [
  'preflight',
  'pdfbox2',
  'fontbox2',
  'xmpbox',
  'commons-logging',
  'jaxb-api',
  'javax.activation',
].map((name) => `/usr/share/java/${name}.jar`);

export function hasPreflight(): boolean {
  const missing = JARS.filter((jar) => !existsSync(jar));
  return isThereOrNotRequired(
    areInstalled('java', 'javac') && missing.length === 0,
    missing.join(', '),
  );
}

/**
 * Options of Java for programs that run once: a machine that starts quickly rather than one that
 * runs fast.
 */
const QUICK_START = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto'];

/**
 * Returns the folder of the compiled program, which is kept. It is compiled anew where its source
 * has changed.
 */
function preflightClasses(): string {
  const source = join(import.meta.dirname, 'Preflight.java');
  const hash = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 12);
  const kept = join(import.meta.dirname, '../../node_modules/.cache', `preflight-${hash}`);
  if (existsSync(kept)) return kept;
  mkdirSync(dirname(kept), { recursive: true });
  // Several processes may compile at once. Each does so in a folder of its own, of which the first
  // to be renamed is kept.
  const own = mkdtempSync(`${kept}-`);
  const words = ['--release', '11', '-proc:none', '-cp', JARS.join(':'), '-d', own, source];
  execFileSync('javac', [...QUICK_START.map((option) => `-J${option}`), ...words], {
    stdio: 'pipe',
  });
  try {
    renameSync(own, kept);
  } catch {
    rmSync(own, { recursive: true });
  }
  return kept;
}

/**
 * Returns one line for each file: `valid`, or what Apache PDFBox finds against the rules that
 * PDF/A-2a has in common with PDF/A-1a.
 */
export function preflight(files: readonly string[]): readonly string[] {
  const path = [...JARS, preflightClasses()].join(':');
  const text = execFileSync('java', [...QUICK_START, '-cp', path, 'Preflight', ...files], {
    encoding: 'utf8',
    stdio: 'pipe',
  });
  return text.trim().split('\n');
}
