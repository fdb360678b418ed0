/**
 * The consumer of profiles in its own process: `profiles-process.ts <folder> <event store URL> <database URL> [<fault
 * point> <n>]`. Kills itself at the n-th pass of the point; otherwise it handles everything, and ends.
 */
import { setFaultHandler, silentLogger } from '@tributary/kernel'
import { createProfiles } from '@tributary/profiles'
import { createClickHouseEventStore, openRelational } from '@tributary/storage'
import { consumerDeps, openStream } from './people-world.ts'

const [dir = '', eventStoreUrl = '', databaseUrl = '', point, count = '1'] = process.argv.slice(2)

let passes = 0
if (point !== undefined)
  setFaultHandler((name) => {
    if (name === point && ++passes === Number(count)) process.kill(process.pid, 'SIGKILL')
  })

const stream = openStream(dir)
const eventStore = createClickHouseEventStore({ url: eventStoreUrl, logger: silentLogger })
const relational = openRelational({ url: databaseUrl, logger: silentLogger, maxConnections: 4 })
const profiles = createProfiles({
  ...consumerDeps(stream, eventStore, async () => {}),
  db: relational.db,
  settings: { readBytes: 4000, commitMs: 1, retryBaseMs: 10, retryCapMs: 50 },
})
profiles.give([0, 1, 2, 3])
await profiles.idle()
await profiles.stop()
stream.close()
await relational.close()
await eventStore.close()
