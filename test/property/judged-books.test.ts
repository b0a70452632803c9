// Every word of the reports on nearly four thousand books is what it was: books with each fault that
// can be planted, alone and in pairs, whole, at a cut, in two readings, under other settings. Each
// report is one line of judged-books.txt, which has its verdict, figures and findings, and ends
// with a hash of the whole report. A change of the rules shows there as a difference to be read;
// `npm run golden` writes the file anew.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Alteration } from '../../src/core/domain/alteration.ts';
import { INTERPRETATIONS, QUESTIONS, setOf } from '../../src/core/domain/assumptions.ts';
import type { AuditReport, Finding } from '../../src/core/domain/finding.ts';
import { DAY, formatInstant, HOUR, MINUTE } from '../../src/core/domain/instant.ts';
import type { Operation } from '../../src/core/domain/operation.ts';
import { groundsOf } from '../../src/core/domain/operators/grounds.ts';
import type { ReceivedClaim } from '../../src/core/domain/payment.ts';
import type { ClosedMonth } from '../../src/core/domain/period.ts';
import { monthInUtc, type ServiceReport } from '../../src/core/domain/service-report.ts';
import type { StandingDecision } from '../../src/core/domain/settlement.ts';
import type { RejectedRow } from '../../src/core/domain/snapshot.ts';
import type { ReconcileSettings } from '../../src/core/kernel/reconcile/books.ts';
import { type Answers, driveSession } from '../../src/core/kernel/reconcile/drive.ts';
import { type Reconciled, reconcile, resume } from '../../src/core/kernel/reconcile/session.ts';
import {
  judgeInMemory,
  reconcileInMemory,
  type SmallBooks,
} from '../../src/core/kernel/reconcile-in-memory.ts';
import { reconcileSample } from '../../src/core/samples/read-sample.ts';
import { SAMPLES } from '../../src/core/words/tree.ts';
import { hashOf } from '../../src/io/threads/hash-key.ts';
import { plantFaults } from '../../src/sandbox/faults/port/planting.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES } from '../../src/sandbox/model/policy.ts';
import {
  chance,
  drawFrom,
  drawInteger,
  drawUnit,
  type Random,
  seedRandom,
} from '../../src/sandbox/model/random.ts';
import { drawCase, drawSound, openShop, SIDES } from '../support/books-at-the-cut.ts';
import { booksAt } from '../support/growing-books.ts';
import { nights } from '../support/payout-nights.ts';
import { everyPolicy, type Look } from '../support/payout-world.ts';
import { type DecodedBooks, decodeBooks, settingsOf } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { booksOfWorld, faultyWorlds } from '../support/split-worlds.ts';
import { END, straddlingBooks, straddlingWorlds } from '../support/straddling-books.ts';

const GOLDEN = join(import.meta.dirname, 'judged-books.txt');
/** A fixed seed: the books are always the same, whatever seed the other tests have. */
const SEED = 20_261_130;

type Judged = readonly [name: string, report: AuditReport, more?: unknown];

function lineOf([name, report, more]: Judged): string {
  const { verdict, recorded, recomputed, due, findings } = report;
  const figuresOf = (figures: { balance: string | null; reserved: string | null } | null) =>
    figures === null ? '-' : `${figures.balance}/${figures.reserved}`;
  const hash = createHash('sha256')
    .update(textOf([report, more]))
    .digest('hex')
    .slice(0, 12);
  return [
    name,
    verdict,
    ...[recorded, recomputed, due].map((figures) => figuresOf(figures)),
    findings.slice(0, MOST_NAMED).map(wordsOf).join(' ') || '-',
    ...(findings.length > MOST_NAMED ? [`and ${findings.length - MOST_NAMED} more`] : []),
    hash,
  ].join(' | ');
}

/** Findings that a line of the file names; the hash covers all. */
const MOST_NAMED = 3;

function wordsOf({ kind, sequence, operationReference, causedBy }: Finding): string {
  const follows = causedBy === null ? '' : '~';
  return `${follows}${kind}@${sequence ?? operationReference ?? ''}`;
}

/**
 * Returns a value as JSON, with maps and sets as lists, whole numbers of any size, and without the
 * words of the report.
 */
function textOf(value: unknown): string {
  return JSON.stringify(value, (key, one) => {
    if (key === 'wording') return undefined;
    if (one instanceof Map) return ['map', ...one];
    if (one instanceof Set) return ['set', ...one];
    return typeof one === 'bigint' ? `${one}n` : one;
  });
}

