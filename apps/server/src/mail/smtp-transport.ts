import { MailRefused, type MailTransport } from '@tributary/api-kit'
import { createTransport } from 'nodemailer'
import { composeMail } from './compose.ts'

/** Whether the server rejected the mail permanently (RFC 5321, 5yz to the envelope or the message). */
const isRefusal = (error: unknown): boolean => {
  if (!(error instanceof Error) || !('responseCode' in error) || !('code' in error)) return false
  const { responseCode, code } = error
  return (
    (code === 'EENVELOPE' || code === 'EMESSAGE') &&
    typeof responseCode === 'number' &&
    responseCode >= 500 &&
    responseCode < 600
  )
}

/**
 * Sends mail to the server at `url` (`smtp://user:password@host:587`, `smtps://…:465`; nodemailer's options may follow
 * as parameters), over at most four persistent connections. An attempt ends after at most half a minute.
 */
export const createSmtpTransport = (options: { url: string; from: string }): MailTransport & { close(): void } => {
  const smtp = createTransport({
    url: options.url,
    pool: true,
    maxConnections: 4,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    dnsTimeout: 10_000,
    socketTimeout: 30_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send(mail) {
      try {
        await smtp.sendMail(composeMail(mail, options.from))
      } catch (error) {
        if (isRefusal(error)) throw new MailRefused(error instanceof Error ? error.message : String(error))
        throw error
      }
    },
    close: () => smtp.close(),
  }
}
