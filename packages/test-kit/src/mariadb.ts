import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { type Connection, createConnection } from 'mysql2/promise'

/** The path of the server in Debian. */
const server = '/usr/sbin/mariadbd'
/** The folder of the statements that create system tables, in Debian. */
const share = '/usr/share/mysql'

/** True if a MariaDB is installed. Tests against MariaDB are skipped otherwise; the project's checks install it. */
export const hasMariaDb = existsSync(server) && existsSync(join(share, 'mysql_system_tables.sql'))

/** A customer's MariaDB: a real server in a temporary folder, on a loopback port. */
export type MariaDbPeer = AsyncDisposable & {
  /** The connection data of a client; `user` has all privileges on the database. */
  access: { host: string; port: number; database: string; user: string; password: string }
  /** Runs a statement as an administrator. */
  query<Row extends object>(text: string): Promise<Row[]>
  /** Ends every connection of the user. */
  cut(): Promise<void>
  /** Number of open connections of the user. */
  connections(): Promise<number>
}

type Credentials = { key: string; cert: string }

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })

/** Options for little memory and no syncing: only data of tests is lost if the machine fails. */
const options = (folder: string): string[] => [
  '--no-defaults',
  `--datadir=${join(folder, 'data')}`,
  `--user=${userInfo().username}`,
  '--innodb-buffer-pool-size=32M',
  '--innodb-log-file-size=16M',
  '--innodb-flush-log-at-trx-commit=0',
]

/** Creates the system tables. */
const bootstrap = async (folder: string): Promise<void> => {
  await mkdir(join(folder, 'data'))
  const files = ['mysql_system_tables.sql', 'mysql_system_tables_data.sql']
  const statements = await Promise.all(files.map((file) => readFile(join(share, file), 'utf8')))
  const child = spawn(server, [...options(folder), '--bootstrap'], { stdio: ['pipe', 'ignore', 'ignore'] })
  child.stdin.end(['create database mysql;', 'use mysql;', 'set @auth_root_socket = null;', ...statements].join('\n'))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`mariadbd --bootstrap ended with ${code}`)
}

/** Resolves when the server accepts connections. */
const ready = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    let said = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (said.includes('ready for connections')) resolve()
    })
    child.once('close', (code) => reject(new Error(`mariadbd ended with ${code}: ${said}`)))
  })

/** Starts a MariaDB with a database and a user with a password; with a certificate, it offers TLS on the same port. */
export const startMariaDb = async (given: { tls?: Credentials } = {}): Promise<MariaDbPeer> => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-mariadb-'))
  const stack = new AsyncDisposableStack()
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  try {
    await bootstrap(folder)
    const port = await freePort()
    const tls = given.tls === undefined ? [] : ['--ssl-cert=cert.pem', '--ssl-key=key.pem']
    if (given.tls !== undefined) {
      await writeFile(join(folder, 'data', 'cert.pem'), given.tls.cert)
      await writeFile(join(folder, 'data', 'key.pem'), given.tls.key)
    }
    const socketPath = join(folder, 'socket')
    const listening = ['--bind-address=127.0.0.1', `--port=${port}`, `--socket=${socketPath}`, '--max-connections=50']
    const child = spawn(server, [...options(folder), ...listening, ...tls], { stdio: ['ignore', 'ignore', 'pipe'] })
    const ended = new Promise((resolve) => child.once('close', resolve))
    stack.defer(async () => {
      // SIGKILL is fine here: the folder is deleted next.
      child.kill('SIGKILL')
      await ended
    })
    await ready(child)
    const admin: Connection = await createConnection({
      socketPath,
      user: 'root',
      charset: 'utf8mb4',
      jsonStrings: true,
    })
    stack.defer(() => admin.destroy())
    const access = {
      host: '127.0.0.1',
      port,
      database: 'company',
      user: 'reader',
      password: randomBytes(9).toString('base64url'),
    }
    const query = async <Row extends object>(text: string): Promise<Row[]> => {
      const [rows] = await admin.query(text)
      return Array.isArray(rows) ? (rows as Row[]) : []
    }
    await query(`create database ${access.database} character set utf8mb4`)
    await query(`create user '${access.user}'@'127.0.0.1' identified by '${access.password}'`)
    await query(`grant all on ${access.database}.* to '${access.user}'@'127.0.0.1'`)
    await query(`use ${access.database}`)
    const open = (): Promise<{ id: number }[]> =>
      query(`select id from information_schema.processlist where user = '${access.user}' and command <> 'Killed'`)
    const disposal = stack.move()
    return {
      access,
      query,
      cut: async () => {
        for (const { id } of await open()) await query(`kill ${id}`).catch(() => {})
      },
      connections: async () => (await open()).length,
      [Symbol.asyncDispose]: () => disposal.disposeAsync(),
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}
