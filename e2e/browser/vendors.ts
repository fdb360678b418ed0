import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { createAnalytics, measurement, origins, secret } from '@tributary/connectors/testing/google-analytics'
import {
  createMetaConversions,
  pixel as metaPixel,
  token as metaToken,
} from '@tributary/connectors/testing/meta-conversions'
import { createTikTok, pixel as tiktokPixel, token as tiktokToken } from '@tributary/connectors/testing/tiktok'
import { serverEntry } from '@tributary/test-kit'

const hosts = ['graph.facebook.com', 'business-api.tiktok.com', ...origins.map((origin) => new URL(origin).host)]

/** The destinations of the vendors, as they are made over the API. */
export const vendorDestinations = [
  { app: 'meta-conversions', title: 'Meta', settings: { pixel_id: metaPixel, access_token: metaToken } },
  { app: 'tiktok-events', title: 'TikTok', settings: { pixel_code: tiktokPixel, access_token: tiktokToken } },
  {
    app: 'google-analytics',
    title: 'Analytics',
    settings: { measurement_id: measurement, api_secret: secret, region: 'global' },
  },
] as const

/**
 * Peers that stand for Meta, TikTok and Google Analytics and enforce what those document, behind one port of this machine. A product that
 * is started with `command` reaches them by the vendors' own addresses.
 */
export const startVendors = async () => {
  const meta = createMetaConversions()
  const tiktok = createTikTok()
  const analytics = createAnalytics()
  /** Every body that came, as it was. */
  const bodies: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString()
      const { host = '' } = request.headers
      const { pathname: path, searchParams } = new URL(request.url ?? '/', `https://${host}`)
      const asked = {
        method: request.method ?? '',
        host,
        path,
        query: Object.fromEntries(searchParams),
        headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, value?.toString()])),
        body: text === '' ? undefined : JSON.parse(text),
        raw: { bytes },
      }
      if (text !== '') bodies.push(text)
      const peer = host === 'graph.facebook.com' ? meta : host === 'business-api.tiktok.com' ? tiktok : analytics
      const answer = peer.answer(asked)
      if (typeof answer === 'string') return request.socket.destroy()
      response.writeHead(answer.status, answer.headers).end(answer.body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const hook = new URL('../../packages/test-kit/src/vendor-hosts.ts', import.meta.url)
  hook.search = String(new URLSearchParams({ hosts: hosts.join(','), port: String(port) }))
  return {
    meta,
    tiktok,
    analytics,
    bodies,
    command: ['--disable-warning=ExperimentalWarning', '--import', hook.href, serverEntry],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
