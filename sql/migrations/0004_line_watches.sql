-- How far the history of each merchant's feed has been compared with the mirror, and when its lines were last read again.

-- compared_intake: what the pages up to this one brought was compared. position_shift: by how many positions the newest known line
-- stood lower in the service's list than in the mirror when both were last compared. head_sequence: the newest line that was
-- served then; null: the newest one stored. next_position: from where the rotation reads on. round_began_at, earlier_round_began_at:
-- when its round through the books began, and the one before; null: none has. missing: known operations that the last complete readings
-- did not serve, each with its reference and when the first reading and the next one lacked it; null: none. operation_round: how far
-- known operations were read again, oldest first, since when, and since when each of them was; null: not begun.
create table line_watches (
  merchant_id bigint not null references merchants,
  compared_intake bigint not null,
  position_shift bigint not null default 0,
  head_sequence bigint,
  next_position bigint not null default 0,
  round_began_at bigint,
  earlier_round_began_at bigint,
  missing jsonb,
  operation_round jsonb,
  primary key (merchant_id)
);

insert into line_watches (merchant_id, compared_intake)
select merchant_id, late_intake
from merchant_heads
where intake > 0;

create trigger never_deleted before delete or truncate on line_watches
  for each statement execute function refuse_removal();
