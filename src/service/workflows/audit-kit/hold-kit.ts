// What the manifest of an audit kit says, and whether the kit agrees with it. Compares the kit's
// parts with each other: rows with the hash chain over them, the chain with readings, statements
// and the log, and each statement's files with its proof. A kit that was changed and sealed anew
// shows where its parts no longer agree.

import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { parsePeriod } from '../../../core/domain/period.ts';
import type { ChainMark, Snapshot } from '../../../core/domain/snapshot.ts';
import { openZone } from '../../../core/domain/zone.ts';
import type { MonthSettings } from '../../../core/statements/month-settings.ts';
import type { Statement } from '../../../core/statements/statement.ts';
import {
  type KitFault,
  MANIFEST,
  type Manifest,
  SEALED,
  SHA256,
} from '../../../io/evidence/audit-kit.ts';
import { beginChain, type ChainState, extendChain, headOf } from '../../../io/evidence/chain.ts';
import { lineText, recordText } from '../../../io/evidence/line-text.ts';
import { openProof } from '../../../io/evidence/signed-note.ts';
import { linesOf, statementIn } from '../../../io/formats/read-back/read-back.ts';
import { variantsAt } from '../../../io/storage/merchants/judged-lines.ts';
import type { AuditOptions } from '../audit/audit-snapshot.ts';

/**
 * The path of a file in the kit: every stored line as LE1, in the order in which lines were stored
 * (docs/EVIDENCE.md).
 */
export const LINES = 'rows/stored.le1';
/** The path of a file in the kit: what the mirror knows besides lines and operations. */
export const SURROUNDINGS = 'rows/surroundings.json';

/**
 * The configuration of the merchant, as far as its statements depend on it. It contains no secret.
 */
export interface KitSettings extends Pick<MonthSettings, 'journal' | 'parties' | 'phoneNumbers'> {
  /** The IANA name. */
  readonly zone: string;
  readonly judging: Omit<AuditOptions, 'onProgress' | 'asOf'>;
}

const chain = z.strictObject({ lines: z.int().min(0), head: SHA256 });
const month = z.string().refine((text) => parsePeriod(text) !== null, 'must be YYYY-MM');
const stated = z.strictObject({
  contentHash: SHA256,
  chainHead: SHA256,
  verdict: z.custom<Statement['summary']['verdict']['state']>((text) =>
    /^[a-z]+$/.test(String(text)),
  ),
});

/** The revision in force of one month. */
const kitMonth = z.strictObject({
  period: month,
  revision: z.int().min(1),
  isHeld: z.boolean(),
  /** The path of its JSON form in the kit. */
  json: z.string(),
  issued: stated,
  /**
   * The statement as the kit's own rows give it. It differs from `issued` when something became
   * known since.
   */
  stated,
});

/**
 * What the kit leaves out. `months`: those that were not issued; `night`: no evidence of a night,
 * with the reason; `dashboard` and `fields` are never in a kit.
 */
const leftOut = z.strictObject({
  what: z.enum(['dashboard', 'fields', 'months', 'night']),
  which: z.string().optional(),
});

/** What a manifest says besides the list of its files. */
const kitAbout = z.strictObject({
  merchant: z.string(),
  /** A month, `YYYY-MM`, or a year, `YYYY`. */
  period: z.union([month, z.string().regex(/^\d{4}$/)]),
  engine: z.string(),
  createdAt: z.int(),
  createdBy: z.string(),
  settings: z.custom<KitSettings>(
    (given) => openZone(String((given as KitSettings | null)?.zone)) !== null,
  ),
  /** The hash chain over every stored line; `null` when no chain is kept. */
  chain: chain.nullable(),
  months: z.array(kitMonth).min(1).readonly(),
  notIncluded: z.array(leftOut).readonly(),
  replay: z.string(),
});

export type StatedAs = z.infer<typeof stated>;
export type KitMonth = z.infer<typeof kitMonth>;
export type LeftOut = z.infer<typeof leftOut>;
export type KitAbout = z.infer<typeof kitAbout>;

/** The whole manifest. */
export const MANIFEST_SHAPE = kitAbout.extend(SEALED);

export function statedAs({
  integrity,
  summary,
}: Pick<Statement, 'integrity' | 'summary'>): StatedAs {
  const { contentHash, chainHead } = integrity;
  return { contentHash, chainHead, verdict: summary.verdict.state };
}

const READINGS = 'rows/readings.jsonl';
const RUNS = 'rows/runs.jsonl';
const NIGHT = 'evidence/leaf.txt';
const NIGHT_LINES = 'evidence/lines.le1';

