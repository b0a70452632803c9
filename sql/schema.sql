-- The schema of a fresh database, written by `npm run golden`. Not run: sql/migrations is, which has the queries of views, too.

create table audits (
  audit_id uuid not null,
  merchant text collate "C" not null,
  source text collate "C" not null,
  as_of bigint not null,
  period text collate "C",
  requested_by text not null,
  requested_at bigint not null,
  state text collate "C" default 'QUEUED'::text not null,
  attempts integer default 0 not null,
  started_at bigint,
  finished_at bigint,
  entries_read bigint default 0 not null,
  error text,
  result json,
  constraint audits_pkey PRIMARY KEY (audit_id),
  constraint audits_check CHECK (((state = 'DONE'::text) = (result IS NOT NULL))),
  constraint audits_check1 CHECK (((state = 'FAILED'::text) = (error IS NOT NULL))),
  constraint audits_source_check CHECK ((source = ANY (ARRAY['mirror'::text, 'service'::text]))),
  constraint audits_state_check CHECK ((state = ANY (ARRAY['QUEUED'::text, 'RUNNING'::text, 'DONE'::text, 'FAILED'::text])))
);
CREATE INDEX audits_requested ON public.audits USING btree (requested_at DESC, audit_id);
CREATE INDEX audits_unfinished ON public.audits USING btree (requested_at) WHERE (state = ANY (ARRAY['QUEUED'::text, 'RUNNING'::text]));

create table checkpoints (
  merchant_id bigint not null,
  last_sequence bigint not null,
  last_intake bigint not null,
  engine text not null,
  state text not null,
  digest text collate "C",
  quiet text,
  constraint checkpoints_pkey PRIMARY KEY (merchant_id),
  constraint checkpoints_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id)
);
CREATE TRIGGER never_deleted BEFORE DELETE OR TRUNCATE ON public.checkpoints FOR EACH STATEMENT EXECUTE FUNCTION refuse_removal();

create table closed_months (
  merchant_id bigint not null,
  period text collate "C" not null,
  period_end bigint not null,
  last_sequence bigint not null,
  closed_at bigint not null,
  closed_by text not null,
  reason text,
  constraint closed_months_pkey PRIMARY KEY (merchant_id, period),
  constraint closed_months_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id),
  constraint closed_months_period_check CHECK ((period ~ '^[0-9]{4}-[0-9]{2}$'::text))
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.closed_months FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create view closing_texts (
  merchant_id bigint,
  part text,
  page bigint,
  text text
);

create table console_sessions (
  session_hash text collate "C" not null,
  operator text collate "C" not null,
  credential text collate "C" not null,
  begun_at bigint not null,
  expires_at bigint not null,
  ended_at bigint,
  draft json,
  constraint console_sessions_pkey PRIMARY KEY (session_hash),
  constraint console_sessions_check CHECK ((expires_at > begun_at)),
  constraint console_sessions_session_hash_check CHECK ((session_hash ~ '^[0-9a-f]{64}$'::text))
);

create table deliveries (
  delivery_id uuid not null,
  channel text collate "C" not null,
  topic text collate "C" not null,
  announces text collate "C" not null,
  target text collate "C" not null,
  merchant text collate "C",
  content json not null,
  state text collate "C" default 'PENDING'::text not null,
  attempts integer default 0 not null,
  created_at bigint not null,
  next_attempt_at bigint,
  claimed_at bigint,
  claimed_until bigint,
  files json,
  constraint deliveries_pkey PRIMARY KEY (delivery_id),
  constraint deliveries_announces_channel_target_key UNIQUE (announces, channel, target),
  constraint deliveries_channel_check CHECK ((channel = ANY (ARRAY['mail'::text, 'folder'::text, 'webhook'::text]))),
  constraint deliveries_check CHECK (((state = 'SENDING'::text) = (claimed_until IS NOT NULL))),
  constraint deliveries_check1 CHECK (((claimed_at IS NULL) = (claimed_until IS NULL))),
  constraint deliveries_check2 CHECK (((state = ANY (ARRAY['PENDING'::text, 'FAILED'::text])) = (next_attempt_at IS NOT NULL))),
  constraint deliveries_state_check CHECK ((state = ANY (ARRAY['HELD'::text, 'GATHERED'::text, 'PENDING'::text, 'SENDING'::text, 'SUCCESS'::text, 'FAILED'::text, 'ABANDONED'::text, 'IN_DOUBT'::text]))),
  constraint deliveries_topic_check CHECK ((topic = ANY (ARRAY['statement'::text, 'findings'::text, 'run'::text, 'night'::text, 'resolved'::text, 'reopened'::text, 'assigned'::text, 'audit'::text])))
);
CREATE INDEX deliveries_claimed ON public.deliveries USING btree (channel, claimed_until) WHERE (claimed_until IS NOT NULL);
CREATE INDEX deliveries_due ON public.deliveries USING btree (channel, next_attempt_at) WHERE (next_attempt_at IS NOT NULL);
CREATE INDEX deliveries_merchant ON public.deliveries USING btree (merchant, created_at);
CREATE INDEX deliveries_outstanding ON public.deliveries USING btree (channel, state) WHERE (state <> 'SUCCESS'::text);

