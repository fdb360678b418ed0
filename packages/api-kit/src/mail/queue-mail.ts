import { newId } from '@tributary/kernel'
import { type JobKind, type JobSender, withoutEnd } from '@tributary/storage'
import { z } from 'zod'
import type { Db, Tx } from '../db.ts'
import { oneLine } from './layout.ts'
import type { Mail } from './templates.ts'

const data = z.object({ mail: z.string() })

/**
 * The job that sends a mail. The job contains only the ID of the mail, so that its text is stored in a single place,
 * from which it is removed.
 */
export const mailJob: JobKind<z.output<typeof data>> = {
  name: 'mail',
  data,
  // Retries continue until the mail expires, which the run checks.
  retries: { most: withoutEnd, pauseSeconds: 1, maxPauseSeconds: 10 * 60 },
  // The lease is longer than the timeout of a transport, in case the database is unavailable meanwhile.
  leaseSeconds: 60,
  maxSeconds: 5 * 60,
  atOnce: 4,
  exclusive: false,
  keepSeconds: 24 * 60 * 60,
}

/**
 * Queues a mail in the caller's transaction. The mail is sent after the commit, normally within about a second. If the
 * mail server does not accept it, it is retried until `expireTime`.
 */
export const queueMail = async (
  tx: Tx,
  jobs: JobSender,
  given: {
    /** A single email address. */
    recipient: string
    mail: Mail
    time: Date
    /** After this time the mail is useless and is given up. */
    expireTime: Date
  },
): Promise<void> => {
  const id = newId()
  await tx
    .insertInto('mails')
    .values({
      id,
      kind: given.mail.kind,
      recipient: oneLine(given.recipient),
      subject: oneLine(given.mail.subject),
      body_text: given.mail.text,
      body_html: given.mail.html,
      create_time: given.time,
      expire_time: given.expireTime,
    })
    .execute()
  await jobs.send(tx, mailJob, { mail: id }, { id })
}

/**
 * Makes sure that every waiting mail has a job, also those that an older version queued without one. Call this function
 * at every start.
 */
export const queueWaitingMails = async (db: Db, jobs: JobSender, now: number): Promise<void> => {
  const waiting = await db
    .selectFrom('mails')
    .select('id')
    .where('sent_time', 'is', null)
    .where('expire_time', '>', new Date(now))
    .orderBy('create_time')
    .execute()
  for (const { id } of waiting) await jobs.send(db, mailJob, { mail: id }, { id })
}
