// The log of evidence of an installation: leaves are appended, the hashes of the tree over them are
// stored, and its head is signed. Refuses to sign a head that does not continue the last signed
// one, be that stored here or in the copy beside the database.

import { sql } from 'kysely';
import type pg from 'pg';
import type { Instant } from '../../../core/domain/instant.ts';
import { type LogFault, type LogState, sayFault } from '../../../core/domain/measures.ts';
import {
  consistencyPath,
  inclusionPath,
  type Lookup,
  leafHash,
  type NodePlace,
  nodesAdded,
  type Range,
  rootOf,
  subtreesOf,
} from '../../evidence/merkle.ts';
import {
  headIn,
  newSigningKey,
  openCheckpoint,
  proofText,
  type Signer,
  signCheckpoint,
  signerOf,
  type TreeHead,
  verifierKeyOf,
} from '../../evidence/signed-note.ts';
import { ask, build, inPieces, type Queries, unnest } from '../server/ask.ts';
import { inTransaction } from '../server/connections.ts';
import { type Store, StoreFailed } from '../server/store.ts';

export interface LogSettings {
  /** The private key, 32 bytes as base64; `null` when the store is to make a key and keep it. */
  readonly key: string | null;
  /**
   * The name of the log; `null` for the newest log, or, where there is none, a name made from the
   * key.
   */
  readonly origin: string | null;
}

export interface Log {
  readonly number: number;
  readonly signer: Signer;
  readonly verifierKey: string;
  readonly recordedRun: number;
}

export interface NewLeaf {
  /**
   * Names the leaf, for example "night M001 12". A leaf whose subject is in the log already is not
   * appended again.
   */
  readonly subject: string;
  readonly merchant: string;
  readonly text: string;
}

/**
 * Opens the log to write to, and begins it when there is none. `recordedRun` is for a new log only:
 * runs up to it are never recorded in that log.
 */
export async function openLog(
  store: Store,
  settings: LogSettings,
  recordedRun: number,
): Promise<Log> {
  const known = await findLog(store.pool, settings.origin);
  if (known !== null) return logOf(known, settings);
  return inTransaction(store, async (client) => {
    // Two processes may begin at the same time. The unique origin would not keep one of them out,
    // because a new key is random, and the origin may be made from it.
    const lock = sql`pg_advisory_xact_lock(hashtextextended('evidence_logs', 0))`;
    await ask(client, build.selectNoFrom(lock.as('locked')));
    const begun = await findLog(client, settings.origin);
    if (begun !== null) return logOf(begun, settings);
    const signing_key = settings.key === null ? newSigningKey() : null;
    const { origin } = signerFor(signing_key ?? settings.key!, settings.origin);
    const add = build
      .insertInto('evidence_logs')
      .values({ origin, signing_key, recorded_run: recordedRun })
      .onConflict((conflict) => conflict.column('origin').doNothing());
    await ask(client, add);
    return logOf((await findLog(client, origin))!, settings);
  });
}

type LogRow = NonNullable<Awaited<ReturnType<typeof findLog>>>;

/** Finds the newest log, or the newest of that origin. */
async function findLog(queries: Queries, origin: string | null) {
  const load = build
    .selectFrom('evidence_logs')
    .select(['log_number', 'origin', 'signing_key', 'recorded_run'])
    .where(({ eb, lit }) => (origin === null ? lit(true) : eb('origin', '=', origin)))
    .orderBy('log_number', 'desc')
    .limit(1);
  return (await ask(queries, load)).rows[0] ?? null;
}

function logOf(
  { log_number, origin, signing_key, recorded_run }: LogRow,
  { key }: LogSettings,
): Log {
  const seed = key ?? signing_key;
  if (seed === null) {
    const message = `The log ${origin} was begun with the key of the configuration: give it again as evidence.key.`;
    throw new StoreFailed('LOG_REFUSED', message);
  }
  const signer = signerFor(seed, origin);
  return {
    number: log_number,
    signer,
    verifierKey: verifierKeyOf(signer),
    recordedRun: recorded_run,
  };
}

