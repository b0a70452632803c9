// The settings of every part of the benchmark, and its results.

import type { Figure } from './figures.ts';

export interface Settings {
  /** Lines of the large books. */
  readonly lines: number;
  readonly rounds: number;
  /** Merchants of a night. */
  readonly merchants: number;
  /** Books, journals and the database server are kept here between runs. */
  readonly cache: string;
  /** Whether to measure also the cases that take minutes and gigabytes. */
  readonly large: boolean;
  /** Says a text about the progress to a person. */
  readonly note: (text: string) => void;
}

export interface Part {
  readonly letter: string;
  readonly name: string;
  readonly says: string;
  readonly run: (settings: Settings) => Promise<readonly Figure[]>;
}
