import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ReceivedCall = { method: string; path: string; headers: IncomingHttpHeaders; body: string; time: number }

export type WebhookReceiver = AsyncDisposable & {
  url: string
  port: number
  calls: ReceivedCall[]
  /** Sets the response: a status, headers, a body, or `hang` to never respond. Changeable at any time. */
  behave(next: { status?: number; headers?: Record<string, string>; body?: string; hang?: boolean }): void
  /** How often each message ID was received. */
  messageIds(): Map<string, number>
  close(): Promise<void>
}

/** A real HTTP peer on loopback that records what a webhook destination sends. */
export const startWebhookReceiver = async (
  options: { port?: number; keepBodies?: boolean } = {},
): Promise<WebhookReceiver> => {
  const calls: ReceivedCall[] = []
  const ids = new Map<string, number>()
  let behaviour: { status?: number; headers?: Record<string, string>; body?: string; hang?: boolean } = { status: 200 }
  const note = (body: string): void => {
    // A connection test sends no body.
    if (body === '') return
    const parsed: unknown = JSON.parse(body)
    for (const event of Array.isArray(parsed) ? parsed : [parsed]) {
      const id = String((event as { messageId?: unknown }).messageId)
      ids.set(id, (ids.get(id) ?? 0) + 1)
    }
  }
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      if (behaviour.hang) return
      if ((behaviour.status ?? 200) < 300) note(body)
      calls.push({
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: options.keepBodies === false ? '' : body,
        time: Date.now(),
      })
      response.writeHead(behaviour.status ?? 200, behaviour.headers).end(behaviour.body ?? 'ok')
    })
  })
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const port = (server.address() as AddressInfo).port
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    calls,
    behave(next) {
      behaviour = next
    },
    messageIds: () => ids,
    close,
    [Symbol.asyncDispose]: close,
  }
}
