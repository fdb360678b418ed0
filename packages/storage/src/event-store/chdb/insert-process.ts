// A process that starts the embedded event store, inserts in an endless loop and prints what is acknowledged, for tests
// that kill it. Small parts are merged continuously, and merged parts are removed immediately. Arguments: folder,
// number of the first insert.
import { writeSync } from 'node:fs'
import { silentLogger } from '@tributary/kernel'
import { createSupervisor } from '../../supervisor/supervisor.ts'
import { createClickHouseEventStore } from '../clickhouse.ts'
import { migrateEventStore } from '../migrate.ts'
import { createChdbChild } from './child.ts'
import { idsOf, rowsOf, tokenOf } from './insert-rows.ts'

const [dataDir = '', first = '0'] = process.argv.slice(2)
const child = await createChdbChild({ dataDir, memoryBytes: 700 * 1024 ** 2 })
await createSupervisor({ logger: silentLogger }).add(child.spec)
const { url, user, password, capacity } = child
const store = createClickHouseEventStore({ url, user, password, capacity, logger: silentLogger })
await migrateEventStore(store)
await store.command(
  'alter table events modify setting old_parts_lifetime = 1, cleanup_delay_period = 1, cleanup_delay_period_random_add = 0',
)
let merging: Promise<unknown> = Promise.resolve()
for (let number = Number(first); ; number++) {
  await store.insert('events', rowsOf(number), { token: tokenOf(number) })
  writeSync(1, `stored ${number}\n`)
  if (number % 5 !== 4) continue
  await merging
  const id = idsOf(number - 2)[0]
  merging = store
    .command('optimize table events final')
    // The product removes the events of deleted users with the same statement.
    .then(() => writeSync(1, `removing ${id}\n`))
    .then(() => store.command(`alter table events delete where event_id = '${id}' settings mutations_sync = 1`))
    .then(() => writeSync(1, `removed ${id}\n`))
}
