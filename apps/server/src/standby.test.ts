import { silentLogger } from '@tributary/kernel'
import { expect, test } from 'vitest'
import { readConfig } from './config/config.ts'
import { becomeMain, isShared } from './standby.ts'

const kafka = { KAFKA_BROKERS: 'kafka-1:9092' }
// Nobody is there: who waited for a lease would fail.
const database = { DATABASE_URL: 'postgres://tributary@127.0.0.1:1/tributary' }
const eventStore = { CLICKHOUSE_URL: 'http://127.0.0.1:1/default' }

test.each([
  ['nothing', {}, false],
  ['the log', kafka, false],
  ['log and database', { ...kafka, ...database }, false],
  ['log and event store', { ...kafka, ...eventStore }, false],
  ['database and event store', { ...database, ...eventStore }, false],
  ['all three', { ...kafka, ...database, ...eventStore }, true],
])(
  'with %s by address, a start waits for a lease only if nothing that processing knows is on the disk',
  async (_, environment, shared) => {
    const config = readConfig(environment)
    expect(isShared(config)).toBe(shared)
    const start = becomeMain(config, { loadedKey: 'key', logger: silentLogger, onLost: () => {} })
    if (shared) await expect(start).rejects.toThrow('ECONNREFUSED')
    else expect(await start).toBeUndefined()
  },
)
