import { createHmac } from 'node:crypto'
import { type QueryExecutorProvider, sql } from 'kysely'

type Known = { workspace_id: string; sequence: string; type: string; value: string; key: Uint8Array }

/**
 * What is known of forgotten identifiers beside their hashes: by which number the event store knows their events, so that
 * they are found without a value, and by which sequence profiles know them, so that a suppressed profile is known by any
 * of its identifiers. The table of numbers that there was has become a column. `privacy_owners` are those whose events a
 * request removes, though nobody knows their values any more.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table privacy_hashes add column owner numeric(20), add column identifier bigint;
update privacy_hashes h set owner = o.owner from suppressed_owners o
  where o.workspace_id = h.workspace_id and o.hash = h.hash;
drop table suppressed_owners;
create index privacy_hashes_identifier on privacy_hashes (workspace_id, identifier)
  where suppress_time is not null and identifier is not null;
create table privacy_owners (
  request_id uuid not null references privacy_requests on delete cascade,
  owner numeric(20) not null,
  primary key (request_id, owner)
);
`.execute(db)
  const pageSize = 20_000
  for (let after = ['00000000-0000-0000-0000-000000000000', '-1']; ; ) {
    const { rows } = await sql<Known>`
      select i.workspace_id, i.sequence, i.type, i.value, l.privacy_key as key
      from profile_identifiers i join identity_ledgers l on l.workspace_id = i.workspace_id
      where (i.workspace_id, i.sequence) > (${after[0]}::uuid, ${after[1]}::bigint) and l.privacy_key is not null
      order by i.workspace_id, i.sequence limit ${pageSize}`.execute(db)
    const found = rows.map(({ workspace_id, sequence, type, value, key }) => ({
      workspace_id,
      sequence,
      hash: createHmac('sha256', key).update(`${type}:${value}`).digest('hex'),
    }))
    await sql`
      update privacy_hashes h set identifier = row.sequence
      from jsonb_to_recordset(${JSON.stringify(found)}::jsonb) as row (workspace_id uuid, sequence bigint, hash text)
      where h.workspace_id = row.workspace_id and h.hash = row.hash and h.suppress_time is not null`.execute(db)
    const last = rows.at(-1)
    if (last === undefined || rows.length < pageSize) return
    after = [last.workspace_id, last.sequence]
  }
}
