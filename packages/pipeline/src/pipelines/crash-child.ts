/**
 * Runs a pipeline in a process of its own, for the crash tests: `crash-child.ts <folder> <event store URL> <fault point>
 * <n>`. The process kills itself when it passes the fault point for the n-th time. Otherwise it stores everything in the
 * log and exits with 0. `CLOCK_AHEAD_MS` sets its clock ahead. `OVERTAKEN` names a workspace that is overtaken as soon
 * as the pipeline is behind.
 */
import { setFaultHandler } from '@tributary/kernel'
import { storeAll } from './test-world.ts'

const [dir = '', url = '', point, count = '1'] = process.argv.slice(2)

const ahead = Number(process.env.CLOCK_AHEAD_MS ?? 0)
const now = Date.now
Date.now = () => now() + ahead

let passes = 0
setFaultHandler((name) => {
  if (name === point && ++passes === Number(count)) process.kill(process.pid, 'SIGKILL')
})

await storeAll(dir, url, process.env.OVERTAKEN)
