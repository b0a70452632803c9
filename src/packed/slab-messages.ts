// What a thread that takes rows in and a thread that packs them tell each other.

import type { SharedSlab } from './slab.ts';

export type SlabOrder<Task> =
  /** Do the task: pack its rows into the slabs, as long as some are free. */
  | {
      readonly kind: 'begin';
      readonly stream: number;
      readonly slabs: readonly SharedSlab[];
      readonly task: Task;
    }
  /** The slab has been read and may be filled again. */
  | { readonly kind: 'free'; readonly stream: number; readonly slab: number }
  | { readonly kind: 'stop'; readonly stream: number };

export type SlabAnswer<Note, Result> =
  | { readonly kind: 'rows'; readonly stream: number; readonly slab: number; readonly rows: number }
  /** Whatever else there is to say, in its place among the rows. */
  | { readonly kind: 'note'; readonly stream: number; readonly note: Note }
  | { readonly kind: 'end'; readonly stream: number; readonly result: Result }
  | { readonly kind: 'failed'; readonly stream: number; readonly failure: FailureOfTask };

/** An error as it goes from thread to thread. */
export interface FailureOfTask {
  readonly name: string;
  /** Null where the error had none. */
  readonly code: string | null;
  readonly message: string;
}
