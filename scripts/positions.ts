// npm run positions [-- --partitions | reset delivery --to <time> | --to beginning [--yes]]: shows the positions of the
// log's consumers, and resets the position of delivery.

import { requireJournals, requireLog } from '../apps/server/src/boot/require-engines.ts'
import { isShared } from '../apps/server/src/config/config.ts'
import { createLogger } from '../apps/server/src/operations/logger.ts'
import { lockDataDir } from '../packages/storage/src/supervisor/data-dir-lock.ts'
import { configOf, given, misused, runCommand } from './command-line.ts'

const numberOf = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`
const timeOf = (time: number): string => new Date(time).toISOString()

/** Parses the time of `--to` to epoch ms; 0 for the beginning. */
const sinceOf = (to: string | undefined): number => {
  if (to === undefined) return misused('reset needs --to with a time, or --to beginning')
  if (to === 'beginning') return 0
  const time = Date.parse(to)
  return Number.isNaN(time) ? misused(`'${to}' is no time. Write it as 2026-01-31T09:00:00Z, or beginning`) : time
}

await runCommand('positions', async () => {
  const { values, positionals } = given(
    { partitions: { type: 'boolean' }, to: { type: 'string' }, yes: { type: 'boolean' } },
    2,
  )
  const [action = 'show', name] = positionals
  if (action !== 'show' && action !== 'reset') misused(`'${action}' is not known`)
  const config = configOf()
  const logger = createLogger('error')
  // Checks the engines before the code that reads events is loaded, which takes seconds. So an unreachable engine is
  // reported immediately.
  await Promise.all([requireLog(config), requireJournals(config)])
  const { consumers, openConsumers, readPositions } = await import('../apps/server/src/cluster/positions/consumers.ts')
  if (action === 'show') {
    if (name !== undefined || values.to !== undefined || values.yes === true) misused('--to and --yes are for reset')
    await using opened = await openConsumers(config, { logger })
    for (const { name: of, log, partitions, waiting, oldestTime } of await readPositions(opened)) {
      const since = oldestTime === undefined ? '' : `, the oldest since ${timeOf(oldestTime)}`
      const [behind, all] = [partitions.filter((each) => each.waiting > 0).length, partitions.length]
      console.log(`${of}: ${numberOf(waiting, 'record')} of ${log} waiting in ${behind} of ${all} partitions${since}`)
      if (values.partitions === true)
        for (const { partition, begin, position, end, waiting: left } of partitions)
          console.log(`  partition ${partition}: begin ${begin}, position ${position}, end ${end}, ${left} waiting`)
    }
    return
  }
  const consumer = consumers.find((each) => each.name === name)?.name
  if (consumer === undefined) return misused(name === undefined ? 'reset needs a consumer' : `'${name}' reads no log`)
  if (values.partitions === true) misused('--partitions is for showing alone')
  const since = sinceOf(values.to)
  const { planReset, reset } = await import('../apps/server/src/cluster/positions/reset.ts')
  // If all data is in the data folder, a running product holds its lock.
  await using _ = isShared(config) ? undefined : lockDataDir(config.dataDir)
  await using opened = await openConsumers(config, { logger })
  const plan = await planReset(opened, consumer, since)
  console.log(
    `Delivery will send ${numberOf(plan.events, 'event')} again that were processed since ${timeOf(plan.since)}: ${numberOf(plan.sends, 'delivery', 'deliveries')} to the destinations that were connected then.`,
  )
  if (values.yes !== true) throw new Error('Nothing has changed. Add --yes to do it.')
  await reset(opened, plan)
  console.log('Delivery is set back, and sends them when Tributary is started.')
})
