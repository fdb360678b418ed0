// npm run backup -- <file>: writes one archive of the whole data folder. The product must be stopped.
import { createBackup } from '@tributary/storage'
import { createLogger } from '../apps/server/src/operations/logger.ts'
import { configOf, given, misused, runCommand, userPath } from './command-line.ts'

await runCommand('backup', async () => {
  const [word = misused('Name the file to write.')] = given({}, 1).positionals
  const file = userPath(word)
  await createBackup({ dataDir: configOf().dataDir, file, logger: createLogger('warn') })
  console.log(`The backup is ${file}`)
})
