import { type QueryExecutorProvider, sql } from 'kysely'

/** By which change of a ledger's hashes one became what it is: what is kept beside the database follows by that. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table privacy_hashes add column changed bigint not null default 0;
update privacy_hashes h set changed = l.erasures from identity_ledgers l where l.workspace_id = h.workspace_id;
`.execute(db)
}