function smallOf(books: DecodedBooks): SmallBooks {
  const { entries, operations, wallet, payments, reports, notifications } = books;
  const published = { payments, reports, payouts: null };
  return { entries, operations, wallet, notifications, published, rejected: [], absent: [] };
}

const shops = Array.from({ length: 6 }, (_, i) => openShop('judged', i));

/** Shops that are as small as leaves nearly every fault a place. */
const smallShops = Array.from({ length: 6 }, (_, i) => {
  const plan = planMerchant({
    reference: `SHOP_${i}`,
    policy: LAWFUL_POLICIES[(i * 29) % LAWFUL_POLICIES.length]!,
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 6, reversalRate: 0.1, paymentsPerDay: 3 },
  });
  return simulateBooks(plan, { seed: `judged ${i}`, until: plan.opensAt + 14 * DAY });
});

function* withFaults(): Generator<Judged> {
  for (const [i, fault] of FAULTS.entries())
    for (const [more, turn] of [
      [0, 0],
      [0, 1],
      [1, 2],
      [1, 3],
      [2, 4],
    ] as const) {
      const sound = smallShops[(i + turn) % smallShops.length]!;
      const others = Array.from(
        { length: more },
        (_, n) => FAULTS[(i * 7 + 31 * (n + turn)) % FAULTS.length]!,
      );
      const faults = [fault, ...others];
      const name = `${faults.map((one) => one.name).join(' + ')} in shop ${(i + turn) % smallShops.length}`;
      const planted = plantIn(sound, faults, name);
      if (planted === null) continue;
      const books = decodeBooks(planted);
      const small = smallOf(books);
      yield [name, reconcileInMemory(small, settingsOf(books))];
      for (const [how, settings, part] of variantsOf(books, seedRandom(name)))
        yield [
          `${name}, ${how}`,
          reconcileInMemory({ ...small, ...part }, { ...settingsOf(books), ...settings }),
        ];
    }
}

function plantIn(
  ...[sound, faults, seed]: [Parameters<typeof plantFaults>[0], typeof FAULTS, string]
) {
  try {
    return plantFaults(sound, { faults, seed }).books;
  } catch (failure) {
    if (failure instanceof RangeError) return null;
    throw failure;
  }
}

type Variant = readonly [string, Partial<ReconcileSettings>, Partial<SmallBooks>?];

/** Draws two of the ways in which the same books may be judged otherwise. */
function variantsOf(books: DecodedBooks, random: Random): readonly Variant[] {
  const { entries, operations, asOf } = books;
  const question = drawFrom(random, QUESTIONS);
  const answer = drawFrom(random, INTERPRETATIONS[question] as readonly string[]);
  const from = drawInteger(random, { from: 1, to: entries.length - 1 });
  const first = entries[from - 1]!;
  const lost = drawInteger(random, { from: 0, to: entries.length - 1 });
  const variants: readonly Variant[] = [
    ['with grace', { grace: drawFrom(random, [10 * MINUTE, 3 * HOUR, 2 * DAY]) }],
    ['with a tolerance of an hour', { clockTolerance: HOUR }],
    ['earlier', { watermark: asOf - drawFrom(random, [HOUR, DAY, 9 * DAY]) }],
    ['keeping all', { keepsAll: true }],
    [`${question} pinned`, { pinned: { [question]: setOf(question, answer as never) } }],
    ['of any currency', { currency: null }],
    ['without a profile', { profiles: [] }],
    ['without operations', { present: { ledger: true, operations: false } }, { operations: [] }],
    ['without notifications', { adjustedAt: null }, { notifications: null, published: null }],
    ['without a wallet', {}, { wallet: null }],
    ['a line less', {}, { entries: entries.toSpliced(lost, 1) }],
    [
      'an operation less',
      {},
      { operations: operations.toSpliced(lost % operations.length, 1), rejected: [] },
    ],
    ['a line refused', {}, refusing(books, lost)],
    [
      'from the middle',
      {
        opening: {
          sequence: first.sequence,
          balance: first.balanceAfter,
          reserved: first.reservedAfter,
        } as ReconcileSettings['opening'],
      },
      { entries: entries.slice(from) },
    ],
    ['from the middle without an opening', {}, { entries: entries.slice(from) }],
  ];
  return [drawFrom(random, variants), drawFrom(random, variants)];
}

