import { type Db, markErasedIds } from '@tributary/api-kit'
import type { EventStore } from '@tributary/storage'
import { sql } from 'kysely'
import { personHash } from './engine/persons.ts'

const idTypes = new Set(['user_id', 'anonymous_id', 'previous_id'])
/** Number of conversions per statement. */
const atOnce = 5000

type People = {
  workspaceId: string
  requestId: string
  identifiers: readonly { type: string; value: string }[]
}

/**
 * Removes people from the data of signals: their clicks and unsent conversions. A sent conversion loses its ID and
 * person, and still counts, under a hash. Events that were sent to destinations are marked as erased. May be repeated.
 */
export const eraseConversions = async (
  { db, eventStore }: { db: Db; eventStore: Pick<EventStore, 'insert'> },
  { workspaceId, requestId, identifiers }: People,
): Promise<void> => {
  const hashes = identifiers
    .filter(({ type }) => idTypes.has(type))
    .flatMap(({ type, value }) =>
      // The previous ID of an alias may be a user ID or an anonymous ID.
      (type === 'previous_id' ? ['user_id', 'anonymous_id', 'previous_id'] : [type]).map((each) =>
        personHash(workspaceId, { type: each, value }),
      ),
    )
  if (hashes.length === 0) return
  await sql`delete from signal_clicks where workspace_id = ${workspaceId}::uuid and person = any(${hashes}::bytea[])`.execute(
    db,
  )
  await sql`delete from signal_outbox where workspace_id = ${workspaceId}::uuid and subjects && ${hashes}::bytea[]`.execute(
    db,
  )
  for (let left = atOnce; left === atOnce; ) {
    const { rows } = await sql<{ id: string; event: string }>`
      select id::text, signal_id || '-' || encode(key, 'hex') as event from signal_conversions
      where workspace_id = ${workspaceId}::uuid and subjects && ${hashes}::bytea[] limit ${atOnce}`.execute(db)
    left = rows.length
    if (left === 0) break
    const ids = rows.map(({ event }) => event)
    await markErasedIds(eventStore, { workspaceId, requestId }, ids, `${requestId}-${rows[0]?.id}`)
    await sql`update signal_conversions set event_id = '', source_event = '', subjects = '{}'
      where id = any(${rows.map(({ id }) => id)}::bigint[])`.execute(db)
  }
}
