/**
 * The shared state of processes: the schemas that each process supports, counters, leases, groups of partitions, and
 * positions in the logs.
 */
export const processesSql = `
-- A process announces which migrations it supports, and a migration that removes something waits for those that do not support it.
create table process_schemas (
  id text primary key,
  host text not null,
  version text not null,
  roles text[] not null,
  knows text[] not null,
  start_time timestamptz not null default now(),
  seen_time timestamptz not null
);

create unlogged table processes (
  id text primary key,
  host text not null,
  version text not null,
  roles text[] not null,
  held text[] not null,
  start_time timestamptz not null default now(),
  seen_time timestamptz not null
);

-- Short-lived, and not written to the log of the database.
create unlogged table coordination_counters (
  key_hash bytea primary key,
  value bigint not null,
  expire_time timestamptz not null
);
create index coordination_counters_expire_time on coordination_counters (expire_time);

-- Leases stay when they are over: an epoch is never given again.
create table coordination_leases (
  name text primary key,
  holder text not null,
  epoch bigint not null,
  expire_time timestamptz not null
);

-- A single row with the number of groups into which the partitions of the logs are divided.
create table partition_groups (
  id boolean primary key default true check (id),
  groups integer not null check (groups > 0)
);
insert into partition_groups (groups) values (1);

-- Each write raises serial: a late one changes nothing. The file ids_file has all other message IDs, as of ids_serial.
create table journals (
  consumer text primary key,
  serial bigint not null,
  ids_file text,
  ids_serial bigint not null default 0
);

create table journal_positions (
  consumer text not null references journals on delete cascade,
  partition integer not null,
  next bigint not null,
  incarnation text,
  primary key (consumer, partition)
);
comment on column journal_positions.partition is 'beyond all partitions: a second reading of one';

create table journal_notes (
  consumer text not null references journals on delete cascade,
  partition integer not null,
  note text not null,
  primary key (consumer, partition)
);
comment on column journal_notes.note is 'of the pipeline: workspaces that are overtaken by others of their partition';

create table journal_ranges (
  consumer text not null references journals on delete cascade,
  token text not null,
  partition integer not null,
  serial bigint not null,
  place integer not null,
  first bigint not null,
  behind bigint not null,
  incarnation text,
  primary key (consumer, token, partition)
);

create table journal_ids (
  consumer text not null references journals on delete cascade,
  hash bytea not null,
  partition integer not null,
  record bigint not null,
  index integer not null,
  seen_time timestamptz not null,
  primary key (consumer, hash)
);
create index journal_ids_seen_time on journal_ids (consumer, seen_time);
`