function refusing({ entries, operations }: DecodedBooks, at: number): Partial<SmallBooks> {
  const line = entries[at]!;
  const operation = operations[at % operations.length]!;
  const refused = { reason: 'made so', refusal: null, raw: '{' } as const;
  const rejected: readonly RejectedRow[] = [
    { ...refused, part: 'ledger', place: `line ${at}`, sequence: line.sequence, reference: null },
    {
      ...refused,
      part: 'operations',
      place: 'row 1',
      sequence: null,
      reference: operation.reference,
    },
    { ...refused, part: 'operations', place: 'row 2', sequence: null, reference: null },
  ];
  return {
    entries: entries.toSpliced(at, 1),
    operations: operations.filter((one) => one !== operation),
    rejected: rejected.slice(0, 1 + (at % 3)),
  };
}

function* atTheCut(): Generator<Judged> {
  const planted = FAULTS.filter(({ name }) => !name.startsWith('REPORT_'));
  for (const side of SIDES)
    for (const [i, fault] of planted.entries()) {
      const faults = i % 3 === 0 ? [fault, planted[(i * 11 + 5) % planted.length]!] : [fault];
      const name = `${faults.map((one) => one.name).join(' + ')} ${side} the end`;
      const one = drawCase(shops, { faults, side, seed: name });
      if (one !== null) yield judgedAtEnd(name, one.books, i);
    }
  for (let i = 0; i < 40; i += 1)
    yield judgedAtEnd(`sound ${i}`, drawSound(shops, `sound ${i}`).books, i);
}

function* straddling(): Generator<Judged> {
  const worlds = fc.sample(straddlingWorlds, { seed: SEED, numRuns: 400 });
  for (const [i, world] of worlds.entries())
    yield judgedAtEnd(`straddling ${i}`, straddlingBooks(world).books, i);
}

function judgedAtEnd(name: string, books: DecodedBooks, nth: number): Judged {
  const cut = {
    end: END,
    closed: nth % 4 === 0 ? [closedBefore(books)] : [],
    withWallet: nth % 2 === 0,
  };
  const { published: _, notifications, ...rows } = smallOf(books);
  // Books without a single notification have none at all: they count as not kept.
  const small = { ...rows, notifications: notifications?.length === 0 ? null : notifications! };
  const judged = judgeInMemory(small, settingsOf(books), cut);
  const { report, cut: at, ...rest } = judged;
  return [name, report, [at, rest]];
}

/** Returns September, closed when a third of the lines had been read. */
function closedBefore({ entries }: DecodedBooks): ClosedMonth {
  const lastSequence = entries[Math.floor(entries.length / 3)]?.sequence ?? 0;
  return { period: '2026-09', end: END - 31 * DAY, lastSequence };
}

/** Yields books in two readings: what the first one kept, and what the second one says. */
function* inTwoReadings(): Generator<Judged> {
  const worlds = fc.sample(faultyWorlds, { seed: SEED, numRuns: 150 });
  for (const [i, world] of worlds.entries()) {
    const books = decodeBooks(booksOfWorld(world, `W${i}`).books);
    const manner = (['orderly', 'unruly', 'revised'] as const)[i % 3]!;
    const lines = Math.floor((books.entries.length * (1 + (i % 7))) / 8);
    const before = booksAt(books, { lines, manner });
    const first = driveSession(reconcile(taskOf(before)), answersOf(before, null));
    yield [`world ${i}, first reading`, first.report, keptBy(first)];
    if (first.state === null) continue;
    const second = driveSession(resume(taskOf(books), first.state), answersOf(books, before));
    if (second !== null) yield [`world ${i}, second reading`, second.report, keptBy(second)];
    const whole = driveSession(reconcile(taskOf(books)), answersOf(books, null));
    yield [`world ${i}, whole`, whole.report, keptBy(whole)];
  }
}

function taskOf(books: DecodedBooks) {
  return {
    settings: settingsOf(books),
    hashOf,
    ...{ rejected: [], absent: [], compared: null, cut: null, keepsState: true },
  };
}

function keptBy({ report: _, state, ...rest }: Reconciled) {
  return { ...rest, state: state === null ? null : state.length };
}

/**
 * Returns the lines after the last one that was read before, and the operations that have changed
 * since.
 */
