import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { preciseTime, stampedTime } from './load-body.ts'

/** A webhook that responds with 200 immediately. */
export type Arrivals = AsyncDisposable & { url: string }

/**
 * Starts a webhook that calls `note` with the age in ms of each event of the load generator's run; other events are
 * ignored.
 */
export const startArrivals = async (run: string, note: (age: number) => void): Promise<Arrivals> => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const now = preciseTime()
      response.writeHead(200, { 'Content-Length': 0 }).end()
      for (const [, id = ''] of Buffer.concat(chunks)
        .toString()
        .matchAll(/"messageId":"([^"]+)"/g)) {
        const sent = stampedTime(id, run)
        if (sent !== undefined) note(now - sent)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}
