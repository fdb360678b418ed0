import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { silentLogger } from '@tributary/kernel'
import { ownQueries } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { identify, isRunning, waitForEnd } from '../../supervisor/processes.ts'
import { createSupervisor } from '../../supervisor/supervisor.ts'
import { createClickHouseEventStore } from '../clickhouse.ts'
import { migrateEventStore } from '../migrate.ts'
import { type EventStore, EventStoreUnavailable } from '../port.ts'
import { createRowWriter } from '../row-binary.ts'
import { type ChdbChildOptions, createChdbChild } from './child.ts'
import { childOptionsVariable } from './child-options.ts'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tributary-chdb-'))
})
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 10 }))

const memoryBytes = 700 * 1024 ** 2

const start = async (folder: string, options: Partial<ChdbChildOptions> = {}) => {
  const child = await createChdbChild({ dataDir: join(root, folder), memoryBytes, ...options })
  const supervisor = createSupervisor({ logger: silentLogger })
  await supervisor.add(child.spec)
  const store = createClickHouseEventStore({
    url: child.url,
    user: child.user,
    password: child.password,
    capacity: child.capacity,
    logger: silentLogger,
  })
  await migrateEventStore(store)
  return {
    ...child,
    store: ownQueries(store),
    pid: (): number => supervisor.state()[0]?.pid ?? 0,
    async [Symbol.asyncDispose]() {
      await store.close()
      await supervisor.stop()
    },
  }
}

const row = (id: string): string =>
  JSON.stringify({ event_id: id, receive_time: '2026-11-21 06:00:00', properties: { n: id.length, id } })

const insertUntilStored = async (
  store: Pick<EventStore, 'insert'>,
  rows: readonly string[],
  token: string,
): Promise<void> => {
  const deadline = Date.now() + 30_000
  for (;;) {
    try {
      return await store.insert('events', rows, { token })
    } catch (error) {
      if (!(error instanceof EventStoreUnavailable) || Date.now() > deadline) throw error
      await pause(20)
    }
  }
}

const heavy = 'select count() from numbers(1000000000000) where sipHash64(number) % 7 = 1'

