import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Destinations that are told who enters and leaves audiences. `first_change` is the last change before the connection: who was in as of it
 * is sent first, by profile up to `fill_cursor`, and then each later change up to `sent_change`. The id is another one each time
 * it is connected: rows of the stream are named by it.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table audience_destinations (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  audience_id uuid not null references audiences on delete cascade,
  destination_id uuid not null references destinations on delete cascade,
  state text not null check (state in ('filling','live')),
  first_change bigint not null,
  fill_total integer not null,
  fill_sent integer not null default 0,
  fill_cursor uuid,
  sent_change bigint not null,
  create_time timestamptz not null,
  unique (audience_id, destination_id)
);
create index audience_destinations_destination on audience_destinations (destination_id);
create index audience_changes_order on audience_changes (audience_id, id);
create index audience_changes_profile on audience_changes (audience_id, profile_id, id);
`.execute(db)
}
