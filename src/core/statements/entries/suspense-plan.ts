// Which lines and operations of the books the journal cannot post as they are, by the confirmed roots: the account and piece of
// each root in suspense, settled or not. A month always shows what it showed at its end.

import type { Finding } from '../../domain/finding.ts';
import { plus } from '../exact.ts';
import { type AccountRole, isOfPostings } from '../journal.ts';

/** One root is in suspense on one account, under one piece: so it can be cleared there. */
export interface SuspenseRoot {
  readonly fingerprint: string;
  readonly piece: string;
  readonly role: Extract<AccountRole, 'suspenseDebit' | 'suspenseCredit'>;
  /** The line at fault; null: none. */
  readonly sequence: number | null;
}

export interface SuspenseCase {
  readonly root: SuspenseRoot;
  /** What its lines moved beyond what is required of them; 0 where others moved just the money. */
  readonly off: number;
  /** The first line at fault, which says when it arose; null: the operation does. */
  readonly sequence: number | null;
}

export interface SuspensePlan {
  readonly operations: ReadonlyMap<string, SuspenseCase>;
  /** Lines that belong to no operation. */
  readonly strays: ReadonlyMap<number, SuspenseRoot>;
  /** Lines at which the recorded balance does not follow. */
  readonly drifts: ReadonlyMap<number, SuspenseRoot>;
  /** Lines that put a root right. */
  readonly settling: ReadonlyMap<number, SuspenseRoot>;
}

/** `findings`: confirmed ones. */
export function planSuspense(findings: readonly Finding[]): SuspensePlan {
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
  return { operations, strays, drifts, settling };
}

/** On the side of what is off first: all that follows clears it there. */
function rootOf({ fingerprint, sequence, operationReference, itemParts }: Finding): SuspenseRoot {
  const moved = itemParts.find(({ of, balance }) => balance !== '0' && of === 'drift');
  const off = BigInt(moved?.balance ?? 0) || itemParts.reduce((sum, { balance }) => sum + BigInt(balance), 0n);
  const piece = operationReference ?? (sequence === null ? `S-${shortOf(fingerprint)}` : `LINE-${sequence}`);
  const role = off < 0n ? 'suspenseDebit' : 'suspenseCredit';
  return { fingerprint, piece, role, sequence: sequence === null ? null : Number(sequence) };
}

export function shortOf(fingerprint: string): string {
  return fingerprint.slice(0, 8);
}
