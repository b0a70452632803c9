// The hash chain over a merchant's stored lines: it is extended in the transaction of each page,
// and can be computed again from the stored lines to find the first block that no longer fits.
// Refuses to correct a block: blocks are insert-only. Its SQL is text, for a COPY, which takes no
// parameters.

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
  /** The new value of `merchant_heads.chain`. */
  readonly chain: Uint8Array;
  readonly blocks: readonly ChainBlock<ChainedLine>[];
}

type ChainedLine = EntryRow & { readonly intake: number };

/**
 * Extends the merchant's chain by the new lines of a page. Returns `null` for a page without new
 * lines. Reads stored lines only when the merchant has lines from before there were chains.
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

/** Stores the blocks that became full. Must run in the transaction that stores their lines. */
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

/**
 * Loads the head of the merchant's chain and the number of its lines; `null` when the merchant has
 * no chain yet.
 */
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

/** The place where the stored lines and the chain over them stop agreeing. */
export interface ChainBreak {
  /** The first line that may differ from the chain, counted from 1 in the order of storing. */
  readonly firstLine: number;
  /** The last line that may differ, counted in the same way. */
  readonly lastLine: number;
  /** The lowest sequence of the lines that are stored there now; `null` when none is. */
  readonly firstSequence: number | null;
  /** The highest sequence of the lines that are stored there now; `null` when none is. */
  readonly lastSequence: number | null;
}

export interface CheckedChain {
  readonly lines: number;
  /**
   * The head over the lines as they are stored, in hexadecimal; `null` when there is no chain yet.
   */
  readonly head: string | null;
  /** The first place that does not agree; `null` when every line is as it was stored. */
  readonly broken: ChainBreak | null;
}

/**
 * Reads every line of the merchant and compares it with the chain. `client` must be inside a
 * snapshot, with no other query under way.
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
  // The loop reads on after a break, because a reader that stops early destroys the connection.
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
 * Compares the ends of the stored and the computed chain. This cannot show a chain that was cut off
 * together with its lines: only a head that was kept elsewhere shows that.
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
 * Calls `use` with the texts of the merchant's first `most` stored lines, in the order of storing,
 * several lines in each piece.
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
  // The loop reads on after the last wanted line, because a reader that stops early destroys the
  // connection.
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
