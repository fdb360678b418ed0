import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import buildServer from './built-server.ts'
import { preparedFolder } from './prepared-folder.ts'
import { startProduct } from './product.ts'

/**
 * Builds the server, and prepares the data folder with which the products of a test run start. Runs once for all
 * projects of the test run.
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  buildServer()
  if (process.env[preparedFolder] !== undefined) return undefined
  const root = mkdtempSync(join(tmpdir(), 'tributary-prepared-'))
  const dataDir = join(root, 'data')
  const product = await startProduct({ dataDir })
  await product.stop()
  process.env[preparedFolder] = dataDir
  return async () => {
    delete process.env[preparedFolder]
    await rm(root, { recursive: true, force: true, maxRetries: 5 })
  }
}
