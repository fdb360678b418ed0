/**
 * A people counter in its own process: `people-process.ts <folder> <event store URL> [<fault point> <n>]`. Kills itself
 * at the n-th pass of the point; otherwise it counts everything, prints the people of each workspace, and ends.
 */
import { join } from 'node:path'
import { setFaultHandler, silentLogger } from '@tributary/kernel'
import { createClickHouseEventStore } from '@tributary/storage'
import { createPeopleCounter } from './people-counter.ts'
import { consumerDeps, openStream } from './people-world.ts'

const [dir = '', url = '', point, count = '1'] = process.argv.slice(2)

let passes = 0
if (point !== undefined)
  setFaultHandler((name) => {
    if (name === point && ++passes === Number(count)) process.kill(process.pid, 'SIGKILL')
  })

const stream = openStream(dir)
const eventStore = createClickHouseEventStore({ url, logger: silentLogger })
const counter = createPeopleCounter({
  ...consumerDeps(stream, eventStore, async () => {}),
  folder: join(dir, 'people'),
  settings: { readBytes: 2000, commitMs: 1 },
})
counter.give([0, 1, 2, 3])
await counter.idle()
process.stdout.write(JSON.stringify(Array.from({ length: 6 }, (_, n) => counter.people(`w-${n}`))))
await counter.stop()
stream.close()
await eventStore.close()
