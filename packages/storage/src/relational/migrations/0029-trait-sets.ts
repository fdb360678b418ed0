import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * What repeats is written once. Traits that one event gave are a set of their identifier, which has the event and its
 * time: the same traits again change that row alone. A trait names the set it came with last, and has the event with which it was
 * written. `content` is an id of the names and values of a set, null since it lost one to another set.
 *
 * `current_traits` are traits with the last event that gave them. A set is looked up for who asks for that only.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
-- Room beside each row, so that a new time needs no entry of an index.
create table profile_trait_sets (
  workspace_id uuid not null,
  identifier bigint not null,
  id uuid not null,
  content uuid,
  time timestamptz not null,
  event_id text collate "C" not null,
  source_id uuid not null,
  primary key (workspace_id, identifier, id)
) with (fillfactor = 70);

alter table profile_traits add column set_id uuid;

create view current_traits as
select t.workspace_id, t.identifier, t.name, t.value, t.earlier, t.set_id, greatest(t.time, s.time) as time,
  case when (s.time, s.event_id) > (t.time, t.event_id) then s.event_id else t.event_id end as event_id,
  case when (s.time, s.event_id) > (t.time, t.event_id) then s.source_id else t.source_id end as source_id
from profile_traits t
left join profile_trait_sets s on s.workspace_id = t.workspace_id and s.identifier = t.identifier and s.id = t.set_id;

create function remove_trait_sets() returns trigger language plpgsql as $$
begin
  delete from profile_trait_sets where workspace_id = old.workspace_id;
  return null;
end $$;
create trigger identity_ledgers_trait_sets after delete on identity_ledgers
  for each row execute function remove_trait_sets();
`.execute(db)
}
