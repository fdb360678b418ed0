/**
 * Signals: `definition` is JSON text. A conversion is stored once, under the hash of its event ID (`key`). Users are
 * kept as hashes only.
 *
 * The column `platforms` is JSON text: for each destination, the reason why the conversion was not sent there, or '',
 * and a bitmask of the identifiers.
 */
export const signalsSql = `
-- Definitions of conversions from events or an audience, with their destinations.
create table signals (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  title text not null,
  enabled boolean not null,
  -- When the signal was last enabled: events received earlier are not conversions.
  enable_time timestamptz,
  -- JSON text, as signalDefinition of the contract reads it, without platforms.
  definition text not null,
  revision integer not null default 1,
  -- The audience of an audience trigger; null for other triggers, and after the audience was deleted.
  audience_id uuid references audiences on delete set null,
  -- The last audience change that was processed.
  seen_change bigint not null default 0,
  last_conversion_time timestamptz,
  author_id uuid references users on delete set null,
  create_time timestamptz not null,
  update_time timestamptz not null
);
create index signals_of_workspace on signals (workspace_id, create_time desc, id desc);

-- The sources whose events a signal uses.
create table signal_sources (
  signal_id uuid not null references signals on delete cascade,
  source_id uuid not null references sources on delete cascade,
  primary key (signal_id, source_id)
);
create index signal_sources_of_source on signal_sources (source_id);

-- The destinations that a signal is sent to.
create table signal_platforms (
  signal_id uuid not null references signals on delete cascade,
  destination_id uuid not null references destinations on delete cascade,
  workspace_id uuid not null references workspaces on delete cascade,
  place integer not null,
  platform text not null,
  event_name text not null,
  test_event_code text not null,
  -- JSON; null while the platform's default mapping is used.
  field_mappings text,
  primary key (signal_id, destination_id)
);
create index signal_platforms_of_destination on signal_platforms (destination_id);

-- Settings of all signals of a workspace.
create table signal_settings (
  workspace_id uuid primary key references workspaces on delete cascade,
  without_consent text not null,
  consent_path text not null,
  update_time timestamptz not null
);

-- The conversions of a signal, each once.
create table signal_conversions (
  id bigint generated always as identity primary key,
  signal_id uuid not null references signals on delete cascade,
  workspace_id uuid not null,
  key bytea not null,
  origin text not null,
  event_id text not null,
  source_event text not null,
  event_time timestamptz not null,
  create_time timestamptz not null,
  amount double precision,
  currency text not null,
  test boolean not null,
  -- Hashes of the person's identifiers.
  subjects bytea[] not null,
  -- JSON by destination: why the conversion was not sent, and its identifiers.
  platforms text not null
);
create unique index signal_conversions_key on signal_conversions (signal_id, key);
create index signal_conversions_of_signal on signal_conversions (signal_id, create_time desc, key desc);
create index signal_conversions_of_time on signal_conversions using brin (create_time);
create index signal_conversions_refunds on signal_conversions (signal_id, event_id) where origin = 'refund';
create index signal_conversions_of_subject on signal_conversions using gin (subjects);

-- Conversions that are still to be written to the stream.
-- Put into the stream in the order of id within a workspace. Its writer holds the advisory lock of the workspace until the end of its transaction.
create table signal_outbox (
  id bigint generated always as identity primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  signal_id uuid not null,
  destinations uuid[] not null,
  key text not null,
  source_id uuid not null,
  subjects bytea[] not null,
  json text not null
);
create index signal_outbox_of_workspace on signal_outbox (workspace_id, id);

-- Click IDs and first-party IDs by hash of an identifier, the first and the last of each name, until they expire.
create table signal_clicks (
  workspace_id uuid not null references workspaces on delete cascade,
  -- Hash of an identifier.
  person bytea not null,
  name text not null,
  first_value text not null,
  first_time timestamptz not null,
  first_campaign text not null,
  last_value text not null,
  last_time timestamptz not null,
  last_campaign text not null,
  expire_time timestamptz not null,
  primary key (workspace_id, person, name)
);
create index signal_clicks_to_expire on signal_clicks (expire_time);

-- Counts by signal, destination and UTC day: of what was sent, of each reason why not, and of each identifier.
create table signal_counts (
  signal_id uuid not null references signals on delete cascade,
  destination_id uuid not null,
  day date not null,
  kind text not null,
  count bigint not null,
  primary key (signal_id, destination_id, day, kind)
);

-- Conversions and their value by UTC day and by the click to which they are attributed.
create table signal_days (
  signal_id uuid not null references signals on delete cascade,
  workspace_id uuid not null,
  day date not null,
  touch text not null,
  clicked text not null,
  utm_source text not null,
  utm_medium text not null,
  utm_campaign text not null,
  currency text not null,
  count bigint not null,
  amount double precision not null,
  primary key (signal_id, day, touch, clicked, utm_source, utm_medium, utm_campaign, currency)
);
create index signal_days_of_workspace on signal_days (workspace_id, day);

create table signal_drafts (
  workspace_id uuid not null references workspaces on delete cascade,
  user_id uuid not null references users on delete cascade,
  key_id uuid references api_keys on delete cascade,
  draft text not null,
  update_time timestamptz not null
);
create unique index signal_drafts_caller on signal_drafts (workspace_id, coalesce(key_id, user_id));
create index signal_drafts_user on signal_drafts (user_id);
create index signal_drafts_key on signal_drafts (key_id);

create function note_signal_change() returns trigger language plpgsql as $$
begin
  update directory_version set version = version + 1, changed_by = txid_current()
    where changed_by <> txid_current();
  if found then
    perform pg_notify('directory_changed', '');
  end if;
  if tg_table_name = 'signals' then
    perform note_directory_objects('signals', array[new.workspace_id, old.workspace_id]);
    perform note_directory_objects('destination', array(
      select destination_id from signal_platforms where signal_id = new.id));
    perform note_directory_objects('source', array(select source_id from signal_sources where signal_id = new.id));
  elsif tg_table_name = 'signal_platforms' then
    perform note_directory_objects('signals', array[new.workspace_id, old.workspace_id]);
    perform note_directory_objects('destination', array[new.destination_id, old.destination_id]);
  elsif tg_table_name = 'signal_sources' then
    perform note_directory_objects('source', array[new.source_id, old.source_id]);
  else
    perform note_directory_objects('signals', array[new.workspace_id, old.workspace_id]);
  end if;
  return null;
end $$;

create constraint trigger directory_signals
  after insert or delete or update of enabled, revision, audience_id on signals
  deferrable initially deferred for each row execute function note_signal_change();

create constraint trigger directory_signal_settings
  after insert or delete or update on signal_settings
  deferrable initially deferred for each row execute function note_signal_change();

create constraint trigger directory_signal_sources
  after insert or delete on signal_sources
  deferrable initially deferred for each row execute function note_signal_change();

create constraint trigger directory_signal_platforms
  after insert or delete or update on signal_platforms
  deferrable initially deferred for each row execute function note_signal_change();
`
