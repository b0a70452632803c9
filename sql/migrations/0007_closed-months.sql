-- Months that a person has closed: what comes later and is dated in one falls into the month after it. last_sequence: of the
-- lines that were stated until then; a line of a higher sequence that is dated before period_end came late. As everywhere, the
-- key begins with merchant_id. Nothing opens a closed month again.
create table closed_months (
  merchant_id bigint not null references merchants,
  period text collate "C" not null check (period ~ '^[0-9]{4}-[0-9]{2}$'),
  period_end bigint not null,
  last_sequence bigint not null,
  closed_at bigint not null,
  closed_by text not null,
  primary key (merchant_id, period)
);
