// Lines that are to put a fault right, in each way in which a service may post them: exactly, in
// parts, too little, too much, the wrong way, twice, taken back. Each line names the fault by its
// operation, in words, or by its fingerprint.

import type { Finding } from '../../src/core/domain/finding.ts';
import { insertLines } from '../../src/sandbox/faults/port/edit-books.ts';
import type { Books } from '../../src/sandbox/model/plan.ts';
import { credit, debit } from '../../src/sandbox/model/postings.ts';
import { seedRandom } from '../../src/sandbox/model/random.ts';

/** Faults that move the balance and that a line may put right. */
export const CORRECTABLE: readonly string[] = [
  'BALANCE_DRIFT/persistent',
  'CREDIT_MISSING',
  'CREDIT_WITHOUT_SUCCESS',
  'CREDIT_WITHOUT_SUCCESS/status',
  'CREDIT_DUPLICATED',
  'CREDIT_DUPLICATED/thrice',
  'CREDIT_AMOUNT_MISMATCH',
  'FEE_MISSING',
  'FEE_AMOUNT_MISMATCH',
  'FEE_WITHOUT_SUCCESS',
  'FEE_NOT_AS_PRICED',
  'DEBIT_WITHOUT_HOLD',
  'DEBIT_MISSING',
  'DEBIT_DUPLICATED',
  'DEBIT_DUPLICATED/consumed',
  'DEBIT_AMOUNT_MISMATCH',
  'DEBIT_WITHOUT_SUCCESS',
  'DEBIT_WITHOUT_SUCCESS/consumed',
  'REVERSAL_MISSING',
  'REVERSAL_UNANNOUNCED',
  'REVERSAL_INCOMPLETE',
  'REVERSAL_EXCESSIVE',
  'REVERSAL_EXCESSIVE/twice',
  'REVERSAL_WRONG_DIRECTION',
  'OPERATION_UNKNOWN',
  'OPERATION_UNKNOWN/phantom',
];

/** Faults of the reserved amount alone, or first, that an entry puts right. */
export const RESERVED_CORRECTABLE: readonly string[] = [
  'HOLD_NOT_RELEASED',
  'HOLD_NOT_RELEASED/partly',
  'RESERVED_NEGATIVE',
  'RELEASE_WITHOUT_HOLD',
  'RELEASE_EXCEEDS_HOLD',
  'RELEASE_EXCEEDS_HOLD/twice',
  'RELEASE_EXCEEDS_HOLD/consumed',
];

/**
 * For each way, what the lines move, signed, for a balance that is too high by `off` (negative: too
 * low).
 */
export const WAYS = {
  exact: (off) => [-off],
  'in parts': (off) => [-third(off), third(off) - off],
  'too little': (off) => [third(off) - off],
  'too much': (off) => [-off - third(off)],
  'wrong way': (off) => [off],
  twice: (off) => [-off, -off],
  thrice: (off) => [-off, -off, -off],
  'undone at once': (off) => [-off, off],
  'twice and one back': (off) => [-off, -off, off],
  'too much and back': (off) => [-off - third(off), third(off)],
} satisfies Record<string, (off: number) => readonly number[]>;

export type Way = keyof typeof WAYS;
export const EVERY_WAY = Object.keys(WAYS) as readonly Way[];

export const NAMINGS = ['reference', 'text', 'fingerprint'] as const;
export type Naming = (typeof NAMINGS)[number];

export interface CorrectingLine {
  readonly kind: 'ADJUSTMENT' | 'REVERSAL';
  readonly naming: Naming;
  /** What the line moves of the balance, signed. */
  readonly effect: number;
  readonly root: Pick<Finding, 'fingerprint' | 'operationReference' | 'sequence'>;
  /** When the line was made; absent: when the last line before it was made. */
  readonly createdAt?: string;
}

/**
 * Returns the reference and the words of a line. A root without an operation is named by its line.
 */
export function namesOf({ naming, root }: CorrectingLine) {
  const { operationReference, sequence, fingerprint } = root;
  if (naming === 'reference' && operationReference !== null)
    return { reference: operationReference, says: 'Reprise' };
  const place = operationReference ?? `ligne ${sequence}`;
  return {
    reference: null,
    says: naming === 'fingerprint' ? `Reprise ${fingerprint.slice(0, 8)}` : `Reprise ${place}`,
  };
}

export function kindOf({ kind, effect }: CorrectingLine) {
  return `${kind}_${effect > 0 ? 'CREDIT' : 'DEBIT'}` as const;
}

/** Posts the lines after the last line, in this order. */
export function postCorrecting(books: Books, lines: readonly CorrectingLine[]): Books {
  return lines.reduce((corrected, line, i) => {
    const { reference, says } = namesOf(line);
    const posts = [(line.effect > 0 ? credit : debit)(kindOf(line), Math.abs(line.effect))];
    const { currency, createdAt } = corrected.entries.at(-1)!;
    const like = {
      currency,
      createdAt: line.createdAt ?? createdAt,
      operationReference: reference,
      description: says,
    };
    return insertLines(corrected, seedRandom(`${says} ${i}`), {
      index: corrected.entries.length,
      posts,
      like,
    });
  }, books);
}

function third(off: number): number {
  return Math.trunc(off / 3) || Math.sign(off);
}
