import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Starts a healthy webhook that reads each request and responds with 200. It inspects nothing, because it shares the
 * product's processors.
 */
export const startSink = async (): Promise<AsyncDisposable & { url: string }> => {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
