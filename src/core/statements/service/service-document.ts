// The service's own file of a month: what its report says of it, and what was received.

import type { Reason } from '../../domain/snapshot.ts';

export interface ServiceDocument {
  readonly reportId: string;
  /** As stated (dashboard API, "Report"). */
  readonly fileName: string | null;
  /** Bytes, as stated (`fileSize`). */
  readonly statedSize: number | null;
  /** What was received, kept beside the statement byte for byte; null: nothing was. */
  readonly kept: { readonly size: number; readonly sha256: string } | null;
  /** Why not; null where it was kept. */
  readonly notKept: Reason | null;
}

/** It is as long as its report says, or the report says nothing of it. */
export function isSizeAsStated({ statedSize, kept }: ServiceDocument): boolean {
  return kept === null || statedSize === null || statedSize === kept.size;
}
