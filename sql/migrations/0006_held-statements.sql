-- Statements of books that do not agree wait until a person releases them.

alter table deliveries
  drop constraint deliveries_state_check,
  add constraint deliveries_state_check
    check (state in ('HELD', 'PENDING', 'SENDING', 'SUCCESS', 'FAILED', 'ABANDONED', 'IN_DOUBT'));
