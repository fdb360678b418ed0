import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { MailTransport, OutgoingMail } from '@tributary/api-kit'
import { createTransport } from 'nodemailer'
import { z } from 'zod'
import { syncFolder } from '../secrets/private-file.ts'
import { composeMail } from './compose.ts'

/** Time in ms for which written mail is kept. */
const keepMs = 30 * 24 * 60 * 60_000

const kept = z.object({
  id: z.string(),
  time: z.string(),
  recipient: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
})
export type KeptMail = z.output<typeof kept>

export type OutboxFolder = MailTransport & {
  /** The newest mails, newest first. Empty unless `forReading` is set. */
  newest(limit: number): Promise<KeptMail[]>
  /** Removes mail older than 30 days. */
  prune(now: number): Promise<void>
}

/**
 * Replaces a mail server: each mail is a file `<id>.eml` in the folder, readable for its owner only; later mails have
 * higher IDs. With `forReading`, a second file has the data for the outbox page.
 */
export const createOutboxFolder = (options: { folder: string; from: string; forReading: boolean }): OutboxFolder => {
  const { folder } = options
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  const write = async (name: string, content: Buffer | string): Promise<void> => {
    const file = join(folder, name)
    const handle = await open(`${file}.new`, 'w', 0o600)
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(`${file}.new`, file)
    await syncFolder(folder)
  }
  const names = async (): Promise<string[]> => await readdir(folder).catch(() => [])
  return {
    async send(mail: OutgoingMail) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const { message } = await composer.sendMail(composeMail(mail, options.from))
      if (!Buffer.isBuffer(message)) throw new Error('the mail could not be composed')
      if (options.forReading)
        await write(`${mail.id}.json`, JSON.stringify({ ...mail, time: new Date().toISOString() } satisfies KeptMail))
      await write(`${mail.id}.eml`, message)
    },
    async newest(limit) {
      const files = (await names()).filter((name) => name.endsWith('.json')).toSorted()
      return await Promise.all(
        files
          .slice(-limit)
          .toReversed()
          .map(async (name) => kept.parse(JSON.parse(await readFile(join(folder, name), 'utf8')))),
      )
    },
    async prune(now) {
      for (const name of await names()) {
        const file = join(folder, name)
        const written = await stat(file).catch(() => undefined)
        if (written !== undefined && written.mtimeMs < now - keepMs) await rm(file, { force: true })
      }
    },
  }
}
