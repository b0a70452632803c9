// The port by which a workflow learns which deliveries to write beside the rows it saves. The
// settings decide which; the transaction that saves the rows writes the deliveries too.

import type { NewDelivery } from '../../core/domain/delivery/delivery.ts';
import type { AuditReport, Verdict } from '../../core/domain/finding.ts';
import type { AuditDocument } from '../../core/kernel/reconcile/audit-document.ts';
import type { AnnounceDecisions } from '../../io/storage/conclusions/findings.ts';
import type { AnnounceNight } from '../../io/storage/nights/nights.ts';
import type { StoredAudit } from '../../io/storage/operators/audits.ts';

export type AuditEnd = { readonly result: AuditDocument } | { readonly error: string };

export interface Announcements extends AnnounceNight {
  /**
   * Returns the deliveries about findings. `news` holds the fingerprints of findings that are new
   * or back.
   */
  findings(report: AuditReport, news: readonly string[], runId: number): readonly NewDelivery[];
  /**
   * Tells whether a statement with this verdict is held: it is not given out until a person
   * releases it.
   */
  holds(verdict: Verdict): boolean;
  statement(report: {
    readonly id: string;
    readonly merchant: string;
    readonly period: string;
    /** True when the statement is held: its deliveries then wait until it is released. */
    readonly isHeld: boolean;
  }): readonly NewDelivery[];
  readonly decisions: AnnounceDecisions;
  audit(audit: StoredAudit, end: AuditEnd): readonly NewDelivery[];
}

/** Announces nothing. */
export const NOTHING_ANNOUNCED: Announcements = {
  findings: () => [],
  holds: () => false,
  statement: () => [],
  run: () => [],
  night: () => [],
  decisions: undefined,
  audit: () => [],
};
