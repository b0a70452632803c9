// Notifications, compared with the mirror. A run that goes on from its checkpoint says what a full
// audit says, however late and in whatever order notifications came, and costs only what is new.

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Finding } from '../../src/core/domain/finding.ts';
import { DAY, HOUR, MINUTE } from '../../src/core/domain/instant.ts';
import { readBooks } from '../../src/core/kernel/reconcile/books-text.ts';
import { findMerchantId } from '../../src/io/storage/merchants/merchants.ts';
import { digestNotification } from '../../src/io/storage/mirror/row-digests.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import { hashOf } from '../../src/io/threads/hash-key.ts';
import { type Books, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { drawInteger, drawUnit, type Random, seedRandom } from '../../src/sandbox/model/random.ts';
import type { ServedNotification } from '../../src/sandbox/model/served.ts';
import { auditMirror } from '../../src/service/workflows/audit/audit-mirror.ts';
import { arraySource } from '../support/array-source.ts';
import { comparable } from '../support/comparable-report.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { booksAt } from '../support/growing-books.ts';
import { type NightOutcome, optionsAt, runNight } from '../support/nightly.ts';
import { plantNamed } from '../support/plant-named.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';

let opened: TestStore;
beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(() => opened.close());

const FAULTS = [
  'EVENT_MISSING',
  'EVENT_CONTRADICTS_OPERATION',
  'EVENT_CONTRADICTS_OPERATION/body',
  'EVENT_ID_REUSED',
  'EVENT_UNKNOWN_OPERATION',
  'EVENT_TYPE_MISMATCH/status',
];
const DAYS = 9;

function booksOf(reference: string, faults: readonly string[]): Books {
  const traffic = {
    ...ORDINARY_TRAFFIC,
    operationsPerDay: 14,
    reversalRate: 0.1,
    adjustmentsPerMonth: 20,
  };
  const plan = planMerchant({ reference, traffic });
  const sound = simulateBooks(plan, { seed: TEST_SEED, until: plan.opensAt + DAYS * DAY });
  return plantNamed(sound, { names: faults, seed: TEST_SEED }).books;
}

interface Delivery {
  readonly body: ServedNotification;
  readonly receivedAt: number;
}

/**
 * Delivers most notifications at once, some a few hours later, a few the next day, and some twice.
 */
function deliver(
  notifications: readonly ServedNotification[],
  random: Random,
): readonly Delivery[] {
  return notifications.flatMap((body) => {
    const chance = drawUnit(random);
    const delay =
      chance < 0.8
        ? 2_000
        : chance < 0.95
          ? drawInteger(random, { from: HOUR, to: 20 * HOUR })
          : DAY;
    const receivedAt = Date.parse(body.createdAt) + delay;
    return chance < 0.1
      ? [
          { body, receivedAt },
          { body, receivedAt: receivedAt + HOUR },
        ]
      : [{ body, receivedAt }];
  });
}

/** Digests of the bodies under each id, by merchant. */
const kept = new Map<string, string[]>();

/**
 * Stores notifications as the receiver does: an equal body once, another body under the same id
 * beside it.
 */
async function store(to: Store, merchant: string, deliveries: readonly Delivery[]): Promise<void> {
  await to.pool.query('insert into merchants (reference) values ($1) on conflict do nothing', [
    merchant,
  ]);
  const rows = deliveries.flatMap(({ body, receivedAt }) => {
    const bytes = Buffer.from(JSON.stringify(body));
    const digest = createHash('sha256').update(bytes).digest('hex');
    const known = kept.get(`${merchant} ${body.id}`) ?? [];
    if (known.includes(digest)) return [];
    kept.set(`${merchant} ${body.id}`, [...known, digest]);
    const { id, type, createdAt, data } = body;
    const reference = data.operation?.reference ?? null;
    return [
      [
        id,
        known.length,
        digest,
        type,
        reference,
        Date.parse(createdAt),
        receivedAt,
        bytes,
      ] as const,
    ];
  });
  await to.pool.query(
    `insert into notifications
      (merchant_id, event_id, variant, channel, digest, type, operation_reference, created_at, received_at, body)
    select m.merchant_id, n.event_id, n.variant, 'direct', n.digest, n.type, n.reference, n.created_at, n.received_at,
      n.body
    from merchants m
    cross join unnest(
      $2::text[], $3::int[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::bytea[]
    ) as n (event_id, variant, digest, type, reference, created_at, received_at, body)
    where m.reference = $1`,
    [merchant, ...[0, 1, 2, 3, 4, 5, 6, 7].map((column) => rows.map((row) => row[column]))],
  );
  const merchantId = (await findMerchantId(to.pool, merchant))!;
  for (const [eventId, variant] of rows) {
    await digestNotification(to.pool, merchantId, { channel: 'direct', eventId, variant });
  }
}

function aboutEvents({ report }: NightOutcome): readonly Finding[] {
  return report.findings.filter(({ kind }) => kind.startsWith('EVENT_'));
}

/** Works nights at the ends of these days, each with what had been delivered by then. */
async function liveThrough(
  books: Books,
  nights: readonly number[],
): Promise<readonly NightOutcome[]> {
  const final = decodeBooks(books);
  const merchant = final.profile.reference;
  const source = arraySource(final);
  const begins = final.asOf - DAYS * DAY;
  const deliveries = deliver(books.notifications, seedRandom(`${TEST_SEED}/${merchant}`));
  const outcomes: NightOutcome[] = [];
  let delivered = Number.NEGATIVE_INFINITY;
  for (const night of nights) {
    const lines = final.entries.filter(({ createdAt }) => createdAt <= begins + night * DAY).length;
    source.books = booksAt(final, { lines, manner: 'orderly' });
    const until = source.books.asOf;
    const come = deliveries.filter(
      ({ receivedAt }) => receivedAt > delivered && receivedAt <= until + MINUTE,
    );
    await store(opened.store, merchant, come);
    delivered = until + MINUTE;
    const outcome = await runNight({
      store: opened.store,
      source,
      merchant,
      now: until,
      pageRows: 10_000,
      diesBeforeSaving: false,
    });
    expect(comparable(outcome.report), `night ${night}`).toEqual(comparable(outcome.full));
    const [carried, full] = [outcome.states.carried, outcome.states.full].map(
      (text) => readBooks(text, hashOf)!.notified!,
    );
    expect(comparableNotified(carried!), `carried on in night ${night}`).toEqual(
      comparableNotified(full!),
    );
    outcomes.push(outcome);
  }
  return outcomes;
}

function comparableNotified({
  faults,
  unnotified,
  shared,
  tooNew,
}: NonNullable<NonNullable<ReturnType<typeof readBooks>>['notified']>) {
  const sorted = <Value>(map: ReadonlyMap<string, Value>) =>
    [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  return { faults: sorted(faults), unnotified: sorted(unnotified), shared: sorted(shared), tooNew };
}

test('sound books with late, repeated and shuffled notifications stay unaccused in every night, and end clean', async () => {
  const outcomes = await liveThrough(booksOf('SOUND', []), [1, 2.3, 4, 9]);
  for (const outcome of outcomes) {
    expect(aboutEvents(outcome)).toEqual([]);
    expect(outcome.report.notChecked.map(({ what }) => what)).not.toContain('events');
  }
  expect(outcomes.at(-1)!.report.verdict).toBe('clean');
});

test('faults of every kind are found in the night that can know of them, and once', async () => {
  const books = booksOf('FAULTY', FAULTS);
  const outcomes = await liveThrough(books, [2, 5, 7.2, 9]);
  const last = outcomes.at(-1)!;
  const expected = plantNamed(booksOf('FAULTY', []), { names: FAULTS, seed: TEST_SEED }).expected;
  const found = aboutEvents(last).filter(({ causedBy }) => causedBy === null);
  expect(found.map(({ kind, operationReference }) => [kind, operationReference]).sort()).toEqual(
    expected.map(({ kind, operationReference }) => [kind, operationReference]).sort(),
  );
  expect(last.report.verdict).toBe('broken');
  const added = outcomes.flatMap(({ changes }) => changes!.added);
  expect(new Set(added).size).toBe(added.length);
  const [audited] = await auditMirror(opened.store, {
    merchants: ['FAULTY'],
    published: null,
    optionsFor: () => optionsAt(decodeBooks(books).asOf),
    onMerchant: () => () => {},
  });
  const fingerprints = (findings: readonly Finding[]) =>
    findings.map(({ fingerprint }) => fingerprint).sort();
  expect(fingerprints(audited!.findings)).toEqual(fingerprints(last.report.findings));
});

test('what is notified late resolves what was missing, and an operation that moves on makes its notification lawful', async () => {
  const books = booksOf('LATE', []);
  const final = decodeBooks(books);
  const merchant = 'LATE';
  const source = arraySource(final);
  const told = books.notifications.filter(({ type }) => type === 'cashin.succeeded');
  const [missing, early] = [told[4]!, told[5]!];
  const rest = books.notifications.filter((one) => one !== missing);
  await store(opened.store, merchant, deliver(rest, seedRandom('none')));
  const pending = final.operations.map((operation) =>
    operation.reference === early.data.operation!.reference
      ? {
          ...operation,
          status: 'PENDING' as const,
          updatedAt: operation.createdAt,
          completedAt: null,
        }
      : operation,
  );
  const night = {
    store: opened.store,
    source,
    merchant,
    now: final.asOf,
    pageRows: 10_000,
    diesBeforeSaving: false,
  };
  source.books = { ...final, operations: pending };
  const first = await runNight(night);
  const kinds = aboutEvents(first).map(({ kind, operationReference }) => [
    kind,
    operationReference,
  ]);
  expect(kinds).toContainEqual(['EVENT_MISSING', missing.data.operation!.reference]);
  expect(kinds).toContainEqual(['EVENT_CONTRADICTS_OPERATION', early.data.operation!.reference]);
  source.books = { ...final, asOf: final.asOf + HOUR };
  await store(opened.store, merchant, [{ body: missing, receivedAt: final.asOf + MINUTE }]);
  const second = await runNight({ ...night, now: final.asOf + HOUR });
  expect(aboutEvents(second)).toEqual([]);
  expect(second.changes!.resolved).toEqual(
    expect.arrayContaining(aboutEvents(first).map((one) => one.fingerprint)),
  );
  expect(comparable(second.report)).toEqual(comparable(second.full));
});

test('without any notification nothing is missing, and the first one asks for none before it', async () => {
  const books = booksOf('SILENT', []);
  const final = decodeBooks(books);
  const source = arraySource(final);
  const night = {
    store: opened.store,
    source,
    merchant: 'SILENT',
    now: final.asOf,
    pageRows: 10_000,
    diesBeforeSaving: false,
  };
  const silent = await runNight(night);
  expect(silent.report.notChecked).toContainEqual(
    expect.objectContaining({
      what: 'events',
      why: 'no notification was ever received',
      incomplete: false,
    }),
  );
  expect(aboutEvents(silent)).toEqual([]);
  const [last] = books.notifications.filter(({ data }) => data.operation !== undefined).slice(-1);
  await store(opened.store, 'SILENT', [{ body: last!, receivedAt: final.asOf + MINUTE }]);
  source.books = { ...final, asOf: final.asOf + 3 * DAY };
  const second = await runNight({ ...night, now: final.asOf + 3 * DAY });
  expect(aboutEvents(second)).toEqual([]);
  expect(second.report.notChecked.map(({ what }) => what)).not.toContain('events');
});

test('a body that cannot be read is refused by its id, explains what is missing, and nothing else is lost', async () => {
  const books = booksOf('ODD', []);
  const final = decodeBooks(books);
  const source = arraySource(final);
  const missing = books.notifications.find(({ type }) => type === 'cashin.succeeded')!;
  const rest = books.notifications.filter((one) => one !== missing);
  await store(opened.store, 'ODD', deliver(rest, seedRandom('odd')));
  await opened.store.pool.query(
    `insert into notifications
      (merchant_id, event_id, variant, channel, digest, type, operation_reference, created_at, received_at, body)
    select merchant_id, 'evt_odd', 0, 'direct', 'x', 'cashin.failed', null, 0, $1, $2
    from merchants
    where reference = 'ODD'`,
    [final.asOf - DAY, Buffer.from('{"id":"evt_odd","id":"evt_odd"}')],
  );
  const night = {
    store: opened.store,
    source,
    merchant: 'ODD',
    now: final.asOf,
    pageRows: 10_000,
    diesBeforeSaving: false,
  };
  const { report, full } = await runNight(night);
  const [refused, ...others] = report.findings;
  expect(refused!.message).toBe(
    'The events row at notification evt_odd could not be read: the key "id" is given twice.',
  );
  expect(
    others.map(({ kind, operationReference, causedBy }) => [kind, operationReference, causedBy]),
  ).toEqual([['EVENT_MISSING', missing.data.operation!.reference, refused!.fingerprint]]);
  expect(report.verdict).toBe('incomplete');
  expect(comparable(report)).toEqual(comparable(full));
});
