import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('../../../scripts/build-server.mjs', import.meta.url))

/**
 * Builds the server unless it is built of the sources as they are: what starts a product is to start these. For the set-up of a
 * run of tests, once.
 *
 * @throws when the build fails, which has said why
 */
export default function buildServer(): void {
  const { status } = spawnSync(process.execPath, [script], { stdio: 'inherit' })
  if (status !== 0) throw new Error('The server cannot be built')
}