export interface HoldTask {
  /**
   * A root in hexadecimal that the caller knows from elsewhere: that of the kit, or of the log at a
   * head that the kit has.
   */
  readonly root?: string;
  /**
   * Verifier keys of logs that the caller knows from elsewhere. Absent: the key in the kit is used,
   * which anybody may have put there.
   */
  readonly key?: readonly string[];
  readonly openBooks: () => Promise<{ readonly snapshot: Snapshot } & AsyncDisposable>;
}

/** Compares the parts of a kit. `folder` must hold the files as the manifest lists them. */
export async function holdKit(folder: string, manifest: Manifest<KitAbout>, task: HoldTask) {
  const inside = await readFile(join(folder, 'evidence/log.vkey'), 'utf8').catch(() => '');
  const bench = benchFor(folder, manifest, task.key ?? [inside.trim()]);
  const { hashes, faults, proofs, roots, say } = bench;
  const attempt = (path: string, hold: Promise<void>) =>
    hold.catch(() => say(false, path, 'it is not as an export writes it'));
  for (const path of hashes.keys())
    if (/^statements\/.*\.json$/.test(path)) await attempt(path, holdStatement(bench, path));
  holdMonths(bench);
  await attempt(NIGHT, holdNight(bench));
  await attempt(READINGS, holdReadings(bench));
  await attempt(LINES, holdLines(bench, task.openBooks));
  say(
    task.root === undefined || roots.includes(task.root),
    MANIFEST,
    `no root in the kit is ${task.root}`,
  );
  for (const { of, log } of proofs)
    say(
      log !== null || task.key === undefined,
      MANIFEST,
      `no key that was given has signed the proof of ${of}`,
    );
  return { faults, proofs };
}

type Bench = ReturnType<typeof benchFor>;

function benchFor(folder: string, manifest: Manifest<KitAbout>, keys: readonly string[]) {
  const faults: KitFault[] = [];
  return {
    ...{ folder, manifest, keys, faults },
    hashes: new Map(manifest.files.map(({ path, sha256 }) => [path, sha256])),
    /**
     * The proofs of statements' revisions and of the night. `leaf` is `null` when no valid proof is
     * there; `log` is `null` when none of the keys has signed it.
     */
    proofs: [] as {
      readonly of: string;
      readonly leaf: string | null;
      readonly log: string | null;
    }[],
    /** The roots of the kit, and of the log at the heads of the proofs. */
    roots: [manifest.root],
    /** Heads of the hash chain, each with the file that states it. */
    marks: [] as (ChainMark & { readonly path: string })[],
    /** The statement of each file, as JSON, by the path of the file. */
    issued: new Map<string, string>(),
    /** Paths of proofs, and of files that proofs cover, by file name. */
    covered: new Map<string, string>(),
    say: (isSo: boolean, path: string, why: string) =>
      void (isSo || faults.push({ path, fault: 'contradicts', why })),
  };
}

async function holdStatement(bench: Bench, path: string): Promise<void> {
  const { folder, hashes, marks, issued, covered, say } = bench;
  const statement = (await statementIn(createReadStream(join(folder, path))))!;
  const { merchant, period, revision, integrity, circumstances } = statement;
  const own = { merchant: merchant.reference, period: period.period, revision: revision.number };
  issued.set(path, JSON.stringify({ ...own, issued: statedAs(statement) }));
  const { chain } = circumstances.coverage;
  if (chain !== undefined) marks.push({ path, ...chain });
  const proof = path.replace(/json$/, 'tlog-proof');
  const leaf = await leafOf(bench, `${own.period} r${own.revision}`, proof);
  if (leaf === null) return;
  const fields = Object.entries({ kind: 'statement', ...own, hash: integrity.documentHash });
  say(leaf.includes(`\n${fields.map(recordText).join('')}`), proof, `it is not of ${path}`);
  for (const [, name, sha256] of leaf.matchAll(/^file\t(.*)\t(.*)$/gm)) {
    const file = `${dirname(path)}/${name}`;
    say(hashes.get(file) === sha256, file, `it is not the file of ${proof}`);
    covered.set(name!, file);
  }
}

