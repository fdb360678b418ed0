/** Audiences with their members, history, lists and destinations, and computed traits. */
export const audiencesSql = `
create table audiences (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  title text not null,
  -- JSON text, as the contract's audienceQuery reads it.
  query text not null,
  version integer not null default 1,
  state text not null default 'preparing' check (state in ('preparing','computing','live','paused','failed')),
  -- The reason of a failure, as a message.
  failure text not null default '',
  size integer,
  entered_count integer not null default 0,
  left_count integer not null default 0,
  as_of timestamptz,
  author_id uuid references users on delete set null,
  create_time timestamptz not null,
  update_time timestamptz not null,
  -- Every touch by a transaction before this one is processed; null before the first computation.
  touched_before bigint,
  -- When all profiles were last evaluated.
  whole_time timestamptz,
  -- The current step of the computation, and its finished share.
  progress_step text check (progress_step in ('waiting','events','profiles')),
  progress_share real
);
create index audiences_workspace on audiences (workspace_id, create_time, id);

-- The title and query of an audience in a version.
create table audience_versions (
  audience_id uuid not null references audiences on delete cascade,
  version integer not null,
  title text not null,
  -- JSON text, as the contract's audienceQuery reads it.
  query text not null,
  -- The earlier version that this version restored.
  restored_version integer,
  author_id uuid references users on delete set null,
  create_time timestamptz not null,
  primary key (audience_id, version)
);

-- The members of an audience at its last computation.
create table audience_members (
  audience_id uuid not null references audiences on delete cascade,
  profile_id uuid not null,
  enter_time timestamptz not null,
  primary key (audience_id, profile_id)
);
create index audience_members_newest on audience_members (audience_id, enter_time, profile_id);
create index audience_members_profile on audience_members (profile_id);

-- Profiles that entered and left audiences, in the order of id: the last row of a profile says whether it is in.
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

-- The last size of an audience in each UTC hour, and how many profiles entered and left in it.
create table audience_hours (
  audience_id uuid not null references audiences on delete cascade,
  hour timestamptz not null,
  size integer not null,
  entered_count integer not null,
  left_count integer not null,
  primary key (audience_id, hour)
);

-- Changed profiles that audiences must evaluate again.
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

-- Identifiers on the lists of audiences, each with the range of versions that contain it.
-- An entry names an identifier by its sequence, without a foreign key: profiles can be made again with the same ones.
create table audience_list_entries (
  workspace_id uuid not null,
  audience_id uuid not null references audiences on delete cascade,
  -- Its sequence in profile_identifiers.
  identifier bigint not null,
  from_version integer not null,
  -- Null while the identifier is on the current list.
  until_version integer,
  primary key (audience_id, identifier, from_version)
);
create index audience_list_entries_identifier on audience_list_entries (workspace_id, identifier);

-- The change to an audience's list in each version.
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

-- Destinations that receive the changes of audiences, with their progress.
-- Members as of first_change are sent first, by profile up to fill_cursor, and then each later change up to sent_change.
create table audience_destinations (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  audience_id uuid not null references audiences on delete cascade,
  destination_id uuid not null references destinations on delete cascade,
  state text not null check (state in ('filling','live')),
  -- The last change before the initial send: members as of this change are sent first.
  first_change bigint not null,
  fill_total integer not null,
  fill_sent integer not null default 0,
  -- The last profile sent in the initial send.
  fill_cursor uuid,
  sent_change bigint not null,
  create_time timestamptz not null,
  -- How often all members were sent again, and when that was last requested.
  run integer not null default 0,
  run_time timestamptz,
  unique (audience_id, destination_id)
);
create index audience_destinations_destination on audience_destinations (destination_id);

-- One computation goes through all profiles by their IDs, up to pass_after.
create table computed_traits (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  -- The name of the trait.
  trait text collate "C" not null,
  -- JSON text, as the contract's computedTraitDefinition reads it.
  definition text not null,
  version integer not null default 1,
  -- The version by which all profiles have been computed; 0 before the first computation.
  computed_version integer not null default 0,
  -- When the running pass over all profiles began; null if none runs.
  pass_time timestamptz,
  -- The last profile that the running pass has computed.
  pass_after uuid,
  pass_done integer not null default 0,
  pass_total integer not null default 0,
  -- When the last complete pass began.
  compute_time timestamptz,
  -- Why it could not be computed, as a message, and when it is retried.
  failure text not null default '',
  retry_time timestamptz,
  -- When the trait was deleted: requests no longer find it, and its values are being removed.
  delete_time timestamptz,
  author_id uuid references users on delete set null,
  create_time timestamptz not null,
  update_time timestamptz not null
);
create unique index computed_traits_trait on computed_traits (workspace_id, trait);

-- How far computed traits of a workspace follow its ledger, and as of when they are up to date.
create table computed_trait_places (
  workspace_id uuid primary key references workspaces on delete cascade,
  sequence bigint not null,
  as_of timestamptz
);

-- Identifiers whose profile has a new event for the trait, until it is computed again. A higher serial says that it happened again.
create sequence computed_trait_changes_serial;
-- Identifiers (the sequences of their operations) whose profiles are to be computed again, once the request at this place of the log is stored.
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
