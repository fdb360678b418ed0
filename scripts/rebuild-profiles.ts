// npm run rebuild-profiles [-- --workspace <id>]: rebuilds profiles from their ledgers. Works whether or not the
// product is running.
import { installFault } from '../apps/server/src/operations/faults.ts'
import { createLogger } from '../apps/server/src/operations/logger.ts'
import { rebuildAllProfiles } from '../apps/server/src/operations/rebuild-profiles.ts'
import { configOf, given, runCommand } from './command-line.ts'

await runCommand('rebuild-profiles', async () => {
  const { values } = given({ workspace: { type: 'string' } }, 0)
  const config = configOf()
  installFault(config.fault)
  let reportedAt = 0
  const { workspaces, entries } = await rebuildAllProfiles(config, {
    workspaceId: values.workspace,
    logger: createLogger('error'),
    onProgress({ title, applied, entries: all }) {
      if (applied < all && performance.now() < reportedAt + 1000) return
      reportedAt = performance.now()
      console.log(`${title}: ${applied} of ${all} entries`)
    },
  })
  console.log(
    `Rebuilt the profiles of ${workspaces === 1 ? '1 workspace' : `${workspaces} workspaces`} from ${entries} entries.`,
  )
})
