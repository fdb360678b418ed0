import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * What consumers of a log know durably where nothing of it is in a folder: positions with the texts beside them, ranges that are begun,
 * and message ids that nobody else has. `serial` rises with each write: one that comes late changes nothing. `ids_file` names the file
 * that has all other ids, as of `ids_serial`.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
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
create table journal_notes (
  consumer text not null references journals on delete cascade,
  partition integer not null,
  note text not null,
  primary key (consumer, partition)
);
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
`.execute(db)
}
