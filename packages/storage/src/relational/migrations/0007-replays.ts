import { type QueryExecutorProvider, sql } from 'kysely'

/** Replays of stored events and of dead letters to one destination; one at a time is open for a destination. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table replays (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  destination_id uuid not null references destinations on delete cascade,
  kind text not null check (kind in ('history','dead')),
  start_time timestamptz not null,
  end_time timestamptz not null,
  source_id uuid references sources on delete cascade,
  event text,
  event_type text,
  filter jsonb not null default '{"match":"all","conditions":[]}',
  reason text,
  events_per_second integer not null,
  state text not null check (state in ('running','paused','cancelled','done','failed')),
  failure text not null default '',
  event_count bigint not null,
  sent_count bigint not null default 0,
  stored_before text not null default '',
  cursor_ms bigint,
  cursor_id text not null default '',
  log_partition integer,
  log_offset bigint,
  creator_id uuid references users on delete set null,
  create_time timestamptz not null default now(),
  finish_time timestamptz
);
create unique index replays_open on replays (destination_id) where state in ('running','paused');
create index replays_destination on replays (destination_id, create_time desc);

alter table parked_deliveries add column replay_id uuid;
create index parked_deliveries_replay on parked_deliveries (replay_id) where state = 'dead' and replay_id is not null;
`.execute(db)
}
