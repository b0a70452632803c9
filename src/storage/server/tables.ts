// The tables of sql/migrations as types, for queries that are built rather than written. Instants are epoch milliseconds
// in UTC; every bigint is read as a number, because recorded figures are safe integers by contract.

import type { ColumnType, Generated } from 'kysely';

/** JSON columns are written as text and read as values. */
type Json = ColumnType<unknown, string, string>;

export interface Database {
  readonly merchants: { readonly merchant_id: Generated<number>; readonly reference: string };
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
  readonly checkpoints: {
    readonly merchant_id: number;
    readonly last_sequence: number;
    readonly last_intake: number;
    readonly engine: string;
    readonly state: string;
  };
  readonly month_openings: {
    readonly merchant_id: number;
    readonly starts_at: number;
    readonly position: number;
    readonly engine: string;
    readonly terms: string;
    readonly state: string;
  };
  readonly runs: {
    readonly run_id: Generated<number>;
    readonly started_at: number;
    readonly finished_at: number | null;
    readonly source: string;
    readonly engine: string;
  };
  readonly run_members: {
    readonly merchant_id: number;
    readonly run_id: number;
    readonly watermark: number | null;
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
  readonly findings: {
    readonly merchant_id: number;
    readonly fingerprint: string;
    readonly kind: string;
    readonly severity: string;
    readonly state: string;
    readonly first_seen_run: number;
    readonly last_seen_run: number;
    readonly content: Json;
  };
  readonly finding_decisions: {
    readonly merchant_id: number;
    readonly fingerprint: string;
    readonly decision_number: number;
    readonly action: string;
    readonly state_before: string;
    readonly state_after: string;
    readonly reason: string;
    readonly decided_by: string;
    readonly decided_at: number;
    readonly run_id: number | null;
    readonly terms: ColumnType<unknown, string | null, never>;
  };
}
