-- Versions of operations that are what the version before them may not become: a field that is fixed at creation has changed, or a
-- final state was left. Nearly always empty, which spares a reading the look through all versions.

create table departed_operation_versions (
  merchant_id bigint not null,
  version integer not null,
  reference text collate "C" not null,
  primary key (merchant_id, reference, version)
);

create trigger append_only before update or delete or truncate on departed_operation_versions
  for each statement execute function refuse_change();