/** Returns the text of the leaf; `null` when there is no proof, or the proof is not valid. */
async function leafOf(
  { folder, hashes, keys, proofs, roots, covered, say }: Bench,
  of: string,
  path: string,
) {
  const textOf = (file: string) => readFile(join(folder, file), 'utf8');
  const opened = hashes.has(path)
    ? openProof(await textOf(path), await textOf(NIGHT).catch(() => ''), keys)
    : null;
  say(
    !hashes.has(path) || opened !== null,
    path,
    'its signature does not fit, or its path leads to another root',
  );
  const { leaf, log, root } = opened ?? { leaf: null, log: null, root: '' };
  proofs.push({ of, leaf, log });
  roots.push(root);
  covered.set(basename(path), path);
  return leaf;
}

/**
 * Compares the months of the manifest with the newest revisions of the statements. Every file of a
 * statement must belong to a month.
 */
function holdMonths({ manifest, hashes, proofs, issued, covered, say }: Bench): void {
  const { merchant, months } = manifest;
  for (const { period, revision, json, issued: as } of months) {
    const isSo = issued.get(json) === JSON.stringify({ merchant, period, revision, issued: as });
    const others = [...issued.keys()].filter(
      (path) => path !== json && path.startsWith(`statements/${period}/`),
    );
    const isNewest = others.every((path) => JSON.parse(issued.get(path)!).revision < revision);
    say(
      isSo && isNewest && period.startsWith(manifest.period),
      MANIFEST,
      `${period} is not as ${json} states it`,
    );
  }
  const folders = new Set(months.map(({ period }) => period));
  say(folders.size === months.length, MANIFEST, 'it has a month twice');
  const unproved = new Set(proofs.flatMap(({ of, leaf }) => (leaf === null ? of.slice(0, 7) : [])));
  for (const [path, sha256] of hashes) {
    const [folder, period] = path.split('/') as [string, string];
    const proved = covered.get(basename(path));
    const isSo = folders.has(period) && (proved === path || unproved.has(period));
    say(folder !== 'statements' || isSo, path, 'no month and no proof has it');
    const isCopy = folder === 'service' && proved !== undefined;
    say(!isCopy || hashes.get(proved) === sha256, path, `it is not ${proved}`);
  }
}

async function holdNight(bench: Bench): Promise<void> {
  const { folder, manifest, hashes, marks, say } = bench;
  const leaf = await leafOf(bench, 'the newest night', 'evidence/leaf.tlog-proof');
  if (leaf === null) return;
  const fieldOf = (name: string) => new RegExp(`^${name}\t(.*)$`, 'm').exec(leaf)?.[1];
  const own = `\nkind\tnight\n${recordText(['merchant', manifest.merchant])}`;
  say(leaf.includes(own), NIGHT, `it is of no night of ${manifest.merchant}`);
  for (const name of ['findings', 'coverage', 'rules']) {
    const path = `evidence/${name}.txt`;
    const hash = Buffer.from(hashes.get(path) ?? '', 'hex').toString('base64');
    say(
      hash === fieldOf(name) || fieldOf(name) === '\\N',
      path,
      `its hash is not that in ${NIGHT}`,
    );
  }
  const mark = {
    lines: Number(fieldOf('lines')),
    head: Buffer.from(fieldOf('chain')!, 'base64').toString('hex'),
  };
  marks.push({ path: NIGHT, ...mark });
  let chain = beginChain(manifest.merchant);
  for await (const line of textsIn(folder, NIGHT_LINES)) chain = extended(chain, line);
  say(
    chain.lines === mark.lines && headIn(chain) === mark.head,
    NIGHT_LINES,
    `they are not the lines of ${NIGHT}`,
  );
  const run = (await rowsIn(folder, RUNS)).find(({ run_id }) => fieldOf('run') === String(run_id));
  const isSo =
    fieldOf('verdict') === run?.verdict && fieldOf('read') === String(run?.watermark ?? '\\N');
  say(isSo, RUNS, `its run ${fieldOf('run')} is not that of ${NIGHT}`);
}

async function holdReadings({ folder, manifest, marks, say }: Bench): Promise<void> {
  const lines = manifest.chain?.lines ?? Number.POSITIVE_INFINITY;
  const pages = await rowsIn(folder, READINGS);
  const runs = new Map((await rowsIn(folder, RUNS)).map((one) => [one.run_id, one]));
  let before = 0;
  for (const { page, run_id, run_lines, chain_lines, chain_head, ...one } of pages) {
    before += Number(one.lines);
    say(chain_lines === before, READINGS, `page ${page} does not follow the page before it`);
    const run = runs.get(run_id) ?? { started_at: null, finished_at: null };
    const isSo = run.started_at === one.started_at && run.finished_at === one.finished_at;
    say(isSo, READINGS, `the times of page ${page} are not those of its run in ${RUNS}`);
    // A run that ended while the kit was written has later lines.
    if (run_id === null || (Number(run_lines) > lines && run_id === pages.at(-1)!.run_id)) continue;
    marks.push({ path: READINGS, lines: Number(run_lines), head: String(chain_head) });
  }
  const known = JSON.parse(await readFile(join(folder, SURROUNDINGS), 'utf8')) as Pick<
    KitAbout,
    'chain'
  >;
  const isSo = JSON.stringify(known.chain) === JSON.stringify(manifest.chain);
  say(isSo, SURROUNDINGS, 'its chain is not that of the manifest');
}

