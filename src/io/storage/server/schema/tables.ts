// All tables of a store, as the types of our queries: written from a fresh database by
// `npm run golden`, and not by hand. Instants are epoch milliseconds in UTC.

import type { Generated, GeneratedAlways } from 'kysely';
import type { InsertOnlyTables, Json } from './insert-only-tables.ts';

export interface Database extends InsertOnlyTables {
  readonly audits: {
    readonly audit_id: string;
    readonly merchant: string;
    readonly source: 'mirror' | 'service';
    readonly as_of: number;
    readonly period: string | null;
    readonly requested_by: string;
    readonly requested_at: number;
    readonly state: Generated<'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED'>;
    readonly attempts: Generated<number>;
    readonly started_at: number | null;
    readonly finished_at: number | null;
    readonly entries_read: Generated<number>;
    readonly error: string | null;
    readonly result: Json | null;
  };
  readonly checkpoints: {
    readonly merchant_id: number;
    readonly last_sequence: number;
    readonly last_intake: number;
    readonly engine: string;
    readonly state: string;
    readonly digest: string | null;
  };
  readonly deliveries: {
    readonly delivery_id: string;
    readonly channel: 'mail' | 'folder' | 'webhook';
    readonly topic: 'statement' | 'findings' | 'run' | 'night';
    readonly announces: string;
    readonly target: string;
    readonly merchant: string | null;
    readonly content: Json;
    readonly state: Generated<
      'HELD' | 'GATHERED' | 'PENDING' | 'SENDING' | 'SUCCESS' | 'FAILED' | 'ABANDONED' | 'IN_DOUBT'
    >;
    readonly attempts: Generated<number>;
    readonly created_at: number;
    readonly next_attempt_at: number | null;
    readonly claimed_at: number | null;
    readonly claimed_until: number | null;
  };
  readonly findings: {
    readonly merchant_id: number;
    readonly fingerprint: string;
    readonly kind: string;
    readonly severity: string;
    readonly state: 'open' | 'acknowledged' | 'settled' | 'accepted' | 'resolved';
    readonly first_seen_run: number;
    readonly last_seen_run: number;
    readonly content: Json;
  };
  readonly merchant_heads: {
    readonly merchant_id: number;
    readonly fence: Generated<number>;
    readonly intake: Generated<number>;
    readonly last_sequence: number | null;
    readonly entry_count: Generated<number>;
    readonly variant_count: Generated<number>;
    readonly operation_count: Generated<number>;
    readonly moved_operation_count: Generated<number>;
    readonly newest_operation_created_at: number | null;
    readonly newest_operation_updated_at: number | null;
    readonly late_intake: Generated<number>;
  };
  readonly merchants: {
    readonly merchant_id: GeneratedAlways<number>;
    readonly reference: string;
    readonly retired_at: number | null;
    readonly retired_by: string | null;
    readonly retired_reason: string | null;
  };
  readonly month_openings: {
    readonly merchant_id: number;
    readonly starts_at: number;
    readonly position: number;
    readonly engine: string;
    readonly terms: string;
    readonly state: string;
    readonly digest: string | null;
  };
  readonly reports: {
    readonly merchant_id: number;
    readonly report_id: string;
    readonly period: string;
    readonly revision: number;
    readonly attempt: number;
    readonly status: 'PENDING' | 'READY' | 'FAILED';
    readonly period_label: string;
    readonly period_start: number;
    readonly period_end: number;
    readonly requested_at: number;
    readonly generated_at: number | null;
    readonly error: string | null;
    readonly issued: Json | null;
  };
  readonly run_members: {
    readonly merchant_id: number;
    readonly run_id: number;
    readonly state: Generated<'expected' | 'done' | 'failed'>;
    readonly verdict: 'clean' | 'broken' | 'incomplete' | null;
    readonly reason: string | null;
    readonly attempts: Generated<number>;
    readonly started_at: number | null;
    readonly finished_at: number | null;
    readonly watermark: number | null;
    readonly entries_added: Generated<number>;
    readonly operations_changed: Generated<number>;
    readonly findings_added: Generated<number>;
    readonly findings_resolved: Generated<number>;
    readonly findings_reopened: Generated<number>;
  };
  readonly run_merchants: {
    readonly merchant_id: number;
    readonly run_id: number;
    readonly verdict: string;
    readonly entries: number;
    readonly operations: number;
    readonly findings: number;
    readonly roots: number;
    readonly report: Json;
  };
  readonly runs: {
    readonly run_id: GeneratedAlways<number>;
    readonly started_at: number;
    readonly finished_at: number | null;
    readonly source: string;
    readonly engine: string;
    readonly kind: Generated<'manual' | 'night'>;
    readonly job_id: string | null;
    readonly planned_for: number | null;
    readonly expected: number | null;
    readonly closed: string | null;
    readonly totals: Json | null;
    readonly tried_again_at: number | null;
  };
}
