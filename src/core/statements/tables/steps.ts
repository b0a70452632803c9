// Tables that are added up from top to bottom: from one figure of the wallet over what lies between
// to another, each row with the effect on the balance and on the reserved amount.

import { field, type Table, type Tone, type Value } from './table.ts';

export interface Step {
  /** Names the row in the formulas of others. */
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
  /** Of an open item: its day, and how many days it was open at the cut-off. */
  readonly since?: string;
  readonly age?: number;
}

export interface Movement extends Step {
  /** Of a kind that the documents do not name, as the service writes it. */
  readonly code?: string | null;
  readonly count?: number;
  readonly amount?: number;
}

/** Makes steps of the two sides of the wallet: `pick` takes a figure of each. */
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

/** What is recorded, due and recomputed, and how they differ. */
export const BALANCES = {
  columns: [{ ...NAME, width: 40 }, ...([BALANCE, RESERVED, AVAILABLE] as const)],
  ...ROWS,
} as const satisfies Table<LineStep>;

/** From what the service recorded to what is due. */
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

/** From opening over each kind of movement to closing, and on to what is recorded and due. */
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
