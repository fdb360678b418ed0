// npm run restore -- <file> [--force]: puts a backup in the place of the data folder. With --force a folder that is
// there is kept beside it under another name.
import { resolve } from 'node:path'
import { restoreBackup } from '@tributary/storage'
import { readConfig } from '../apps/server/src/config.ts'
import { createLogger } from '../apps/server/src/logger.ts'

const words = process.argv.slice(2)
const file = words.find((word) => !word.startsWith('--'))
if (file === undefined) {
  console.error('Usage: npm run restore -- <file> [--force]')
  process.exit(2)
}
const { dataDir } = readConfig(process.env)
try {
  await restoreBackup({ dataDir, file: resolve(file), force: words.includes('--force'), logger: createLogger('warn') })
  console.log(`${dataDir} is restored from ${resolve(file)}`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
