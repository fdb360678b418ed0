import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { serverEntry } from './product.ts'

/** A request to a vendor's peer. */
export type VendorAsked = {
  method: string
  host: string
  path: string
  query: Readonly<Record<string, string>>
  headers: Readonly<Record<string, string | undefined>>
  /** The body, decompressed. */
  text: string
  /** The parsed JSON of the body; undefined if there is none. Computed on demand. */
  readonly body: unknown
  raw: { bytes: Uint8Array }
}

export type VendorAnswer = { status: number; headers?: Record<string, string>; body?: string } | 'hang' | 'reset'

/** The vendor peers of a product that is started with `command`. */
export type VendorPeers = AsyncDisposable & { command: readonly string[] }

/**
 * Starts peers that stand in for the hosts of vendors, behind one local port. A built product that is started with
 * `command` reaches them under the vendors' own URLs.
 */
export const startVendorPeers = async (
  answers: Readonly<Record<string, (asked: VendorAsked) => VendorAnswer>>,
): Promise<VendorPeers> => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString()
      const { host = '' } = request.headers
      const { pathname: path, searchParams } = new URL(request.url ?? '/', `https://${host}`)
      const answer = answers[host]?.({
        method: request.method ?? '',
        host,
        path,
        query: Object.fromEntries(searchParams),
        headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, value?.toString()])),
        text,
        get body() {
          return text === '' ? undefined : JSON.parse(text)
        },
        raw: { bytes },
      }) ?? { status: 404 }
      if (answer === 'hang') return
      if (answer === 'reset') return request.socket.destroy()
      response.writeHead(answer.status, answer.headers).end(answer.body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const hook = new URL('./vendor-hosts.ts', import.meta.url)
  hook.search = String(new URLSearchParams({ hosts: Object.keys(answers).join(','), port: String(port) }))
  return {
    command: ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=16', '--import', hook.href, serverEntry],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
