import type { Db } from '@tributary/api-kit'
import type { Clock } from '@tributary/kernel'
import { JobGivenUp } from '@tributary/storage'

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

/** What takes the text out of a row that nobody sends any more. */
export const withoutText = { body_text: '', body_html: '' } as const

/**
 * What a job of `mailJob` does: sends the mail and then marks it as sent. A process that dies between leads to the mail being
 * sent again. What is sent already, or of no use any more, is left. The text is removed as soon as it is sent or given
 * up.
 *
 * @throws JobGivenUp when the mail is refused for good; the transport's error when it is to be tried again
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
      const last_error = (error instanceof Error ? error.message : String(error)).slice(0, 1000)
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
