// What must hold after every step, whatever the step was. Each answer is compared with the model,
// or with what was there before.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { withClient } from '../disturbed/end-state.ts';
import type { Money } from './books.ts';
import {
  brokenAt,
  dueOf,
  type Model,
  type Month,
  type Root,
  standingOf,
  verdictOf,
  weightOf,
} from './model.ts';
import type { Answer, World } from './world.ts';

/** What a play has seen and does not forget when a copy is restored. */
export interface Seen {
  /** Fingerprints by merchant and number of the fault. */
  readonly ids: Map<string, string>;
  /** SHA-256 of the files in the folder. */
  readonly filed: Map<string, string>;
  mails: number;
  isRestored: boolean;
}

export interface Play {
  readonly world: World;
  model: Model;
  /** The copy of the store, with the model of that moment; `null`: there is none. */
  copy: { readonly database: string; readonly model: Model } | null;
  readonly seen: Seen;
}

/** Returns what is wrong; empty: all is well. */
export async function wrongIn(play: Play): Promise<readonly string[]> {
  const { world } = play;
  // Let time pass, because figures of the database are read at the scrape, at most every ten
  // seconds.
  world.pass(11_000);
  const [findings, exposure, merchants, months, metrics] = await Promise.all([
    world.call('ama', '/findings?causedBy=all&limit=200'),
    world.call('ama', '/exposure'),
    world.call('ama', '/merchants'),
    world.call('ama', '/months'),
    world.call('meter', '/metrics'),
  ]);
  const answers = { findings, exposure, merchants, months, metrics };
  for (const [name, { status, text }] of Object.entries(answers))
    if (status !== 200) return [`${name}: ${status} ${text}`];
  const issued = await wrongIssues(play);
  return [
    ...wrongRoots(play, findings),
    ...wrongScreens(play, answers),
    ...(await wrongTonight(play)),
    ...(await wrongAudit(play)),
    ...issued,
    ...wrongMonths(play, months),
    ...wrongMails(play),
    ...wrongFiles(play),
  ];
}

/**
 * Checks that each fault is one root in the right state, with the right item and its own id, and
 * that there is no other root.
 */
function wrongRoots({ world, model, seen }: Play, { body }: Answer): readonly string[] {
  const wrong: string[] = [];
  const known = new Set<string>();
  for (const found of body.items) {
    const { faults } = world.books[found.merchant]!;
    const i = faults.findIndex(({ kind, reference, sequence }) =>
      reference === null
        ? kind === found.kind && String(sequence) === found.sequence
        : reference === found.operationReference,
    );
    const root = model.merchants[found.merchant]!.roots[i];
    const key = `${found.merchant} ${i}`;
    const said = `${found.merchant} ${found.kind} ${found.fingerprint} (fault ${i}) is ${found.state}`;
    if (i < 0 || root === undefined || root.state === 'unseen')
      wrong.push(`${said}, and nothing is wrong there`);
    else if (found.causedBy !== null) wrong.push(`${said}, caused by ${found.causedBy}`);
    else if (known.has(key)) wrong.push(`${said}, and is a root besides another`);
    else wrong.push(...wrongRoot(root, found, said));
    if (i >= 0 && (seen.ids.get(key) ?? found.fingerprint) !== found.fingerprint)
      wrong.push(`${said}, and was ${seen.ids.get(key)}`);
    seen.ids.set(key, found.fingerprint);
    known.add(key);
  }
  for (const [name, { roots }] of Object.entries(model.merchants))
    for (const [i, { state }] of roots.entries())
      if (state !== 'unseen' && !known.has(`${name} ${i}`))
        wrong.push(`${name} fault ${i} is ${state}, and is not listed`);
  return wrong;
}

// biome-ignore lint/suspicious/noExplicitAny: as it was answered.
function wrongRoot({ state, item }: Root, found: any, said: string): readonly string[] {
  if (found.state !== state) return [`${said}, not ${state}`];
  if (found.status !== 'confirmed') return [`${said}, ${found.status}`];
  if (state !== 'open' && state !== 'accepted') return [];
  const listed = `${found.item.balance}/${found.item.reserved}`;
  return listed === `${item.balance}/${item.reserved}`
    ? []
    : [`${said} with ${listed}, not ${item.balance}/${item.reserved}`];
}

