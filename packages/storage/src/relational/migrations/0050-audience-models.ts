import { type QueryExecutorProvider, sql } from 'kysely'

/** A model may be the members of an audience, and goes with it. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table models add column audience_id uuid references audiences on delete cascade;
create index models_audience on models (audience_id) where audience_id is not null;
`.execute(db)
}
