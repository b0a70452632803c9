// Where findings stand, by place: so that the search for roots costs as much as there are findings, not their square.

import type { FindingDraft } from '../domain/finding.ts';

export interface DraftIndex {
  /** The first finding of each operation, and of each line, that may be linked to others. */
  readonly byOperation: ReadonlyMap<string, number>;
  readonly bySequence: ReadonlyMap<number, number>;
  readonly driftAt: ReadonlyMap<number, number>;
  /** The drift that ends at a later line, by that line. */
  readonly endAt: ReadonlyMap<number, number>;
  /** SEQUENCE_GAP by the first line after it. */
  readonly harmlessAt: ReadonlyMap<number, number>;
  /** INPUT_REJECTED by the place of the row. */
  readonly rejectedAt: ReadonlyMap<string, number>;
  /** Operations that have a line too many, or one too large. */
  readonly overfull: ReadonlySet<string>;
  /** Operations whose credit is of another amount than due. */
  readonly creditedOtherwise: ReadonlySet<string>;
  readonly unknownOperations: readonly number[];
  /** Operations that only notifications name. */
  readonly unknownNotified: readonly number[];
}

const DRIFTS = new Set(['LINES_MISSING', 'BALANCE_DRIFT', 'RESERVED_DRIFT', 'OPENING_BALANCE_UNEXPLAINED']);
const TOO_MUCH = /_DUPLICATED$|_MISMATCH$|_WITHOUT_|_UNKNOWN$|_ON_CASHIN$|_EXCE|_UNANNOUNCED$|_BEFORE_ORIGINAL$/;

/**
 * Links by money and by figures are sought among the first gaps and operations only: books with more faults than this need
 * no account of which explains which, and the search must not cost their product.
 */
export const MOST_GAPS = 500;

/** Note of the evidence that a drift ends at a later line. */
export const UNDONE = 'undoes the drift';

export function isDrift(kind: string): boolean {
  return DRIFTS.has(kind);
}

/** Findings that say something harmless explain nothing and follow from nothing. */
export function standsAlone(draft: FindingDraft): boolean {
  return draft.severity === 'info' || draft.kind === 'EXTERNAL_REFERENCE_DUPLICATED';
}

export function indexDrafts(drafts: readonly FindingDraft[]): DraftIndex {
  const byOperation = new Map<string, number>();
  const bySequence = new Map<number, number>();
  const driftAt = new Map<number, number>();
  const endAt = new Map<number, number>();
  const harmlessAt = new Map<number, number>();
  const rejectedAt = new Map<string, number>();
  const overfull = new Set<string>();
  const creditedOtherwise = new Set<string>();
  const unknownOperations: number[] = [];
  const unknownNotified: number[] = [];
  const first = <Key>(map: Map<Key, number>, key: Key | null, i: number): void => {
    if (key !== null && !map.has(key)) map.set(key, i);
  };
  drafts.forEach((draft, i) => {
    const { kind, sequence, operationReference } = draft;
    if (kind === 'SEQUENCE_GAP') first(harmlessAt, sequence, i);
    if (kind === 'INPUT_REJECTED') first(rejectedAt, draft.evidence[0]?.reference ?? null, i);
    if (kind === 'OPERATION_UNKNOWN') unknownOperations.push(i);
    if (kind === 'EVENT_UNKNOWN_OPERATION') unknownNotified.push(i);
    // What a notification says moves no money, and explains no figure.
    if (kind.startsWith('EVENT_')) return;
    if (operationReference !== null && kind === 'CREDIT_AMOUNT_MISMATCH') creditedOtherwise.add(operationReference);
    if (DRIFTS.has(kind)) first(driftAt, sequence, i);
    for (const end of draft.evidence) if (end.note === UNDONE) first(endAt, Number(end.sequence), i);
    if (operationReference !== null && TOO_MUCH.test(kind)) overfull.add(operationReference);
    if (standsAlone(draft)) return;
    first(byOperation, operationReference, i);
    first(bySequence, sequence, i);
  });
  return {
    byOperation,
    bySequence,
    driftAt,
    endAt,
    harmlessAt,
    rejectedAt,
    overfull,
    creditedOtherwise,
    unknownOperations,
    unknownNotified,
  };
}
