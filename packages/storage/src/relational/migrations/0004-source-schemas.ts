import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * What a source's events are judged by, every version of it, and what its kind of source asks for. Sources that exist
 * begin with a schema without events. The pipeline and collection hear of changes as of others of the directory.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table source_schemas (
  source_id uuid not null references sources on delete cascade,
  version integer not null check (version > 0),
  schema text not null,
  change text not null,
  author_id uuid references users on delete set null,
  event_count integer not null default 0,
  property_count integer not null default 0,
  create_time timestamptz not null default now(),
  primary key (source_id, version)
);

alter table sources
  add column schema_version integer not null default 1,
  add column enforcement text not null default 'allow' check (enforcement in ('allow','block')),
  add column settings jsonb not null default '{}',
  add column secrets_encrypted bytea;

insert into source_schemas (source_id, version, schema, change, create_time)
  select id, 1, '{"events":{}}', 'created', create_time from sources;

drop trigger directory_sources on sources;
create constraint trigger directory_sources
  after insert or delete or update of title, enabled, delete_time, schema_version, enforcement, settings, secrets_encrypted
  on sources
  deferrable initially deferred for each row execute function note_directory_change();
`.execute(db)
}
