// Under which ids did two bodies come? Keeps twelve bytes a notification, and answers once all have come, whatever their order.

/** Hashes by the value of the id's, in so many parts that what is looked up in one stays in the processor's cache. */
export interface BodyList {
  readonly parts: readonly Part[];
}

interface Part {
  readonly blocks: Block[];
  /** Entries in the last block. */
  used: number;
}

interface Block {
  readonly ids: Float64Array;
  readonly bodies: Int32Array;
}

const PARTS = 64;
/** Hashes are below 2^53. */
const PART_OF_HASH = PARTS / 2 ** 53;
const FIRST_BLOCK = 16;
const LARGEST_BLOCK = 4_096;

export function createBodyList(): BodyList {
  return { parts: Array.from({ length: PARTS }, () => ({ blocks: [], used: 0 })) };
}

/**
 * Of the body's hash 32 bits are kept. Nobody outside the process can foresee them: of two bodies under one id, the second goes
 * unnoticed once in four thousand million times.
 */
export function noteBody(list: BodyList, idHash: number, bodyHash: number): void {
  const part = list.parts[Math.floor(idHash * PART_OF_HASH)]!;
  let last = part.blocks.at(-1);
  if (last === undefined || part.used === last.ids.length) {
    const size = last === undefined ? FIRST_BLOCK : Math.min(2 * last.ids.length, LARGEST_BLOCK);
    last = { ids: new Float64Array(size), bodies: new Int32Array(size) };
    part.blocks.push(last);
    part.used = 0;
  }
  last.ids[part.used] = idHash;
  last.bodies[part.used] = bodyHash;
  part.used += 1;
}

/** Hashes of the ids. Two ids may share one by chance: those under suspicion are compared by their contents. */
export function idsOfTwoBodies(list: BodyList): ReadonlySet<number> {
  const found = new Set<number>();
  for (const part of list.parts) lookThrough(part, found);
  return found;
}

/** How many there are, those that came more than once counted once. */
export function countBodies(list: BodyList): number {
  let count = 0;
  for (const { blocks, used } of list.parts) {
    const seen = new Map<number, Set<number>>();
    blocks.forEach(({ ids, bodies }, i) => {
      const end = i === blocks.length - 1 ? used : ids.length;
      for (let at = 0; at < end; at += 1) {
        const known = seen.get(ids[at]!) ?? new Set();
        seen.set(ids[at]!, known.add(bodies[at]!));
      }
    });
    for (const { size } of seen.values()) count += size;
  }
  return count;
}

function lookThrough({ blocks, used }: Part, found: Set<number>): void {
  const first = new Map<number, number>();
  blocks.forEach(({ ids, bodies }, i) => {
    const end = i === blocks.length - 1 ? used : ids.length;
    for (let at = 0; at < end; at += 1) {
      const known = first.get(ids[at]!);
      if (known === undefined) first.set(ids[at]!, bodies[at]!);
      else if (known !== bodies[at]) found.add(ids[at]!);
    }
  });
}
