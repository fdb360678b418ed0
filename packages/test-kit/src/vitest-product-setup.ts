import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import buildServer from './built-server.ts'
import { preparedFolder } from './prepared-folder.ts'
import { startProduct } from './product.ts'

/** Builds the server, and prepares the data folder that the products of a run begin with: once, for all of its projects. */
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
