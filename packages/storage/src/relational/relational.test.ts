import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { silentLogger } from '@tributary/kernel'
import { createTestDatabase } from '@tributary/test-kit'
import { DatabaseError } from 'pg'
import { describe, expect, it, vi } from 'vitest'
import { relationalConformance } from './conformance.ts'
import { isRelationalUnavailable } from './errors.ts'
import { migrate } from './migrate.ts'
import { openRelational } from './open.ts'

relationalConformance('PostgreSQL', createTestDatabase)

describe('migrate', () => {
  it('migrate leaves no partial result if its process is killed before the commit, and completes when repeated', async () => {
    await using store = await createTestDatabase()
    await store.pool.query('drop schema public cascade; create schema public')
    const here = (path: string): string => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)))
    const program = `
      import { setFaultHandler, silentLogger } from ${here('../../../kernel/src/index.ts')}
      import { migrate } from ${here('./migrate.ts')}
      import { openRelational } from ${here('./open.ts')}
      setFaultHandler((name) => { if (name === 'migration-before-commit') process.kill(process.pid, 'SIGKILL') })
      await migrate(openRelational({ url: ${JSON.stringify(store.url)}, logger: silentLogger }).db)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' })
    expect((await once(child, 'exit'))[1]).toBe('SIGKILL')
    const tables = (): Promise<{ rowCount: number | null }> =>
      store.pool.query("select 1 from pg_tables where schemaname = 'public' and tablename in ('users', 'sessions')")
    expect((await tables()).rowCount).toBe(0)
    expect(await migrate(store.db)).toContain('0200-baseline')
    expect((await tables()).rowCount).toBe(2)
  })
})

/** With a statement time of 1 ms, the server itself may stop a query: those are retried. */
const eventuallyRead = async (ask: () => Promise<object[]>): Promise<void> => {
  for (let tries = 0; tries < 100; tries++) {
    const rows = await ask().catch(() => [])
    if (rows.length > 0) return
  }
  throw new Error('nothing was read')
}

describe('openRelational', () => {
  it('the pool accepts a network address in the same form as a socket address, and checks silent connections', async () => {
    await using store = await createTestDatabase()
    const address = new URL(store.url.replace('@/', '@placeholder/'))
    const socket = `${address.searchParams.get('host')}/.s.PGSQL.5432`
    const proxy = createServer((client) => {
      const server = connect(socket)
      client.on('error', () => server.destroy())
      server.on('error', () => client.destroy())
      client.pipe(server).pipe(client)
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const listening = proxy.address()
    const port = typeof listening === 'object' && listening !== null ? listening.port : 0
    const url = `postgres://tributary:unused@127.0.0.1:${port}${address.pathname}`
    const keepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive')
    {
      await using remote = openRelational({ url, logger: silentLogger })
      expect(await remote.db.selectFrom('users').select('id').execute()).toEqual([])
    }
    expect(keepAlive).toHaveBeenCalledExactlyOnceWith(true, 30_000)
    keepAlive.mockRestore()
    proxy.close()
    await once(proxy, 'close')
  })

  it('the pool distinguishes an unreachable server from a rejected statement', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    server.close()
    await once(server, 'close')
    await using away = openRelational({ url: `postgres://u:p@127.0.0.1:${port}/db`, logger: silentLogger })
    const refused = await away.pool.query('select 1').catch((error: unknown) => error)
    expect(isRelationalUnavailable(refused)).toBe(true)
    await using store = await createTestDatabase()
    const wrong = await store.pool.query('select nothing').catch((error: unknown) => error)
    expect(isRelationalUnavailable(wrong)).toBe(false)
  })

  it('the pool logs a connection that the server cut, and serves the next call', async () => {
    await using store = await createTestDatabase()
    const warnings: string[] = []
    const logger = { ...silentLogger, warn: (_: object, message: string) => void warnings.push(message) }
    await using cut = openRelational({ url: store.url, logger, maxConnections: 1 })
    const { rows } = await cut.pool.query<{ pid: number }>('select pg_backend_pid() as pid')
    const lost = once(cut.pool, 'error')
    await store.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    await lost
    expect(warnings).toEqual(['a connection to PostgreSQL was lost'])
    expect((await cut.pool.query('select 1')).rowCount).toBe(1)
  })

  it('the pool closes a connection without a timely response, reports the server as unavailable, and serves the next call', async () => {
    await using store = await createTestDatabase()
    const address = new URL(store.url.replace('@/', '@placeholder/'))
    let silent = false
    let links = 0
    const proxy = createServer((client) => {
      links += 1
      const server = connect(`${address.searchParams.get('host')}/.s.PGSQL.5432`)
      for (const socket of [client, server]) socket.on('error', () => {})
      client.pipe(server)
      server.on('data', (chunk) => void (silent || client.write(chunk)))
      client.on('close', () => server.destroy())
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const listening = proxy.address()
    const port = typeof listening === 'object' && listening !== null ? listening.port : 0
    {
      const url = `postgres://tributary:unused@127.0.0.1:${port}${address.pathname}`
      await using remote = openRelational({ url, logger: silentLogger, maxConnections: 1, statementMs: 1 })
      const ask = () => remote.db.selectFrom('directory_version').select('version').execute()
      await eventuallyRead(ask)
      silent = true
      const late = await ask().catch((error: unknown) => error)
      expect(isRelationalUnavailable(late)).toBe(true)
      silent = false
      await eventuallyRead(ask)
      expect(links).toBe(2)
    }
    proxy.close()
    await once(proxy, 'close')
  })

  it('the pool closes once, even if called several times', async () => {
    await using store = await createTestDatabase()
    const other = openRelational({ url: store.url, logger: silentLogger })
    await other.pool.query('select 1')
    await Promise.all([other.close(), other.close()])
    await expect(other.pool.query('select 1')).rejects.toThrow(/end/)
  })
})

describe('errors', () => {
  const database = (code: string): DatabaseError =>
    Object.assign(new DatabaseError('x', 1, 'error'), { code, constraint: 'c' })
  it.each([
    [database('23505'), false],
    [database('23503'), false],
    [database('57P01'), true],
    [database('57P03'), true],
    [database('57014'), true],
    [database('53300'), true],
    [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), true],
    [new Error('Connection terminated unexpectedly'), true],
    [new Error('anything else'), false],
    ['text', false],
  ])('errors of the database are distinguished: %s', (error, away) => {
    expect(isRelationalUnavailable(error)).toBe(away)
  })
})
