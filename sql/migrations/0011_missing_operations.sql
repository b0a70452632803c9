-- missing: known operations that the last complete readings did not serve, each with its reference and when the first reading and
-- the next one lacked it; null: none.
alter table line_watches add column missing jsonb;
