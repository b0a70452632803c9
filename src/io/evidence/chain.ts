// The hash chain over a merchant's lines (docs/EVIDENCE.md, "The chain"): each link is a hash over
// the head before it and the text of up to 16 lines. Lines enter in the order in which the mirror
// stored them; this file never reorders them.

import { hash } from 'node:crypto';
import { invariant } from '../../core/domain/invariant.ts';
import { lineText, recordText, type StoredLine } from './line-text.ts';

/**
 * Lines of a full link. The text of a link that is not full yet is kept, so that the next page can
 * complete the link without reading its lines again.
 */
export const LINK_LINES = 16;
/** Lines of a block, whose head the store keeps: a whole number of links. */
export const BLOCK_LINES = 1_024;

const HASH_BYTES = 32;

/**
 * All that is needed to add the next line. `bytes` holds the head after the last full link, 32
 * bytes, then the text of the lines since. `lines` counts the lines of the whole chain.
 */
export interface ChainState {
  readonly bytes: Uint8Array;
  readonly lines: number;
}

/** A full block: its last line, and the head after that line. */
export interface ChainBlock<Line> {
  /** Counts from 1. */
  readonly block: number;
  readonly last: Line;
  readonly head: Buffer;
}

/**
 * Returns the state before the first line. The first head is a hash of the merchant's reference, so
 * that no chain can be taken for another merchant's.
 */
export function beginChain(merchant: string): ChainState {
  return { bytes: hashOf(Buffer.from(recordText(['merchant', merchant]))), lines: 0 };
}

/**
 * Adds lines to the chain and returns the new state with the blocks that became full. `added` must
 * be in the order of storing: by intake, then sequence, then variant. `textOf` must be given when a
 * line is not a `StoredLine`.
 */
export function extendChain<Line = StoredLine>(
  { bytes, lines }: ChainState,
  added: readonly Line[],
  textOf = lineText as (line: Line) => string,
): { readonly state: ChainState; readonly blocks: readonly ChainBlock<Line>[] } {
  invariant(lines % LINK_LINES > 0 || bytes.length === HASH_BYTES, 'only an open link has text');
  const blocks: ChainBlock<Line>[] = [];
  let head: Buffer = Buffer.from(bytes.subarray(0, HASH_BYTES));
  let open: Uint8Array = bytes.subarray(HASH_BYTES);
  for (let from = 0, at = lines; from < added.length; ) {
    const until = Math.min(added.length, from + LINK_LINES - (at % LINK_LINES));
    let text = '';
    for (let i = from; i < until; i += 1) text += textOf(added[i]!);
    open = open.length === 0 ? Buffer.from(text) : Buffer.concat([open, Buffer.from(text)]);
    at += until - from;
    from = until;
    if (at % LINK_LINES !== 0) break;
    head = hashOf(head, open);
    open = NO_BYTES;
    if (at % BLOCK_LINES === 0)
      blocks.push({ block: at / BLOCK_LINES, last: added[until - 1]!, head });
  }
  return { state: { bytes: Buffer.concat([head, open]), lines: lines + added.length }, blocks };
}

const NO_BYTES = new Uint8Array(0);

/**
 * Returns the head of the chain, 32 bytes: the last full link's, or a hash over it and the lines
 * since.
 */
export function headOf({ bytes }: Pick<ChainState, 'bytes'>): Buffer {
  return bytes.length === HASH_BYTES ? Buffer.from(bytes) : hashOf(bytes);
}

/** Hashes with one call of `hash`, because a hash object takes twice as long. */
function hashOf(...parts: readonly Uint8Array[]): Buffer {
  return hash('sha256', Buffer.concat([MAGIC, ...parts]), 'buffer');
}

const MAGIC = Buffer.from('RCN1\n');
