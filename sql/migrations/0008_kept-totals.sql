-- Payments by link that are too old to change are counted once, and the count is kept among the readings.

alter table payout_readings drop constraint payout_readings_part_check;
alter table payout_readings add constraint payout_readings_part_check
  check (part in ('limits', 'counters', 'balance', 'settlement', 'payout', 'payments'));
