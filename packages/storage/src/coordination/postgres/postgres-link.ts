import { randomBytes } from 'node:crypto'
import type { Logger } from '@tributary/kernel'
import { createListener } from '../../relational/listener.ts'
import { openRelational } from '../../relational/open.ts'
import { type CoordinationLink, missedTopic } from '../port.ts'
import { createSharedLedger } from './leases.ts'
import { createPartReader } from './parts.ts'
import { createSending } from './sending.ts'

const channel = 'tributary_coordination'
/** The topic of an origin's messages to itself, which show that the origin receives notifications. */
const beatTopic = 'beat'
const sweepMs = 60_000

export type PostgresLinkOptions = {
  /** The address of PostgreSQL, as in `openRelational`. */
  url: string
  logger: Logger
  /**
   * Interval between two announcements of a process, ms. A process that receives none of its own for three intervals
   * opens a new connection to listen.
   */
  beatMs?: number
  /** Maximum time of a call, ms. */
  statementMs?: number
  /**
   * Whether messages of a topic are sent only while another process runs, because a later process gets them again or
   * does not need them.
   */
  isPassing?: (topic: string) => boolean
}

/**
 * Connects this process with others over PostgreSQL: leases and counters are rows, messages are notifications. The link
 * has at most four connections of its own, so that it never waits for the queries of users. While PostgreSQL is
 * unavailable, calls reject, and messages wait for up to ten seconds. After a time without notifications, the process
 * gets a message on `missedTopic`.
 */
export const openPostgresLink = async (options: PostgresLinkOptions): Promise<CoordinationLink> => {
  const { url, logger, beatMs = 5000, statementMs = 5000, isPassing = () => false } = options
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
  const sending = createSending({ pool, channel, origin, logger })
  let hear: (topic: string, text: string) => void = () => {}
  let closing: Promise<void> | undefined
  let heardAt = performance.now()
  let othersHeardAt = Number.NEGATIVE_INFINITY
  let hasBegun = false
  const hasOthers = (): boolean => performance.now() - othersHeardAt < 6 * beatMs

  const reader = createPartReader((from, topic, text) => {
    if (from === origin) return void (heardAt = performance.now())
    const isFirst = !hasOthers()
    othersHeardAt = performance.now()
    // The other process may be new, so this one announces itself immediately.
    if (isFirst) sending.send(beatTopic, 'null')
    if (topic !== beatTopic) hear(topic, text)
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

  const timers = [
    setInterval(
      () => {
        // A connection that the network has dropped stays silent, so it is replaced. The new one gets the same time.
        if (performance.now() - heardAt > 3 * beatMs) {
          heardAt = performance.now()
          listener.renew()
        }
        void listener.ensure()
      },
      Math.min(1000, beatMs),
    ),
    setInterval(() => sending.send(beatTopic, 'null'), beatMs),
    setInterval(() => void ledger.sweep().catch(() => {}), sweepMs),
  ]
  for (const timer of timers) timer.unref()
  await listener.ensure()
  hasBegun = true
  sending.send(beatTopic, 'null')

  const close = async (): Promise<void> => {
    // Waits until the last messages are sent, such as the message that this process leaves.
    await sending.close()
    for (const timer of timers) clearInterval(timer)
    listener.stop()
    await relational.close()
  }

  return {
    ...ledger,
    send(topic, text) {
      if (!isPassing(topic) || hasOthers()) sending.send(topic, text)
    },
    listen(whom) {
      hear = whom
    },
    close: () => (closing ??= close()),
  }
}