function signerFor(seed: string, origin: string | null): Signer {
  const signer = signerOf(seed, origin);
  if (signer !== null) return signer;
  throw new StoreFailed(
    'LOG_REFUSED',
    'evidence.key must be 32 bytes as base64: make one with openssl rand -base64 32.',
  );
}

/**
 * Appends leaves, all or none, and returns how many were new. `recordedRun` says that the runs up
 * to it are in the log with these leaves.
 */
export async function appendLeaves(
  store: Store,
  log: Log,
  {
    leaves,
    recordedRun,
  }: { readonly leaves: readonly NewLeaf[]; readonly recordedRun?: number | undefined },
): Promise<number> {
  return inTransaction(store, async (client) => {
    const size = await lockLog(client, log);
    const subjects = leaves.map(({ subject }) => subject);
    const there = build
      .selectFrom(unnest('given', { subject: ['text', subjects] }))
      .innerJoin('log_leaves as l', 'l.subject', 'given.subject')
      .select('l.subject')
      .where('l.log_number', '=', log.number);
    const known = new Set((await ask(client, there)).rows.map(({ subject }) => subject));
    const added = leaves.filter(({ subject }) => !known.has(subject));
    await writeLeaves(client, log, { size, added });
    const grow = build
      .updateTable('evidence_logs')
      .set(({ fn, ref, val }) => ({
        size: size + added.length,
        recorded_run: fn('greatest', [ref('recorded_run'), val(recordedRun ?? 0)]),
      }))
      .where('log_number', '=', log.number);
    await ask(client, grow);
    return added.length;
  });
}

/**
 * Locks the log and returns its number of leaves. Other writers wait until the transaction ends.
 */
async function lockLog(client: pg.ClientBase, { number }: Log): Promise<number> {
  const lock = build
    .selectFrom('evidence_logs')
    .select('size')
    .where('log_number', '=', number)
    .forUpdate();
  return (await ask(client, lock)).rows[0]!.size;
}

async function writeLeaves(
  client: pg.ClientBase,
  { number: log_number }: Log,
  { size, added }: { readonly size: number; readonly added: readonly NewLeaf[] },
): Promise<void> {
  if (added.length === 0) return;
  const lookup = await loadNodes(client, log_number, subtreesOf({ from: 0, to: size }));
  const hashes = added.map(({ text }) => leafHash(Buffer.from(text)));
  const nodes = nodesAdded(size, hashes, lookup).map((node) => ({ log_number, ...node }));
  const rows = added.map(({ subject, merchant, text }, i) => ({
    ...{ log_number, leaf_index: size + i, subject, merchant, content: text },
  }));
  for (const some of inPieces(rows)) await ask(client, build.insertInto('log_leaves').values(some));
  for (const some of inPieces(nodes)) await ask(client, build.insertInto('log_nodes').values(some));
}

async function loadNodes(
  queries: Queries,
  log: number,
  places: readonly NodePlace[],
): Promise<Lookup> {
  const levels = places.map(({ level }) => level);
  const positions = places.map(({ position }) => position);
  const load = build
    .selectFrom(unnest('wanted', { level: ['int', levels], position: ['bigint', positions] }))
    .innerJoin('log_nodes as n', (join) =>
      join.onRef('n.level', '=', 'wanted.level').onRef('n.position', '=', 'wanted.position'),
    )
    .select(['n.level', 'n.position', 'n.hash'])
    .where('n.log_number', '=', log);
  const { rows } = await ask(queries, load);
  const found = new Map(rows.map((row) => [`${row.level}/${row.position}`, row.hash]));
  return ({ level, position }) => {
    const hash = found.get(`${level}/${position}`);
    if (hash !== undefined) return hash;
    throw new StoreFailed('LOG_REFUSED', `The log lacks its node ${level}/${position}: ${RESTORE}`);
  };
}

export const RESTORE =
  'restore a newer backup; if there is none, begin another log with a new evidence.origin, and give the reason to all who hold checkpoints of this one.';

