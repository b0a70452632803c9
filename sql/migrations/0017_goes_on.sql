-- A fault of an operation that is of another kind now, as a debit that was missing and is posted too small, goes on as one story:
-- the finding that it is names the one that it was, of which the last row of history is 'become'.

alter table findings add column goes_on_from text collate "C";

alter table finding_decisions
  drop constraint finding_decisions_action_check,
  add constraint finding_decisions_action_check
    check (action in ('acknowledge', 'resolve', 'become', 'settle', 'accept', 'reopen', 'comment', 'assign', 'label', 'due'));
