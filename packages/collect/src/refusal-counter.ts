import type { Clock, Logger } from '@tributary/kernel'
import type { RefusalRow, RefusalSink, WriteKeyEntry } from './ports.ts'
import type { Refusal } from './refusal.ts'

const hourMs = 3_600_000
/** Maximum number of different rows in memory, between two flushes or while the database is unavailable. */
const maxRows = 5000
/** Maximum number of different hints of unknown keys in one hour. Further keys are counted together. */
const maxHints = 200
const otherKeys = '*'

export type RefusalCounter = {
  /** Counts a rejected request. `sample` is called only if a new sample is needed. */
  count(refusal: Refusal, source: WriteKeyEntry | undefined, key: string | undefined, sample: () => string): void
  /** Records that a key was used at `time` (epoch ms). */
  touch(keyId: string, time: number): void
  /**
   * Writes the counts to the sink; if the sink fails, keeps them in bounded memory. Only one flush runs at a time.
   * Never rejects.
   */
  flush(): Promise<void>
}

const hintOf = (key: string | undefined): string => (key === undefined ? '' : `${key.slice(0, 4)}…`)

const addUp = (older: RefusalRow, newer: RefusalRow): RefusalRow => ({
  ...newer,
  count: older.count + newer.count,
  sample: newer.sample === '' ? older.sample : newer.sample,
})

/** Counts rejections by source (or by the beginning of an unknown key), reason and hour, in bounded memory. */
export const createRefusalCounter = (sink: RefusalSink, clock: Clock, logger: Logger): RefusalCounter => {
  let rows = new Map<string, RefusalRow>()
  let touched = new Map<string, number>()
  let hints = new Set<string>()
  let hintHour = 0
  let running: Promise<void> | undefined

  const boundedHint = (hint: string, hour: number): string => {
    if (hour !== hintHour) {
      hintHour = hour
      hints = new Set()
    }
    if (hints.has(hint)) return hint
    if (hints.size >= maxHints) return otherKeys
    hints.add(hint)
    return hint
  }
  const merge = (id: string, row: RefusalRow): void => {
    const known = rows.get(id)
    if (known !== undefined) rows.set(id, known.lastTime > row.lastTime ? addUp(row, known) : addUp(known, row))
    else if (rows.size < maxRows) rows.set(id, row)
  }
  const write = async (): Promise<void> => {
    const counted = rows
    const used = touched
    rows = new Map()
    touched = new Map()
    try {
      if (counted.size > 0) await sink.write([...counted.values()])
    } catch (error) {
      for (const [id, row] of counted) merge(id, row)
      logger.warn({ err: error }, 'refused requests could not be recorded; kept for another try')
    }
    try {
      if (used.size > 0) await sink.touchWriteKeys([...used].map(([keyId, lastUsed]) => ({ keyId, lastUsed })))
    } catch (error) {
      for (const [keyId, lastUsed] of used) if (!touched.has(keyId)) touched.set(keyId, lastUsed)
      logger.warn({ err: error }, 'uses of write keys could not be recorded; kept for another try')
    }
  }
  return {
    count(refusal, source, key, sample) {
      const now = clock()
      const hour = now - (now % hourMs)
      const keyHint = source === undefined ? boundedHint(hintOf(key), hour) : ''
      const id = `${source?.sourceId ?? ''} ${keyHint} ${refusal.reason} ${hour}`
      const known = rows.get(id)
      if (known !== undefined) {
        known.count++
        known.lastTime = now
        return
      }
      const row = {
        workspaceId: source?.workspaceId ?? null,
        sourceId: source?.sourceId ?? null,
        keyHint,
        reason: refusal.reason,
        code: refusal.code,
        hour,
        count: 1,
        lastTime: now,
        message: refusal.message,
        sample: sample(),
      }
      merge(id, row)
    },
    touch(keyId, time) {
      touched.set(keyId, time)
    },
    flush() {
      running ??= write().finally(() => {
        running = undefined
      })
      return running
    },
  }
}
