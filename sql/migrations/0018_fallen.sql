-- The oldest lines, which a service that serves the last months does not serve any more, are an alteration of their own kind.

alter table entry_alterations
  drop constraint entry_alterations_change_check,
  add constraint entry_alterations_change_check
    check (change in ('rewritten', 'deleted', 'inserted', 'reset', 'fallen'));
