import { countRefusals, type Db } from '@tributary/api-kit'
import { sql } from 'kysely'

/** The number of requests that collection refused for one reason since its last report. Times are epoch ms. */
export type RefusalRow = {
  workspaceId?: string | null
  sourceId?: string | null
  keyHint: string
  reason: string
  code: number
  count: number
  lastTime: number
  message: string
  /** One of the refused requests, redacted; '' keeps the stored sample. */
  sample: string
}

/** The last use of a write key. `lastUsed` is epoch ms. */
export type WriteKeyUse = { keyId: string; lastUsed: number }

export type RefusalSink = {
  /** Adds the count of each row to the hour that contains its last time. */
  write(rows: readonly RefusalRow[]): Promise<void>
  /** Stores when write keys were last used. Never replaces a time by an earlier one. */
  touchWriteKeys(rows: readonly WriteKeyUse[]): Promise<void>
}

const hourMs = 3_600_000

/** Removes what the database cannot store in a text: NUL, and halves of surrogate pairs. */
const clean = (text: string): string => text.toWellFormed().replaceAll('\0', '')

type Merged = RefusalRow & { hour: number }

/** Merges rows with the same primary key, because one statement cannot change a row twice. */
const merged = (rows: readonly RefusalRow[]): Merged[] => {
  const byKey = new Map<string, Merged>()
  for (const row of rows) {
    const hour = Math.floor(row.lastTime / hourMs) * hourMs
    const key = JSON.stringify([row.sourceId ?? null, clean(row.keyHint), clean(row.reason), hour])
    const before = byKey.get(key)
    const later = before !== undefined && before.lastTime > row.lastTime ? before : row
    byKey.set(key, {
      ...later,
      hour,
      count: row.count + (before?.count ?? 0),
      sample: later.sample || row.sample || (before?.sample ?? ''),
    })
  }
  return [...byKey.values()]
}

/**
 * Stores the requests that collection refused, and the last uses of write keys. Both calls can be repeated after a
 * failure.
 */
export const createRefusalSink = ({ db }: { db: Db }): RefusalSink => ({
  async write(rows) {
    if (rows.length === 0) return
    await countRefusals(
      db,
      merged(rows).map((row) => ({
        workspace_id: row.workspaceId ?? null,
        source_id: row.sourceId ?? null,
        key_hint: clean(row.keyHint),
        reason: clean(row.reason),
        code: row.code,
        hour: new Date(row.hour),
        count: row.count,
        last_time: new Date(row.lastTime),
        message: clean(row.message),
        sample: clean(row.sample),
      })),
    )
  },
  async touchWriteKeys(rows) {
    if (rows.length === 0) return
    const latest = new Map<string, number>()
    for (const { keyId, lastUsed } of rows) latest.set(keyId, Math.max(lastUsed, latest.get(keyId) ?? 0))
    const ids = [...latest.keys()]
    const times = [...latest.values()].map((time) => new Date(time).toISOString())
    await sql`
      update write_keys set last_used_time = used.time
      from unnest(${ids}::uuid[], ${times}::timestamptz[]) as used (id, time)
      where write_keys.id = used.id and (write_keys.last_used_time is null or write_keys.last_used_time < used.time)
    `.execute(db)
  },
})
