-- operation_round: how far known operations were read again, oldest first, since when, and since when each of them was; null: not begun.
alter table line_watches add column operation_round jsonb;

-- A digest that does not fit what is stored never fits again.
update row_digests d
set digest = ''
from watch_texts t
where t.merchant_id = d.merchant_id and t.part = d.part and t.page = d.page and d.digest <> sha256(convert_to(t.text, 'UTF8'));

create or replace view watch_texts as
select
  merchant_id,
  'line_watches'::text as part,
  0::bigint as page,
  row(
    compared_intake, position_shift, head_sequence, next_position, round_began_at, earlier_round_began_at, missing, operation_round
  )::text as text
from line_watches;

update row_digests d
set digest = sha256(convert_to(t.text, 'UTF8'))
from watch_texts t
where t.merchant_id = d.merchant_id and t.part = d.part and t.page = d.page and d.digest <> '';
