// The tables whose rows are added and never changed, as the types of our queries: written from a fresh database by
// `npm run golden`, and not by hand. Instants are epoch milliseconds in UTC.

import type { ColumnType, InsertType, SelectType } from 'kysely';

/** Written as text, read as a value. */
export type Json = ColumnType<unknown, string, string>;

type Bytes = ColumnType<Buffer, Uint8Array, Uint8Array>;

/** Of a row that is never changed. */
type Kept<T> = ColumnType<SelectType<T>, InsertType<T>, never>;

export interface InsertOnlyTables {
  readonly closed_months: {
    readonly merchant_id: Kept<number>;
    readonly period: Kept<string>;
    readonly period_end: Kept<number>;
    readonly last_sequence: Kept<number>;
    readonly closed_at: Kept<number>;
    readonly closed_by: Kept<string>;
    readonly reason: Kept<string | null>;
  };
  readonly delivery_attempts: {
    readonly delivery_id: Kept<string>;
    readonly attempt_number: Kept<number>;
    readonly started_at: Kept<number>;
    readonly finished_at: Kept<number>;
    readonly outcome: Kept<'SUCCESS' | 'RETRY' | 'REFUSED' | 'IN_DOUBT'>;
    readonly detail: Kept<string>;
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
  readonly finding_decisions: {
    readonly merchant_id: Kept<number>;
    readonly fingerprint: Kept<string>;
    readonly decision_number: Kept<number>;
    readonly action: Kept<'acknowledge' | 'resolve' | 'settle' | 'accept' | 'reopen'>;
    readonly state_before: Kept<string>;
    readonly state_after: Kept<string>;
    readonly reason: Kept<string>;
    readonly decided_by: Kept<string>;
    readonly decided_at: Kept<number>;
    readonly run_id: Kept<number | null>;
    readonly terms: Kept<Json | null>;
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
