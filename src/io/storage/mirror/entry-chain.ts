// The hash chain over a merchant's stored lines: made longer in the transaction of a page, and
// computed anew from what is stored, to find the first block that no longer fits. Refuses to
// correct: blocks are insert-only. Its SQL is text, for a COPY, which takes no parameters.

import type pg from 'pg';
import { createCopyReader, rowsOf } from '../../../core/bytes/copy-binary/enter-copied.ts';
import type { ChainMark } from '../../../core/domain/snapshot.ts';
import {
  BLOCK_LINES,
  beginChain,
  type ChainBlock,
  type ChainState,
  extendChain,
  headOf,
} from '../../evidence/chain.ts';
import { lineText } from '../../evidence/line-text.ts';
import type { Lease } from '../merchants/merchant-lock.ts';
import { findMerchantId } from '../merchants/merchants.ts';
import { ask, build, inPieces, type Queries } from '../server/ask.ts';
import { openDatabaseSnapshot } from '../server/database-snapshot.ts';
import type { Store } from '../server/store.ts';
import { copyOut } from './copy/copy.ts';
import { type EntryRow, OWNED_ENTRY, OWNED_ENTRY_TABLE, seeOwnedEntries } from './copy/rows.ts';
import type { PageHead } from './rejected-rows.ts';

export interface PageChain {
  /** For `merchant_heads.chain`. */
  readonly chain: Uint8Array;
  readonly blocks: readonly ChainBlock<ChainedLine>[];
}

type ChainedLine = EntryRow & { readonly intake: number };

/**
 * Null for a page without new lines. Reads stored lines only where they were stored before there
 * was a chain.
 */
export async function chainOfPage(
  client: pg.ClientBase,
  { merchant }: Lease,
  {
    head,
    entries: { rows },
  }: { readonly head: PageHead; readonly entries: { readonly rows: readonly EntryRow[] } },
): Promise<PageChain | null> {
  if (rows.length === 0) return null;
  const begun = await chainBefore(client, merchant, head);
  const added = rows.map((row) => ({ ...row, intake: head.intake }));
  const { state, blocks } = extendChain(begun.state, added);
  return { chain: state.bytes, blocks: [...begun.blocks, ...blocks] };
}

async function chainBefore(client: pg.ClientBase, merchant: string, head: PageHead) {
  const { merchantId, entryCount, chain } = head;
  if (chain !== null) return { state: { bytes: chain, lines: entryCount }, blocks: [] };
  let state = beginChain(merchant);
  const all: ChainBlock<ChainedLine>[] = [];
  if (entryCount === 0) return { state, blocks: all };
  for await (const lines of linesAsStored(client, merchantId)) {
    const { state: later, blocks } = extendChain(state, lines);
    state = later;
    all.push(...blocks);
  }
  return { state, blocks: all };
}

/** In the transaction of their lines. */
export async function writeBlocks(
  client: pg.ClientBase,
  { merchantId }: PageHead,
  blocks: PageChain['blocks'],
): Promise<void> {
  if (blocks.length === 0) return;
  const rows = blocks.map(({ block, head, last: { intake, variant, entry } }) => ({
    merchant_id: merchantId,
    block,
    last_intake: intake,
    last_sequence: entry.sequence,
    last_variant: variant,
    head,
  }));
  // A first chain over many stored lines has many blocks.
  for (const some of inPieces(rows))
    await ask(client, build.insertInto('entry_blocks').values(some));
}

/** Null: the merchant has no chain yet. */
export async function loadChainMark(queries: Queries, merchant: string): Promise<ChainMark | null> {
  const row = await loadHead(queries, merchant);
  if (row === undefined || row.chain === null) return null;
  return { lines: row.lines, head: headOf({ bytes: row.chain }).toString('hex') };
}

async function loadHead(queries: Queries, merchant: string) {
  const load = build
    .selectFrom('merchants as m')
    .innerJoin('merchant_heads as h', 'h.merchant_id', 'm.merchant_id')
    .select(['m.merchant_id as merchantId', 'h.entry_count as lines', 'h.chain'])
    .where('m.reference', '=', merchant);
  return (await ask(queries, load)).rows[0];
}

/** Where a merchant's stored lines and the chain over them part. */
export interface ChainBreak {
  /** Lines from the first to the last that may differ, counted from 1 in the order of storing. */
  readonly firstLine: number;
  readonly lastLine: number;
  /** Of those that are stored there now; null: there is none. */
  readonly firstSequence: number | null;
  readonly lastSequence: number | null;
}

export interface CheckedChain {
  readonly lines: number;
  /** In hexadecimal, of the lines as they are stored; null: there is no chain yet. */
  readonly head: string | null;
  /** The first; null: every line is as it was stored. */
  readonly broken: ChainBreak | null;
}

/**
 * Reads every line of the merchant. `client`: inside of one snapshot, with nothing else under way.
 */
