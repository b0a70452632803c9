-- What the reason of a refused row is made of, so that documents can say it in another language than English. Null: the row was
-- refused before this was kept.
alter table rejected_rows add column refusal jsonb;
comment on column rejected_rows.refusal is 'JSON: the code of the reason and its figures, by name; no part of the digest';
