-- Roots that were put right, and roots that people live with. terms: what a person's decision rests on (the finding's item,
-- evidence and lines as they were, an amount limit, an expiry); once that is otherwise, the finding is open again.

alter table findings
  drop constraint findings_state_check,
  add constraint findings_state_check check (state in ('open', 'acknowledged', 'settled', 'accepted', 'resolved'));

alter table finding_decisions
  drop constraint finding_decisions_action_check,
  add constraint finding_decisions_action_check
    check (action in ('acknowledge', 'resolve', 'settle', 'accept', 'reopen')),
  add column terms jsonb;
