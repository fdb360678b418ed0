import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Who entered and left audiences, and when: `audience_changes` in the order of `id`, of which the last of each profile says
 * whether it is in, and `audience_hours` with the size as it was last in each hour. Those who are in when this is applied
 * have entered when they did.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table audience_changes (
  id bigint generated always as identity primary key,
  audience_id uuid not null references audiences on delete cascade,
  profile_id uuid not null,
  kind text not null check (kind in ('entered','left')),
  time timestamptz not null
);
create index audience_changes_newest on audience_changes (audience_id, time, profile_id);
create index audience_members_profile on audience_members (profile_id);

create table audience_hours (
  audience_id uuid not null references audiences on delete cascade,
  hour timestamptz not null,
  size integer not null,
  entered_count integer not null,
  left_count integer not null,
  primary key (audience_id, hour)
);

insert into audience_changes (audience_id, profile_id, kind, time)
  select audience_id, profile_id, 'entered', enter_time from audience_members order by enter_time, profile_id;
insert into audience_hours (audience_id, hour, size, entered_count, left_count)
  select id, date_trunc('hour', as_of, 'UTC'), size, entered_count, left_count from audiences
  where as_of is not null and size is not null;
`.execute(db)
}
