import { type QueryExecutorProvider, sql } from 'kysely'

/** From where users have signed in, as keyed hashes: who guesses elsewhere cannot lock them out there. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table sign_in_places (
  user_id uuid not null references users on delete cascade,
  place_hash bytea not null,
  last_time timestamptz not null,
  primary key (user_id, place_hash)
);
`.execute(db)
}