export async function checkChain(client: pg.ClientBase, merchant: string): Promise<CheckedChain> {
  const row = await loadHead(client, merchant);
  if (row === undefined || row.chain === null)
    return { lines: row?.lines ?? 0, head: null, broken: null };
  const { merchantId, lines: entryCount, chain } = row;
  const kept = await loadBlocks(client, merchantId);
  let state = beginChain(merchant);
  let broken: ChainBreak | null = null;
  let open: Stretch = NO_STRETCH;
  // Reads on after a break: a reader that stops breaks the connection.
  for await (const lines of linesAsStored(client, merchantId)) {
    for (let from = 0; from < lines.length && broken === null; ) {
      const until = Math.min(lines.length, from + BLOCK_LINES - (state.lines % BLOCK_LINES));
      const part = lines.slice(from, until);
      open = stretchWith(state.lines % BLOCK_LINES === 0 ? NO_STRETCH : open, part);
      const { state: later, blocks } = extendChain(state, part);
      state = later;
      from = until;
      const [ended] = blocks;
      if (ended !== undefined) broken = breakAt(ended, kept[ended.block - 1], open);
    }
  }
  const head = headOf(state).toString('hex');
  if (broken !== null) return { lines: entryCount, head, broken };
  const stored = { bytes: chain, lines: entryCount };
  return {
    lines: entryCount,
    head,
    broken: breakAtEnd({ stored, state, blocks: kept.length }, open),
  };
}

type KeptBlock = Awaited<ReturnType<typeof loadBlocks>>[number];

async function loadBlocks(client: pg.ClientBase, merchantId: number) {
  const load = build
    .selectFrom('entry_blocks')
    .select(['block', 'last_intake', 'last_sequence', 'last_variant', 'head'])
    .where('merchant_id', '=', merchantId)
    .orderBy('block');
  return (await ask(client, load)).rows;
}

type Stretch = Pick<ChainBreak, 'firstSequence' | 'lastSequence'>;

const NO_STRETCH: Stretch = { firstSequence: null, lastSequence: null };

function stretchWith(stretch: Stretch, lines: readonly ChainedLine[]): Stretch {
  const sequences = lines.map(({ entry }) => entry.sequence);
  if (stretch.firstSequence !== null) sequences.push(stretch.firstSequence, stretch.lastSequence!);
  return { firstSequence: Math.min(...sequences), lastSequence: Math.max(...sequences) };
}

function breakAt(
  { block, head, last: { intake, variant, entry } }: ChainBlock<ChainedLine>,
  kept: KeptBlock | undefined,
  stretch: Stretch,
): ChainBreak | null {
  const isSame =
    kept?.block === block &&
    kept.head.equals(head) &&
    kept.last_intake === intake &&
    kept.last_sequence === entry.sequence &&
    kept.last_variant === variant;
  if (isSame) return null;
  return { firstLine: (block - 1) * BLOCK_LINES + 1, lastLine: block * BLOCK_LINES, ...stretch };
}

/**
 * A chain that was cut off together with its lines ends here too; only a head that was kept
 * elsewhere shows it.
 */
function breakAtEnd(
  {
    stored,
    state,
    blocks,
  }: { readonly stored: ChainState; readonly state: ChainState; readonly blocks: number },
  stretch: Stretch,
): ChainBreak | null {
  const full = Math.floor(state.lines / BLOCK_LINES);
  if (
    stored.lines === state.lines &&
    blocks === full &&
    Buffer.from(stored.bytes).equals(state.bytes)
  )
    return null;
  const firstLine = Math.min(full, blocks) * BLOCK_LINES + 1;
  return { firstLine, lastLine: Math.max(stored.lines, state.lines, firstLine), ...stretch };
}

/**
 * The texts of a merchant's lines, so many from the first one stored, in the order of storing, in
 * pieces.
 */
export async function withLineTexts<T>(
  store: Store,
  { merchant, most }: { readonly merchant: string; readonly most: number },
  use: (texts: AsyncIterable<string>) => Promise<T>,
): Promise<T> {
  const snapshot = await openDatabaseSnapshot(store);
  try {
    const merchantId = (await findMerchantId(snapshot.client, merchant)) ?? 0;
    return await use(textsOf(snapshot.client, { merchantId, most }));
  } finally {
    await snapshot.close();
  }
}

async function* textsOf(
  client: pg.ClientBase,
  { merchantId, most }: { readonly merchantId: number; readonly most: number },
): AsyncGenerator<string> {
  let left = most;
  // Reads on behind the last: a reader that stops breaks the connection.
  for await (const lines of linesAsStored(client, merchantId)) {
    const wanted = lines.slice(0, left);
    left -= wanted.length;
    if (wanted.length > 0) yield wanted.map(lineText).join('');
  }
}

async function* linesAsStored(
  client: pg.ClientBase,
  merchantId: number,
): AsyncGenerator<readonly ChainedLine[]> {
  const seen = seeOwnedEntries();
  const query = `
    select ${OWNED_ENTRY}
    from entries e
    where e.merchant_id = ${merchantId}
    order by e.intake, e.sequence, e.variant`;
  for await (const batch of copyOut(client, query, createCopyReader(OWNED_ENTRY_TABLE, null)))
    yield rowsOf(batch, seen);
}