create table delivery_attempts (
  delivery_id uuid not null,
  attempt_number integer not null,
  started_at bigint not null,
  finished_at bigint not null,
  outcome text collate "C" not null,
  detail text not null,
  files json,
  constraint delivery_attempts_pkey PRIMARY KEY (delivery_id, attempt_number),
  constraint delivery_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES deliveries(delivery_id),
  constraint delivery_attempts_outcome_check CHECK ((outcome = ANY (ARRAY['SUCCESS'::text, 'RETRY'::text, 'REFUSED'::text, 'IN_DOUBT'::text])))
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.delivery_attempts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table departed_operation_versions (
  merchant_id bigint not null,
  version integer not null,
  reference text collate "C" not null,
  constraint departed_operation_versions_pkey PRIMARY KEY (merchant_id, reference, version)
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.departed_operation_versions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table entries (
  merchant_id bigint not null,
  sequence bigint not null,
  amount bigint not null,
  balance_after bigint not null,
  reserved_after bigint not null,
  created_at bigint not null,
  intake bigint not null,
  variant integer not null,
  direction text collate "C" not null,
  kind text collate "C" not null,
  currency text collate "C" not null,
  entry_id text collate "C" not null,
  operation_reference text collate "C",
  description text collate "C",
  constraint entries_pkey PRIMARY KEY (merchant_id, sequence, variant)
);
CREATE INDEX entries_entry_id ON public.entries USING hash (hashtextextended(entry_id, merchant_id));
CREATE INDEX entries_operation ON public.entries USING btree (merchant_id, operation_reference);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
comment on column entries.variant is '0 for the first content read under this sequence; 1, 2, … for each other content of the same reading (SEQUENCE_DUPLICATE); -1, -2, … for each content that a later reading served instead (entry_alterations). What the n-th reading anew (ledger_rereads) judges lies n * 1000000 higher, what is served instead of that n * 1000000 lower';

create table entry_alterations (
  merchant_id bigint not null,
  intake bigint not null,
  sequence bigint not null,
  last_sequence bigint not null,
  after_sequence bigint,
  lines bigint not null,
  balance_off bigint not null,
  reserved_off bigint not null,
  fills_gap boolean not null,
  change text collate "C" not null,
  before_row jsonb,
  now_row jsonb,
  constraint entry_alterations_pkey PRIMARY KEY (merchant_id, sequence, intake),
  constraint entry_alterations_change_check CHECK ((change = ANY (ARRAY['rewritten'::text, 'deleted'::text, 'inserted'::text, 'reset'::text, 'fallen'::text]))),
  constraint entry_alterations_check CHECK ((last_sequence >= sequence)),
  constraint entry_alterations_lines_check CHECK ((lines > 0))
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.entry_alterations FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table entry_blocks (
  merchant_id bigint not null,
  block bigint not null,
  last_intake bigint not null,
  last_sequence bigint not null,
  last_variant integer not null,
  head bytea not null,
  constraint entry_blocks_pkey PRIMARY KEY (merchant_id, block),
  constraint entry_blocks_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id)
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.entry_blocks FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table evidence_logs (
  log_number bigint generated always as identity not null,
  origin text collate "C" not null,
  signing_key text,
  size bigint default 0 not null,
  recorded_run bigint not null,
  constraint evidence_logs_pkey PRIMARY KEY (log_number),
  constraint evidence_logs_origin_key UNIQUE (origin)
);
CREATE TRIGGER never_deleted BEFORE DELETE OR TRUNCATE ON public.evidence_logs FOR EACH STATEMENT EXECUTE FUNCTION refuse_removal();

create table finding_decisions (
  merchant_id bigint not null,
  fingerprint text collate "C" not null,
  decision_number integer not null,
  action text not null,
  state_before text not null,
  state_after text not null,
  reason text not null,
  decided_by text not null,
  decided_at bigint not null,
  run_id bigint,
  terms jsonb,
  constraint finding_decisions_pkey PRIMARY KEY (merchant_id, fingerprint, decision_number),
  constraint finding_decisions_merchant_id_fingerprint_fkey FOREIGN KEY (merchant_id, fingerprint) REFERENCES findings(merchant_id, fingerprint),
  constraint finding_decisions_action_check CHECK ((action = ANY (ARRAY['acknowledge'::text, 'resolve'::text, 'become'::text, 'settle'::text, 'accept'::text, 'reopen'::text, 'comment'::text, 'assign'::text, 'label'::text, 'due'::text]))),
  constraint finding_decisions_decided_by_check CHECK ((btrim(decided_by) <> ''::text)),
  constraint finding_decisions_reason_check CHECK ((btrim(reason) <> ''::text))
);
CREATE INDEX finding_decisions_run ON public.finding_decisions USING btree (run_id) WHERE (run_id IS NOT NULL);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.finding_decisions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table findings (
  merchant_id bigint not null,
  fingerprint text collate "C" not null,
  kind text collate "C" not null,
  severity text collate "C" not null,
  state text collate "C" not null,
  first_seen_run bigint not null,
  last_seen_run bigint,
  content jsonb not null,
  currency text collate "C",
  item_at bigint,
  caused_by text collate "C" generated always as ((content ->> 'causedBy'::text)) stored,
  sequence bigint generated always as (((content ->> 'sequence'::text))::bigint) stored,
  is_root boolean generated always as (((content ->> 'causedBy'::text) IS NULL)) stored not null,
  is_confirmed boolean generated always as ((NOT ((content ->> 'status'::text) IS DISTINCT FROM 'confirmed'::text))) stored not null,
  amount_off numeric generated always as (GREATEST(abs(COALESCE(((content #>> '{item,balance}'::text[]))::numeric, (0)::numeric)), abs(COALESCE(((content #>> '{item,reserved}'::text[]))::numeric, (0)::numeric)))) stored not null,
  concerned numeric generated always as (((content ->> 'concerned'::text))::numeric) stored,
  owner text collate "C",
  labels text[] collate "C" default '{}'::text[] not null,
  due_on text collate "C",
  goes_on_from text collate "C",
  constraint findings_pkey PRIMARY KEY (merchant_id, fingerprint),
  constraint findings_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id),
  constraint findings_due_on_check CHECK ((due_on ~ '^\d{4}-\d\d-\d\d$'::text)),
  constraint findings_state_check CHECK ((state = ANY (ARRAY['open'::text, 'acknowledged'::text, 'settled'::text, 'accepted'::text, 'resolved'::text])))
);
CREATE INDEX findings_decided ON public.findings USING btree (merchant_id, fingerprint) INCLUDE (state) WHERE (state = ANY (ARRAY['acknowledged'::text, 'settled'::text, 'accepted'::text]));
CREATE INDEX findings_exposed ON public.findings USING btree (state, currency) INCLUDE (merchant_id, severity, item_at, first_seen_run, amount_off, concerned) WHERE (is_root AND is_confirmed AND (state <> 'resolved'::text));
CREATE INDEX findings_fingerprint ON public.findings USING btree (fingerprint);
CREATE INDEX findings_first_seen ON public.findings USING btree (first_seen_run);
CREATE INDEX findings_followers ON public.findings USING btree (merchant_id, caused_by) WHERE ((NOT is_root) AND is_confirmed AND (state = ANY (ARRAY['open'::text, 'acknowledged'::text])));
CREATE INDEX findings_largest ON public.findings USING btree (currency, amount_off DESC, merchant_id, fingerprint) WHERE (is_root AND is_confirmed AND (state = ANY (ARRAY['open'::text, 'acknowledged'::text])));
CREATE INDEX findings_oldest ON public.findings USING btree (first_seen_run, merchant_id, fingerprint) WHERE (is_root AND is_confirmed AND (state = ANY (ARRAY['open'::text, 'acknowledged'::text])));
CREATE INDEX findings_state ON public.findings USING btree (state);
CREATE INDEX findings_worst ON public.findings USING btree (array_position(ARRAY['critical'::text, 'error'::text, 'warning'::text, 'info'::text], severity), currency, GREATEST(amount_off, concerned) DESC, merchant_id, sequence, fingerprint) INCLUDE (state, kind, caused_by, is_root, is_confirmed, amount_off, concerned, severity);
CREATE TRIGGER never_deleted BEFORE DELETE OR TRUNCATE ON public.findings FOR EACH STATEMENT EXECUTE FUNCTION refuse_removal();

create view head_texts (
  merchant_id bigint,
  part text,
  page bigint,
  text text
);

create table ledger_rereads (
  merchant_id bigint not null,
  reread integer not null,
  from_sequence bigint not null,
  intake bigint not null,
  decided_at bigint not null,
  decided_by text not null,
  reason text not null,
  constraint ledger_rereads_pkey PRIMARY KEY (merchant_id, reread),
  constraint ledger_rereads_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id),
  constraint ledger_rereads_decided_by_check CHECK ((btrim(decided_by) <> ''::text)),
  constraint ledger_rereads_reason_check CHECK ((btrim(reason) <> ''::text)),
  constraint ledger_rereads_reread_check CHECK ((reread > 0))
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_rereads FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table line_watches (
  merchant_id bigint not null,
  compared_intake bigint not null,
  position_shift bigint default 0 not null,
  head_sequence bigint,
  next_position bigint default 0 not null,
  round_began_at bigint,
  earlier_round_began_at bigint,
  missing jsonb,
  operation_round jsonb,
  constraint line_watches_pkey PRIMARY KEY (merchant_id),
  constraint line_watches_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id)
);
CREATE TRIGGER never_deleted BEFORE DELETE OR TRUNCATE ON public.line_watches FOR EACH STATEMENT EXECUTE FUNCTION refuse_removal();

create table log_checkpoints (
  log_number bigint not null,
  size bigint not null,
  note text not null,
  signed_at bigint not null,
  constraint log_checkpoints_pkey PRIMARY KEY (log_number, size),
  constraint log_checkpoints_log_number_fkey FOREIGN KEY (log_number) REFERENCES evidence_logs(log_number)
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.log_checkpoints FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table log_leaves (
  log_number bigint not null,
  leaf_index bigint not null,
  subject text collate "C" not null,
  merchant text collate "C" not null,
  content text not null,
  constraint log_leaves_pkey PRIMARY KEY (log_number, leaf_index),
  constraint log_leaves_log_number_subject_key UNIQUE (log_number, subject),
  constraint log_leaves_log_number_fkey FOREIGN KEY (log_number) REFERENCES evidence_logs(log_number)
);
CREATE INDEX log_leaves_merchant ON public.log_leaves USING btree (merchant, log_number, leaf_index);
CREATE INDEX log_leaves_subject ON public.log_leaves USING btree (subject, log_number);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.log_leaves FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table log_nodes (
  log_number bigint not null,
  level integer not null,
  position bigint not null,
  hash bytea not null,
  constraint log_nodes_pkey PRIMARY KEY (log_number, level, "position"),
  constraint log_nodes_log_number_fkey FOREIGN KEY (log_number) REFERENCES evidence_logs(log_number)
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.log_nodes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table merchant_heads (
  merchant_id bigint not null,
  fence bigint default 0 not null,
  intake bigint default 0 not null,
  last_sequence bigint,
  entry_count bigint default 0 not null,
  variant_count bigint default 0 not null,
  operation_count bigint default 0 not null,
  moved_operation_count bigint default 0 not null,
  newest_operation_created_at bigint,
  newest_operation_updated_at bigint,
  late_intake bigint default 0 not null,
  alteration_count bigint default 0 not null,
  reread integer default 0 not null,
  reread_from bigint,
  chain bytea,
  chain_compared_at bigint,
  tampered jsonb,
  changed_months jsonb,
  constraint merchant_heads_pkey PRIMARY KEY (merchant_id),
  constraint merchant_heads_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id)
);
CREATE TRIGGER never_deleted BEFORE DELETE OR TRUNCATE ON public.merchant_heads FOR EACH STATEMENT EXECUTE FUNCTION refuse_removal();

create table merchants (
  merchant_id bigint generated always as identity not null,
  reference text collate "C" not null,
  retired_at bigint,
  retired_by text,
  retired_reason text,
  constraint merchants_pkey PRIMARY KEY (merchant_id),
  constraint merchants_reference_key UNIQUE (reference),
  constraint merchants_check CHECK ((((retired_at IS NULL) = (retired_by IS NULL)) AND ((retired_at IS NULL) = (retired_reason IS NULL))))
);

create table month_openings (
  merchant_id bigint not null,
  starts_at bigint not null,
  position bigint not null,
  engine text not null,
  terms text not null,
  state text not null,
  digest text collate "C",
  constraint month_openings_pkey PRIMARY KEY (merchant_id, starts_at),
  constraint month_openings_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id)
);
CREATE TRIGGER never_deleted BEFORE DELETE OR TRUNCATE ON public.month_openings FOR EACH STATEMENT EXECUTE FUNCTION refuse_removal();

create table moved_operation_versions (
  merchant_id bigint not null,
  version integer not null,
  reference text collate "C" not null,
  constraint moved_operation_versions_pkey PRIMARY KEY (merchant_id, reference, version)
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.moved_operation_versions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create view notification_texts (
  merchant_id bigint,
  part text,
  page bigint,
  text text
);

create table notifications (
  merchant_id bigint not null,
  event_id text collate "C" not null,
  variant integer not null,
  channel text collate "C" not null,
  digest text collate "C" not null,
  type text collate "C",
  operation_reference text collate "C",
  created_at bigint,
  received_at bigint not null,
  fault text,
  body bytea not null,
  constraint notifications_pkey PRIMARY KEY (merchant_id, channel, event_id, variant),
  constraint notifications_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id),
  constraint notifications_channel_check CHECK ((channel = ANY (ARRAY['direct'::text, 'payments'::text]))),
  constraint notifications_check CHECK (((fault IS NOT NULL) OR (type IS NOT NULL)))
);
CREATE INDEX notifications_operation ON public.notifications USING btree (merchant_id, operation_reference);
CREATE INDEX notifications_received ON public.notifications USING btree (merchant_id, received_at);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.notifications FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table operation_versions (
  merchant_id bigint not null,
  version integer not null,
  amount bigint not null,
  fees bigint not null,
  net_amount bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  completed_at bigint,
  expires_at bigint,
  intake bigint not null,
  requires_payer_action boolean not null,
  reference text collate "C" not null,
  type text collate "C" not null,
  status text collate "C" not null,
  currency text collate "C" not null,
  country text collate "C" not null,
  operator text collate "C" not null,
  external_reference text collate "C",
  payer_action_url text collate "C",
  failure_code text collate "C",
  counterparty_number text,
  counterparty_name text,
  description text,
  failure_message text,
  metadata text,
  constraint operation_versions_pkey PRIMARY KEY (merchant_id, reference, version)
);
CREATE INDEX operation_versions_counterparty ON public.operation_versions USING hash (hashtextextended(counterparty_number, merchant_id)) WHERE (counterparty_number IS NOT NULL);
CREATE INDEX operation_versions_created ON public.operation_versions USING btree (merchant_id, created_at, reference, version);
CREATE INDEX operation_versions_external ON public.operation_versions USING hash (hashtextextended(external_reference, merchant_id));
CREATE INDEX operation_versions_intake ON public.operation_versions USING btree (merchant_id, intake);
CREATE INDEX operation_versions_long ON public.operation_versions USING btree (merchant_id, GREATEST(updated_at, completed_at)) WHERE ((GREATEST(updated_at, completed_at) - created_at) > 604800000);
CREATE INDEX operation_versions_waiting ON public.operation_versions USING btree (merchant_id, expires_at) WHERE (status = ANY (ARRAY['CREATED'::text, 'PENDING'::text, 'AWAITING_PAYER'::text]));
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.operation_versions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table operators (
  token_hash text collate "C" not null,
  operator_name text collate "C" not null,
  roles text[] collate "C" not null,
  merchant text collate "C",
  added_at bigint not null,
  expires_at bigint,
  used_on text collate "C",
  revoked_at bigint,
  constraint operators_pkey PRIMARY KEY (token_hash),
  constraint operators_check CHECK ((expires_at > added_at)),
  constraint operators_operator_name_check CHECK (((length(operator_name) >= 1) AND (length(operator_name) <= 100))),
  constraint operators_roles_check CHECK ((cardinality(roles) > 0)),
  constraint operators_token_hash_check CHECK ((token_hash ~ '^[0-9a-f]{64}$'::text)),
  constraint operators_used_on_check CHECK ((used_on ~ '^\d{4}-\d\d-\d\d$'::text))
);
CREATE UNIQUE INDEX operators_in_force ON public.operators USING btree (operator_name) WHERE (revoked_at IS NULL);
CREATE TRIGGER never_deleted BEFORE DELETE OR TRUNCATE ON public.operators FOR EACH STATEMENT EXECUTE FUNCTION refuse_removal();

create table payment_versions (
  merchant_id bigint not null,
  reference text collate "C" not null,
  seen_at bigint not null,
  created_at bigint not null,
  content json not null,
  constraint payment_versions_pkey PRIMARY KEY (merchant_id, reference, seen_at),
  constraint payment_versions_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id)
);
CREATE INDEX payment_versions_by_creation ON public.payment_versions USING btree (merchant_id, created_at);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.payment_versions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table payout_readings (
  merchant_id bigint not null,
  part text collate "C" not null,
  item text collate "C" not null,
  read_at bigint not null,
  content json not null,
  constraint payout_readings_pkey PRIMARY KEY (merchant_id, part, item, read_at),
  constraint payout_readings_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id),
  constraint payout_readings_part_check CHECK ((part = ANY (ARRAY['limits'::text, 'counters'::text, 'balance'::text, 'settlement'::text, 'payout'::text, 'payments'::text])))
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.payout_readings FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create view people_decisions (
  merchant text collate "C",
  day text,
  at bigint,
  act text,
  about text collate "C",
  number integer,
  person text,
  reason text,
  before text,
  after text,
  terms jsonb
);

create table profile_versions (
  merchant_id bigint not null,
  version integer not null,
  intake bigint not null,
  created_at bigint not null,
  cashin_fee_bps bigint not null,
  cashin_fee_flat bigint not null,
  cashout_fee_bps bigint not null,
  cashout_fee_flat bigint not null,
  min_cashin_amount bigint not null,
  max_cashin_amount bigint not null,
  min_cashout_amount bigint not null,
  max_cashout_amount bigint not null,
  daily_cashout_limit bigint not null,
  name text not null,
  legal_name text,
  country text collate "C" not null,
  status text collate "C" not null,
  allowed_countries text[] collate "C" not null,
  constraint profile_versions_pkey PRIMARY KEY (merchant_id, version)
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.profile_versions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table proposal_ends (
  merchant_id bigint not null,
  proposal_id uuid not null,
  outcome text collate "C" not null,
  ended_by text collate "C" not null,
  ended_at bigint not null,
  constraint proposal_ends_pkey PRIMARY KEY (merchant_id, proposal_id),
  constraint proposal_ends_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id),
  constraint proposal_ends_outcome_check CHECK ((outcome = ANY (ARRAY['confirmed'::text, 'withdrawn'::text])))
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.proposal_ends FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table proposals (
  merchant_id bigint not null,
  proposal_id uuid not null,
  action text collate "C" not null,
  subject text collate "C" not null,
  decisions integer,
  wish json not null,
  amount text collate "C" not null,
  currency text collate "C",
  proposed_by text collate "C" not null,
  proposed_at bigint not null,
  constraint proposals_pkey PRIMARY KEY (merchant_id, proposal_id),
  constraint proposals_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id),
  constraint proposals_action_check CHECK ((action = ANY (ARRAY['settle'::text, 'accept'::text, 'release'::text, 'close'::text]))),
  constraint proposals_amount_check CHECK ((amount ~ '^\d{1,19}$'::text))
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.proposals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table rejected_row_changes (
  merchant_id bigint not null,
  digest text collate "C" not null,
  intake bigint not null,
  change text collate "C" not null,
  constraint rejected_row_changes_pkey PRIMARY KEY (merchant_id, digest, intake),
  constraint rejected_row_changes_change_check CHECK ((change = ANY (ARRAY['repaired'::text, 'missed'::text, 'refused'::text])))
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.rejected_row_changes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
comment on column rejected_row_changes.change is 'repaired: its place was read again and it was not there; missed: read from its place on, it was neither there nor read as sound, so only a whole reading can tell; refused: it was there again. The last one counts';

create table rejected_rows (
  merchant_id bigint not null,
  intake bigint not null,
  sequence bigint,
  part text collate "C" not null,
  place text collate "C" not null,
  digest text collate "C" not null,
  reason text not null,
  reference text collate "C",
  raw text not null,
  refusal jsonb,
  constraint rejected_rows_pkey PRIMARY KEY (merchant_id, digest)
);
CREATE INDEX rejected_rows_intake ON public.rejected_rows USING btree (merchant_id, intake);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.rejected_rows FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
comment on column rejected_rows.digest is 'SHA-256 of part, place, reason, sequence, reference and raw: the same row refused again adds nothing';
comment on column rejected_rows.refusal is 'JSON: the code of the reason and its figures, by name; no part of the digest';

create table report_file_parts (
  merchant_id bigint not null,
  report_id uuid not null,
  format text collate "C" not null,
  part_number integer not null,
  content bytea not null,
  constraint report_file_parts_pkey PRIMARY KEY (merchant_id, report_id, format, part_number),
  constraint report_file_parts_merchant_id_report_id_fkey FOREIGN KEY (merchant_id, report_id) REFERENCES reports(merchant_id, report_id)
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.report_file_parts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER pending_only BEFORE INSERT ON public.report_file_parts FOR EACH ROW EXECUTE FUNCTION refuse_late_file();

create table report_files (
  merchant_id bigint not null,
  report_id uuid not null,
  format text collate "C" not null,
  file_name text not null,
  media_type text not null,
  size bigint not null,
  sha256 text collate "C" not null,
  constraint report_files_pkey PRIMARY KEY (merchant_id, report_id, format),
  constraint report_files_merchant_id_report_id_fkey FOREIGN KEY (merchant_id, report_id) REFERENCES reports(merchant_id, report_id)
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.report_files FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER pending_only BEFORE INSERT ON public.report_files FOR EACH ROW EXECUTE FUNCTION refuse_late_file();

create table report_holds (
  merchant_id bigint not null,
  report_id uuid not null,
  act text collate "C" not null,
  acted_at bigint not null,
  acted_by text,
  reason text,
  constraint report_holds_pkey PRIMARY KEY (merchant_id, report_id, act),
  constraint report_holds_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id),
  constraint report_holds_act_check CHECK ((act = ANY (ARRAY['held'::text, 'released'::text]))),
  constraint report_holds_check CHECK (((act = 'released'::text) = (acted_by IS NOT NULL)))
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.report_holds FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table reports (
  merchant_id bigint not null,
  report_id uuid not null,
  period text collate "C" not null,
  revision integer not null,
  attempt integer not null,
  status text collate "C" not null,
  period_label text not null,
  period_start bigint not null,
  period_end bigint not null,
  requested_at bigint not null,
  generated_at bigint,
  error text,
  issued json,
  verdict text collate "C" generated always as ((issued #>> '{summary,verdict,state}'::text[])) stored,
  constraint reports_pkey PRIMARY KEY (merchant_id, report_id),
  constraint reports_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id),
  constraint reports_attempt_check CHECK ((attempt > 0)),
  constraint reports_check CHECK (((status = 'READY'::text) = (issued IS NOT NULL))),
  constraint reports_check1 CHECK (((status = 'READY'::text) = (generated_at IS NOT NULL))),
  constraint reports_check2 CHECK (((status = 'FAILED'::text) = (error IS NOT NULL))),
  constraint reports_period_check CHECK ((period ~ '^[0-9]{4}-[0-9]{2}$'::text)),
  constraint reports_revision_check CHECK ((revision > 0)),
  constraint reports_status_check CHECK ((status = ANY (ARRAY['PENDING'::text, 'READY'::text, 'FAILED'::text])))
);
CREATE UNIQUE INDEX reports_attempt ON public.reports USING btree (merchant_id, period, revision, attempt);
CREATE UNIQUE INDEX reports_pending ON public.reports USING btree (merchant_id, period) WHERE (status = 'PENDING'::text);
CREATE UNIQUE INDEX reports_ready ON public.reports USING btree (merchant_id, period, revision) WHERE (status = 'READY'::text);
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON public.reports FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER one_move BEFORE UPDATE ON public.reports FOR EACH ROW EXECUTE FUNCTION refuse_report_change();

create table row_digests (
  merchant_id bigint not null,
  part text collate "C" not null,
  page bigint not null,
  digest bytea not null,
  constraint row_digests_pkey PRIMARY KEY (merchant_id, part, page),
  constraint row_digests_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id)
);
CREATE TRIGGER never_deleted BEFORE DELETE OR TRUNCATE ON public.row_digests FOR EACH STATEMENT EXECUTE FUNCTION refuse_removal();

create view row_texts (
  merchant_id bigint,
  part text,
  page bigint,
  text text
);

create table run_members (
  merchant_id bigint not null,
  run_id bigint not null,
  state text collate "C" default 'expected'::text not null,
  verdict text collate "C",
  reason text,
  attempts integer default 0 not null,
  started_at bigint,
  finished_at bigint,
  watermark bigint,
  entries_added bigint default 0 not null,
  operations_changed bigint default 0 not null,
  findings_added bigint default 0 not null,
  findings_resolved bigint default 0 not null,
  findings_reopened bigint default 0 not null,
  constraint run_members_pkey PRIMARY KEY (merchant_id, run_id),
  constraint run_members_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id),
  constraint run_members_check CHECK (((state = 'expected'::text) = (finished_at IS NULL))),
  constraint run_members_check1 CHECK (((state <> 'failed'::text) OR (reason IS NOT NULL))),
  constraint run_members_state_check CHECK ((state = ANY (ARRAY['expected'::text, 'done'::text, 'failed'::text]))),
  constraint run_members_verdict_check CHECK ((verdict = ANY (ARRAY['clean'::text, 'broken'::text, 'incomplete'::text])))
);
CREATE INDEX run_members_expected ON public.run_members USING btree (run_id, merchant_id) WHERE (state = 'expected'::text);
CREATE INDEX run_members_run ON public.run_members USING btree (run_id, merchant_id);

create table run_merchants (
  merchant_id bigint not null,
  run_id bigint not null,
  verdict text not null,
  entries bigint not null,
  operations bigint not null,
  findings bigint not null,
  roots bigint not null,
  report jsonb not null,
  chain_lines bigint,
  chain_head text collate "C",
  constraint run_merchants_pkey PRIMARY KEY (merchant_id, run_id),
  constraint run_merchants_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id)
);
CREATE INDEX run_merchants_run ON public.run_merchants USING btree (run_id);

create table runs (
  run_id bigint generated always as identity not null,
  started_at bigint not null,
  finished_at bigint,
  source text not null,
  engine text not null,
  kind text default 'manual'::text not null,
  job_id uuid,
  planned_for bigint,
  expected bigint,
  closed text,
  totals jsonb,
  tried_again_at bigint,
  constraint runs_pkey PRIMARY KEY (run_id),
  constraint runs_job_id_key UNIQUE (job_id),
  constraint runs_kind_check CHECK ((kind = ANY (ARRAY['manual'::text, 'night'::text])))
);

create view state_texts (
  merchant_id bigint,
  part text,
  page bigint,
  text text
);

create table trail (
  entry_number bigint not null,
  at bigint not null,
  operator text collate "C" not null,
  via text collate "C" not null,
  action text collate "C" not null,
  merchant text collate "C",
  subject text collate "C",
  status integer not null,
  constraint trail_pkey PRIMARY KEY (entry_number),
  constraint trail_via_check CHECK ((via = ANY (ARRAY['http'::text, 'console'::text, 'cli'::text])))
);
CREATE INDEX trail_by_instant ON public.trail USING btree (at);
CREATE INDEX trail_of_merchants ON public.trail USING btree (merchant, entry_number);
CREATE INDEX trail_of_operators ON public.trail USING btree (operator, entry_number);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.trail FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table wallet_readings (
  merchant_id bigint not null,
  intake bigint not null,
  read_at bigint not null,
  balance bigint not null,
  reserved bigint not null,
  available bigint not null,
  total_collected bigint not null,
  total_disbursed bigint not null,
  total_fees bigint not null,
  updated_at bigint not null,
  wallet_id text collate "C" not null,
  service_merchant_id text collate "C" not null,
  currency text collate "C" not null,
  status text collate "C" not null,
  constraint wallet_readings_pkey PRIMARY KEY (merchant_id, intake)
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.wallet_readings FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create view watch_texts (
  merchant_id bigint,
  part text,
  page bigint,
  text text
);

CREATE OR REPLACE FUNCTION public.lock_heads(numbers bigint[])
 RETURNS TABLE(merchant_id bigint, fence bigint, entry_count bigint, chain bytea)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  number bigint;
begin
  for number in select distinct unnest(numbers) order by 1 loop
    return query
      update merchant_heads h set fence = fence
      where h.merchant_id = number
      returning h.merchant_id, h.fence, h.entry_count, h.chain;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION public.page_of_notification(channel text, event_id text, variant integer)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select ('x' || encode(substring(sha256(convert_to(row(channel, event_id, variant)::text, 'UTF8')) for 8), 'hex'))::bit(64)::bigint
$function$;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'pointage: % is append-only, % is refused', tg_table_name, lower(tg_op)
    using errcode = 'restrict_violation';
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_late_file()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (
    select 1
    from reports r
    where r.merchant_id = new.merchant_id
      and r.report_id = new.report_id
      and r.status = case new.format when 'tlog-proof' then 'READY' else 'PENDING' end
  )
  then
    return new;
  end if;
  raise exception 'pointage: report % is issued, and takes no further file', new.report_id
    using errcode = 'restrict_violation';
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_removal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'pointage: rows of % are never removed, % is refused', tg_table_name, lower(tg_op)
    using errcode = 'restrict_violation';
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_report_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.status = 'PENDING'
    and new.status <> 'PENDING'
    and (new.merchant_id, new.report_id, new.period, new.revision, new.attempt, new.requested_at)
      = (old.merchant_id, old.report_id, old.period, old.revision, old.attempt, old.requested_at)
    and (new.period_label, new.period_start, new.period_end) = (old.period_label, old.period_start, old.period_end)
  then
    return new;
  end if;
  raise exception 'pointage: report % is %, and stays as it is', old.report_id, old.status
    using errcode = 'restrict_violation';
end
$function$;
