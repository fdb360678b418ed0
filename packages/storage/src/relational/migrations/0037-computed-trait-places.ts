import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Where in the log of requests the events are that changed a computed trait: it is computed anew once they are stored. Of what was noted
 * before nobody knows that, so that those traits are computed for everybody.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
update computed_traits t set pass_time = null, compute_time = null
  where exists (select from computed_trait_changes c where c.trait_id = t.id);
truncate computed_trait_changes;
alter table computed_trait_changes
  add column log_partition integer not null,
  add column log_offset bigint not null,
  drop constraint computed_trait_changes_pkey,
  add primary key (trait_id, identifier, log_partition);
`.execute(db)
}
