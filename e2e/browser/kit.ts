import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createWebFiles } from '../../apps/server/src/http/web-files.ts'

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/**
 * Serves the page that shows every component, with the product's content policy. Builds the page first if its sources
 * changed.
 */
export const startKit = async (): Promise<AsyncDisposable & { url: string }> => {
  const build = spawnSync(process.execPath, [at('scripts/build-web.mjs'), 'kit'], { encoding: 'utf8' })
  if (build.status !== 0) throw new Error(`The page of components could not be built:\n${build.stdout}${build.stderr}`)
  const server = createServer(createWebFiles(at('.cache/kit')))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/kit.html`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
