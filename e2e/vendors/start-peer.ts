import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a vendor is asked, and what it answers. */
export type Asked = {
  method: string
  host: string
  path: string
  query: Record<string, string>
  headers: Record<string, string | undefined>
  body: unknown
}
export type Answered = { status: number; headers?: Record<string, string>; body?: string }

/** Stands for a host of a vendor over HTTP. */
export const startVendorPeer = async (
  host: string,
  answer: (asked: Asked) => Answered,
): Promise<AsyncDisposable & { url: string }> => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://peer')
      const text = Buffer.concat(chunks).toString()
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, value?.toString()]),
      )
      const asked = {
        method: request.method ?? 'GET',
        host,
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers,
        body: text === '' ? undefined : JSON.parse(text),
      }
      const answered = answer(asked)
      response.writeHead(answered.status, answered.headers).end(answered.body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
