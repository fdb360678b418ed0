import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A customer's ClickHouse in a temporary folder, on a loopback port: the real engine (chDB), with the HTTP interface of
 * `clickhouse-process`. It has no users and grants besides the one password.
 */
export type ClickHousePeer = AsyncDisposable & {
  /** The connection data of a client; `user` has all privileges. */
  access: { host: string; port: number; database: string; user: string; password: string }
  /** Runs a statement as an administrator; rows of a query come as objects. */
  query<Row extends object>(text: string): Promise<Row[]>
  /** Sets exactly these settings in the user's settings profile. */
  setProfile(settings: Readonly<Record<string, string>>): Promise<void>
}

const entry = join(import.meta.dirname, 'clickhouse-process.ts')

/** Starts a ClickHouse with a database. */
export const startClickHouse = async (): Promise<ClickHousePeer> => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-clickhouse-'))
  const password = randomBytes(9).toString('base64url')
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry, folder, 'reader', password], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  const dispose = async (): Promise<void> => {
    // SIGKILL is fine here: the folder is deleted next.
    child.kill('SIGKILL')
    await closed
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const port = await Promise.race([
    once(child.stdout, 'data').then(([said]) => Number(String(said))),
    closed.then(([code]) => {
      throw new Error(`the engine ended with ${code}`)
    }),
  ])
  const send = async (path: string, body: string): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body })
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    return text
  }
  const query = async <Row extends object>(text: string): Promise<Row[]> =>
    (await send('/administrator', text))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Row)
  await query('create database company')
  return {
    access: { host: '127.0.0.1', port, database: 'company', user: 'reader', password },
    query,
    setProfile: async (settings) => void (await send('/profile', JSON.stringify(settings))),
    [Symbol.asyncDispose]: dispose,
  }
}
