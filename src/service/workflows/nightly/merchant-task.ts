// What the work on one merchant needs, the same for every merchant of a night, and what it comes
// to.

import type { AuditReport } from '../../../core/domain/finding.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import type { Measures, Tracing } from '../../../core/domain/measures.ts';
import type { DigestedBooks, Source } from '../../../io/sources/port/source.ts';
import type { FindingChanges } from '../../../io/storage/conclusions/save-findings.ts';
import type { RereadDecision } from '../../../io/storage/mirror/save/begin-reread.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import type { Announcements } from '../announcements.ts';
import type { AuditOptions } from '../audit/audit-snapshot.ts';
import type { Published } from '../audit/compare-published.ts';
import type { Rotation } from '../mirror/rounds.ts';
import type { CompareIssued } from './watch-months.ts';

export interface MerchantTask {
  readonly store: Store;
  readonly source: Source;
  readonly engine: string;
  readonly clock: () => Instant;
  readonly optionsFor: (merchant: string, asOf: Instant) => Omit<AuditOptions, 'onProgress'>;
  /** Where reports and payments by link are; absent or null: nowhere. */
  readonly published?: Published | null;
  /** Altered lines are read anew, by a decision; absent or null: they are not. */
  readonly reread?: RereadDecision | null;
  /**
   * The merchant's books shortly before they are read; null: not known; absent: not asked for yet.
   * `isEdited`: operations that a reading does not ask for are others than the night before; null:
   * those are not known.
   */
  readonly books?: (DigestedBooks & { readonly isEdited: boolean | null }) | null;
  /** What is announced of new confirmed findings; absent: nothing. */
  readonly announcements?: Announcements;
  /** Runs what takes memory and connections, when there is room for it; absent: at once. */
  readonly whenThereIsRoom?: <T>(work: () => Promise<T>) => Promise<T>;
  /** Absent: months that were issued are not stated again. */
  readonly compareIssued?: CompareIssued;
  /** Absent: known lines are read again only where a reading meets them. */
  readonly rotation?: Rotation;
  /** Absent: the work is not traced or counted. */
  readonly tracing?: Tracing;
  readonly measures?: Measures;
}

export interface MerchantOutcome {
  readonly report: AuditReport;
  readonly entriesAdded: number;
  readonly operationsChanged: number;
  readonly changes: FindingChanges;
  /** Up to when the merchant's books are known now; null when they could not be read to the end. */
  readonly watermark: Instant | null;
  /**
   * What an earlier run had kept of the merchant was changed from outside, and was not gone on
   * from.
   */
  readonly isAltered: boolean;
}
