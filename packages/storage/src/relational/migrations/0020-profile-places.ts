import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * `identity_places` says up to where accepted events are in the ledgers, per partition of the stream, and is written in the
 * transactions that write into them: a database that was restored goes back with its places, which tells the consumer. Each
 * has another mark.
 *
 * `revision` of a ledger counts what makes known facts worth looking at again. `has_previous` spares the look whether an alias
 * call has named an identifier before.
 *
 * Everything of a ledger is written under the lock of its row, so the row is there: to look for it again for each row that
 * refers to it was a large part of the cost of a new profile. A trigger removes what belongs to a ledger instead.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table identity_places (
  partition integer primary key,
  mark uuid not null,
  next bigint not null,
  incarnation text,
  note text not null
);

alter table identity_ledgers
  add column has_previous boolean not null default false,
  add column revision bigint not null default 0;
update identity_ledgers l set has_previous = true
  where exists (select from profile_identifiers i where i.workspace_id = l.workspace_id and i.type = 'previous_id');

alter table identity_operations drop constraint identity_operations_workspace_id_fkey;
alter table profiles drop constraint profiles_workspace_id_fkey;
alter table profile_identifiers drop constraint profile_identifiers_workspace_id_fkey;
alter table profile_identifiers_apart drop constraint profile_identifiers_apart_workspace_id_fkey;
alter table profile_traits drop constraint profile_traits_workspace_id_fkey;

create function remove_ledger() returns trigger language plpgsql as $$
begin
  delete from profile_traits where workspace_id = old.workspace_id;
  delete from profile_identifiers_apart where workspace_id = old.workspace_id;
  delete from profile_identifiers where workspace_id = old.workspace_id;
  delete from profiles where workspace_id = old.workspace_id;
  delete from identity_operations where workspace_id = old.workspace_id;
  return null;
end $$;
create trigger identity_ledgers_removed after delete on identity_ledgers for each row execute function remove_ledger();
`.execute(db)
}
