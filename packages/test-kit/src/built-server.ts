import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('../../../scripts/build-server.mjs', import.meta.url))

/**
 * Builds the server unless the build is up to date, so that tests start the current sources. For the set-up of a test
 * run, called once.
 *
 * @throws if the build fails; its output has the reason
 */
export default function buildServer(): void {
  const { status } = spawnSync(process.execPath, [script], { stdio: 'inherit' })
  if (status !== 0) throw new Error('The server cannot be built')
}
