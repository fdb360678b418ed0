// npm run backup -- <file>: one archive of the whole data folder. The product must be stopped.
import { resolve } from 'node:path'
import { createBackup } from '@tributary/storage'
import { readConfig } from '../apps/server/src/config.ts'
import { createLogger } from '../apps/server/src/logger.ts'

const [file] = process.argv.slice(2)
if (file === undefined) {
  console.error('Usage: npm run backup -- <file>')
  process.exit(2)
}
try {
  await createBackup({ dataDir: readConfig(process.env).dataDir, file: resolve(file), logger: createLogger('warn') })
  console.log(`The backup is ${resolve(file)}`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
