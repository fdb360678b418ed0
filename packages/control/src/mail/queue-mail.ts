import type { Tx } from '@tributary/api-kit'
import { newId } from '@tributary/kernel'
import { sql } from 'kysely'
import { oneLine } from './layout.ts'
import type { Mail } from './templates.ts'

/** PostgreSQL's channel that tells the sender of new mail. */
export const mailChannel = 'mail_queued'

/**
 * Queues a mail in the caller's transaction: it is sent once that is committed, within about a second when the mail
 * server takes it, and tried again until `expireTime` otherwise.
 */
export const queueMail = async (
  tx: Tx,
  given: {
    /** One address. */
    recipient: string
    mail: Mail
    time: Date
    /** After this the mail is of no use and is given up. */
    expireTime: Date
  },
): Promise<void> => {
  await tx
    .insertInto('mails')
    .values({
      id: newId(),
      kind: given.mail.kind,
      recipient: oneLine(given.recipient),
      subject: oneLine(given.mail.subject),
      body_text: given.mail.text,
      body_html: given.mail.html,
      create_time: given.time,
      next_time: given.time,
      expire_time: given.expireTime,
    })
    .execute()
  // Heard when the transaction is committed, and only then.
  await sql`select pg_notify(${sql.lit(mailChannel)}, '')`.execute(tx)
}