function answersOf(books: DecodedBooks, before: DecodedBooks | null): Answers {
  const last = before?.entries.at(-1)?.sequence ?? Number.NEGATIVE_INFINITY;
  const known = new Map(before?.operations.map((one) => [one.reference, one]));
  const previousOf = (one: Operation): Operation | null => known.get(one.reference) ?? null;
  const isNew = (one: Operation): boolean =>
    JSON.stringify(previousOf(one)) !== JSON.stringify(one);
  const entries = books.entries
    .filter(({ sequence }) => sequence > last)
    .toSorted((a, b) => a.sequence - b.sequence);
  const operations = books.operations
    .filter(isNew)
    .toSorted((a, b) => a.createdAt - b.createdAt)
    .map((operation) => ({ operation, previous: previousOf(operation) }));
  const all = books.entries.toSorted((a, b) => a.sequence - b.sequence);
  let [lines, versions] = [[entries], [operations]];
  return {
    rows: () => {
      [lines, versions] = [[entries], [operations]];
      return null;
    },
    entries: () => batchOf(lines.pop()),
    operations: () => batchOf(versions.pop()),
    notifications: () => ({ notified: null, why: { what: 'events', code: 'EVENTS_NOT_MIRRORED' } }),
    recall: ({ request: { references, entryIds, externalReferences } }) => ({
      entries: all.flatMap((entry, i) => {
        if (!references.has(entry.operationReference ?? '') && !entryIds.has(entry.id)) return [];
        const last = all[i - 1];
        const before = last && {
          sequence: last.sequence,
          balance: last.balanceAfter,
          reserved: last.reservedAfter,
        };
        return [{ entry, before: before ?? null }];
      }),
      operations: books.operations
        .filter(
          (one) =>
            references.has(one.reference) || externalReferences.has(one.externalReference ?? ''),
        )
        .map((operation) => ({ operation, previous: null })),
    }),
    closing: () => ({ wallet: books.wallet, laterEntries: [], rejected: [] }),
    deliveries: () => null,
  };
}

function batchOf<Row>(rows: readonly Row[] | undefined) {
  return rows === undefined ? null : { rows, rejected: [] };
}

/** Books with corrections, about whose roots people have decided in every way there is. */
function* withDecisions(): Generator<Judged> {
  const worlds = fc.sample(faultyWorlds, { seed: SEED + 1, numRuns: 220 });
  for (const [i, world] of worlds.entries()) {
    const random = seedRandom(`decisions ${i}`);
    const books = decodeBooks(booksOfWorld(world, `D${i}`).books);
    const { published: _, ...small } = smallOf(books);
    const before = reconcileInMemory(small, settingsOf(books));
    const roots = before.findings.filter(({ causedBy }) => causedBy === null);
    if (roots.length === 0) continue;
    const decisions = roots
      .flatMap((root) => (chance(random, 0.3) ? [root, root] : [root]))
      .map((root) => decisionOn(root, books, random));
    const settings = { ...settingsOf(books), decisions };
    const unread = new Set(roots.slice(i % 2).map(({ fingerprint }) => fingerprint));
    yield [`world ${i}, decided`, reconcileInMemory(small, settings)];
    yield [`world ${i}, not read again`, reconcileInMemory(small, { ...settings, unread })];
    const cut = { end: books.asOf - drawFrom(random, [HOUR, DAY]), closed: [], withWallet: true };
    yield [`world ${i}, decided, cut`, judgeInMemory(small, settings, cut).report];
  }
}

function decisionOn(
  root: Finding,
  { entries, asOf }: DecodedBooks,
  random: Random,
): StandingDecision {
  const corrections = entries.filter(({ kind }) => /^(ADJUSTMENT|REVERSAL)_/.test(kind));
  const last = entries.slice(-3);
  const from = corrections.length === 0 || chance(random, 0.2) ? last : corrections;
  const lines = [drawFrom(random, from), drawFrom(random, from)]
    .slice(chance(random, 0.3) ? 0 : 1)
    .map(({ sequence, kind, direction, amount, createdAt }) => {
      const figures = { sequence: String(sequence), amount: String(amount) };
      return { ...figures, kind, direction, at: formatInstant(createdAt) };
    });
  const action = drawFrom(random, ['accept', 'accept', 'settle', 'settle', 'reopen'] as const);
  const grounds = groundsOf(root);
  const most = String(Math.abs(Number(grounds.balance)) + drawFrom(random, [-1, 0, 1]));
  const around = [asOf - DAY, asOf, asOf + 1, asOf + DAY];
  const terms = {
    ...grounds,
    ...(chance(random, 0.1) ? { evidence: ['another'] } : {}),
    ...(chance(random, 0.1) ? { balance: '12345' } : {}),
    lines: action === 'accept' ? [] : lines,
    limit: action === 'accept' && chance(random, 0.4) ? most : null,
    until:
      action === 'accept' && chance(random, 0.4) ? formatInstant(drawFrom(random, around)) : null,
  };
  const at = formatInstant(drawFrom(random, around));
  const over = chance(random, 0.15) ? formatInstant(asOf) : null;
  const said = { person: 'awa', reason: 'seen', linesStand: chance(random, 0.9) };
  return { ...said, fingerprint: root.fingerprint, action, at, over, terms };
}

