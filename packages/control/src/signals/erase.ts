import type { Db } from '@tributary/api-kit'
import type { EventStore } from '@tributary/storage'
import { sql } from 'kysely'
import { personHash } from './engine/persons.ts'

const idTypes = new Set(['user_id', 'anonymous_id', 'previous_id'])
/** Conversions of one statement. */
const atOnce = 5000

type People = {
  workspaceId: string
  requestId: string
  identifiers: readonly { type: string; value: string }[]
}

/**
 * Takes people out of what signals keep: clicks, what is still to be sent, and of conversions their ID and whom they are of; that there
 * was one is kept, by a hash. What destinations were sent of them is marked among the erased events. May be done again.
 */
export const eraseConversions = async (
  { db, eventStore }: { db: Db; eventStore: Pick<EventStore, 'insert'> },
  { workspaceId, requestId, identifiers }: People,
): Promise<void> => {
  const hashes = identifiers
    .filter(({ type }) => idTypes.has(type))
    .flatMap(({ type, value }) =>
      // An ID of before an alias may be either.
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
    const lines = rows.map(({ event }) =>
      JSON.stringify({ workspace_id: workspaceId, request_id: requestId, event_id: event }),
    )
    await eventStore.insert('erased_events', lines.join('\n'), { token: `${requestId}-${rows[0]?.id}` })
    await sql`update signal_conversions set event_id = '', source_event = '', subjects = '{}'
      where id = any(${rows.map(({ id }) => id)}::bigint[])`.execute(db)
  }
}
