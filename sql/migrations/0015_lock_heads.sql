-- With columns of its own: a function that returned the table's row type went along when sql/citus.sql put a distributed table in the
-- table's place.

drop function if exists lock_heads(bigint[]);

-- Locks the heads of merchants until the transaction ends, one after the other: two transactions that lock several in one order never
-- wait for each other. A write that changes nothing locks as `for update` does, which Citus refuses over several shards.
create function lock_heads(numbers bigint[]) returns table (merchant_id bigint, fence bigint, entry_count bigint, chain bytea)
language plpgsql as $$
#variable_conflict use_column
declare
  number bigint;
begin
  for number in select distinct unnest(numbers) order by 1 loop
    return query
      update merchant_heads h set fence = fence
      where h.merchant_id = number
      returning h.merchant_id, h.fence, h.entry_count, h.chain;
  end loop;
end
$$;
