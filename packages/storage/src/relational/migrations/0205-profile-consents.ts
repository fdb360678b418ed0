import { type QueryExecutorProvider, sql } from 'kysely'

const statements = `
-- The latest consent preferences of each identifier that owns events. A new time needs no entry of an index.
create table profile_consents (
  workspace_id uuid not null references identity_ledgers on delete cascade,
  -- Sequence of the identifier that owns the event.
  identifier bigint not null,
  -- The categories with consent. Every other category has none.
  granted text[] not null,
  -- The event that last had preferences.
  time timestamptz not null,
  event_id text collate "C" not null,
  primary key (workspace_id, identifier)
) with (fillfactor = 70)
`

/** Adds the consent of profiles. Earlier events gave none. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql.raw(statements).execute(db)
}