/** Books of which earlier readings had served something else. */
function* withHistory(): Generator<Judged> {
  for (let i = 0; i < 150; i += 1) {
    const random = seedRandom(`history ${i}`);
    const fault = FAULTS[(i * 13) % FAULTS.length]!;
    const sound = smallShops[i % smallShops.length]!;
    const planted = i % 2 === 0 ? sound : (plantIn(sound, [fault], `history ${i}`) ?? sound);
    const books = decodeBooks(planted);
    const { published: _, ...small } = smallOf(books);
    const settings = { ...settingsOf(books), ...earlierOf(books, random) };
    yield [`history ${i}`, reconcileInMemory(small, settings)];
    const end = books.asOf - drawFrom(random, [DAY, 5 * DAY]);
    const cut = { end, closed: [], withWallet: false };
    yield [`history ${i}, cut`, judgeInMemory(small, settings, cut).report];
  }
}

function earlierOf(books: DecodedBooks, random: Random): Partial<ReconcileSettings> {
  const { entries, operations, wallet, asOf } = books;
  const some = <Row>(rows: readonly Row[], share: number): readonly Row[] =>
    rows.filter(() => chance(random, share));
  const departures = some(operations, 0.03).map((now) => ({
    before: alterFigures({ ...now, updatedAt: now.updatedAt - HOUR }, random),
    now,
  }));
  const missing = some(operations, 0.02).map((operation) => ({
    operation,
    missedAt: asOf - DAY,
    missedAgainAt: chance(random, 0.6) ? asOf : null,
    lines: entries
      .filter((line) => line.operationReference === operation.reference)
      .map(({ sequence }) => sequence),
  }));
  const changes = ['rewritten', 'deleted', 'inserted', 'reset', 'fallen'] as const;
  const alterations = some(entries, 0.01).map((now): Alteration => {
    const change = drawFrom(random, changes);
    const lines = drawFrom(random, [1, 1, 3]);
    return {
      ...{ change, sequence: now.sequence, lastSequence: now.sequence + lines - 1, lines },
      before: change === 'inserted' ? null : alterFigures(now, random),
      now: change === 'deleted' || change === 'reset' ? null : now,
      off: { balance: drawFrom(random, [0, 100, -100]), reserved: drawFrom(random, [0, 50]) },
      fillsGap: chance(random, 0.3),
    };
  });
  const figures = ['closingBalance', 'verdict.state'].map((figure) => ({
    figure,
    before: figure === 'verdict.state' ? 'clean' : '100',
    after: drawFrom(random, [null, '160']),
  }));
  const month = { period: '2026-09', revision: 2, count: 3, figures };
  return {
    departures,
    missing,
    alterations,
    ...(chance(random, 0.2)
      ? {
          replaced: {
            before: { ...wallet, balance: wallet.balance + 1 },
            now: wallet,
            since: asOf - 2 * DAY,
          },
        }
      : {}),
    ...(chance(random, 0.2)
      ? { tampered: { first: 3, last: drawFrom(random, [3, 9]), until: 9 } }
      : {}),
    ...(chance(random, 0.2) ? { changedMonths: [month] } : {}),
    ...(chance(random, 0.3) ? { askedUntil: asOf + HOUR } : {}),
  };
}

function* ofSamples(): Generator<Judged> {
  for (const [kind, { fires, quiet }] of Object.entries(SAMPLES))
    for (const [name, rows] of Object.entries({ fires, quiet }))
      yield [`${kind} ${name}`, reconcileSample(rows.join('\n'))];
}

/**
 * Yields payments by link, payouts and statistics, with a figure changed in some of the looks at
 * them.
 */
function* ofDashboards(): Generator<Judged> {
  const policies = everyPolicy();
  for (let i = 0; i < 24; i += 1) {
    const random = seedRandom(`dashboard ${i}`);
    const altered = nights(policies[(i * 311) % policies.length]!, i, (look, night) =>
      night % 3 === i % 3 ? { ...look, read: alterFigures(look.read, random) } : look,
    );
    const said = altered.map(({ kept: _, look: __, ...one }) => one);
    const kinds = new Set(said.flatMap(({ drafts }) => drafts.map(({ kind }) => kind)));
    yield [`dashboard ${i}: ${[...kinds].join(' ')}`, NOTHING_JUDGED, said];
    for (const { night, look } of altered)
      if (night % 20 === 0) yield* ofPayments(`dashboard ${i}, night ${night}`, look, random);
  }
}

