import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Starts a server with a page of a customer's site that has only the product's tag, after `head`. `hanging` is an address
 * of the site that never responds.
 */
export const startShopPage = async (
  tag: string,
  head = '',
): Promise<AsyncDisposable & { readonly url: string; readonly hanging: string }> => {
  const server = createServer((request, response) => {
    if (request.url === '/hanging') return
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end(
        `<!doctype html><title>Shop</title>${head}<script>window.tributary = []</script><script src="${tag}"></script><h1>Shop</h1>`,
      )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    url,
    hanging: `${url}hanging`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
