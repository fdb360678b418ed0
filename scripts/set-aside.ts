// npm run set-aside [-- show <id> | take-back <id> | take-back --all | drop <id>]: shows, takes back or drops accepted
// requests whose processing failed, and work that blocked a thread.

import { openDatabase } from '../apps/server/src/boot/open-database.ts'
import { createLogger } from '../apps/server/src/operations/logger.ts'
import {
  askBack,
  giveUp,
  listSetAsideRequests,
  readSetAsideBody,
} from '../apps/server/src/operations/set-aside/kept-requests.ts'
import { listHeldWork } from '../apps/server/src/threads/watchdog/held-work.ts'
import { requireSchema } from '../packages/storage/src/relational/migrate.ts'
import { forgetAllHeldWork, forgetHeldWork } from '../packages/storage/src/tables/held-work.ts'
import { configOf, given, misused, runCommand } from './command-line.ts'

const requests = (count: number): string => (count === 1 ? '1 request' : `${count} requests`)

await runCommand('set-aside', async () => {
  const { values, positionals } = given({ all: { type: 'boolean' } }, 2)
  const [action = 'list', id] = positionals
  const isAll = values.all === true
  if (isAll && (action !== 'take-back' || id !== undefined)) misused('--all is for take-back alone')
  if (!['list', 'show', 'take-back', 'drop'].includes(action)) misused(`'${action}' is not known`)
  if (action !== 'list' && !isAll && id === undefined) misused(`${action} needs the ID of a request`)
  await using store = await openDatabase(configOf(), { logger: createLogger('error'), statementMs: 0 })
  const { db } = store.relational
  await requireSchema(db)
  if (action === 'show') {
    console.log(Buffer.from(await readSetAsideBody(db, id ?? '')).toString())
    return
  }
  if (action === 'take-back') {
    if (id !== undefined && (await forgetHeldWork(db, id))) {
      console.log('It is not held any more: Tributary works on it again, in seconds if it runs.')
      return
    }
    const held = isAll ? await forgetAllHeldWork(db) : 0
    if (held > 0) console.log(`${held} ${held === 1 ? 'thing is' : 'things are'} not held any more.`)
    console.log(
      `${requests(await askBack(db, isAll ? undefined : id))} will be processed again by Tributary, in seconds if it runs.`,
    )
    return
  }
  if (action === 'drop') {
    await giveUp(db, id ?? '')
    console.log('The request is gone. Its events were not stored.')
    return
  }
  const kept = await listSetAsideRequests(db)
  const held = await listHeldWork(db)
  if (kept.length + held.length === 0) console.log('No request is set aside.')
  for (const { id: kid, workspace, workspaceId, bytes, error, receiveTime, isAwaited } of kept)
    console.log(
      `${kid}  ${receiveTime}  ${bytes} bytes  ${workspaceId === undefined ? 'deleted workspace' : `${workspace} (${workspaceId})`}${isAwaited ? '  to be processed again' : ''}\n  ${error.split('\n', 1)[0]}`,
    )
  for (const { id: hid, workspace, workspaceId, item, reason } of held)
    console.log(
      `${hid}  held: ${item}${workspaceId === undefined ? '' : `  ${workspace} (${workspaceId})`}\n  ${reason}`,
    )
})
