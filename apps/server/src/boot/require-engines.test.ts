import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '@tributary/kernel'
import { createTestDatabase, withDatabase } from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConsumers } from '../cluster/positions/consumers.ts'
import { readConfig } from '../config/config.ts'
import { openDatabase } from './open-database.ts'
import { EngineAway, requireLog, requireRelational } from './require-engines.ts'

const gone = '127.0.0.1:1'
/** A server that accepts connections and sends nothing, as an engine that hangs does. */
let silent: Server
let silentAddress: string
let dataDir: string
beforeAll(async () => {
  silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  silentAddress = `127.0.0.1:${(silent.address() as AddressInfo).port}`
  dataDir = mkdtempSync(join(tmpdir(), 'tributary-engines-'))
})
afterAll(() => {
  silent.close()
  rmSync(dataDir, { recursive: true })
})
const config = (environment: Record<string, string>) => readConfig({ TRIBUTARY_DATA_DIR: dataDir, ...environment })
const by = (address: string) => ({
  kafka: { KAFKA_BROKERS: address },
  postgres: { DATABASE_URL: `postgres://ada:secret@${address}/shop` },
})
const all = { ...by(gone).kafka, ...by(gone).postgres, CLICKHOUSE_URL: 'http://127.0.0.1:1/default' }

test.each([
  ['away', () => gone, 10_000, `connect ECONNREFUSED ${gone}`],
  ['silent', () => silentAddress, 50, 'no answer within 0.05 seconds'],
])(
  'a command reports that Kafka or PostgreSQL is %s, with its address and setting, but without a password',
  async (_, at, ms, why) => {
    const address = at()
    const { kafka, postgres } = by(address)
    const ofLog = await requireLog(config(kafka), ms).catch((error: unknown) => error)
    const ofDatabase = await requireRelational(config(postgres), ms).catch((error: unknown) => error)
    expect([ofLog, ofDatabase]).toEqual([expect.any(EngineAway), expect.any(EngineAway)])
    expect((ofLog as Error).message).toMatch(
      new RegExp(`^Kafka at ${address} does not answer: .*[^.]\\. Start it, or correct KAFKA_BROKERS\\.$`),
    )
    expect((ofDatabase as Error).message).toBe(
      `PostgreSQL at ${address} does not answer: ${why}. Start it, or correct DATABASE_URL.`,
    )
  },
)

test("a login that PostgreSQL rejects is reported with PostgreSQL's own reason", async () => {
  await using store = await createTestDatabase()
  const url = withDatabase(store.url, 'no_such_database')
  await expect(requireRelational(config({ DATABASE_URL: url }))).rejects.toThrow(
    /"no_such_database" does not exist.*DATABASE_URL/,
  )
})

test.each([
  ['positions, with Kafka away', () => openConsumers(config(by(gone).kafka), { logger: silentLogger }), 'Kafka at '],
  ['positions, with both away', () => openConsumers(config(all), { logger: silentLogger }), ' does not answer'],
  ['positions, where nothing is set', () => openConsumers(config({}), { logger: silentLogger }), 'There is no log in'],
  [
    'set-aside and spread, with PostgreSQL away',
    () => openDatabase(config(by(gone).postgres), { logger: silentLogger, statementMs: 0 }),
    'PostgreSQL at ',
  ],
  [
    'set-aside and spread, where nothing is set',
    () => openDatabase(config({}), { logger: silentLogger, statementMs: 0 }),
    'There is no database in',
  ],
])('%s: the command explains the problem, and creates nothing', async (_, open, words) => {
  await expect(open()).rejects.toThrow(words)
})

test('reachable engines, and engines in the data folder, pass the check', async () => {
  await using store = await createTestDatabase()
  await requireRelational(config({ DATABASE_URL: store.url }))
  await requireLog(config({}))
  mkdirSync(join(dataDir, 'postgres'))
  await requireRelational(config({}))
})
