-- What the dashboard was seen to say of payouts, look by look: a row where it was not what the look before had seen, so that a
-- night with nothing new adds nothing. item: the id of a payout, else empty. content: json and not jsonb, which would sort its keys:
-- two looks are the same where their texts are.

create table payout_readings (
  merchant_id bigint not null references merchants,
  part text collate "C" not null check (part in ('limits', 'counters', 'balance', 'settlement', 'payout')),
  item text collate "C" not null,
  read_at bigint not null,
  content json not null,
  primary key (merchant_id, part, item, read_at)
);

create trigger append_only before update or delete or truncate on payout_readings
  for each statement execute function refuse_change();
