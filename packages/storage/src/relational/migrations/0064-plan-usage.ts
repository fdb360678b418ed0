import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * How much of its plan an organization has used in a period. A source whose events are held says so itself, for the pipeline to
 * hear of it as of other changes of the source.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table sources add column held boolean not null default false;
create table plan_usage (
  organization_id uuid primary key references organizations on delete cascade,
  period_start_time timestamptz not null,
  profiles bigint not null,
  events bigint not null,
  over_time timestamptz,
  hold_time timestamptz,
  hold_end_time timestamptz,
  told text[] not null default '{}',
  has_held boolean not null default false,
  removed_events bigint not null default 0,
  removed_until timestamptz,
  week_announced_until timestamptz,
  day_announced_until timestamptz,
  measure_time timestamptz not null
);
drop trigger directory_sources on sources;
create constraint trigger directory_sources
  after insert or delete or update of title, enabled, delete_time, schema_version, enforcement, settings, secrets_encrypted,
    held on sources
  deferrable initially deferred for each row execute function note_directory_change();
`.execute(db)
}
