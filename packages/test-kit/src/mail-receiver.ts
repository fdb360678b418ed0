import type { AddressInfo } from 'node:net'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { eventually } from './eventually.ts'

export type ReceivedMail = {
  /** Address and name of the sender in the From header. */
  from: { address: string; name: string }
  /** Recipients of the envelope. */
  recipients: string[]
  subject: string
  text: string
  html: string
  messageId: string
  /** The one-time code in the mail, or ''. */
  code: string
  /** The first link in the text of the mail, or ''. */
  link: string
  raw: string
}

export type MailReceiver = AsyncDisposable & {
  /** `smtp://127.0.0.1:<port>`, for SMTP_URL. */
  url: string
  port: number
  /** All received mails, oldest first. */
  mails: ReceivedMail[]
  /**
   * Waits for the oldest mail to an address that no earlier call has returned. With `subject`, the subject of the mail
   * must match.
   */
  waitFor(recipient: string, options?: { subject?: string | RegExp; deadlineMs?: number }): Promise<ReceivedMail>
  /** Sets the response for recipients: a status such as 550, or undefined to accept mail again. */
  refuse(code: number | undefined): void
  close(): Promise<void>
}

const read = async (raw: Buffer, recipients: string[]): Promise<ReceivedMail> => {
  const mail = await PostalMime.parse(raw)
  const text = mail.text ?? ''
  return {
    from: { address: mail.from?.address ?? '', name: mail.from?.name ?? '' },
    recipients,
    subject: mail.subject ?? '',
    text,
    html: mail.html ?? '',
    messageId: mail.messageId ?? '',
    code: /\b[2-9A-HJ-NP-Z]{3}(?:-[2-9A-HJ-NP-Z]{3}){3}\b/.exec(text)?.[0] ?? '',
    link: /https?:\/\/\S+/.exec(text)?.[0] ?? '',
    raw: raw.toString(),
  }
}

/** A real mail server on loopback that keeps what it receives. */
export const startMailReceiver = async (options: { port?: number } = {}): Promise<MailReceiver> => {
  const mails: ReceivedMail[] = []
  const taken = new Set<ReceivedMail>()
  let refusal: number | undefined
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    // Senders keep their connections open; closing does not wait for them.
    closeTimeout: 100,
    onRcptTo(_address, _session, done) {
      if (refusal === undefined) done()
      else done(Object.assign(new Error('refused by the test'), { responseCode: refusal }))
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const recipients = session.envelope.rcptTo.map(({ address }) => address)
        read(Buffer.concat(chunks), recipients).then(
          (mail) => {
            mails.push(mail)
            done()
          },
          (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
        )
      })
    },
  })
  // A client that disconnects during a session is not a fault of the test.
  server.on('error', () => {})
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', () => resolve())
  })
  const { port } = server.server.address() as AddressInfo
  const close = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()))
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    mails,
    waitFor: (recipient, { subject, deadlineMs } = {}) =>
      eventually(
        `a mail for ${recipient}`,
        () => {
          const found = mails.find(
            (mail) =>
              !taken.has(mail) &&
              mail.recipients.some((address) => address.toLowerCase() === recipient.toLowerCase()) &&
              (subject === undefined ||
                (typeof subject === 'string' ? mail.subject.includes(subject) : subject.test(mail.subject))),
          )
          if (found !== undefined) taken.add(found)
          return found
        },
        deadlineMs,
      ),
    refuse(code) {
      refusal = code
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
