import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '@tributary/kernel'
import { Client, type QueryResult } from 'pg'
import { createSupervisor } from '../../../../supervisor/supervisor.ts'
import { openRelational, type Relational } from '../../../open.ts'
import { createEmbeddedPostgres } from '../../child.ts'
import type { RewriteOptions } from '../rewrite-files.ts'

export type Run = (text: string, params?: unknown[]) => Promise<QueryResult>

/** A real embedded PostgreSQL of a test file, with everything that tests of rewrites need. */
export type TrialDatabase = AsyncDisposable & {
  root: string
  url: string
  store: Relational
  /** Runs a statement on a connection of the product. */
  run: Run
  /** Opens a connection that is not the product's. The caller closes it. */
  openClient(): Promise<Client>
  /** Options of a rewrite that copies tables of every size online. */
  options(part?: Partial<RewriteOptions>): RewriteOptions
  /** Creates the empty schema `trial`, and removes the remains of a rewrite. */
  empty(): Promise<void>
  /** The paths, below the folder, of the files that contain a value. */
  filesWith(value: string): Promise<string[]>
}

/** A value that occurs nowhere else. */
export const uniqueWord = (): string => `Zz${randomBytes(9).toString('hex')}`

export const startTrialDatabase = async (): Promise<TrialDatabase> => {
  const root = await mkdtemp(join(tmpdir(), 'tributary-rewrite-'))
  const supervisor = createSupervisor({ logger: silentLogger })
  const { spec, url } = await createEmbeddedPostgres({ dir: join(root, 'postgres'), logger: silentLogger })
  await supervisor.add(spec)
  const store = openRelational({ url, logger: silentLogger })
  const run: Run = (text, params = []) => store.pool.query(text, params)
  return {
    root,
    url,
    store,
    run,
    async openClient() {
      const client = new Client({ connectionString: url, ssl: false })
      client.on('error', () => {})
      await client.connect()
      return client
    },
    options: (part = {}) => ({
      url,
      dir: root,
      maxClosedMs: 200,
      onlineFromBytes: 0,
      signal: AbortSignal.timeout(240_000),
      ...part,
    }),
    async empty() {
      await run('drop schema if exists tributary_rewrite cascade')
      await run('drop schema if exists trial cascade')
      await run('create schema trial')
    },
    async filesWith(value) {
      const found: string[] = []
      for (const file of await readdir(root, { recursive: true, withFileTypes: true })) {
        if (!file.isFile()) continue
        const path = join(file.parentPath, file.name)
        // A file that was deleted meanwhile contains nothing.
        const bytes = await readFile(path).catch(() => Buffer.alloc(0))
        if (bytes.includes(value)) found.push(path.slice(root.length))
      }
      return found
    },
    async [Symbol.asyncDispose]() {
      await store.close()
      await supervisor.stop()
      await rm(root, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}
