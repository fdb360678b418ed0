import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '@tributary/kernel'
import type { Relational } from '../../relational/open.ts'
import { partsOf } from './parts.ts'

/** Maximum characters of a message; a longer message is dropped. */
const maxMessage = 1024 * 1024
/** Maximum characters of all messages that wait to be sent. */
const maxWaiting = 8 * 1024 * 1024
/** Maximum characters of the messages in one statement. A longer message has its own statement. */
const batchLength = 256 * 1024
/** Messages that could not be sent within this time are dropped, ms. */
const oldestMs = 10_000
/** Pause before a failed statement is repeated, ms. */
const againMs = 200

type Waiting = { parts: string[]; length: number; at: number }

/**
 * Creates a sender of an origin's messages to a channel. It runs one statement at a time, in order, and repeats a
 * failed one.
 */
export const createSending = (options: {
  pool: Pick<Relational['pool'], 'query'>
  channel: string
  origin: string
  logger: Logger
}) => {
  const { pool, channel, origin, logger } = options
  let closed = false
  let number = 0
  let queue: Waiting[] = []
  let waiting = 0
  let dropped = 0
  let sending: Promise<void> | undefined

  const drop = (count: number): void => {
    if (dropped === 0) logger.warn({}, 'messages between processes are dropped: PostgreSQL is away or slow')
    dropped += count
  }

  /** Returns the first messages of the queue that fit into one statement. Drops messages that are too old. */
  const nextBatch = (): Waiting[] => {
    const young = queue.findIndex(({ at }) => performance.now() - at < oldestMs)
    const old = queue.splice(0, young === -1 ? queue.length : young)
    if (old.length > 0) drop(old.length)
    for (const { length } of old) waiting -= length
    let length = 0
    const end = queue.findIndex((each) => (length += each.length) > batchLength && each !== queue[0])
    return queue.slice(0, end === -1 ? queue.length : end)
  }

  const sendAll = async (): Promise<void> => {
    for (let batch = nextBatch(); batch.length > 0 && !closed; batch = nextBatch()) {
      try {
        await pool.query({
          name: 'coordination-notify',
          text: `select count(pg_notify($1, part)::text) from unnest($2::text[]) with ordinality as parts(part, n)`,
          values: [channel, batch.flatMap(({ parts }) => parts)],
        })
      } catch (error) {
        // The failed statement may have sent the messages. Receivers skip repeated messages.
        logger.debug({ error: String(error) }, 'messages between processes are sent again')
        await pause(againMs, undefined, { ref: false })
        continue
      }
      if (dropped > 0) logger.warn({ dropped }, 'messages between processes are sent again, some were dropped')
      dropped = 0
      for (const { length } of batch) waiting -= length
      queue = queue.slice(batch.length)
    }
  }

  return {
    send(topic: string, text: string): void {
      if (closed) return
      const parts = text.length > maxMessage ? [] : partsOf(origin, number++, topic, text)
      const length = parts.reduce((sum, part) => sum + part.length, 0)
      if (parts.length === 0 || waiting + length > maxWaiting) return drop(1)
      queue.push({ parts, length, at: performance.now() })
      waiting += length
      sending ??= sendAll().finally(() => {
        sending = undefined
      })
    },
    /** Waits at most a second for the last messages, and then sends nothing more. */
    async close(): Promise<void> {
      await Promise.race([sending, pause(1000, undefined, { ref: false })])
      closed = true
    },
  }
}
