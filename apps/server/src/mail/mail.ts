import { createMailSender, type MailSender, type MailTransport } from '@tributary/control'
import { type Logger, systemClock } from '@tributary/kernel'
import type { Config } from '../config.ts'
import { type Engines, folders } from '../engines.ts'
import type { TokenCheck } from '../metrics-token.ts'
import { createDevOutbox } from './dev-outbox.ts'
import { createOutboxFolder } from './outbox-folder.ts'
import { createSmtpTransport } from './smtp-transport.ts'

export type Mail = MailSender & {
  /** Removes old mail from where it is written when there is no mail server. */
  pruneOutbox(): Promise<void>
  /** The page that shows it, in development only. */
  devOutbox: ReturnType<typeof createDevOutbox> | undefined
}

/** How mail leaves this process: to the configured mail server, else into the data folder. */
export const createMail = (
  config: Pick<Config, 'dataDir' | 'environment' | 'mail'>,
  {
    relational,
    mayReadOutbox,
    logger,
  }: { relational: Engines['relational']; mayReadOutbox: TokenCheck; logger: Logger },
): Mail => {
  const { from, smtpUrl } = config.mail
  const smtp = smtpUrl === undefined ? undefined : createSmtpTransport({ url: smtpUrl, from })
  const forReading = config.environment === 'development'
  const outbox = createOutboxFolder({ folder: folders(config.dataDir).outbox, from, forReading })
  const transport: MailTransport = smtp ?? outbox
  const sender = createMailSender({ db: relational.db, pool: relational.pool, transport, clock: systemClock, logger })
  return {
    pruneOutbox: () => outbox.prune(systemClock()),
    devOutbox: smtp === undefined && forReading ? createDevOutbox(outbox, mayReadOutbox) : undefined,
    start: () => sender.start(),
    async stop() {
      await sender.stop()
      smtp?.close()
    },
  }
}
