import type { Db } from '@tributary/api-kit'
import { backoffMs, type Clock, type Logger, type RetryPolicy } from '@tributary/kernel'
import type { Relational } from '@tributary/storage'
import { createListener } from '../listener.ts'
import { mailChannel } from './queue-mail.ts'

/** A mail as it goes out. The id stays the same when it is sent again. */
export type OutgoingMail = { id: string; recipient: string; subject: string; text: string; html: string }

/** Takes mail to where it is read. Throws when it cannot; MailRefused when trying again is of no use. */
export type MailTransport = { send(mail: OutgoingMail): Promise<void> }

/** The mail server will not take this mail, now or later. */
export class MailRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'MailRefused'
  }
}

/** How long a mail that is being sent is left alone by others, ms: longer than a transport takes to give up. */
const leaseMs = 60_000
const atOnce = 8
const retries: RetryPolicy = { baseMs: 1000, capMs: 10 * 60_000, maxElapsedMs: Number.POSITIVE_INFINITY }
/** How long a queued mail can go unseen when its notification is lost, ms. */
const pollMs = 5000
/** How long an end waits for mail that is being sent, ms. */
const stopMs = 3000

export type MailSender = {
  start(): Promise<void>
  /** Waits shortly for what is being sent; what is not through then is sent again at the next start. */
  stop(): Promise<void>
}

/**
 * Sends what `queueMail` has queued, at least once each: a mail is taken for a minute, sent, and then marked as sent; when
 * the process dies between, it is taken again. Failed ones are tried again with growing pauses until they are of no use.
 * Texts are removed as soon as they are sent or given up. Any number of processes may run one.
 */
export const createMailSender = ({
  db,
  pool,
  transport,
  clock,
  logger,
}: {
  db: Db
  /** For the connection that listens for new mail. */
  pool: Relational['pool']
  transport: MailTransport
  clock: Clock
  logger: Logger
}): MailSender => {
  let running: Promise<void> | undefined
  let again = false
  let failing = false
  let stopped = true
  let timer: NodeJS.Timeout | undefined

  /** Takes due mail for the time of the lease. */
  const take = () => {
    const now = clock()
    return db
      .updateTable('mails')
      .set((row) => ({ attempts: row('attempts', '+', 1), next_time: new Date(now + leaseMs) }))
      .where('id', 'in', (mails) =>
        mails
          .selectFrom('mails')
          .select('id')
          .where('sent_time', 'is', null)
          .where('next_time', '<=', new Date(now))
          .where('expire_time', '>', new Date(now))
          .orderBy('next_time')
          .limit(atOnce)
          .forUpdate()
          .skipLocked(),
      )
      .returning(['id', 'kind', 'recipient', 'subject', 'body_text', 'body_html', 'attempts'])
      .execute()
  }

  const sendOne = async (mail: Awaited<ReturnType<typeof take>>[number]): Promise<void> => {
    const { id, kind, recipient, subject, body_text: text, body_html: html, attempts } = mail
    const row = db.updateTable('mails').where('id', '=', id)
    try {
      await transport.send({ id, recipient, subject, text, html })
    } catch (error) {
      if (stopped) return
      const last_error = (error instanceof Error ? error.message : String(error)).slice(0, 1000)
      logger.warn({ mail: id, kind, attempts, error: last_error }, 'a mail could not be sent')
      const now = clock()
      await row
        .set(
          error instanceof MailRefused
            ? { last_error, expire_time: new Date(now), body_text: '', body_html: '' }
            : { last_error, next_time: new Date(now + backoffMs(retries, attempts)) },
        )
        .execute()
      return
    }
    await row.set({ sent_time: new Date(clock()), last_error: '', body_text: '', body_html: '' }).execute()
  }

  const sendDue = async (): Promise<void> => {
    for (;;) {
      const mails = stopped ? [] : await take()
      if (mails.length === 0) break
      await Promise.all(mails.map(sendOne))
    }
    await db
      .updateTable('mails')
      .set({ body_text: '', body_html: '' })
      .where('sent_time', 'is', null)
      .where('expire_time', '<=', new Date(clock()))
      .where('body_text', '<>', '')
      .execute()
  }

  /** How long nothing is due, ms. */
  const idleMs = async (): Promise<number> => {
    const next = await db
      .selectFrom('mails')
      .select(({ fn }) => fn.min('next_time').as('time'))
      .where('sent_time', 'is', null)
      .where('expire_time', '>', new Date(clock()))
      .executeTakeFirst()
    const time = next?.time
    return time instanceof Date ? Math.max(0, Math.min(pollMs, time.getTime() - clock())) : pollMs
  }

  const round = async (): Promise<number> => {
    try {
      await sendDue()
      const wait = await idleMs()
      failing = false
      return wait
    } catch (error) {
      if (!failing && !stopped) logger.warn({ err: error }, 'mail waits: the database cannot be asked')
      failing = true
      return pollMs
    }
  }

  /** One round at a time; a wish during one is fulfilled by another after it. */
  const wake = (): void => {
    again = true
    if (running !== undefined || stopped) return
    clearTimeout(timer)
    running = (async () => {
      let wait = pollMs
      while (again && !stopped) {
        again = false
        wait = await round()
      }
      running = undefined
      if (!stopped) timer = setTimeout(tick, wait)
    })()
  }
  const listener = createListener(pool, mailChannel, wake)
  const tick = (): void => {
    void listener.ensure()
    wake()
  }

  return {
    async start() {
      stopped = false
      await listener.ensure()
      wake()
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      listener.stop()
      const late = Promise.withResolvers<void>()
      const timeout = setTimeout(late.resolve, stopMs)
      await Promise.race([running, late.promise])
      clearTimeout(timeout)
    },
  }
}
