// Tables that are added up from top to bottom, from one figure of the wallet to another. Each row
// between has its effect on the balance and on the reserved amount.

import { field, type Table, type Tone, type Value } from './table.ts';

export interface Step {
  /** Name of the row in the formulas of other rows. */
  readonly key: string;
  readonly name: string;
  readonly balance: Value;
  readonly reserved: Value;
  readonly tone?: Tone;
  readonly formula?: string;
}

/** A step about a line or an operation. */
export interface LineStep extends Step {
  readonly reference?: string | null;
  readonly sequence?: number | null;
  readonly available?: Value;
  /** The day since when an open item is open. */
  readonly since?: string;
  /** How many days an open item had been open at the cut-off. */
  readonly age?: number;
}

export interface Movement extends Step {
  /** The kind as the service writes it, where the documents do not name the kind. */
  readonly code?: string | null;
  readonly count?: number;
  readonly amount?: number;
}

/**
 * Returns a function that makes steps out of the two sides of the wallet. Its `pick` takes a figure
 * of each side.
 */
export function stepsOf<Side>({
  balance,
  reserved,
}: Readonly<Record<'balance' | 'reserved', Side>>) {
  return (
    key: string,
    name: string,
    pick: (side: Side) => Value,
    more: Pick<Step, 'tone' | 'formula'> = {},
  ): Step => {
    return { key, name, balance: pick(balance), reserved: pick(reserved), ...more };
  };
}

const NAME = field('name', 'text', { width: 60, lines: 3 });
const BALANCE = field('balance', 'figure', { width: 20 });
const RESERVED = field('reserved', 'figure', { width: 20 });
const AVAILABLE = field('available', 'figure', { width: 20, formula: 'balance - reserved' });

const ROWS = {
  toneOf: ({ tone = 'plain' }: Step): Tone => tone,
  keyOf: ({ key }: Step): string => key,
  formulaOf: ({ formula }: Step): string | undefined => formula,
};

export const STEPS = { columns: [NAME, BALANCE, RESERVED], ...ROWS } as const satisfies Table<Step>;

/** The recorded, the due and the recomputed figures, and their differences. */
export const BALANCES = {
  columns: [{ ...NAME, width: 40 }, ...([BALANCE, RESERVED, AVAILABLE] as const)],
  ...ROWS,
} as const satisfies Table<LineStep>;

/** Leads from the figures that the service recorded to the figures due. */
export const DUE = {
  columns: [
    NAME,
    BALANCE,
    RESERVED,
    { ...AVAILABLE, offPage: 'always' },
    field('reference', 'text', { width: 24, offPage: 'always' }),
    field('sequence', 'serial', { width: 10, offPage: 'always' }),
    field('since', 'text', { width: 12 }),
    field('age', 'count', { width: 7 }),
  ],
  ...ROWS,
} as const satisfies Table<LineStep>;

/**
 * Leads from the opening over each kind of movement to the closing, and on to the recorded figures
 * and those due.
 */
export const MOVEMENTS = {
  columns: [
    { ...NAME, width: 36, lines: 1 },
    field('count', 'count', { width: 12 }),
    field('amount', 'amount', { width: 18 }),
    BALANCE,
    RESERVED,
    field('code', 'text', { width: 20, offPage: 'always' }),
  ],
  ...ROWS,
} as const satisfies Table<Movement>;