/** A signed checkpoint: its note as it was given out, and its number of leaves. */
export type Checkpointed = NonNullable<Awaited<ReturnType<typeof loadCheckpoint>>>;

/**
 * Returns the checkpoint of all leaves: a new one, or the last one when no leaf was appended since.
 * `lastSeen` is the note that is kept beside the database; `null` when there is none. Throws
 * `StoreFailed` (LOG_REFUSED) when the log does not continue a checkpoint that was signed.
 */
export async function signLog(
  store: Store,
  log: Log,
  { lastSeen, at }: { readonly lastSeen: string | null; readonly at: Instant },
): Promise<Checkpointed> {
  return inTransaction(store, async (client) => {
    const size = await lockLog(client, log);
    const last = await loadCheckpoint(client, log, -1);
    for (const note of [last?.note ?? null, lastSeen])
      await requireContinued(client, log, { size, note });
    if (last !== null && last.size === size) return last;
    const whole = { from: 0, to: size };
    const root = rootOf(whole, await loadNodes(client, log.number, subtreesOf(whole)));
    const note = signCheckpoint(log.signer, { size, root });
    const add = build
      .insertInto('log_checkpoints')
      .values({ log_number: log.number, size, note, signed_at: at });
    await ask(client, add);
    return { note, size };
  });
}

async function requireContinued(
  client: pg.ClientBase,
  log: Log,
  { size, note }: { readonly size: number; readonly note: string | null },
): Promise<void> {
  const signed = note === null ? null : openCheckpoint(note, log.verifierKey);
  const fault = signed === null ? null : await compareTree(client, log.number, { size, signed });
  if (fault === null) return;
  const why = `${sayFault(fault)}, as after an old backup`;
  throw new StoreFailed(
    'LOG_REFUSED',
    `The log ${log.signer.origin} was not signed: ${why}; ${RESTORE}`,
  );
}

async function compareTree(
  queries: Queries,
  log: number,
  { size, signed }: { readonly size: number; readonly signed: TreeHead },
): Promise<LogFault | null> {
  if (signed.size > size) return { fault: 'shorter', leaves: size, signed: signed.size };
  const before = { from: 0, to: signed.size };
  const root = rootOf(before, await loadNodes(queries, log, subtreesOf(before)));
  return root.equals(signed.root) ? null : { fault: 'altered', leaves: size, signed: signed.size };
}

/** How many of the newest leaves `examineLog` compares with the tree by their text. */
const LEAVES_COMPARED = 4_096;

/**
 * Compares the log that was signed last with its checkpoints. Returns `continued` when it continues
 * them, the fault when it does not, and `null` when nothing was ever signed. It needs no key, so a
 * process that may not sign can call it. `lastSeen` is as in `signLog`.
 */
export async function examineLog(
  queries: Queries,
  lastSeen: string | null = null,
): Promise<LogState> {
  const newest = build
    .selectFrom('log_checkpoints as c')
    .innerJoin('evidence_logs as l', 'l.log_number', 'c.log_number')
    .select(['l.log_number', 'l.origin', 'l.size', 'c.note'])
    .orderBy('c.signed_at', 'desc')
    .orderBy('l.log_number', 'desc')
    .orderBy('c.size', 'desc')
    .limit(1);
  const log = await ask(queries, newest).then(
    ({ rows }) => rows[0],
    (failure: { readonly code?: string }) => {
      // The roles of the database are those of an earlier version, and may not read the log yet.
      if (failure.code !== '42501') throw failure;
    },
  );
  if (log === undefined) return null;
  const heads = [log.note, lastSeen ?? log.note]
    .map(headIn)
    .filter(({ origin }) => origin === log.origin);
  for (const signed of heads) {
    const fault = await compareTree(queries, log.log_number, { size: log.size, signed }).catch(
      refusedLog,
    );
    if (fault !== null)
      return fault === 'refused'
        ? { fault: 'altered', leaves: log.size, signed: signed.size }
        : fault;
  }
  const altered = build
    .selectFrom('log_nodes as n')
    .leftJoin('log_leaves as l', (join) =>
      join.onRef('l.log_number', '=', 'n.log_number').onRef('l.leaf_index', '=', 'n.position'),
    )
    .select('n.position')
    .where(({ and }) => and({ 'n.log_number': log.log_number, 'n.level': 0 }))
    .where('n.position', '>=', log.size - LEAVES_COMPARED)
    .where(
      sql<boolean>`sha256('\\x00'::bytea || convert_to(l.content, 'UTF8')) is distinct from n.hash`,
    )
    .limit(1);
  const isAltered = (await ask(queries, altered)).rows.length > 0;
  return isAltered
    ? { fault: 'altered', leaves: log.size, signed: headIn(log.note).size }
    : 'continued';
}