async function holdLines(
  { folder, manifest, marks, say }: Bench,
  open: HoldTask['openBooks'],
): Promise<void> {
  const pages = await rowsIn(folder, READINGS);
  const [reread] = (await rowsIn(folder, 'findings/lines-read-anew.jsonl')).slice(-1);
  const state = {
    reread: Number(reread?.reread ?? 0),
    rereadFrom: reread === undefined ? null : Number(reread.from_sequence),
  };
  if (manifest.chain !== null) marks.push({ path: MANIFEST, ...manifest.chain });
  let chain = beginChain(manifest.merchant);
  const heads = new Map(marks.map(({ lines }) => [lines, lines === 0 ? headIn(chain) : '']));
  await using books = await open();
  const ledger = ledgerTexts(books.snapshot);
  const odd = new Map<string, number>();
  const count = (text: string | undefined, by: number) => {
    const left = (odd.get(text!) ?? 0) + by;
    if (left === 0 || text === undefined) odd.delete(text!);
    else odd.set(text, left);
  };
  let [page, first, last] = [0, Number.POSITIVE_INFINITY, 0];
  for await (const line of textsIn(folder, LINES)) {
    chain = extended(chain, line);
    if (heads.has(chain.lines)) heads.set(chain.lines, headIn(chain));
    const [, variant, , sequence] = line.split('\t', 4).map(Number) as [
      number,
      number,
      number,
      number,
    ];
    // Both lists have nearly the same order, so few lines are in memory at once.
    if (variantsAt(state, sequence).isJudged(variant)) {
      count(contentOf(line), 1);
      count((await ledger.next()).value, -1);
    }
    [first, last] = [Math.min(first, sequence), Math.max(last, sequence)];
    if (chain.lines !== pages[page]?.chain_lines) continue;
    const isSo = first === pages[page]!.first_sequence && last === pages[page]!.last_sequence;
    say(isSo, READINGS, `page ${pages[page]!.page} has other lines in ${LINES}`);
    [page, first, last] = [page + 1, Number.POSITIVE_INFINITY, 0];
  }
  for await (const text of ledger) count(text, -1);
  const sequences = [...new Set([...odd.keys()].map((text) => text.split('\t', 2)[1]))]
    .slice(0, 5)
    .join(', ');
  say(
    odd.size === 0,
    'rows/ledger.jsonl',
    `it has other lines than ${LINES}, the first of them ${sequences}`,
  );
  const counts = new Set([
    chain.lines,
    pages.at(-1)?.chain_lines ?? 0,
    manifest.chain?.lines ?? chain.lines,
  ]);
  const isWhole = page === pages.length && counts.size === 1;
  say(isWhole, LINES, `it has ${chain.lines} lines, and readings or manifest others`);
  for (const { path, lines, head } of marks)
    say(heads.get(lines) === head, path, `its chain after ${lines} lines is not that of ${LINES}`);
}

async function* ledgerTexts({
  entries,
}: Pick<Snapshot, 'entries'>): AsyncGenerator<string, undefined> {
  for await (const { rows } of entries())
    for (const entry of rows) yield contentOf(lineText({ entry, variant: 0 }).trimEnd());
}

/** Returns an LE1 line without its variant and its line feed. */
function contentOf(line: string): string {
  return line.slice(line.indexOf('\t', 4) + 1);
}

function textsIn(folder: string, path: string): AsyncGenerator<string> {
  return linesOf(createReadStream(join(folder, path)));
}

function extended(chain: ChainState, line: string): ChainState {
  return extendChain(chain, [line], (text) => `${text}\n`).state;
}

function headIn(chain: ChainState): string {
  return headOf(chain).toString('hex');
}

type KeptRow = Readonly<Record<string, string | number | null>>;

async function rowsIn(folder: string, path: string): Promise<readonly KeptRow[]> {
  return Array.fromAsync(textsIn(folder, path), (line) => JSON.parse(line) as KeptRow);
}
