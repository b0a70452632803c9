// Plans which lines and operations the journal cannot post as they are, because confirmed findings
// name them. Each root has its account and its piece in suspense, whether it is settled or not. A
// month always shows what it showed at its end.

import type { Finding } from '../../domain/finding.ts';
import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import { plus } from '../exact.ts';
import { isOfPostings, type NamedPlace, type SuspenseRoot } from '../journal.ts';

export interface SuspenseCase {
  readonly root: SuspenseRoot;
  /**
   * What the operation's lines moved beyond what is required of them; 0 where other lines than
   * required moved just the money.
   */
  readonly off: number;
  /**
   * Sequence of the first line at fault, whose date says when the fault arose; `null` when the
   * operation's date does.
   */
  readonly sequence: number | null;
}

export interface SuspensePlan {
  readonly operations: ReadonlyMap<string, SuspenseCase>;
  /** Lines that belong to no operation, by sequence. */
  readonly strays: ReadonlyMap<number, SuspenseRoot>;
  /** Lines at which the recorded balance does not follow, by sequence. */
  readonly drifts: ReadonlyMap<number, SuspenseRoot>;
  /** Lines that put a fault right, by sequence. */
  readonly settling: ReadonlyMap<number, SuspenseRoot>;
  /**
   * Lines that findings named when the month before was stated and do not name now, by sequence.
   */
  readonly released: ReadonlyMap<number, SuspenseRoot>;
}

/**
 * Plans from the confirmed `findings`. `before` holds the places that findings named when the month
 * before was stated.
 */
export function planSuspense(
  findings: readonly Finding[],
  before: readonly NamedPlace[],
): SuspensePlan {
  const operations = new Map<string, SuspenseCase>();
  const strays = new Map<number, SuspenseRoot>();
  const drifts = new Map<number, SuspenseRoot>();
  const settling = new Map<number, SuspenseRoot>();
  for (const finding of findings) {
    const root = rootOf(finding);
    for (const { of, sequence, operationReference, balance } of finding.itemParts) {
      const off = Number(balance);
      if (off === 0) continue;
      if (of === 'corrected' && sequence !== null) settling.set(Number(sequence), root);
      if (of === 'drift' && sequence !== null) drifts.set(Number(sequence), root);
      if (of !== 'posted') continue;
      if (operationReference !== null) {
        const known = operations.get(operationReference);
        const line = sequence === null ? null : Number(sequence);
        operations.set(operationReference, {
          root: known?.root ?? root,
          off: plus(known?.off ?? 0, off),
          sequence: known?.sequence ?? line,
        });
      } else if (sequence !== null) strays.set(Number(sequence), root);
    }
    for (const line of finding.settledBy?.lines ?? []) settling.set(Number(line), root);
  }
  const byPrint = new Map(findings.map((finding) => [finding.fingerprint, finding]));
  for (const finding of findings.filter(isOfPostings)) {
    const { operationReference: reference, causedBy } = finding;
    if (reference === null || operations.has(reference)) continue;
    const root = rootOf(byPrint.get(causedBy ?? '') ?? finding);
    operations.set(reference, { root, off: 0, sequence: null });
  }
  const released = before.flatMap(({ line, root }) =>
    line === null ? [] : [[line, root] as const],
  );
  return { operations, strays, drifts, settling, released: new Map(released) };
}

/**
 * Returns the root for which a finding names this line, or named it when the month before was
 * stated; `null` when none does.
 */
export function rootNaming(
  { operations, strays, settling, released }: SuspensePlan,
  { sequence, operationReference }: Pick<LedgerEntry, 'sequence' | 'operationReference'>,
): SuspenseRoot | null {
  const ofOperation = operations.get(operationReference ?? '')?.root;
  return (
    settling.get(sequence) ?? ofOperation ?? strays.get(sequence) ?? released.get(sequence) ?? null
  );
}

/**
 * Makes the root of a finding. Its account is on the side of the finding's drift, or else of the
 * sum of its parts, because all that follows clears it there.
 */
function rootOf({ fingerprint, sequence, operationReference, itemParts }: Finding): SuspenseRoot {
  const moved = itemParts.find(({ of, balance }) => balance !== '0' && of === 'drift');
  const off =
    BigInt(moved?.balance ?? 0) ||
    itemParts.reduce((sum, { balance }) => sum + BigInt(balance), 0n);
  const piece =
    operationReference ?? (sequence === null ? `S-${shortOf(fingerprint)}` : `LINE-${sequence}`);
  const role = off < 0n ? 'suspenseDebit' : 'suspenseCredit';
  return { fingerprint, piece, role, sequence: sequence === null ? null : Number(sequence) };
}

export function shortOf(fingerprint: string): string {
  return fingerprint.slice(0, 8);
}
