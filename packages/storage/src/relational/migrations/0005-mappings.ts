import { type QueryExecutorProvider, sql } from 'kysely'

/** What of an event goes to a destination and in which form: mappings, consent, and the filter of each connection. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table destinations
  add column mappings jsonb,
  add column mappings_revision integer not null default 0,
  add column consent_categories text[] not null default '{}';

alter table connections add column filter jsonb not null default '{"match":"all","conditions":[]}';
`.execute(db)
}
