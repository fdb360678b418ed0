import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { silentLogger } from '@tributary/kernel'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findProcesses, identify, isRunning } from '../../supervisor/processes.ts'
import { createSupervisor } from '../../supervisor/supervisor.ts'
import { openRelational, type Relational } from '../open.ts'
import { chooseAccount, findAccount } from './account.ts'
import { installedBinaries, linkLibraries } from './binaries.ts'
import { createEmbeddedPostgres, type EmbeddedPostgresOptions } from './child.ts'
import { spawnIdentity } from './cluster.ts'

const isRoot = process.getuid?.() === 0
const passwd = ['root:x:0:0::/root:/bin/sh', 'nobody:x:65534:65534::/:/bin/false', 'broken'].join('\n')

/** A cluster with the product's own settings, created once; most tests start a copy of it. */
let template: string
let root: string
let dir: string
const strays: ChildProcess[] = []

beforeAll(async () => {
  template = await mkdtemp(join(tmpdir(), 'tributary-pg-template-'))
  await using running = await startPostgres({ dir: join(template, 'postgres') })
  await running.store.pool.query('create table kept (id integer primary key)')
  await running.store.pool.query('insert into kept values (1)')
})
afterAll(() => rm(template, { recursive: true, force: true }))
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tributary-pg-'))
  dir = join(root, 'data', 'postgres')
})
afterEach(async () => {
  for (const stray of strays.splice(0)) stray.kill('SIGKILL')
  await rm(root, { recursive: true, force: true, maxRetries: 10 })
})

type RunningPostgres = AsyncDisposable & {
  url: string
  store: Relational
  supervisor: ReturnType<typeof createSupervisor>
}

const startPostgres = async (options: Partial<EmbeddedPostgresOptions> = {}): Promise<RunningPostgres> => {
  const { spec, url } = await createEmbeddedPostgres({ dir, logger: silentLogger, ...options })
  const supervisor = createSupervisor({ logger: silentLogger })
  const store = openRelational({ url, logger: silentLogger })
  const dispose = async (): Promise<void> => {
    await store.close()
    await supervisor.stop()
  }
  try {
    await supervisor.add(spec)
  } catch (error) {
    await dispose()
    throw error
  }
  return { url, store, supervisor, [Symbol.asyncDispose]: dispose }
}

const copyTemplate = (to = dir): Promise<void> => cp(join(template, 'postgres'), to, { recursive: true })

const one = async (store: Relational, statement: string): Promise<unknown> => {
  const { rows } = await store.pool.query<Record<string, unknown>>(statement)
  return Object.values(rows[0] ?? {})[0]
}

const eventually = async <T>(ask: () => Promise<T>): Promise<T> => {
  const deadline = Date.now() + 15_000
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await pause(20)
    }
  }
}

