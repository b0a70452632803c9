// Checks what ISO 19005-2 (PDF/A-2, level A) asks of a PDF beyond what PDFBox's preflight knows,
// which stops at PDF/A-1; and what the tags must be for a screen reader. Reads the file by qpdf
// alone. Preflight checks fonts, colours and metadata.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

type Value = unknown;
type Dictionary = Readonly<Record<string, Value>>;

export interface PdfObjects {
  readonly root: Dictionary;
  readonly pages: readonly Dictionary[];
  readonly streams: readonly Dictionary[];
  /** Returns the object that a reference stands for; any other value as it is. */
  at(value: Value): Dictionary;
  /** Returns the content of a stream, unpacked, each byte as a character. */
  contentOf(value: Value): string;
}

export function objectsOf(file: string): PdfObjects {
  const words = ['--json=2', '--json-stream-data=inline', '--decode-level=generalized', file];
  const { qpdf } = JSON.parse(
    execFileSync('qpdf', words, { encoding: 'utf8', maxBuffer: 1e9 }),
  ) as {
    readonly qpdf: readonly [object, Readonly<Record<string, Found>>];
  };
  const found = qpdf[1];
  const entryOf = (value: Value): Found | undefined =>
    typeof value === 'string' && /^\d+ 0 R$/.test(value) ? found[`obj:${value}`] : undefined;
  const at = (value: Value): Dictionary => {
    const entry = entryOf(value);
    return (entry === undefined ? value : (entry.value ?? entry.stream?.dict)) as Dictionary;
  };
  const pagesBelow = (node: Dictionary): readonly Dictionary[] =>
    node['/Type'] === '/Page'
      ? [node]
      : (node['/Kids'] as readonly Value[]).flatMap((kid) => pagesBelow(at(kid)));
  const root = at(at(found.trailer!.value)['/Root']);
  return {
    root,
    at,
    pages: pagesBelow(at(root['/Pages'])),
    streams: Object.values(found).flatMap(({ stream }) =>
      stream === undefined ? [] : [stream.dict],
    ),
    contentOf: (value) => Buffer.from(entryOf(value)!.stream!.data, 'base64').toString('latin1'),
  };
}

interface Found {
  readonly value?: Dictionary;
  readonly stream?: { readonly dict: Dictionary; readonly data: string };
}

/**
 * Returns one sentence for each fault; none for a file that is PDF/A-2a as far as these checks go.
 * A sealed one must have one field, of a signature.
 */