describe('the event store as a child', () => {
  let child: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    child = await start('shared', { sessions: { insert: 1, short: 2, heavy: 4 } })
  })
  afterAll(async () => {
    await child[Symbol.asyncDispose]()
  })

  it('the event store syncs every insert, merge, and removal, by the settings of the engine and of every table', async () => {
    const settings = await child.store.query<{ name: string; value: string }>(
      "select name, value from system.merge_tree_settings where name in ('fsync_after_insert', 'fsync_part_directory', 'min_rows_to_fsync_after_merge') order by name",
    )
    expect(settings).toEqual([
      { name: 'fsync_after_insert', value: '1' },
      { name: 'fsync_part_directory', value: '1' },
      { name: 'min_rows_to_fsync_after_merge', value: '1' },
    ])
    const tables = await child.store.query<{ name: string; sql: string }>(
      "select name, create_table_query as sql from system.tables where database = 'default' and engine like '%MergeTree'",
    )
    expect(tables.length).toBeGreaterThan(2)
    for (const { name, sql } of tables)
      expect(sql, name).toMatch(/fsync_after_insert = 1, fsync_part_directory = 1\b.*min_rows_to_fsync_after_merge = 1/)
    const limits = await child.store.query<{ value: string }>(
      "select value from system.server_settings where name = 'max_server_memory_usage'",
    )
    expect(limits).toEqual([{ value: String(memoryBytes) }])
  })

  it('the event store responds to pings, short queries, and inserts while four heavy queries occupy its threads', async () => {
    const caller = new AbortController()
    const queries = Array.from({ length: 4 }, (_, index) =>
      child.store
        .query(heavy, {}, { owner: `workspace ${index % 2}`, slot: 'heavy', signal: caller.signal })
        .catch(() => 'ended'),
    )
    try {
      let running = 0
      while (running < 4) {
        const rows = await child.store.query<{ n: number }>(
          "select count() as n from system.processes where query like '%numbers(1000000000000)%'",
        )
        running = (rows[0]?.n ?? 1) - 1
      }
      // The ping reads a folder, which needs a thread of the pool that also runs the queries.
      const began = performance.now()
      for (let round = 0; round < 5; round += 1) expect(await child.store.ping()).toBe(true)
      await child.store.insert('events', row('1'), { token: 'a' })
      expect(performance.now() - began).toBeLessThan(20_000)
    } finally {
      caller.abort()
    }
    expect(await Promise.all(queries)).toEqual(['ended', 'ended', 'ended', 'ended'])
  })

  it('the event store fails a query that needs too much memory with a clear error, and keeps running', async () => {
    const before = child.pid()
    for (const slot of ['short', 'heavy'] as const) {
      await expect(
        child.store.query('select length(groupArray(number)) from numbers(2000000000)', {}, { slot }),
      ).rejects.toThrow(/event store answers 241: .*memory limit/i)
    }
    expect(await child.store.query('select 1 as one')).toEqual([{ one: 1 }])
    expect(child.pid()).toBe(before)
  })

  it('the event store rejects a too large body with a response, so that its sender can halve it', async () => {
    const line = `${row('x'.repeat(1000))}\n`
    const tooLarge = line.repeat(Math.ceil((129 * 1024 ** 2) / line.length))
    await expect(child.store.insert('events', tooLarge, { token: 'large' })).rejects.toMatchObject({
      name: 'InsertRejected',
      engineCode: 307,
    })
    await child.store.insert('events', line, { token: 'large' })
  })

  it('the event store rejects an insert that needs too much memory for a statement, so that its halves are tried', async () => {
    const writer = createRowWriter()
    const size = 2 * 1024
    for (let index = 0; index < 45_000; index += 1) {
      writer.text(`memory-${index}`)
      writer.text('x'.repeat(size))
      writer.end()
    }
    const { bytes, ends } = writer.take()
    const middle = ends[ends.length / 2 - 1] ?? 0
    const insert = (piece: Buffer, token: string): Promise<void> =>
      child.store.insert('events', { columns: ['event_id', 'original'], pieces: [piece] }, { token })
    await expect(insert(bytes, 'memory')).rejects.toMatchObject({ name: 'InsertRejected', engineCode: 241 })
    await insert(bytes.subarray(0, middle), 'memory-a')
    await insert(bytes.subarray(middle), 'memory-b')
    const [row] = await child.store.query<{ n: number }>(
      "select count() as n from events where startsWith(event_id, 'memory-')",
    )
    expect(row?.n).toBe(45_000)
  })

  it('the event store serves the official client with compression, query IDs, and typed errors, and no client without the secret', async () => {
    const client = createClient({
      url: child.url,
      username: child.user,
      password: child.password,
      compression: { request: true, response: true },
      log: { level: ClickHouseLogLevel.OFF },
    })
    const values = Array.from({ length: 2000 }, (_, index) => ({
      type: 'client',
      event_id: `${index}`,
      receive_time: '2026-11-21 06:00:00',
    }))
    await client.insert({
      table: 'events',
      values,
      format: 'JSONEachRow',
      columns: ['type', 'event_id', 'receive_time'],
    })
    const result = await client.query({
      query: 'select event_id from events where type = {type:String} order by toUInt32(event_id)',
      query_params: { type: 'client' },
      format: 'JSONEachRow',
      query_id: 'my-query',
    })
    expect([result.query_id, result.response_headers['x-clickhouse-query-id']]).toEqual(['my-query', 'my-query'])
    expect(await result.json()).toEqual(values.map(({ event_id }) => ({ event_id })))
    const json = await client.query({ query: 'select 1 as one', format: 'JSON' })
    expect(await json.json()).toMatchObject({ data: [{ one: 1 }], rows: 1 })
    await expect(client.query({ query: 'select nope' })).rejects.toMatchObject({
      code: '47',
      type: 'UNKNOWN_IDENTIFIER',
    })
    const limited = client.query({
      query: 'select sleepEachRow(0.01) from numbers(100000)',
      clickhouse_settings: { max_execution_time: 1, max_block_size: '1' },
    })
    await expect(limited).rejects.toMatchObject({ code: '159' })
    const unlimited = await client.query({
      query: "select getSetting('max_block_size') > 1 as reset",
      format: 'JSONEachRow',
    })
    expect(await unlimited.json()).toEqual([{ reset: 1 }])
    await client.close()

    const refused: Record<string, string>[] = [
      {},
      { authorization: `Basic ${btoa('tributary:wrong')}` },
      { 'x-clickhouse-user': 'default', 'x-clickhouse-key': '' },
    ]
    for (const headers of refused) {
      const answer = await fetch(child.url, { method: 'POST', body: 'select 1', headers })
      expect([answer.status, answer.headers.get('x-clickhouse-exception-code')]).toEqual([403, '516'])
    }
    const headers = { 'x-clickhouse-user': child.user, 'x-clickhouse-key': child.password }
    expect(await (await fetch(`${child.url}/?query=select+1`, { headers })).text()).toBe('1\n')
    expect((await fetch(`${child.url}/play`, { headers })).status).toBe(404)
  })
})

