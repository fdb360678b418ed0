import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/**
 * Starts a server with a page of a customer's site with both browser SDKs bundled, unmodified, as `window.segment` and
 * `window.rudder`.
 */
export const startSdkPage = async (): Promise<AsyncDisposable & { url: string; withHead(html: string): string }> => {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('./sdk-page-entry.js', import.meta.url)),
    platform: 'browser',
    logLevel: 'silent',
  })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  const script = output[0].code
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://local')
    if (url.pathname === '/sdk.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
    else
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(
          `<!doctype html><title>Shop</title>${url.searchParams.get('head') ?? ''}<script type="module" src="/sdk.js"></script><h1>Shop</h1>`,
        )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    url,
    withHead: (html) => `${url}?head=${encodeURIComponent(html)}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
