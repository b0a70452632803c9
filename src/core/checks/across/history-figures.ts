// What findings of section E are worded from: what an operation was, and what it is now.

import type { FixedField } from '../../domain/operation.ts';

type Departed = {
  readonly reference: string;
  readonly before: string;
  readonly now: string;
};

export interface HistoryFigures {
  readonly OPERATION_FIELD_CHANGED: Departed & { readonly field: FixedField };
  readonly STATUS_REGRESSION: Departed;
}
