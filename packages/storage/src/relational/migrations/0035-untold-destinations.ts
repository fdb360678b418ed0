import { type QueryExecutorProvider, sql } from 'kysely'

/** Destinations that could delete users and are not told, since their settings lack something for it. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table privacy_tellings drop constraint privacy_tellings_state_check,
  add check (state in ('waiting','sent','done','failed','not_told'));
drop index privacy_tellings_open;
create index privacy_tellings_open on privacy_tellings (request_id) where state not in ('done','not_told');
`.execute(db)
}