/** A process of its own that starts PostgreSQL on the folder; `act` is code run with `spec` and `setFaultHandler`. */
const startElsewhere = (act: string, as?: { uid: number; gid: number }): ChildProcess => {
  const here = (path: string): string => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)))
  const program = `
    import { setFaultHandler } from ${here('../../../../kernel/src/fault-points.ts')}
    import { createEmbeddedPostgres } from ${here('./child.ts')}
    const logger = { debug() {}, info() {}, warn() {}, error() {} }
    const { spec, url } = await createEmbeddedPostgres({ dir: ${JSON.stringify(dir)}, logger })
    ${act}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { TZ: 'UTC' },
    ...as,
  })
  strays.push(child)
  return child
}

describe('the embedded PostgreSQL', () => {
  it('the embedded PostgreSQL syncs every commit to disk, and listens only on its private socket', async () => {
    await copyTemplate()
    await using running = await startPostgres()
    for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
      expect([setting, await one(running.store, `show ${setting}`)]).toEqual([setting, 'on'])
    }
    expect(await one(running.store, 'show listen_addresses')).toBe('')
    expect(await one(running.store, 'show data_checksums')).toBe('on')
    expect(await one(running.store, 'show timezone')).toBe('UTC')
    const folder = String(await one(running.store, 'show unix_socket_directories'))
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it('the settings of the embedded PostgreSQL cannot switch off syncing', async () => {
    await copyTemplate()
    await using running = await startPostgres({ settings: { fsync: 'off', synchronous_commit: 'off' } })
    expect(await one(running.store, 'show fsync')).toBe('on')
    expect(await one(running.store, 'show synchronous_commit')).toBe('on')
  })

  it('the embedded PostgreSQL never runs as root', async () => {
    await copyTemplate()
    await using running = await startPostgres()
    const pid = running.supervisor.state()[0]?.pid
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    const uid = /^Uid:\s+(\d+)/m.exec(status)?.[1]
    expect(uid).toBe(String(chooseAccount().server.uid))
    expect(uid).not.toBe('0')
  })

  it('the embedded PostgreSQL keeps committed rows after a kill and a restart, and the pool continues', async () => {
    await copyTemplate()
    await using running = await startPostgres()
    await running.store.pool.query('insert into kept values (2)')
    process.kill(running.supervisor.state()[0]?.pid ?? 0, 'SIGKILL')
    const count = await eventually(async () => {
      const state = running.supervisor.state()[0]
      if (state?.restarts !== 1 || state.phase !== 'ready') throw new Error('not restarted yet')
      return one(running.store, 'select count(*)::int from kept')
    })
    expect(count).toBe(2)
  })

  it('the embedded PostgreSQL shuts down with idle connections without an unhandled error', async () => {
    await copyTemplate()
    await using running = await startPostgres()
    await Promise.all([1, 2, 3].map(() => one(running.store, 'select pg_sleep(0.02)')))
    await running.supervisor.stop()
    await expect(one(running.store, 'select 1')).rejects.toThrow()
  })

  it('the embedded PostgreSQL stops the orphan of a killed predecessor, and finds the rows that it committed', async () => {
    await copyTemplate()
    const predecessor = startElsewhere(
      'await spec.recover(); await spec.spawn(); while (!(await spec.probe().catch(() => false))); process.kill(process.pid, "SIGKILL")',
    )
    await once(predecessor, 'exit')
    const folder = await realpath(dir)
    const orphan = identify(Number((await readFile(join(dir, 'postmaster.pid'), 'utf8')).split('\n')[0]))
    if (orphan === undefined) throw new Error('no orphan was left')
    await using running = await startPostgres()
    expect(isRunning(orphan)).toBe(false)
    expect(await one(running.store, 'select count(*)::int from kept')).toBe(1)
    const own = running.supervisor.state()[0]?.pid
    expect(findProcesses(['postgres'], (cwd) => cwd === folder).map(({ pid }) => pid)).toContain(own)
  })

  it('the embedded PostgreSQL starts if postmaster.pid names a running process that is not PostgreSQL', async () => {
    await copyTemplate()
    await writeFile(join(dir, 'postmaster.pid'), `${process.ppid}\n${dir}\n1\n5432\n/tmp\n\n`)
    await using running = await startPostgres()
    expect(await one(running.store, 'select 1')).toBe(1)
    expect(identify(process.ppid)).toBeDefined()
  })

  it('the embedded PostgreSQL starts if the lock of its socket names a running process of its own account', async () => {
    await copyTemplate()
    const { server } = chooseAccount()
    const other = spawn('/bin/sleep', ['300'], { cwd: '/', ...spawnIdentity(server) })
    strays.push(other)
    const { url } = await createEmbeddedPostgres({ dir, logger: silentLogger })
    const folder = new URL(url.replace('@/', '@host/')).searchParams.get('host') ?? ''
    const lock = join(folder, '.s.PGSQL.5432.lock')
    writeFileSync(lock, `${other.pid}\n${dir}\n1\n5432\n${folder}\n`)
    chownSync(lock, server.uid, server.gid)
    await using running = await startPostgres()
    expect(await one(running.store, 'select 1')).toBe(1)
  })

  it.each(['postgres-init-before-database', 'postgres-init-before-rename'])(
    'the embedded PostgreSQL starts after a kill during the first start (%s)',
    async (point) => {
      const first = startElsewhere(
        `setFaultHandler((name) => { if (name === '${point}') process.kill(process.pid, 'SIGKILL') }); await spec.recover()`,
      )
      const [, signal] = await once(first, 'exit')
      expect(signal).toBe('SIGKILL')
      expect(readdirSync(dirname(dir)).filter((name) => name.startsWith('postgres.init-'))).toHaveLength(1)
      await using running = await startPostgres()
      expect(await one(running.store, 'select current_database()')).toBe('tributary')
      expect(readdirSync(dirname(dir))).toEqual(['postgres'])
    },
  )

  it('the embedded PostgreSQL starts after a kill during initdb, while the orphaned initdb still runs', async () => {
    const first = startElsewhere('await spec.recover()')
    await eventually(async () => {
      const draft = (await readdir(dirname(dir))).find((name) => name.startsWith('postgres.init-'))
      if (!(await readdir(join(dirname(dir), draft ?? 'none'))).includes('base')) throw new Error('not yet')
    })
    first.kill('SIGKILL')
    await once(first, 'exit')
    await using running = await startPostgres()
    expect(await one(running.store, 'select current_database()')).toBe('tributary')
    expect(readdirSync(dirname(dir))).toEqual(['postgres'])
  })

  it('the embedded PostgreSQL works in a data folder whose path exceeds the limits of sockets and of PostgreSQL', async () => {
    dir = join(root, ...Array.from({ length: 6 }, (_, i) => String(i).repeat(200)), 'postgres')
    mkdirSync(dirname(dir), { recursive: true })
    await copyTemplate()
    await using running = await startPostgres()
    expect(dir.length).toBeGreaterThan(1_200)
    expect(await one(running.store, 'select count(*)::int from kept')).toBe(1)
  })

  it('the embedded PostgreSQL creates library links that an install without scripts omits, also in concurrent starts', async () => {
    const native = await copyBinaries(0o755)
    await Promise.all([linkLibraries(native), linkLibraries(native)])
    expect(spawnSync(join(native, 'bin', 'postgres'), ['--version'], { env: {} }).status).toBe(0)
    await rm(join(native, 'lib', 'libicuuc.so.60'))
    expect(spawnSync(join(native, 'bin', 'postgres'), ['--version'], { env: {} }).status).not.toBe(0)
    await copyTemplate()
    await using running = await startPostgres({ binaries: native })
    expect(await one(running.store, 'select 1')).toBe(1)
  })

  it.runIf(isRoot)('the embedded PostgreSQL runs from a project below a folder that only root may enter', async () => {
    const native = await copyBinaries(0o700)
    const cache = join(root, 'cache')
    await copyTemplate()
    await using running = await startPostgres({
      binaries: native,
      caches: [join(native, 'bin', 'postgres', 'no'), cache],
    })
    expect(await one(running.store, 'select 1')).toBe(1)
    expect(readdirSync(cache)).toEqual([expect.stringMatching(/^postgres-18/)])
  })

  it.runIf(isRoot)(
    'the embedded PostgreSQL reports what to do if no folder can contain a copy of the programs',
    async () => {
      const native = await copyBinaries(0o700)
      await expect(
        startPostgres({ binaries: native, caches: [join(native, 'bin', 'postgres', 'no')] }),
      ).rejects.toThrow(/DATABASE_URL/)
    },
  )

  it.runIf(isRoot)(
    'the embedded PostgreSQL takes over a data folder of another account, as after a restore',
    async () => {
      await copyTemplate()
      chownSync(dir, 12_345, 12_345)
      chownSync(join(dir, 'PG_VERSION'), 12_345, 12_345)
      await using running = await startPostgres()
      expect(await one(running.store, 'select count(*)::int from kept')).toBe(1)
      expect(statSync(join(dir, 'PG_VERSION')).uid).toBe(chooseAccount().server.uid)
    },
  )

  const nobody = { uid: 65_534, gid: 65_534 }
  const others = isRoot && spawnSync(process.execPath, ['--version'], nobody).status === 0
  it.runIf(others)('the embedded PostgreSQL works for an ordinary user', async () => {
    mkdirSync(dirname(dir))
    for (const folder of [root, dirname(dir)]) chownSync(folder, nobody.uid, nobody.gid)
    const user = startElsewhere(
      'await spec.recover(); const c = await spec.spawn(); while (!(await spec.probe().catch(() => false))); c.kill("SIGINT"); c.on("exit", async () => { await spec.dispose(); process.exit(7) })',
      nobody,
    )
    expect((await once(user, 'exit'))[0]).toBe(7)
    expect(statSync(join(dir, 'PG_VERSION')).uid).toBe(nobody.uid)
  })

  it('the embedded PostgreSQL rejects data of another major version, and a folder with other content', async () => {
    mkdirSync(dir, { recursive: true })
    writeFileSync(join(dir, 'letter.txt'), 'mine')
    await expect(startPostgres()).rejects.toThrow(/not empty and holds no PostgreSQL data/)
    writeFileSync(join(dir, 'PG_VERSION'), '17\n')
    await expect(startPostgres()).rejects.toThrow(
      /data of PostgreSQL 17, and this version of Tributary runs PostgreSQL 18/,
    )
  })
})

/** A copy of the installed programs without links, below a folder of this mode. */
const copyBinaries = async (mode: number): Promise<string> => {
  const project = join(root, 'project')
  mkdirSync(project)
  const native = join(project, 'native')
  await cp(installedBinaries(), native, { recursive: true, verbatimSymlinks: true })
  const links: { target: string }[] = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'))
  for (const { target } of links) await rm(join(project, target), { force: true })
  await cp(join(dirname(installedBinaries()), 'package.json'), join(project, 'package.json'))
  chmodSync(root, 0o755)
  chmodSync(project, mode)
  return native
}

describe('findAccount', () => {
  it.each([
    ['nobody', { name: 'nobody', uid: 65_534, gid: 65_534 }],
    ['root', { name: 'root', uid: 0, gid: 0 }],
    ['postgres', undefined],
    ['broken', undefined],
  ])('findAccount parses %s', (name, expected) => {
    expect(findAccount(passwd, name)).toEqual(expected)
  })
})
