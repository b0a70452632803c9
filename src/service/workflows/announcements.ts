// The port by which a workflow learns what it has to announce of what it saves: the settings
// decide, the transaction that saves writes both.

import type { NewDelivery } from '../../core/domain/delivery/delivery.ts';
import type { AuditReport, Verdict } from '../../core/domain/finding.ts';
import type { AuditDocument } from '../../core/kernel/reconcile/audit-document.ts';
import type { AnnounceDecisions } from '../../io/storage/conclusions/findings.ts';
import type { AnnounceNight } from '../../io/storage/nights/nights.ts';
import type { StoredAudit } from '../../io/storage/operators/audits.ts';

export type AuditEnd = { readonly result: AuditDocument } | { readonly error: string };

export interface Announcements extends AnnounceNight {
  /** `news`: fingerprints that are new or back. */
  findings(report: AuditReport, news: readonly string[], runId: number): readonly NewDelivery[];
  /**
   * Whether the statement of a month of this verdict is kept from everybody until a person releases
   * it.
   */
  holds(verdict: Verdict): boolean;
  statement(report: {
    readonly id: string;
    readonly merchant: string;
    readonly period: string;
    /** What is announced of it waits until it is released. */
    readonly isHeld: boolean;
  }): readonly NewDelivery[];
  readonly decisions: AnnounceDecisions;
  audit(audit: StoredAudit, end: AuditEnd): readonly NewDelivery[];
}

/** Where nothing is to be announced. */
export const NOTHING_ANNOUNCED: Announcements = {
  findings: () => [],
  holds: () => false,
  statement: () => [],
  run: () => [],
  night: () => [],
  decisions: undefined,
  audit: () => [],
};
