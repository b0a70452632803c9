// All tables of a store, as the types of our queries: written from a fresh database by
// `npm run golden`, and not by hand. Instants are epoch milliseconds in UTC.

import type { ColumnType, Generated, GeneratedAlways, InsertType, SelectType } from 'kysely';

/** Written as text, read as a value. */
type Json = ColumnType<unknown, string, string>;

type Bytes = ColumnType<Buffer, Uint8Array, Uint8Array>;

/** Of a row that is never changed. */
type Kept<T> = ColumnType<SelectType<T>, InsertType<T>, never>;

export interface Database {
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
    readonly quiet: string | null;
  };
  readonly closed_months: {
    readonly merchant_id: Kept<number>;
    readonly period: Kept<string>;
    readonly period_end: Kept<number>;
    readonly last_sequence: Kept<number>;
    readonly closed_at: Kept<number>;
    readonly closed_by: Kept<string>;
    readonly reason: Kept<string | null>;
  };
  readonly console_sessions: {
    readonly session_hash: string;
    readonly operator: string;
    readonly credential: string;
    readonly begun_at: number;
    readonly expires_at: number;
    readonly ended_at: number | null;
    readonly draft: Json | null;
  };
  readonly deliveries: {
    readonly delivery_id: string;
    readonly channel: 'mail' | 'folder' | 'webhook';
    readonly topic: 'statement' | 'findings' | 'run' | 'night' | 'resolved' | 'reopened' | 'assigned' | 'audit';
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
    readonly files: Json | null;
  };
  readonly delivery_attempts: {
    readonly delivery_id: Kept<string>;
    readonly attempt_number: Kept<number>;
    readonly started_at: Kept<number>;
    readonly finished_at: Kept<number>;
    readonly outcome: Kept<'SUCCESS' | 'RETRY' | 'REFUSED' | 'IN_DOUBT'>;
    readonly detail: Kept<string>;
    readonly files: Kept<Json | null>;
  };
  readonly departed_operation_versions: {
    readonly merchant_id: Kept<number>;
    readonly version: Kept<number>;
    readonly reference: Kept<string>;
  };
  readonly entries: {
    readonly merchant_id: Kept<number>;
    readonly sequence: Kept<number>;
    readonly amount: Kept<number>;
    readonly balance_after: Kept<number>;
    readonly reserved_after: Kept<number>;
    readonly created_at: Kept<number>;
    readonly intake: Kept<number>;
    readonly variant: Kept<number>;
    readonly direction: Kept<string>;
    readonly kind: Kept<string>;
    readonly currency: Kept<string>;
    readonly entry_id: Kept<string>;
    readonly operation_reference: Kept<string | null>;
    readonly description: Kept<string | null>;
  };
  readonly entry_alterations: {
    readonly merchant_id: Kept<number>;
    readonly intake: Kept<number>;
    readonly sequence: Kept<number>;
    readonly last_sequence: Kept<number>;
    readonly after_sequence: Kept<number | null>;
    readonly lines: Kept<number>;
    readonly balance_off: Kept<number>;
    readonly reserved_off: Kept<number>;
    readonly fills_gap: Kept<boolean>;
    readonly change: Kept<'rewritten' | 'deleted' | 'inserted' | 'reset' | 'fallen'>;
    readonly before_row: Kept<Json | null>;
    readonly now_row: Kept<Json | null>;
  };
  readonly entry_blocks: {
    readonly merchant_id: Kept<number>;
    readonly block: Kept<number>;
    readonly last_intake: Kept<number>;
    readonly last_sequence: Kept<number>;
    readonly last_variant: Kept<number>;
    readonly head: Kept<Bytes>;
  };
  readonly evidence_logs: {
    readonly log_number: GeneratedAlways<number>;
    readonly origin: string;
    readonly signing_key: string | null;
    readonly size: Generated<number>;
    readonly recorded_run: number;
  };
  readonly finding_decisions: {
    readonly merchant_id: Kept<number>;
    readonly fingerprint: Kept<string>;
    readonly decision_number: Kept<number>;
    readonly action: Kept<
      'acknowledge' | 'resolve' | 'become' | 'settle' | 'accept' | 'reopen' | 'comment' | 'assign' | 'label' | 'due'
    >;
    readonly state_before: Kept<string>;
    readonly state_after: Kept<string>;
    readonly reason: Kept<string>;
    readonly decided_by: Kept<string>;
    readonly decided_at: Kept<number>;
    readonly run_id: Kept<number | null>;
    readonly terms: Kept<Json | null>;
  };
  readonly findings: {
    readonly merchant_id: number;
    readonly fingerprint: string;
    readonly kind: string;
    readonly severity: string;
    readonly state: 'open' | 'acknowledged' | 'settled' | 'accepted' | 'resolved';
    readonly first_seen_run: number;
    readonly last_seen_run: number | null;
    readonly content: Json;
    readonly currency: string | null;
    readonly item_at: number | null;
    readonly caused_by: GeneratedAlways<string | null>;
    readonly sequence: GeneratedAlways<number | null>;
    readonly is_root: GeneratedAlways<boolean>;
    readonly is_confirmed: GeneratedAlways<boolean>;
    readonly amount_off: GeneratedAlways<string>;
    readonly concerned: GeneratedAlways<string | null>;
    readonly owner: string | null;
    readonly labels: Generated<readonly string[]>;
    readonly due_on: string | null;
    readonly goes_on_from: string | null;
  };
  readonly ledger_rereads: {
    readonly merchant_id: Kept<number>;
    readonly reread: Kept<number>;
    readonly from_sequence: Kept<number>;
    readonly intake: Kept<number>;
    readonly decided_at: Kept<number>;
    readonly decided_by: Kept<string>;
    readonly reason: Kept<string>;
  };
  readonly line_watches: {
    readonly merchant_id: number;
    readonly compared_intake: number;
    readonly position_shift: Generated<number>;
    readonly head_sequence: number | null;
    readonly next_position: Generated<number>;
    readonly round_began_at: number | null;
    readonly earlier_round_began_at: number | null;
    readonly missing: Json | null;
    readonly operation_round: Json | null;
  };
  readonly log_checkpoints: {
    readonly log_number: Kept<number>;
    readonly size: Kept<number>;
    readonly note: Kept<string>;
    readonly signed_at: Kept<number>;
  };
  readonly log_leaves: {
    readonly log_number: Kept<number>;
    readonly leaf_index: Kept<number>;
    readonly subject: Kept<string>;
    readonly merchant: Kept<string>;
    readonly content: Kept<string>;
  };
  readonly log_nodes: {
    readonly log_number: Kept<number>;
    readonly level: Kept<number>;
    readonly position: Kept<number>;
    readonly hash: Kept<Bytes>;
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
    readonly alteration_count: Generated<number>;
    readonly reread: Generated<number>;
    readonly reread_from: number | null;
    readonly chain: Bytes | null;
    readonly chain_compared_at: number | null;
    readonly tampered: Json | null;
    readonly changed_months: Json | null;
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
  readonly moved_operation_versions: {
    readonly merchant_id: Kept<number>;
    readonly version: Kept<number>;
    readonly reference: Kept<string>;
  };
  readonly notifications: {
    readonly merchant_id: Kept<number>;
    readonly event_id: Kept<string>;
    readonly variant: Kept<number>;
    readonly channel: Kept<'direct' | 'payments'>;
    readonly digest: Kept<string>;
    readonly type: Kept<string | null>;
    readonly operation_reference: Kept<string | null>;
    readonly created_at: Kept<number | null>;
    readonly received_at: Kept<number>;
    readonly fault: Kept<string | null>;
    readonly body: Kept<Bytes>;
  };
  readonly operation_versions: {
    readonly merchant_id: Kept<number>;
    readonly version: Kept<number>;
    readonly amount: Kept<number>;
    readonly fees: Kept<number>;
    readonly net_amount: Kept<number>;
    readonly created_at: Kept<number>;
    readonly updated_at: Kept<number>;
    readonly completed_at: Kept<number | null>;
    readonly expires_at: Kept<number | null>;
    readonly intake: Kept<number>;
    readonly requires_payer_action: Kept<boolean>;
    readonly reference: Kept<string>;
    readonly type: Kept<string>;
    readonly status: Kept<string>;
    readonly currency: Kept<string>;
    readonly country: Kept<string>;
    readonly operator: Kept<string>;
    readonly external_reference: Kept<string | null>;
    readonly payer_action_url: Kept<string | null>;
    readonly failure_code: Kept<string | null>;
    readonly counterparty_number: Kept<string | null>;
    readonly counterparty_name: Kept<string | null>;
    readonly description: Kept<string | null>;
    readonly failure_message: Kept<string | null>;
    readonly metadata: Kept<string | null>;
  };
  readonly operators: {
    readonly token_hash: string;
    readonly operator_name: string;
    readonly roles: readonly string[];
    readonly merchant: string | null;
    readonly added_at: number;
    readonly expires_at: number | null;
    readonly used_on: string | null;
    readonly revoked_at: number | null;
  };
  readonly payment_versions: {
    readonly merchant_id: Kept<number>;
    readonly reference: Kept<string>;
    readonly seen_at: Kept<number>;
    readonly created_at: Kept<number>;
    readonly content: Kept<Json>;
  };
  readonly payout_readings: {
    readonly merchant_id: Kept<number>;
    readonly part: Kept<'limits' | 'counters' | 'balance' | 'settlement' | 'payout' | 'payments'>;
    readonly item: Kept<string>;
    readonly read_at: Kept<number>;
    readonly content: Kept<Json>;
  };
  readonly profile_versions: {
    readonly merchant_id: Kept<number>;
    readonly version: Kept<number>;
    readonly intake: Kept<number>;
    readonly created_at: Kept<number>;
    readonly cashin_fee_bps: Kept<number>;
    readonly cashin_fee_flat: Kept<number>;
    readonly cashout_fee_bps: Kept<number>;
    readonly cashout_fee_flat: Kept<number>;
    readonly min_cashin_amount: Kept<number>;
    readonly max_cashin_amount: Kept<number>;
    readonly min_cashout_amount: Kept<number>;
    readonly max_cashout_amount: Kept<number>;
    readonly daily_cashout_limit: Kept<number>;
    readonly name: Kept<string>;
    readonly legal_name: Kept<string | null>;
    readonly country: Kept<string>;
    readonly status: Kept<string>;
    readonly allowed_countries: Kept<readonly string[]>;
  };
  readonly proposal_ends: {
    readonly merchant_id: Kept<number>;
    readonly proposal_id: Kept<string>;
    readonly outcome: Kept<'confirmed' | 'withdrawn'>;
    readonly ended_by: Kept<string>;
    readonly ended_at: Kept<number>;
  };
  readonly proposals: {
    readonly merchant_id: Kept<number>;
    readonly proposal_id: Kept<string>;
    readonly action: Kept<'settle' | 'accept' | 'release' | 'close'>;
    readonly subject: Kept<string>;
    readonly decisions: Kept<number | null>;
    readonly wish: Kept<Json>;
    readonly amount: Kept<string>;
    readonly currency: Kept<string | null>;
    readonly proposed_by: Kept<string>;
    readonly proposed_at: Kept<number>;
  };
  readonly rejected_row_changes: {
    readonly merchant_id: Kept<number>;
    readonly digest: Kept<string>;
    readonly intake: Kept<number>;
    readonly change: Kept<'repaired' | 'missed' | 'refused'>;
  };
  readonly rejected_rows: {
    readonly merchant_id: Kept<number>;
    readonly intake: Kept<number>;
    readonly sequence: Kept<number | null>;
    readonly part: Kept<string>;
    readonly place: Kept<string>;
    readonly digest: Kept<string>;
    readonly reason: Kept<string>;
    readonly reference: Kept<string | null>;
    readonly raw: Kept<string>;
    readonly refusal: Kept<Json | null>;
  };
  readonly report_file_parts: {
    readonly merchant_id: Kept<number>;
    readonly report_id: Kept<string>;
    readonly format: Kept<string>;
    readonly part_number: Kept<number>;
    readonly content: Kept<Bytes>;
  };
  readonly report_files: {
    readonly merchant_id: Kept<number>;
    readonly report_id: Kept<string>;
    readonly format: Kept<string>;
    readonly file_name: Kept<string>;
    readonly media_type: Kept<string>;
    readonly size: Kept<number>;
    readonly sha256: Kept<string>;
  };
  readonly report_holds: {
    readonly merchant_id: Kept<number>;
    readonly report_id: Kept<string>;
    readonly act: Kept<'held' | 'released'>;
    readonly acted_at: Kept<number>;
    readonly acted_by: Kept<string | null>;
    readonly reason: Kept<string | null>;
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
    readonly verdict: GeneratedAlways<string | null>;
  };
  readonly row_digests: {
    readonly merchant_id: number;
    readonly part: string;
    readonly page: number;
    readonly digest: Bytes;
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
    readonly chain_lines: number | null;
    readonly chain_head: string | null;
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
  readonly trail: {
    readonly entry_number: GeneratedAlways<number>;
    readonly at: Kept<number>;
    readonly operator: Kept<string>;
    readonly via: Kept<'http' | 'console' | 'cli'>;
    readonly action: Kept<string>;
    readonly merchant: Kept<string | null>;
    readonly subject: Kept<string | null>;
    readonly status: Kept<number>;
  };
  readonly wallet_readings: {
    readonly merchant_id: Kept<number>;
    readonly intake: Kept<number>;
    readonly read_at: Kept<number>;
    readonly balance: Kept<number>;
    readonly reserved: Kept<number>;
    readonly available: Kept<number>;
    readonly total_collected: Kept<number>;
    readonly total_disbursed: Kept<number>;
    readonly total_fees: Kept<number>;
    readonly updated_at: Kept<number>;
    readonly wallet_id: Kept<string>;
    readonly service_merchant_id: Kept<string>;
    readonly currency: Kept<string>;
    readonly status: Kept<string>;
  };
}
