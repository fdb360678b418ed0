import { spawn } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Logger } from '@tributary/kernel'
import { Client } from 'pg'
import type { ChildSpec } from '../../supervisor/child-spec.ts'
import { chooseAccount } from './account.ts'
import { cleanEnvironment, runnableBinaries } from './binaries.ts'
import { databaseName, ensureCluster, ownFolder, roleName, spawnIdentity } from './cluster.ts'
import { clearOrphans, shutdownSteps } from './orphans.ts'
import { ensureSocketFolder } from './socket-folder.ts'

const port = 5432

export type EmbeddedPostgresOptions = {
  /** PostgreSQL's own folder, usually `<data folder>/postgres`. The data folder's lock must be held. */
  dir: string
  logger: Logger
  /** Further server settings, for example `{ max_connections: '200' }`. They cannot switch off syncing. */
  settings?: Record<string, string>
  /** False only for a temporary cluster of tests: no fsync, data is lost on power loss. Default true. */
  durable?: boolean
  /** Folder of the installed programs; by default the one of npm. */
  binaries?: string
  /** Folders for a copy of the programs, if the account cannot read the installed ones. */
  caches?: readonly string[]
}

/** An embedded PostgreSQL for the supervisor, and the address that it will have. */
export type EmbeddedPostgres = { spec: ChildSpec; url: string }

/**
 * The address of a database behind a Unix socket, in the same form as `DATABASE_URL`:
 * `postgres://role@/database?host=<socket folder>&port=5432`.
 */
export const socketUrl = (folder: string, database: string): string =>
  `postgres://${roleName}@/${database}?host=${encodeURIComponent(folder)}&port=${port}`

/** The address of the embedded PostgreSQL that another process of the same account currently runs on this folder. */
export const runningPostgresUrl = async (dir: string): Promise<string> =>
  socketUrl(await ensureSocketFolder(resolve(dir), chooseAccount().server), databaseName)

const serverSettings = (
  socketFolder: string,
  durable: boolean,
  own: Record<string, string>,
): Record<string, string> => ({
  max_connections: '100',
  shared_buffers: '128MB',
  timezone: 'UTC',
  log_checkpoints: 'off',
  // Statements and values of failed calls may be personal data, so only the server's own messages are logged.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_line_prefix: '',
  ...own,
  fsync: durable ? 'on' : 'off',
  synchronous_commit: durable ? 'on' : 'off',
  full_page_writes: durable ? 'on' : 'off',
  logging_collector: 'off',
  log_destination: 'stderr',
  listen_addresses: '',
  unix_socket_directories: socketFolder,
  unix_socket_permissions: '0700',
})

const answers = async (url: string): Promise<boolean> => {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 1_000, query_timeout: 1_000, ssl: false })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } finally {
    await client.end().catch(() => {})
  }
}

/**
 * Creates PostgreSQL as a supervised child. It is initialized in a side folder and renamed, reachable only over a
 * socket in a private folder, never run as root, and it syncs every commit. The address is known before the start and
 * stays the same over restarts and later runs on the same data folder.
 *
 * @throws if there are no programs for this platform, no account to run them or no place for the socket; the
 *   messages say what to do
 */
export const createEmbeddedPostgres = async (options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> => {
  const dir = resolve(options.dir)
  const durable = options.durable ?? true
  const { server, client } = chooseAccount()
  const native = await runnableBinaries(server, options.binaries, options.caches)
  const socketFolder = await ensureSocketFolder(dir, server)
  const settings = serverSettings(socketFolder, durable, options.settings ?? {})
  const url = socketUrl(socketFolder, databaseName)

  const spec: ChildSpec = {
    name: 'postgres',
    async recover() {
      await mkdir(dirname(dir), { recursive: true, mode: 0o700 })
      await clearOrphans(dir, options.logger)
      await ensureSocketFolder(dir, server)
      // No process works in the folder any longer. PostgreSQL would refuse the lock of its predecessor if that process
      // was killed a moment ago and still has a PID (not reaped yet).
      for (const left of [`.s.PGSQL.${port}`, `.s.PGSQL.${port}.lock`])
        await rm(join(socketFolder, left), { force: true })
      await ensureCluster({ dir, native, server, client, durable })
    },
    async spawn() {
      return spawn(
        join(native, 'bin', 'postgres'),
        ['-D', ownFolder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
        {
          cwd: dir,
          env: cleanEnvironment,
          detached: true,
          stdio: ['ignore', 'pipe', 'pipe'],
          ...spawnIdentity(server),
        },
      )
    },
    probe: () => answers(url),
    startTimeoutMs: 60_000,
    stop: shutdownSteps,
    onParentDeath: 'SIGINT',
    watch: { intervalMs: 5_000, failures: 6 },
    dispose: () => rm(socketFolder, { recursive: true, force: true }),
  }
  return { spec, url }
}
