// Tables that are added up from top to bottom: from one figure of the wallet over what lies between to another, each row with the
// effect on the balance and on the reserved amount.

import type { Column, Table, Tone, Value } from './table.ts';

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
}

export interface Movement extends Step {
  /** Of a kind that the documents do not name, as the service writes it. */
  readonly code?: string | null;
  readonly count?: number;
  readonly amount?: number;
}

const NAME = {
  key: 'name',
  form: 'text',
  width: 60,
  lines: 3,
  pick: ({ name }) => name,
} as const satisfies Column<Step>;
const BALANCE = {
  key: 'balance',
  form: 'figure',
  width: 20,
  pick: ({ balance }) => balance,
} as const satisfies Column<Step>;
const RESERVED = {
  key: 'reserved',
  form: 'figure',
  width: 20,
  pick: (row) => row.reserved,
} as const satisfies Column<Step>;
const AVAILABLE = {
  key: 'available',
  form: 'figure',
  width: 20,
  pick: ({ available }) => available,
  formula: 'balance - reserved',
} as const satisfies Column<LineStep>;

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
    { key: 'reference', form: 'text', width: 24, pick: ({ reference }) => reference, offPage: 'always' },
    { key: 'sequence', form: 'serial', width: 10, pick: ({ sequence }) => sequence, offPage: 'always' },
  ],
  ...ROWS,
} as const satisfies Table<LineStep>;

/** From opening over each kind of movement to closing, and on to what is recorded and due. */
export const MOVEMENTS = {
  columns: [
    { ...NAME, width: 36, lines: 1 },
    { key: 'count', form: 'count', width: 12, pick: ({ count }) => count },
    { key: 'amount', form: 'amount', width: 18, pick: ({ amount }) => amount },
    BALANCE,
    RESERVED,
    { key: 'code', form: 'text', width: 20, pick: ({ code }) => code, offPage: 'always' },
  ],
  ...ROWS,
} as const satisfies Table<Movement>;
