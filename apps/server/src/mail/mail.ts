import type { MailTransport } from '@tributary/api-kit'
import { systemClock } from '@tributary/kernel'
import { folders } from '../boot/engines.ts'
import type { Config } from '../config/config.ts'
import type { TokenCheck } from '../secrets/metrics-token.ts'
import { createDevOutbox } from './dev-outbox.ts'
import { createOutboxFolder } from './outbox-folder.ts'
import { createSmtpTransport } from './smtp-transport.ts'

export type Mail = {
  transport: MailTransport
  /** Removes old mail from the outbox, which is used without a mail server. */
  pruneOutbox(): Promise<void>
  /** The page that shows the outbox, in development only. */
  devOutbox: ReturnType<typeof createDevOutbox> | undefined
  close(): void
}

/** Sends mail through the configured mail server, or writes it into the data folder. */
export const createMail = (
  config: Pick<Config, 'dataDir' | 'environment' | 'mail'>,
  { mayReadOutbox }: { mayReadOutbox: TokenCheck },
): Mail => {
  const { from, smtpUrl } = config.mail
  const smtp = smtpUrl === undefined ? undefined : createSmtpTransport({ url: smtpUrl, from })
  const forReading = config.environment === 'development'
  const outbox = createOutboxFolder({ folder: folders(config.dataDir).outbox, from, forReading })
  return {
    transport: smtp ?? outbox,
    pruneOutbox: () => outbox.prune(systemClock()),
    devOutbox: smtp === undefined && forReading ? createDevOutbox(outbox, mayReadOutbox) : undefined,
    close: () => smtp?.close(),
  }
}
