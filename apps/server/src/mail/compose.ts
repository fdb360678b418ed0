import type { OutgoingMail } from '@tributary/api-kit'
import type { SendMailOptions } from 'nodemailer'

/**
 * Converts a mail for nodemailer. Its message ID stays the same when it is sent again, so that mail readers show it
 * once.
 */
export const composeMail = (mail: OutgoingMail, from: string): SendMailOptions => ({
  from,
  // An object instead of a text, so that an address that looks like a list stays one address.
  to: { name: '', address: mail.recipient },
  subject: mail.subject,
  text: mail.text,
  html: mail.html,
  messageId: `<${mail.id}@${/@([^>\s@]+)>?$/.exec(from)?.[1] ?? 'tributary'}>`,
  // RFC 3834: prevents automatic replies, such as holiday notices.
  headers: { 'Auto-Submitted': 'auto-generated' },
})