/** Checks that merchants, exposure and metrics say what the list of findings says. */
function wrongScreens(
  { model }: Play,
  answers: Readonly<Record<'exposure' | 'merchants' | 'metrics', Answer>>,
): readonly string[] {
  const wrong: string[] = [];
  const equal = (what: string, said: unknown, right: unknown) => {
    if (String(said) !== String(right)) wrong.push(`${what} is ${said}, not ${right}`);
  };
  const all = Object.values(model.merchants).flatMap(({ roots }) => roots);
  for (const { reference, verdict, openFindings } of answers.merchants.body.items) {
    const known = model.merchants[reference]!;
    equal(`${reference}'s verdict`, verdict ?? 'none', standingOf(known));
    equal(
      `${reference}'s openFindings`,
      openFindings,
      known.roots.filter(({ state }) => state === 'open').length,
    );
  }
  const metric = (name: string) => metricIn(answers.metrics.text, name);
  for (const state of ['open', 'settled', 'accepted'] as const) {
    const some = all.filter((root) => root.state === state);
    equal(
      `metric of ${state} findings`,
      metric(`pointage_findings{severity="critical",state="${state}"}`),
      some.length,
    );
    if (state === 'settled') continue;
    const rows = (
      answers.exposure.body.items as { state: string; findings: number; off: string }[]
    ).filter((row) => row.state === state);
    equal(
      `exposure, ${state}`,
      rows.reduce((sum, row) => sum + row.findings, 0),
      some.length,
    );
    const off = some.reduce((sum, { item }) => sum + weightOf(item), 0);
    equal(
      `exposure, ${state}, off`,
      rows.reduce((sum, row) => sum + Number(row.off), 0),
      off,
    );
  }
  for (const verdict of ['clean', 'broken', 'incomplete'] as const) {
    const right = Object.values(model.merchants).filter(
      (known) => standingOf(known) === verdict,
    ).length;
    equal(
      `metric of ${verdict} merchants`,
      metric(`pointage_merchants{verdict="${verdict}"}`),
      right,
    );
  }
  return wrong;
}

/** Returns the value of a metric; 0 where there is no such sample. */
function metricIn(text: string, name: string): number {
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.split(' ').at(-1) ?? 0);
}

async function wrongTonight({ world, model }: Play): Promise<readonly string[]> {
  const { status, out, err } = await world.run(['tonight', '--format', 'json']);
  if (status !== 0) return [`tonight ends with ${status}: ${err}`];
  const { open, heldMonths } = JSON.parse(out);
  const right = Object.values(model.merchants).flatMap(({ roots }) =>
    roots.filter(({ state }) => state === 'open'),
  ).length;
  const held = Object.values(model.months).filter(isHeld).length;
  return [
    ...(open.counts.critical === right
      ? []
      : [`tonight has ${open.counts.critical} open, not ${right}`]),
    ...(heldMonths === held ? [] : [`tonight has ${heldMonths} months held, not ${held}`]),
  ];
}

/**
 * Checks that an audit of the mirror, which trusts nothing stored, says what the last run and the
 * decisions since have said.
 */
async function wrongAudit({ world, model }: Play): Promise<readonly string[]> {
  const known = Object.values(model.merchants);
  const { status, out, err } = await world.run(['audit', '--format', 'json']);
  if (status === 3) return [`audit ends with 3: ${err}`];
  const wrong: string[] = [];
  let right = 0;
  for (const report of JSON.parse(out).merchants) {
    const merchant = model.merchants[report.merchant]!;
    if (merchant.isAhead) continue;
    const verdict = merchant.verdict === 'none' ? 'incomplete' : verdictOf(merchant, world.now());
    right = verdict === 'broken' ? 1 : verdict === 'incomplete' && right === 0 ? 2 : right;
    if (verdict === 'incomplete' && report.verdict === verdict) continue;
    const figures = (of: Money | null) => `${of?.balance}/${of?.reserved}`;
    const said = [
      report.verdict,
      figures(report.recorded),
      figures(report.due),
      figures(report.due?.unexplained ?? null),
    ].join(' ');
    const must = [
      verdict,
      figures(merchant.read.recorded),
      figures(dueOf(merchant, world.books[report.merchant]!)),
      '0/0',
    ].join(' ');
    if (said !== must) wrong.push(`audit of ${report.merchant}: ${said}, not ${must}`);
    if (said !== must && process.env.DBG)
      wrong.push(JSON.stringify({ n: report.notChecked, f: report.findings }, null, 1));
  }
  if (status !== right && !known.some(({ isAhead }) => isAhead))
    wrong.push(`audit ends with ${status}, not ${right}`);
  return wrong;
}

