-- One mail at the end of a night: what was found is held until then, and gathered into it.

alter table deliveries
  drop constraint deliveries_state_check,
  add constraint deliveries_state_check
    check (state in ('HELD', 'GATHERED', 'PENDING', 'SENDING', 'SUCCESS', 'FAILED', 'ABANDONED', 'IN_DOUBT')),
  drop constraint deliveries_topic_check,
  add constraint deliveries_topic_check check (topic in ('statement', 'findings', 'run', 'night'));
