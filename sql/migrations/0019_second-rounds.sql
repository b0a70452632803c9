-- Since when a night tries its merchants a second time that it could not read or judge; null: it does not, or not yet.

alter table runs add column tried_again_at bigint;