/** Checks that issued files keep their bytes, and that a new revision has a cause. */
async function wrongIssues({ world, model }: Play): Promise<readonly string[]> {
  const { rows } = await withClient(world.databaseUrl(), (client) =>
    client.query(`select reference as merchant, period, revision, format, sha256, period_end as end, released
      from reports natural join merchants natural join report_files
      cross join lateral (select count(*) > 0 as released from report_holds h where h.merchant_id = reports.merchant_id and h.report_id = reports.report_id and act = 'released') of
      where status = 'READY' order by 1, 2, 3, 4`),
  );
  const wrong: string[] = [];
  for (const { merchant, period, revision, format, sha256, end } of rows) {
    const key = `${merchant} ${period} r${revision} ${format}`;
    model.files[key] ??= sha256;
    if (model.files[key] !== sha256) wrong.push(`${key} has other bytes than it was issued with`);
    const month = model.months[`${merchant} ${period}`];
    if (revision === month?.revision || revision < (month?.revision ?? 0)) continue;
    const broken = brokenAt(model, world.books[merchant]!, Number(end));
    if (month !== undefined && month.broken.join() === broken.join())
      wrong.push(`${merchant} ${period} has revision ${revision}, of which nothing was learned`);
    model.months[`${merchant} ${period}`] = { revision, broken, released: false, closed: false };
  }
  return wrong;
}

export function isHeld({ broken, released }: Month): boolean {
  return broken.length > 0 && !released;
}

function wrongMonths({ model }: Play, { body }: Answer): readonly string[] {
  return body.items.flatMap(
    ({ merchant, period, revision, verdict, held, closedAt, openRoots }: MonthAnswer) => {
      const month = model.months[`${merchant} ${period}`];
      if (month === undefined) return [`${merchant} ${period} is listed, and was not issued`];
      const { roots } = model.merchants[merchant]!;
      const open = month.broken.filter((i) => roots[i]?.state === 'open').length;
      const said = [verdict, held, closedAt !== null, revision, openRoots].join(' ');
      const must = [
        month.broken.length > 0 ? 'broken' : 'clean',
        isHeld(month) ? 'broken' : null,
        month.closed,
        month.revision,
        open,
      ];
      return said === must.join(' ')
        ? []
        : [`${merchant} ${period} is ${said}, not ${must.join(' ')}`];
    },
  );
}

interface MonthAnswer {
  readonly merchant: string;
  readonly period: string;
  readonly revision: number;
  readonly verdict: string;
  readonly held: string | null;
  readonly closedAt: string | null;
  readonly openRoots: number | null;
}

const STATEMENT = /^(?:HELD_)?RELEVE_(M\d)_(\d{4}-\d\d)_r(\d+)/;

/** Checks that what is held leaves nowhere, and that each mail leaves once. */
function wrongMails({ world, model, seen }: Play): readonly string[] {
  const wrong: string[] = [];
  const { arrived } = world.post;
  for (const { attachments, envelope, subject } of arrived.slice(seen.mails)) {
    const names = attachments.flatMap(({ filename }) => STATEMENT.exec(filename ?? '') ?? []);
    if (names.length === 0) continue;
    const [, merchant, period, revision] = names as unknown as readonly string[];
    const key = `${merchant} ${period} r${revision} to ${envelope.to.join()}`;
    model.mailed[key] = (model.mailed[key] ?? 0) + 1;
    if (model.mailed[key] > 1) wrong.push(`mailed again: ${subject}`);
    wrong.push(
      ...wrongLeaving(model, { merchant: merchant!, period: period!, what: `mail ${subject}` }),
    );
    if (!envelope.to.includes(`${merchant!.toLowerCase()}@example.com`))
      wrong.push(`${subject} went to ${envelope.to.join()}`);
  }
  seen.mails = arrived.length;
  return wrong;
}

function wrongLeaving(
  model: Model,
  { merchant, period, what }: Readonly<Record<'merchant' | 'period' | 'what', string>>,
): readonly string[] {
  const month = model.months[`${merchant} ${period}`];
  if (month === undefined) return [`${what} left before its month was issued`];
  return isHeld(month) ? [`${what} left while it is held`] : [];
}

function wrongFiles({ world, model, seen }: Play): readonly string[] {
  const wrong: string[] = [];
  for (const path of filesIn(world.folder)) {
    const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
    const before = seen.filed.get(path);
    if (before !== undefined && before !== sha256) wrong.push(`${path} was written over`);
    const name = STATEMENT.exec(path.split('/').at(-1)!);
    if (before === undefined && name !== null)
      wrong.push(...wrongLeaving(model, { merchant: name[1]!, period: name[2]!, what: path }));
    seen.filed.set(path, sha256);
  }
  return wrong;
}

function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const paths = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
  return paths.filter((path) => statSync(path).isFile());
}
