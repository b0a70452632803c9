-- A finding that a person opens again is announced to programs, as one that is resolved.

alter table deliveries
  drop constraint deliveries_topic_check,
  add constraint deliveries_topic_check
    check (topic in ('statement', 'findings', 'run', 'night', 'resolved', 'reopened', 'assigned', 'audit'));