export function archiveProblems(file: string, { isSealed = false } = {}): readonly string[] {
  const objects = objectsOf(file);
  const raw = readFileSync(file).toString('latin1');
  const { root, at, contentOf } = objects;
  const problems: string[] = [];
  const claim = (is: boolean, problem: string): void => {
    if (!is) problems.push(problem);
  };
  claim(/^%PDF-1\.7\n%[\x80-\xff]{4}/.test(raw), 'the header is not that of PDF 1.7');
  claim(raw.includes('/Type/XRef') && !/\nxref\n/.test(raw), 'the table of objects is no stream');
  claim(!raw.includes('/Encrypt') && raw.includes('/ID['), 'it is encrypted, or has no identity');
  const filters = new Set([...raw.matchAll(/\/Filter ?\[? ?\/([\w.]+)/g)].map(([, name]) => name!));
  if (isSealed) filters.delete('Adobe.PPKLite');
  claim(
    [...filters].every((name) => ['FlateDecode', 'DCTDecode'].includes(name)),
    `filters: ${[...filters]}`,
  );
  const xmp = contentOf(root['/Metadata']);
  claim(xmp.includes('<pdfaid:part>2</pdfaid:part>'), 'it does not say that it is PDF/A-2');
  claim(
    xmp.includes('<pdfaid:conformance>A</pdfaid:conformance>'),
    'it does not say that it is of level A',
  );
  claim(at(root['/MarkInfo'])['/Marked'] === true, 'it does not say that it is tagged');
  claim(/^u:(fr|en)$/.test(String(root['/Lang'])), 'it does not say its language');
  for (const name of ['/AA', '/OpenAction', '/OCProperties', '/NeedsRendering', '/Requirements']) {
    claim(!(name in root), `the root has ${name}`);
  }
  const notes = objects.pages.flatMap((page) => (page['/Annots'] ?? []) as readonly Value[]);
  const form = root['/AcroForm'] as Dictionary | undefined;
  claim(notes.length === (isSealed ? 1 : 0), `pages have ${notes.length} notes`);
  claim(isSealed === (form !== undefined), 'a form is there without a seal, or a seal without one');
  claim(
    String(form?.['/Fields'] ?? '') === String(notes) && form?.['/NeedAppearances'] === undefined,
    'the form has other fields than pages show',
  );
  // ISO 19005-2, 6.3.2, 6.3.3 and 6.4.1.
  for (const field of notes.map(at)) {
    const flags = Number(field['/F']);
    claim((flags & PRINTED) !== 0 && (flags & UNSEEN) === 0, 'a field is hidden, or not printed');
    claim('/N' in at(field['/AP']) && !('/A' in field) && !('/AA' in field), 'a field acts');
    claim(at(field['/V'])['/SubFilter'] === '/ETSI.CAdES.detached', 'a field has no signature');
    claim('/StructParent' in field, 'a field is in no element');
  }
  for (const page of objects.pages) claim(!('/Group' in page), 'a page blends');
  for (const stream of objects.streams) {
    claim(
      !('/F' in stream || '/SMask' in stream || '/Group' in stream),
      'a stream is elsewhere, or transparent',
    );
  }
  for (const font of fontsOf(objects)) problems.push(...fontProblems(objects, font));
  return [...problems, ...tagProblems(objects)];
}

/** Flags of a note that is printed, and of one that is invisible, hidden, not viewed, or may be. */
const PRINTED = 4;
const UNSEEN = 1 + 2 + 32 + 256;

function fontsOf({ pages, at }: PdfObjects): readonly Dictionary[] {
  const references = pages.flatMap((page) => Object.values(at(at(page['/Resources'])['/Font'])));
  return [...new Set(references)].map(at);
}

/**
 * Checks a font: its codes must have an embedded table of their own, for the same characters as the
 * font, and each code must have a text.
 */
function fontProblems({ at, contentOf }: PdfObjects, font: Dictionary): readonly string[] {
  const encoding = at(font['/Encoding']);
  const [descendant] = (font['/DescendantFonts'] as readonly Value[]).map(at);
  const [ours, theirs] = [encoding, descendant!].map((one) => at(one['/CIDSystemInfo']));
  const same = ['/Registry', '/Ordering', '/Supplement'].every(
    (name) => ours![name] === theirs![name],
  );
  const table = contentOf(font['/Encoding']);
  const isNamed =
    table.includes(`/CMapName ${encoding['/CMapName']} def`) && table.includes('/WMode 0 def');
  const texts = [...contentOf(font['/ToUnicode']).matchAll(/<([0-9a-f]{4,})>/g)].map(
    ([, hex]) => hex!,
  );
  return [
    ...(same && isNamed ? [] : ['the table of codes is not that of the font']),
    ...(texts.some((hex) => /^(0000|feff|fffe)$/.test(hex)) ? ['a code has no text'] : []),
  ];
}

const WITHIN: Readonly<Record<string, RegExp>> = {
  '/Table': /^\/TR$/,
  '/TR': /^\/(TH|TD)$/,
  '/Document': /^\/(Sect|H1|P|Figure|Form)$/,
  '/Sect': /^\/(H[123]|P|Figure|Table)$/,
};

/**
 * Checks the tags. What is shown must be marked, once, as a part of one element or as an artifact,
 * in text objects that begin and end within the mark or around it. Every element must be of a kind
 * that its parent allows, and each row must have as many cells as its table's first.
 */
function tagProblems(objects: PdfObjects): readonly string[] {
  const { root, at } = objects;
  const problems: string[] = [];
  const owners = new Map<string, number>();
  const treeRoot = at(root['/StructTreeRoot']);
  const walk = (reference: Value, parent: Value): void => {
    const element = at(reference);
    const kind = String(element['/S']);
    if (element['/P'] !== parent) problems.push(`an element ${kind} has another parent`);
    const kids = element['/K'] as readonly Value[];
    const cells = kids.filter((kid) => typeof kid === 'string');
    for (const kid of kids) {
      if (typeof kid === 'number') {
        const name = `${element['/Pg']} ${kid}`;
        owners.set(name, (owners.get(name) ?? 0) + 1);
        continue;
      }
      if (kind === '/Form' && at(kid)['/Type'] === '/OBJR') continue;
      const inner = String(at(kid)['/S']);
      if (!(WITHIN[kind] ?? /^$/).test(inner)) problems.push(`${inner} stands in ${kind}`);
      walk(kid, reference);
    }
    if (kind === '/Table') {
      const counts = new Set(cells.map((row) => (at(row)['/K'] as readonly Value[]).length));
      if (counts.size !== 1) problems.push(`rows of a table have ${[...counts].join(', ')} cells`);
    }
  };
  for (const child of treeRoot['/K'] as readonly Value[]) walk(child, root['/StructTreeRoot']);
  const kids = at(root['/Pages'])['/Kids'] as readonly Value[];
  const numbers = at(treeRoot['/ParentTree'])['/Nums'] as readonly Value[];
  objects.pages.forEach((page, i) => {
    const { marks, faults } = readMarks(objects.contentOf(page['/Contents']));
    problems.push(...faults.map((fault) => `page ${i + 1}: ${fault}`));
    const parents = numbers[
      numbers.indexOf(page['/StructParents'] as number) + 1
    ] as readonly Value[];
    if (parents.length !== marks.length)
      problems.push(`page ${i + 1}: ${marks.length} marks, ${parents.length} parents`);
    for (const mark of marks) {
      if (owners.get(`${kids[i]} ${mark}`) !== 1)
        problems.push(`page ${i + 1}: mark ${mark} is in no element or in many`);
      const owned = at(parents[mark])['/K'] as readonly Value[];
      if (!owned.includes(mark)) problems.push(`page ${i + 1}: mark ${mark} has another parent`);
    }
  });
  return problems;
}

const OPERATORS =
  /\((?:\\[\s\S]|[^\\)])*\)|<<[^>]*>>|\[(?:\((?:\\[\s\S]|[^\\)])*\)|[^\](])*\]|\/[\w.-]+|-?\d*\.?\d+|[A-Za-z*]+/g;