/**
 * Yields the payments of a look, with what earlier looks and notifications said of some of them.
 */
function* ofPayments(name: string, { payments, read }: Look, random: Random): Generator<Judged> {
  const some = payments.filter(() => chance(random, 0.2));
  const versions = some.map((one) => {
    const earlier = alterFigures({ ...one, status: 'PENDING' as const }, random);
    return [one.reference, [{ at: one.createdAt + HOUR, value: earlier }]] as const;
  });
  const claims = some.map((one): ReceivedClaim => {
    const claim = chance(random, 0.5) ? one : alterFigures(one, random);
    const status = drawFrom(random, ['SUCCESS', 'FAILED'] as const);
    const fees = chance(random, 0.5) ? null : String(Math.round(one.amount * 0.015));
    return { ...claim, status, fees, receivedAt: one.createdAt + drawFrom(random, [HOUR, DAY]) };
  });
  const summary = alterFigures(
    {
      totalAmount: payments.reduce((sum, { amount }) => sum + amount, 0),
      totalTransactions: payments.length,
      byOperator: { wave: { count: payments.length } },
    },
    random,
  );
  const month = monthInUtc('2026-10');
  const report: ServiceReport = {
    ...{ id: 'report', period: '2026-10', periodLabel: null, status: 'READY', error: null },
    ...{ periodStart: month.from, periodEnd: month.until - 1, generatedAt: month.until + DAY },
    ...{ filename: null, fileUrl: null, fileSize: null, summary },
  };
  const published = {
    ...{ payments: payments.filter(() => chance(random, 0.99)), reports: [report], payouts: null },
    kept: { versions: new Map(versions), claims },
  };
  const rows = { entries: [], operations: [], wallet: null, rejected: [], absent: [] };
  const settings = { ...settingsOf(shops[0]!.decoded), watermark: read.until };
  yield [`${name}, payments`, reconcileInMemory({ ...rows, published }, settings)];
}

const NOTHING_JUDGED = reconcileInMemory(
  { entries: [], operations: [], wallet: null, rejected: [], absent: [] },
  settingsOf(shops[0]!.decoded),
);

/** Returns a copy with one of its figures or words changed. */
function alterFigures<Value extends object>(value: Value, random: Random): Value {
  const copy = structuredClone(value);
  const places: (readonly [Record<string, unknown>, string])[] = [];
  const visit = (one: Record<string, unknown>): void => {
    for (const [key, inner] of Object.entries(one))
      if (typeof inner === 'object' && inner !== null) visit(inner as Record<string, unknown>);
      else places.push([one, key]);
  };
  visit(copy as Record<string, unknown>);
  const [of, key] = places[Math.floor(drawUnit(random) * places.length)]!;
  const [was, how] = [of[key], drawUnit(random)];
  if (typeof was === 'number') of[key] = how < 0.5 ? was + 1 : how < 0.8 ? was - 1_000 : was * 2;
  else if (key === 'status') of[key] = how < 0.5 ? 'FAILED' : 'SUCCESS';
  else if (was !== null && /^[\d.]+$/.test(String(was))) of[key] = String(Number(was) + 10);
  return copy;
}

function* everyReport(): Generator<Judged> {
  yield* ofSamples();
  yield* straddling();
  yield* atTheCut();
  yield* withFaults();
  yield* inTwoReadings();
  yield* ofDashboards();
  yield* withDecisions();
  yield* withHistory();
}

test('every report says what it said', () => {
  if (process.env.POINTAGE_UPDATE_GOLDEN === '1')
    writeFileSync(GOLDEN, [...everyReport()].map((one) => `${lineOf(one)}\n`).join(''));
  const before = readFileSync(GOLDEN, 'utf8').trimEnd().split('\n');
  expect(before.length).toBeGreaterThan(2_000);
  const differing: string[] = [];
  let count = 0;
  for (const one of everyReport()) {
    const line = lineOf(one);
    if (line !== before[count]) differing.push(`was ${before[count]}\n now ${line}`);
    if (differing.length === MOST_SHOWN) break;
    count += 1;
  }
  expect(differing).toEqual([]);
  expect(count).toBe(before.length);
}, 300_000);

const MOST_SHOWN = 5;
