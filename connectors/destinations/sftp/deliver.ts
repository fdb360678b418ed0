import { type DeliverContext, DeliveryError } from '@tributary/connector-kit'
import { createFileDelivery } from '../../wire/storage/deliver.ts'
import { removeFile, writeFile } from './files.ts'
import { type Session, useSession } from './session.ts'
import type { SftpSettings } from './settings.ts'

/** Returns the path of a file on the server. A folder that begins with a slash is at the top. */
const pathOf = ({ prefix }: SftpSettings, key: string): string => (prefix.trim().startsWith('/') ? `/${key}` : key)

/** Works on a file. Adds the request, the response, and the duration to a DeliveryError. */
const change = async (
  context: DeliverContext<SftpSettings>,
  what: string,
  work: (session: Session) => Promise<void>,
): Promise<{ latencyMs: number }> => {
  const { settings, onExchange } = context
  const { host, port, user } = settings
  const started = performance.now()
  const exchanged = (answer: string) => ({
    httpStatus: 0,
    latencyMs: Math.round(performance.now() - started),
    request: `${what} at ${user}@${host}:${port}`,
    response: answer,
  })
  try {
    await useSession(context, work)
    const done = exchanged('Done')
    onExchange?.(done)
    return { latencyMs: done.latencyMs }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    throw error.withExchange(exchanged(error.message))
  }
}

export const { deliver, deliverRows, testConnection } = createFileDelivery<SftpSettings>({
  file: 'file',
  place: ({ host }) => `on ${host}`,
  put: (context, key, body) => {
    const path = pathOf(context.settings, key)
    return change(context, `Write ${body.length} bytes to ${path}`, (session) => writeFile(session, path, body))
  },
  remove: (context, key) => {
    const path = pathOf(context.settings, key)
    return change(context, `Remove ${path}`, (session) => removeFile(session, path))
  },
  nameOf: pathOf,
  status: 0,
})
