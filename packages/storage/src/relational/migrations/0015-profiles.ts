import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Who is who. `identity_operations` is the ledger: everything that was ever learned, in one order for each workspace,
 * which its row of `identity_ledgers` counts and, locked, gives. `profiles`, `profile_identifiers` and
 * `profile_identifiers_apart` are made of it and can be made again. Identifiers are compared by their bytes.
 *
 * A trait belongs to the identifier that it came with (the sequence of the operation that brought it), so that profiles
 * join and part without a trait being touched. A value of null was too large; the name '' stands for names that are not kept.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table identity_ledgers (
  workspace_id uuid primary key references workspaces on delete cascade,
  sequence bigint not null default 0,
  has_splits boolean not null default false
);

create table identity_operations (
  workspace_id uuid not null references identity_ledgers on delete cascade,
  sequence bigint not null,
  kind text not null check (kind in ('create','link','merge','refuse','split')),
  profile_id uuid not null,
  other_id uuid,
  type text collate "C" not null default '',
  value text collate "C" not null default '',
  by_type text collate "C" not null default '',
  by_value text collate "C" not null default '',
  alias boolean not null default false,
  reason text not null default '',
  members jsonb,
  event_id text not null default '',
  source_id uuid,
  actor_id uuid,
  time timestamptz not null,
  primary key (workspace_id, sequence)
);
create index identity_operations_profile on identity_operations (workspace_id, profile_id, sequence)
  where kind in ('refuse','split','merge');
create index identity_operations_other on identity_operations (workspace_id, other_id) where other_id is not null;

create table profiles (
  workspace_id uuid not null references identity_ledgers on delete cascade,
  id uuid not null,
  sequence bigint not null,
  create_time timestamptz not null,
  merged_into uuid,
  primary key (workspace_id, id)
);
create index profiles_newest on profiles (workspace_id, sequence) where merged_into is null;

create table profile_identifiers (
  workspace_id uuid not null references identity_ledgers on delete cascade,
  type text collate "C" not null,
  value text collate "C" not null,
  profile_id uuid not null,
  sequence bigint not null,
  create_time timestamptz not null,
  primary key (workspace_id, value, type)
);
create unique index profile_identifiers_sequence on profile_identifiers (workspace_id, sequence);
create index profile_identifiers_profile on profile_identifiers (workspace_id, profile_id);

create table profile_identifiers_apart (
  workspace_id uuid not null references identity_ledgers on delete cascade,
  value text collate "C" not null,
  type text collate "C" not null,
  other_value text collate "C" not null,
  other_type text collate "C" not null,
  primary key (workspace_id, value, type, other_value, other_type)
);

create table profile_traits (
  workspace_id uuid not null references identity_ledgers on delete cascade,
  identifier bigint not null,
  name text collate "C" not null,
  value text collate "C",
  time timestamptz not null,
  event_id text collate "C" not null,
  source_id uuid not null,
  primary key (workspace_id, identifier, name)
);
create index profile_traits_value on profile_traits (workspace_id, "left"(value, 100));
`.execute(db)
}
