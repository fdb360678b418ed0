import { type QueryExecutorProvider, sql } from 'kysely'

/** An audience that is paused keeps its members as they were, and nobody enters or leaves. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table audiences drop constraint audiences_state_check,
  add constraint audiences_state_check check (state in ('preparing','computing','live','paused','failed'));
`.execute(db)
}
