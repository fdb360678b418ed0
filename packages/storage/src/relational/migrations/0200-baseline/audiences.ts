/** Audiences with their members, history, lists and destinations, and computed traits. */
export const audiencesSql = `
create table audiences (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  title text not null,
  query text not null,
  version integer not null default 1,
  state text not null default 'preparing' check (state in ('preparing','computing','live','paused','failed')),
  failure text not null default '',
  size integer,
  entered_count integer not null default 0,
  left_count integer not null default 0,
  as_of timestamptz,
  author_id uuid references users on delete set null,
  create_time timestamptz not null,
  update_time timestamptz not null,
  touched_before bigint,
  whole_time timestamptz,
  progress_step text check (progress_step in ('waiting','events','profiles')),
  progress_share real
);
create index audiences_workspace on audiences (workspace_id, create_time, id);

create table audience_versions (
  audience_id uuid not null references audiences on delete cascade,
  version integer not null,
  title text not null,
  query text not null,
  restored_version integer,
  author_id uuid references users on delete set null,
  create_time timestamptz not null,
  primary key (audience_id, version)
);

create table audience_members (
  audience_id uuid not null references audiences on delete cascade,
  profile_id uuid not null,
  enter_time timestamptz not null,
  primary key (audience_id, profile_id)
);
create index audience_members_newest on audience_members (audience_id, enter_time, profile_id);
create index audience_members_profile on audience_members (profile_id);

create table audience_changes (
  id bigint generated always as identity primary key,
  audience_id uuid not null references audiences on delete cascade,
  profile_id uuid not null,
  kind text not null check (kind in ('entered','left')),
  time timestamptz not null
);
create index audience_changes_newest on audience_changes (audience_id, time, profile_id);
create index audience_changes_order on audience_changes (audience_id, id);
create index audience_changes_profile on audience_changes (audience_id, profile_id, id);
create index audience_changes_left on audience_changes (time) where kind = 'left';

create table audience_hours (
  audience_id uuid not null references audiences on delete cascade,
  hour timestamptz not null,
  size integer not null,
  entered_count integer not null,
  left_count integer not null,
  primary key (audience_id, hour)
);

-- Changed profiles. When no transaction below a number runs any more, all rows below it are seen. A row waits until the request at log_offset is stored.
create table audience_touches (
  id bigint generated always as identity primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  profiles uuid[] not null,
  transaction bigint not null default (pg_current_xact_id()::text::bigint),
  log_partition integer,
  log_offset bigint,
  time timestamptz not null default now()
);
create index audience_touches_next on audience_touches (workspace_id, transaction);

-- An entry names an identifier by its sequence, without a foreign key: profiles can be made again with the same ones.
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

-- Members as of first_change are sent first, by profile up to fill_cursor, and then each later change up to sent_change.
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
  run integer not null default 0,
  run_time timestamptz,
  unique (audience_id, destination_id)
);
create index audience_destinations_destination on audience_destinations (destination_id);

-- One computation goes through all profiles by their IDs, up to pass_after.
create table computed_traits (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  trait text collate "C" not null,
  definition text not null,
  version integer not null default 1,
  computed_version integer not null default 0,
  pass_time timestamptz,
  pass_after uuid,
  pass_done integer not null default 0,
  pass_total integer not null default 0,
  compute_time timestamptz,
  failure text not null default '',
  retry_time timestamptz,
  delete_time timestamptz,
  author_id uuid references users on delete set null,
  create_time timestamptz not null,
  update_time timestamptz not null
);
create unique index computed_traits_trait on computed_traits (workspace_id, trait);

create table computed_trait_places (
  workspace_id uuid primary key references workspaces on delete cascade,
  sequence bigint not null,
  as_of timestamptz
);

-- Identifiers whose profile has a new event for the trait, until it is computed again. A higher serial says that it happened again.
create sequence computed_trait_changes_serial;
create table computed_trait_changes (
  trait_id uuid not null references computed_traits on delete cascade,
  identifier bigint not null,
  serial bigint not null default nextval('computed_trait_changes_serial'),
  log_partition integer not null,
  log_offset bigint not null,
  primary key (trait_id, identifier, log_partition)
);

create function note_computed_trait_change() returns trigger language plpgsql as $$
begin
  update directory_version set version = version + 1, changed_by = txid_current()
    where changed_by <> txid_current();
  if found then
    perform pg_notify('directory_changed', '');
  end if;
  perform note_directory_objects('computed_traits', array[new.workspace_id, old.workspace_id]);
  return null;
end $$;

create constraint trigger directory_computed_traits
  after insert or delete or update of version, delete_time on computed_traits
  deferrable initially deferred for each row execute function note_computed_trait_change();
`
