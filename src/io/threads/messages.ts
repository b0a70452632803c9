// What a thread that takes rows in and a thread that reads them send each other.

import type { SharedBatch } from '../../core/rows/column-batch.ts';

export type Order<Task> =
  /** Do the task: read its rows into the batches, as long as some are free. */
  | {
      readonly kind: 'begin';
      readonly stream: number;
      readonly batches: readonly SharedBatch[];
      readonly task: Task;
    }
  /** The batch has been taken in and may be filled again. */
  | { readonly kind: 'free'; readonly stream: number; readonly batch: number }
  | { readonly kind: 'stop'; readonly stream: number };

export type Answer<Note, Result> =
  | {
      readonly kind: 'rows';
      readonly stream: number;
      readonly batch: number;
      readonly rows: number;
      readonly ownWordCount: number;
      /** Whatever else there is to say of the stretch that was read. */
      readonly note: Note;
    }
  | { readonly kind: 'end'; readonly stream: number; readonly result: Result }
  | { readonly kind: 'failed'; readonly stream: number; readonly failure: FailureOfTask };

/** An error as it goes from thread to thread. */
export interface FailureOfTask {
  readonly name: string;
  /** Null where the error had none. */
  readonly code: string | null;
  readonly message: string;
}
