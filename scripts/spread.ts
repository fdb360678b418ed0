// npm run spread [-- <workspace> <partitions> [--gone]]: shows or changes over how many partitions each workspace is
// spread.

import { setTimeout as pause } from 'node:timers/promises'
import { openDatabase } from '../apps/server/src/boot/open-database.ts'
import { forgetGone } from '../apps/server/src/cluster/collecting-processes.ts'
import { askSpread, readGroups, readSpreads } from '../apps/server/src/cluster/spreads/spreads.ts'
import { createLogger } from '../apps/server/src/operations/logger.ts'
import { requireSchema } from '../packages/storage/src/relational/migrate.ts'
import { configOf, given, misused, runCommand } from './command-line.ts'

const partitions = (count: number): string => (count === 1 ? '1 partition' : `${count} partitions`)

/** Maximum time that the command waits for the main process to begin and end the change, in ms. */
const patienceMs = 7 * 3_600_000

await runCommand('spread', async () => {
  const { values, positionals } = given({ gone: { type: 'boolean' } }, 2)
  const [workspaceId, wanted] = positionals
  if (workspaceId !== undefined && wanted === undefined) misused('Say over how many partitions')
  const spread = Number(wanted ?? 1)
  if (!Number.isInteger(spread) || spread < 1 || spread > 64) misused(`'${wanted}' is not a number from 1 to 64`)
  await using store = await openDatabase(configOf(), { logger: createLogger('error'), statementMs: 0 })
  const { db } = store.relational
  await requireSchema(db)
  if (workspaceId === undefined) {
    const spreads = await readSpreads(db)
    if (spreads.length === 0) console.log('Each workspace is in 1 partition.')
    for (const each of spreads) {
      const next = each.next === null ? '' : `, will be in ${each.next}`
      console.log(
        `${each.workspaceId}  ${each.title}  ${partitions(each.spread)}${next}${each.problem === '' ? '' : `\n  ${each.next === null ? 'The last change was given up' : 'It waits'}: ${each.problem}`}`,
      )
    }
    return
  }
  if (values.gone === true) await forgetGone(store.relational.pool)
  await askSpread(db, { workspaceId, spread, groups: await readGroups(db), time: new Date() })
  console.log(
    'The main process changes this now: in seconds if it runs, in minutes for many millions of events in a day. Events are accepted, and wait for up to 8 seconds while they are moved.',
  )
  let reported = ''
  for (const until = Date.now() + patienceMs; Date.now() < until; await pause(500)) {
    const now = (await readSpreads(db)).find((each) => each.workspaceId === workspaceId)
    if (now === undefined) continue
    if (now.next !== null) {
      if (now.problem !== reported) console.log(`It waits: ${now.problem}.`)
      reported = now.problem
      continue
    }
    if (now.problem !== '') throw new Error(`The change was given up, and nothing has changed: ${now.problem}.`)
    console.log(`The workspace is in ${partitions(now.spread)}.`)
    return
  }
  throw new Error('The change is not done yet. See what becomes of it with `npm run spread`.')
})
