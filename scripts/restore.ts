// npm run restore -- <file> [--force]: replaces the data folder by a backup. With --force, an existing folder is kept
// under another name.
import { restoreBackup } from '@tributary/storage'
import { createLogger } from '../apps/server/src/operations/logger.ts'
import { configOf, given, misused, runCommand, userPath } from './command-line.ts'

await runCommand('restore', async () => {
  const { values, positionals } = given({ force: { type: 'boolean' } }, 1)
  const [word = misused('Name the backup to restore.')] = positionals
  const file = userPath(word)
  const { dataDir } = configOf()
  await restoreBackup({ dataDir, file, force: values.force === true, logger: createLogger('warn') })
  console.log(`${dataDir} is restored from ${file}`)
})