describe('a killed child', () => {
  it('the child contains every acknowledged insert exactly once after kills during inserts, and keeps its address', async () => {
    await using child = await start('killed')
    const acknowledged: string[] = []
    let batch = 0
    const insertBatches = async (until: number, killAt: number, victim: number): Promise<void> => {
      while (batch < until) {
        const token = `batch-${batch}`
        batch += 1
        const ids = Array.from({ length: 500 }, (_, index) => `${token}-${index}`)
        const insertion = insertUntilStored(child.store, ids.map(row), token)
        // Each round kills at another moment of the insert, which takes some ten milliseconds.
        if (token === `batch-${killAt}`) setTimeout(() => process.kill(victim, 'SIGKILL'), killAt)
        await insertion
        acknowledged.push(...ids)
      }
    }
    for (const killAt of [2, 9, 16]) {
      const victim = child.pid()
      await Promise.all([1, 2].map(() => insertBatches(killAt + 5, killAt, victim)))
      expect(child.pid()).not.toBe(victim)
    }
    const stored = await child.store.query<{ event_id: string }>('select event_id from events order by event_id')
    expect(stored.map(({ event_id }) => event_id)).toEqual(acknowledged.toSorted())
    expect(acknowledged.length).toBeGreaterThanOrEqual(21 * 500)
  })
})

describe('the start of the child', () => {
  it('the child stores a repeated insert whose token was written without its part because of a kill', async () => {
    let part = { dir: '', name: '' }
    {
      await using child = await start('half-inserted')
      await child.store.insert('events', row('1'), { token: 'one' })
      await child.store.insert('events', row('2'), { token: 'two' })
      const [newest = part] = await child.store.query<typeof part>(
        `select data_paths[1] as dir, parts.name as name from system.parts as parts
         join system.tables as tables on tables.database = parts.database and tables.name = parts.table
         where parts.database = 'default' and table = 'events' and active order by min_block_number desc limit 1`,
      )
      part = newest
    }
    await rename(join(part.dir, part.name), join(part.dir, `tmp_insert_${part.name}`))
    await using child = await start('half-inserted')
    await child.store.insert('events', row('1'), { token: 'one' })
    await child.store.insert('events', row('2'), { token: 'two' })
    await child.store.insert('events', row('2'), { token: 'two' })
    expect(await child.store.query('select event_id from events order by event_id')).toEqual([
      { event_id: '1' },
      { event_id: '2' },
    ])
  })

  it('the child does not start with fewer threads than its queries and files need', async () => {
    const main = fileURLToPath(new URL('./main.ts', import.meta.url))
    const sessions = { insert: 2, short: 2, heavy: 3 }
    const options = { dataDir: join(root, 'few-threads'), user: 'a', secret: 'b', port: 0, memoryBytes, sessions }
    const env = { UV_THREADPOOL_SIZE: '8', [childOptionsVariable]: JSON.stringify(options) }
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], { env })
    const output = child.stderr.toArray()
    expect((await once(child, 'exit'))[0]).toBe(1)
    expect(Buffer.concat(await output).toString()).toContain('UV_THREADPOOL_SIZE must be at least 12')
  })
})

/** The code of a process that starts an event store on the folder, prints its PID and stays. */
const holder = (dataDir: string): string => {
  const here = (path: string): string => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)))
  return `
    import { createChdbChild } from ${here('./child.ts')}
    import { createSupervisor } from ${here('../../supervisor/supervisor.ts')}
    import { silentLogger } from ${here('../../../../kernel/src/index.ts')}
    const child = await createChdbChild({ dataDir: ${JSON.stringify(dataDir)}, memoryBytes: 1024 ** 3 })
    const supervisor = createSupervisor({ logger: silentLogger })
    await supervisor.add(child.spec)
    console.log(supervisor.state()[0].pid)
    setInterval(() => {}, 1000)`
}

describe('the end of the parent', () => {
  it('the end of the parent ends the child, and the next start on its folder ends a remaining child', async () => {
    const dataDir = join(root, 'orphaned')
    const parent = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', holder(dataDir)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const [line] = await once(parent.stdout, 'data')
    const orphan = identify(Number(String(line)))
    if (orphan === undefined) throw new Error('no child')
    // A stopped child cannot notice the end of its parent.
    process.kill(orphan.pid, 'SIGSTOP')
    parent.kill('SIGKILL')
    await once(parent, 'exit')
    expect(isRunning(orphan)).toBe(true)
    expect(JSON.parse(await readFile(join(dataDir, 'child.json'), 'utf8'))).toMatchObject({ pid: orphan.pid })
    {
      await using child = await start('orphaned')
      expect(isRunning(orphan)).toBe(false)
      expect(await child.store.ping()).toBe(true)
    }

    const second = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', holder(dataDir)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const [secondLine] = await once(second.stdout, 'data')
    const noticing = identify(Number(String(secondLine)))
    second.kill('SIGKILL')
    expect(noticing === undefined || (await waitForEnd(noticing, 10_000))).toBe(true)
  })
})