/** Gives 'refused' when a node of the tree is missing. Throws any other failure again. */
function refusedLog(failure: unknown): 'refused' {
  if (failure instanceof StoreFailed && failure.code === 'LOG_REFUSED') return 'refused';
  throw failure;
}

/** Loads the newest checkpoint with more leaves than `above`; `null` when there is none. */
async function loadCheckpoint(queries: Queries, { number }: Log, above: number) {
  const load = build
    .selectFrom('log_checkpoints')
    .select(['note', 'size'])
    .where('log_number', '=', number)
    .where('size', '>', above)
    .orderBy('size', 'desc')
    .limit(1);
  return (await ask(queries, load)).rows[0] ?? null;
}

/** A leaf, and the proof that it is in the log. */
export type ProvedLeaf = Readonly<Record<'subject' | 'text' | 'proof', string>>;

/**
 * Returns the leaf with this subject and its proof; `null` when the log has no such leaf, or no
 * checkpoint that includes it yet.
 */
export async function proveLeaf(
  store: Store,
  log: Log,
  subject: string,
): Promise<ProvedLeaf | null> {
  const load = build
    .selectFrom('log_leaves')
    .select(['leaf_index', 'content'])
    .where(({ and }) => and({ log_number: log.number, subject }));
  const leaf = (await ask(store.pool, load)).rows[0];
  const checkpoint =
    leaf === undefined ? null : await loadCheckpoint(store.pool, log, leaf.leaf_index);
  if (leaf === undefined || checkpoint === null) return null;
  const ranges = inclusionPath(leaf.leaf_index, checkpoint.size);
  const lookup = await loadNodes(store.pool, log.number, ranges.flatMap(subtreesOf));
  const path = ranges.map((range: Range) => rootOf(range, lookup));
  const proof = proofText({ index: leaf.leaf_index, path, checkpoint: checkpoint.note });
  return { subject, text: leaf.content, proof };
}

/**
 * Returns the answer to a witness (c2sp.org/tlog-witness, add-checkpoint): the newest checkpoint,
 * and the hashes which prove that it continues the log of `since` leaves. Throws `StoreFailed`
 * (LOG_REFUSED) when no checkpoint has that many leaves.
 */
export async function proveContinued(store: Store, log: Log, since: number): Promise<string> {
  const newest = await loadCheckpoint(store.pool, log, since - 1);
  if (newest === null)
    throw new StoreFailed('LOG_REFUSED', `The log has no checkpoint of ${since} leaves or more.`);
  const ranges = since === 0 ? [] : consistencyPath(since, newest.size);
  const lookup = await loadNodes(store.pool, log.number, ranges.flatMap(subtreesOf));
  const hashes = ranges.map((range) => `${rootOf(range, lookup).toString('base64')}\n`).join('');
  return `old ${since}\n${hashes}\n${newest.note}`;
}

/** Returns the subject of the leaf of the merchant's newest night; `null` when the log has none. */
export async function findNewestNight(
  store: Store,
  log: Log,
  merchant: string,
): Promise<string | null> {
  const load = build
    .selectFrom('log_leaves')
    .select('subject')
    .where(({ and }) => and({ log_number: log.number, merchant }))
    .where('subject', 'like', 'night %')
    .orderBy('leaf_index', 'desc')
    .limit(1);
  return (await ask(store.pool, load)).rows[0]?.subject ?? null;
}
