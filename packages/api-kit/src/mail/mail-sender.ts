import type { Clock } from '@tributary/kernel'
import { cutText } from '@tributary/kernel'
import { JobGivenUp } from '@tributary/storage'
import type { Db } from '../db.ts'

/** An outgoing mail. Its ID stays the same when it is sent again. */
export type OutgoingMail = { id: string; recipient: string; subject: string; text: string; html: string }

/** Sends mail. Throws if it cannot be sent; MailRefused if retries are useless. */
export type MailTransport = { send(mail: OutgoingMail): Promise<void> }

/** Thrown if the mail server permanently refuses a mail. */
export class MailRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'MailRefused'
  }
}

/** Column values that remove the text from the row of a mail that will not be sent again. */
const withoutText = { body_text: '', body_html: '' } as const

/**
 * Creates the function that runs a `mailJob`: it sends the mail and then marks the mail as sent. If a process dies in
 * between, the mail is sent again. A mail that was sent already, or has expired, is skipped. The text is removed as
 * soon as the mail is sent or given up.
 *
 * @throws JobGivenUp if the mail is permanently refused; the transport's error if it must be retried
 */
export const createMailSender = ({ db, transport, clock }: { db: Db; transport: MailTransport; clock: Clock }) => {
  const ofMail = (id: string) => db.updateTable('mails').where('id', '=', id).where('sent_time', 'is', null)
  return async ({ mail: id }: { mail: string }): Promise<void> => {
    const mail = await ofMail(id)
      .where('expire_time', '>', new Date(clock()))
      .set((row) => ({ attempts: row('attempts', '+', 1) }))
      .returning(['recipient', 'subject', 'body_text', 'body_html'])
      .executeTakeFirst()
    if (mail === undefined) return void (await ofMail(id).set(withoutText).execute())
    const { recipient, subject, body_text: text, body_html: html } = mail
    try {
      await transport.send({ id, recipient, subject, text, html })
    } catch (error) {
      const last_error = cutText(error instanceof Error ? error.message : String(error), 1000)
      if (!(error instanceof MailRefused)) {
        await ofMail(id).set({ last_error }).execute()
        throw error
      }
      await ofMail(id)
        .set({ last_error, expire_time: new Date(clock()), ...withoutText })
        .execute()
      throw new JobGivenUp(last_error)
    }
    await ofMail(id)
      .set({ sent_time: new Date(clock()), last_error: '', ...withoutText })
      .execute()
  }
}

/**
 * Removes the texts of unsent mails that have expired by the time `time`. Also deletes the expired mails that were
 * queued before `before`.
 */
export const clearOldMails = async (db: Db, time: Date, before: Date): Promise<void> => {
  await db
    .updateTable('mails')
    .set(withoutText)
    .where('sent_time', 'is', null)
    .where('expire_time', '<=', time)
    .where('body_text', '<>', '')
    .execute()
  await db.deleteFrom('mails').where('create_time', '<', before).where('expire_time', '<', time).execute()
}
