// A process that starts the embedded PostgreSQL, commits in an endless loop on several connections and prints what is
// committed, for tests that kill it. Now and then it starts a checkpoint. Arguments: folder, number of the first row.
import { writeSync } from 'node:fs'
import { silentLogger } from '@tributary/kernel'
import { createSupervisor } from '../../supervisor/supervisor.ts'
import { openRelational } from '../open.ts'
import { createEmbeddedPostgres } from './child.ts'

const [dir = '', first = '0'] = process.argv.slice(2)
const { spec, url } = await createEmbeddedPostgres({ dir, logger: silentLogger })
await createSupervisor({ logger: silentLogger }).add(spec)
const { pool } = openRelational({ url, logger: silentLogger })
await pool.query('create table if not exists kept (id bigint primary key, text text not null)')
let next = Number(first)
const commit = async (): Promise<void> => {
  for (;;) {
    const id = next++
    await pool.query('insert into kept values ($1, $2)', [id, `row ${id} `.repeat(50)])
    writeSync(1, `committed ${id}\n`)
    if (id % 100 === 99) await pool.query('checkpoint')
  }
}
await Promise.all([1, 2, 3, 4].map(commit))
