import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '@tributary/kernel'
import { createListener } from '../../relational/listener.ts'
import { openRelational } from '../../relational/open.ts'
import { type CoordinationLink, missedTopic } from '../port.ts'
import { createSharedLedger } from './leases.ts'
import { createPartReader, partsOf } from './parts.ts'

const channel = 'tributary_coordination'
/** What an origin says to itself, to know that it is heard. */
const beatTopic = 'beat'
/** Characters that may wait to be sent, of one message and of all. */
const mostMessage = 1024 * 1024
const mostWaiting = 8 * 1024 * 1024
/** What is sent in one statement, at least one message. */
const batchLength = 256 * 1024
/** What could not be sent for so long is of no use any more. */
const oldestMs = 10_000
const sweepMs = 60_000

export type PostgresLinkOptions = {
  /** As of `openRelational`. */
  url: string
  logger: Logger
  /** How often a process says that it is there, ms; one that does not hear itself for three times as long listens anew. */
  beatMs?: number
  /** How long a call may take, ms. */
  statementMs?: number
}

type Waiting = { parts: string[]; length: number; at: number }

/**
 * Joins the coordination of processes over PostgreSQL: leases and counters are rows, messages are notifications. Connections are its
 * own, at most four, so that nothing of it waits for what people ask. While PostgreSQL is away, calls reject, and messages wait for ten
 * seconds. When a process could not hear for a while it is told on `missedTopic`.
 */
export const openPostgresLink = async (options: PostgresLinkOptions): Promise<CoordinationLink> => {
  const { url, logger, beatMs = 5000, statementMs = 5000 } = options
  const relational = openRelational({
    url,
    logger,
    maxConnections: 4,
    statementMs,
    applicationName: 'tributary coordination',
  })
  const { pool } = relational
  const ledger = createSharedLedger(pool)
  const origin = randomBytes(9).toString('base64url')
  let hear: (topic: string, text: string) => void = () => {}
  let closed = false
  let number = 0
  let queue: Waiting[] = []
  let waiting = 0
  let dropped = 0
  let sending: Promise<void> | undefined
  let heardAt = performance.now()
  let hasBegun = false

  const reader = createPartReader((from, topic, text) => {
    if (from === origin) heardAt = performance.now()
    else if (topic !== beatTopic) hear(topic, text)
  })
  const listener = createListener(
    pool,
    channel,
    (payload) => reader.read(payload),
    () => {
      heardAt = performance.now()
      reader.cut()
      if (hasBegun) hear(missedTopic, 'null')
    },
  )

  const drop = (count: number): void => {
    if (dropped === 0) logger.warn({}, 'messages between processes are dropped: PostgreSQL is away or slow')
    dropped += count
  }

  /** Those at the front that go in one statement; those that are too old are dropped. */
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
        // It may have been sent: who has heard it passes it over the second time.
        logger.debug({ error: String(error) }, 'messages between processes are sent again')
        await pause(Math.min(200, beatMs), undefined, { ref: false })
        continue
      }
      if (dropped > 0) logger.warn({ dropped }, 'messages between processes are sent again, some were dropped')
      dropped = 0
      for (const { length } of batch) waiting -= length
      queue = queue.slice(batch.length)
    }
  }

  const send = (topic: string, text: string): void => {
    if (closed) return
    const parts = text.length > mostMessage ? [] : partsOf(origin, number++, topic, text)
    const length = parts.reduce((sum, part) => sum + part.length, 0)
    if (parts.length === 0 || waiting + length > mostWaiting) return drop(1)
    queue.push({ parts, length, at: performance.now() })
    waiting += length
    sending ??= sendAll().finally(() => {
      sending = undefined
    })
  }

  const timers = [
    setInterval(
      () => {
        // A connection that the network has lost says nothing.
        if (performance.now() - heardAt > 3 * beatMs) listener.renew()
        void listener.ensure()
      },
      Math.min(1000, beatMs),
    ),
    setInterval(() => send(beatTopic, 'null'), beatMs),
    setInterval(() => void ledger.sweep().catch(() => {}), sweepMs),
  ]
  for (const timer of timers) timer.unref()
  await listener.ensure()
  hasBegun = true

  return {
    ...ledger,
    send,
    listen(whom) {
      hear = whom
    },
    async close() {
      if (closed) return
      // What was said last, such as that nobody is here any more, is heard.
      await Promise.race([sending, pause(1000, undefined, { ref: false })])
      closed = true
      for (const timer of timers) clearInterval(timer)
      listener.stop()
      await relational.close()
    },
  }
}
