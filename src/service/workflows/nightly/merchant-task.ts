// What the work on one merchant needs, the same for every merchant of a night, and the outcome of
// that work.

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
  /**
   * Where reports and payments by link are read from; absent or `null` when there is no such place.
   */
  readonly published?: Published | null;
  /** A person's decision to read altered lines anew; absent or `null` when there is none. */
  readonly reread?: RereadDecision | null;
  /**
   * A digest of the merchant's books, taken shortly before they are read; `null` when it is not
   * known, absent when it was not requested yet. `isEdited` is true when operations that an
   * ordinary reading does not request differ from the night before, and `null` when those of the
   * night before are not known.
   */
  readonly books?: (DigestedBooks & { readonly isEdited: boolean | null }) | null;
  /** Decides which messages are sent about new confirmed findings; absent when none are. */
  readonly announcements?: Announcements;
  /**
   * Runs work that takes much memory and many connections once there is room for it; absent when
   * work may run at once.
   */
  readonly whenThereIsRoom?: <T>(work: () => Promise<T>) => Promise<T>;
  /** States an issued month again and compares; absent when issued months are not stated again. */
  readonly compareIssued?: CompareIssued;
  /**
   * How known lines are read again in rounds; absent when known lines are read again only where an
   * ordinary reading meets them.
   */
  readonly rotation?: Rotation;
  /** Absent when the work is not traced. */
  readonly tracing?: Tracing;
  /** Absent when the work is not counted. */
  readonly measures?: Measures;
}

export interface MerchantOutcome {
  readonly report: AuditReport;
  readonly entriesAdded: number;
  readonly operationsChanged: number;
  readonly changes: FindingChanges;
  /**
   * The instant up to which the merchant's books are known now; `null` when they could not be read
   * to the end.
   */
  readonly watermark: Instant | null;
  /**
   * True when the stored checkpoint was changed from outside; the replay then began with the first
   * line.
   */
  readonly isAltered: boolean;
}
