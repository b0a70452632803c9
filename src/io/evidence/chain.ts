// The hash chain over a merchant's lines (docs/EVIDENCE.md, "The chain"): each link is a hash over
// the head before it and the text of up to 16 lines. Refuses to reorder: lines enter in the order
// in which the mirror stored them.

import { hash } from 'node:crypto';
import { invariant } from '../../core/domain/invariant.ts';
import { lineText, recordText, type StoredLine } from './line-text.ts';

/**
 * Lines of a full link. The text of an open one is kept, so that the next page needs to read no
 * line again.
 */
export const LINK_LINES = 16;
/** Lines of a block, whose head the store keeps: a whole number of links. */
export const BLOCK_LINES = 1_024;

const HASH_BYTES = 32;

/**
 * The head behind the last full link, then the text of the lines since: all that the next line
 * needs.
 */
export interface ChainState {
  readonly bytes: Uint8Array;
  readonly lines: number;
}

/** The last line of a full block, and the head behind it. */
export interface ChainBlock<Line> {
  /** Counts from 1. */
  readonly block: number;
  readonly last: Line;
  readonly head: Buffer;
}

/**
 * Before the first line. `merchant`: its reference, so that no chain is taken for that of another.
 */
export function beginChain(merchant: string): ChainState {
  return { bytes: hashOf(Buffer.from(recordText(['merchant', merchant]))), lines: 0 };
}

/**
 * `added` in the order of storing: by intake, then sequence, then variant. `textOf`: where a line
 * is no `StoredLine`.
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

/** The head of the merchant's chain: 32 bytes. */
export function headOf({ bytes }: Pick<ChainState, 'bytes'>): Buffer {
  return bytes.length === HASH_BYTES ? Buffer.from(bytes) : hashOf(bytes);
}

/** In one call: that of a hash object takes twice as long. */
function hashOf(...parts: readonly Uint8Array[]): Buffer {
  return hash('sha256', Buffer.concat([MAGIC, ...parts]), 'buffer');
}

const MAGIC = Buffer.from('RCN1\n');