const PAINTS = new Set(['Tj', 'TJ', 'f', 'S', 'Do']);
const KNOWN = /^(cm|q|Q|BT|ET|Tf|Td|Tm|Tj|TJ|rg|RG|w|j|m|l|h|re|f|S|BDC|EMC|Do)$/;

/** Returns the numbers of the marks in the order in which they come. */
function readMarks(content: string): {
  readonly marks: readonly number[];
  readonly faults: readonly string[];
} {
  const marks: number[] = [];
  const faults: string[] = [];
  const open: string[] = [];
  let operand = '';
  for (const [word] of content.matchAll(OPERATORS)) {
    if (!/^[A-Za-z*]+$/.test(word)) {
      operand = word;
      continue;
    }
    if (!KNOWN.test(word)) faults.push(`an operator ${word}`);
    if (PAINTS.has(word) && !open.includes('BDC')) faults.push('something is shown and not marked');
    if (word === 'BT' || word === 'BDC') open.push(word);
    if ((word === 'ET' && open.pop() !== 'BT') || (word === 'EMC' && open.pop() !== 'BDC'))
      faults.push('ends cross');
    const id = /\/MCID (\d+)/.exec(operand);
    if (word === 'BDC' && id !== null) marks.push(Number(id[1]));
    operand = '';
  }
  if (open.length > 0) faults.push('something is open at the end');
  return { marks, faults };
}
