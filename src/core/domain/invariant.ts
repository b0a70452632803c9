// Our own mistakes. A broken invariant stops the run; it is never reported as a fault of the ledger
// or of the world.

class InvariantBroken extends Error {
  override readonly name = 'InvariantBroken';
}

/** Throws `InvariantBroken` unless `claim` holds. `what` says, in words, what must be true. */
export function invariant(claim: boolean, what: string): asserts claim {
  if (!claim) throw new InvariantBroken(`pointage itself is wrong, please report it: ${what}`);
}

export function assertNever(value: never): never {
  throw new InvariantBroken(
    `pointage itself is wrong, please report it: unhandled case ${String(value)}`,
  );
}
