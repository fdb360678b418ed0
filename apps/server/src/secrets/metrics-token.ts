import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { createPrivateFile, readPrivateFile } from './private-file.ts'
import { newSecretKey } from './secret-key.ts'

const fileOf = (dataDir: string): string => join(dataDir, 'metrics.token')

/**
 * Returns the token that `/metrics` and `/dev/outbox` require: the configured one, or `metrics.token` of the data
 * folder. That file is created atomically at the first start, with mode 0600. So users who may read the folder may also
 * read the metrics.
 */
export const loadMetricsToken = async (dataDir: string, configured: string | undefined): Promise<string> => {
  if (configured !== undefined) return configured
  const kept = await readPrivateFile(fileOf(dataDir))
  if (kept !== undefined) return kept
  const made = newSecretKey()
  await createPrivateFile(fileOf(dataDir), made)
  return made
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Whether a request has the token. */
export type TokenCheck = (request: IncomingMessage) => boolean

/**
 * Accepts the token as a Bearer token (RFC 6750, 2.1) or, for a page that a browser opens, as the parameter `token`.
 * The origin of a request proves nothing. A proxy on this machine connects over the loopback interface, and many
 * forward with a loopback host name and without a header that marks it.
 */
export const createTokenCheck = (token: string, options: { inAddress?: boolean } = {}): TokenCheck => {
  const expected = digest(token)
  return (request) => {
    const shown =
      /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1] ??
      (options.inAddress === true ? URL.parse(request.url ?? '', 'http://localhost')?.searchParams.get('token') : '')
    return timingSafeEqual(digest(shown ?? ''), expected)
  }
}
