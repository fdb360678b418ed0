/**
 * Runs a pipeline in a process of its own, for the crash tests: `crash-child.ts <folder> <event store URL> [<fault
 * point> <n>]`. The process kills itself when it passes the fault point for the n-th time. Otherwise it stores
 * everything in the log and exits with 0. `CLOCK_AHEAD_MS` sets its clock ahead. `OVERTAKEN` names a workspace that is
 * overtaken as soon as the pipeline is behind.
 */
import { noMetrics, setFaultHandler, silentLogger } from '@tributary/kernel'
import { createClickHouseEventStore } from '@tributary/storage'
import { createPipeline } from './events.ts'
import { openFiles } from './test-world.ts'

const [dir = '', url = '', point, count = '1'] = process.argv.slice(2)

const ahead = Number(process.env.CLOCK_AHEAD_MS ?? 0)
const now = Date.now
Date.now = () => now() + ahead

let passes = 0
if (point !== undefined) {
  setFaultHandler((name) => {
    if (name === point && ++passes === Number(count)) process.kill(process.pid, 'SIGKILL')
  })
}

const files = await openFiles(dir)
const eventStore = createClickHouseEventStore({ url, logger: silentLogger })
const pipeline = createPipeline({
  ...files,
  eventStore,
  destinationsFor: () => ['d-1'],
  schemaFor: () => undefined,
  coordination: { publish() {}, subscribe: () => () => {} },
  clock: Date.now,
  logger: silentLogger,
  metrics: noMetrics,
  settings: { flushRows: 120, turnBytes: 4000, flushAgeMs: 5, overtakeMs: 0 },
  mayOvertake: (_, workspaceIds) => workspaceIds.includes(process.env.OVERTAKEN ?? ''),
  onFault: () => process.exit(1),
})
pipeline.start()
await pipeline.idle()
await pipeline.stop()
await files.close()
await eventStore.close()
