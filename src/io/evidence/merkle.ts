// The Merkle tree of RFC 6962 (section 2.1) over a log that stores the hash of each complete
// subtree: which hashes are needed to append a leaf, to compute a root, and to prove that a leaf,
// or an earlier tree, is in a tree. It stores nothing: the caller loads the hashes.

import { hash } from 'node:crypto';
import { invariant } from '../../core/domain/invariant.ts';

/**
 * Names a complete subtree of 2^`level` leaves. `position` counts the subtrees of that level from
 * the left, from 0: { level: 2, position: 1 } is the subtree of the leaves 4 to 7.
 */
export interface NodePlace {
  readonly level: number;
  readonly position: number;
}

export interface TreeNode extends NodePlace {
  readonly hash: Buffer;
}

/** Gives the hash of a complete subtree. */
export type Lookup = (place: NodePlace) => Buffer;

/** The leaves from `from`, counted from 0, up to and without `to`. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const LEAF = Buffer.from([0]);
const INNER = Buffer.from([1]);

export function leafHash(bytes: Uint8Array): Buffer {
  return hash('sha256', Buffer.concat([LEAF, bytes]), 'buffer');
}

function innerHash(left: Uint8Array, right: Uint8Array): Buffer {
  return hash('sha256', Buffer.concat([INNER, left, right]), 'buffer');
}

/**
 * Returns the complete subtrees that make up a range, from left to right. Their hashes suffice to
 * compute the range's root (`rootOf`).
 */
export function subtreesOf({ from, to }: Range): readonly NodePlace[] {
  if (from === to) return [];
  const level = Math.log2(to - from);
  if (Number.isInteger(level)) {
    invariant(from % (to - from) === 0, 'a range of a tree begins at a multiple of its size');
    return [{ level, position: from / (to - from) }];
  }
  const middle = from + splitOf(to - from);
  return [...subtreesOf({ from, to: middle }), ...subtreesOf({ from: middle, to })];
}

/** Returns the root over the range's leaves. The root of an empty range is the hash of no bytes. */
export function rootOf({ from, to }: Range, lookup: Lookup): Buffer {
  if (from === to) return hash('sha256', Buffer.alloc(0), 'buffer');
  const whole = subtreesOf({ from, to });
  if (whole.length === 1) return lookup(whole[0]!);
  const middle = from + splitOf(to - from);
  return innerHash(rootOf({ from, to: middle }, lookup), rootOf({ from: middle, to }, lookup));
}

/**
 * The ranges whose roots prove that leaf `index` is in the tree of `size` leaves: from the leaf's
 * sibling up.
 */
export function inclusionPath(index: number, size: number): readonly Range[] {
  invariant(index >= 0 && index < size, 'the leaf is in the tree');
  return pathIn(index, { from: 0, to: size });
}

function pathIn(index: number, { from, to }: Range): readonly Range[] {
  if (to - from === 1) return [];
  const middle = from + splitOf(to - from);
  const left = { from, to: middle };
  const right = { from: middle, to };
  return index < middle ? [...pathIn(index, left), right] : [...pathIn(index, right), left];
}

/**
 * Computes the root from a leaf's hash and `path`, the hashes of its `inclusionPath`. Returns
 * `null` when `path` does not have as many hashes as that path has ranges.
 */
export function rootFrom(
  leaf: Buffer,
  {
    index,
    size,
    path,
  }: { readonly index: number; readonly size: number; readonly path: readonly Buffer[] },
): Buffer | null {
  const ranges = index < size ? inclusionPath(index, size) : null;
  if (ranges?.length !== path.length) return null;
  return ranges.reduce(
    (node, { from }, i) => (from > index ? innerHash(node, path[i]!) : innerHash(path[i]!, node)),
    leaf,
  );
}

/**
 * The ranges whose roots prove that the first `from` leaves of the tree of `size` leaves are the
 * earlier tree of `from` leaves (RFC 6962, 2.1.2). `from` must be at least 1.
 */
export function consistencyPath(from: number, size: number): readonly Range[] {
  const within = (range: Range, isWhole: boolean): readonly Range[] => {
    if (from === range.to) return isWhole ? [] : [range];
    const middle = range.from + splitOf(range.to - range.from);
    const left = { ...range, to: middle };
    const right = { ...range, from: middle };
    return from <= middle ? [...within(left, isWhole), right] : [...within(right, false), left];
  };
  return within({ from: 0, to: size }, true);
}

/**
 * Returns the nodes that must be stored when `leaves`, as hashes, are appended to a tree of `size`
 * leaves: the leaves, and each subtree that they complete. `lookup` must know the `subtreesOf` the
 * present tree.
 */
export function nodesAdded(
  size: number,
  leaves: readonly Buffer[],
  lookup: Lookup,
): readonly TreeNode[] {
  const added = new Map<string, TreeNode>();
  const keyOf = ({ level, position }: NodePlace): string => `${level}/${position}`;
  for (const [i, leaf] of leaves.entries()) {
    let node: TreeNode = { level: 0, position: size + i, hash: leaf };
    added.set(keyOf(node), node);
    while (node.position % 2 === 1) {
      const left = { level: node.level, position: node.position - 1 };
      const hashOfBoth = innerHash(added.get(keyOf(left))?.hash ?? lookup(left), node.hash);
      node = { level: node.level + 1, position: left.position / 2, hash: hashOfBoth };
      added.set(keyOf(node), node);
    }
  }
  return [...added.values()];
}

/** The largest power of two below a size of at least 2. */
function splitOf(size: number): number {
  return 2 ** Math.ceil(Math.log2(size) - 1);
}
