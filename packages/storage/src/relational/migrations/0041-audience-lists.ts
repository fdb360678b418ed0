import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Lists of identifiers that audiences are made of. An entry names an identifier by the sequence that profiles know it by, and no value,
 * so that merges and splits are followed, and is on the list in the versions from `from_version` on and before
 * `until_version`. Sequences are not referred to by a foreign key: profiles can be made again with the same ones. Who deletes an
 * identifier deletes its entries.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table audience_list_entries (
  workspace_id uuid not null,
  audience_id uuid not null references audiences on delete cascade,
  identifier bigint not null,
  from_version integer not null,
  until_version integer,
  primary key (audience_id, identifier, from_version)
);
create index audience_list_entries_identifier on audience_list_entries (workspace_id, identifier);

create table audience_list_changes (
  audience_id uuid not null references audiences on delete cascade,
  version integer not null,
  operation text not null check (operation in ('import','add','replace','remove')),
  kind text check (kind in ('user_id','anonymous_id','email','phone')),
  value_count integer not null,
  found_count integer not null,
  author_id uuid references users on delete set null,
  create_time timestamptz not null,
  primary key (audience_id, version)
);
`.execute(db)
}
