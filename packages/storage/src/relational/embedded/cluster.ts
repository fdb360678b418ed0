import { spawn } from 'node:child_process'
import { chmod, chown, lchown, mkdtemp, open, readdir, rename, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { faultPoint } from '@tributary/kernel'
import type { Account } from './account.ts'
import { cleanEnvironment, dataVersion, majorVersion } from './binaries.ts'
import { initPrefix } from './orphans.ts'

/** The product's role in the embedded PostgreSQL. */
export const roleName = 'tributary'
/** The product's database in the embedded PostgreSQL. */
export const databaseName = 'tributary'

/**
 * The folder's path as PostgreSQL sees it: its programs start inside the folder and get this path. So they can use a
 * data folder below directories that they may not enter (root's home), and one whose path is longer than PostgreSQL's
 * limit of 1,023 bytes.
 */
export const ownFolder = '/proc/self/cwd'

/** The identity of spawned programs: root switches to the account, other users keep their own. */
export const spawnIdentity = (account: Account): { uid?: number; gid?: number } =>
  process.getuid?.() === 0 ? { uid: account.uid, gid: account.gid } : {}

const runProgram = (
  program: string,
  args: readonly string[],
  dir: string,
  account: Account,
  input = '',
): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: dir,
      env: cleanEnvironment,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...spawnIdentity(account),
    })
    let output = ''
    const collect = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-4_000)
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (code === 0) resolve()
      else
        reject(
          new Error(`${basename(program)} ended ${signal === null ? `with code ${code}` : `by ${signal}`}:\n${output}`),
        )
    })
  })

const syncFolder = async (dir: string): Promise<void> => {
  const handle = await open(dir, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export type ClusterOptions = {
  dir: string
  native: string
  server: Account
  /** False only for clusters of tests: nothing is synced, and a power loss destroys them. */
  durable: boolean
}

/** Creates a complete cluster with the product's role and database in a side folder, and renames it into place. */
const initialise = async ({ dir, native, server, durable }: ClusterOptions): Promise<void> => {
  const draft = await mkdtemp(`${initPrefix(dir)}${process.pid}-`)
  if (process.getuid?.() === 0) await chown(draft, server.uid, server.gid)
  await chmod(draft, 0o700)
  const encoding = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const access = ['--username', roleName, '--auth-local=peer', '--auth-host=reject']
  const sync = durable ? [] : ['--no-sync']
  await runProgram(
    join(native, 'bin', 'initdb'),
    ['--pgdata', ownFolder, ...encoding, ...access, ...sync, '--no-instructions'],
    draft,
    server,
  )
  faultPoint('postgres-init-before-database')
  await runProgram(
    join(native, 'bin', 'postgres'),
    ['--single', '-D', ownFolder, '-c', `fsync=${durable ? 'on' : 'off'}`, 'postgres'],
    draft,
    server,
    `create database ${databaseName}\n`,
  )
  faultPoint('postgres-init-before-rename')
  await rename(draft, dir)
  await syncFolder(dirname(dir))
}

/** Gives a whole folder to the account. Needed after a restore, or if the product ran under another user before. */
export const giveTo = async (dir: string, account: Account): Promise<void> => {
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) await giveTo(path, account)
    else await lchown(path, account.uid, account.gid)
  }
  await chown(dir, account.uid, account.gid)
}

const ensureOwner = async (dir: string, server: Account): Promise<void> => {
  const { uid } = await stat(dir)
  if (uid !== server.uid) {
    if (process.getuid?.() !== 0) {
      throw new Error(
        `The folder ${dir} belongs to the user with the id ${uid}, and Tributary runs as "${server.name}" (${server.uid}). ` +
          'Start it as the user it ran as before, or give that user the folder (chown -R).',
      )
    }
    await giveTo(dir, server)
  }
  await chmod(dir, 0o700)
}

/**
 * Writes the access rules. Over the socket, only this process's user may connect, as identified by the operating system
 * (pg_hba.conf "peer"); over the network, no user may. Written at each start because that user may change.
 */
const writeAccess = async (dir: string, server: Account, client: Account): Promise<void> => {
  const files: [string, string][] = [
    ['pg_hba.conf', `# Written at each start.\nlocal all ${roleName} peer map=${roleName}\n`],
    ['pg_ident.conf', `# Written at each start.\n${roleName} "${client.name}" ${roleName}\n`],
  ]
  for (const [name, text] of files) {
    const path = join(dir, name)
    await writeFile(path, text, { mode: 0o600 })
    if (process.getuid?.() === 0) await chown(path, server.uid, server.gid)
  }
}

const isEmptyOrAbsent = (dir: string): Promise<boolean> =>
  readdir(dir).then(
    (entries) => entries.length === 0,
    () => true,
  )

/**
 * Ensures a startable cluster in `dir`: created completely or not at all, of the programs' major version, owned by the
 * account that runs it. Call it after `clearOrphans`.
 *
 * @throws with what to do if the folder contains another version, something else, or another user's files
 */
export const ensureCluster = async (options: ClusterOptions & { client: Account }): Promise<void> => {
  const { dir, native, server, client } = options
  const found = await dataVersion(dir)
  if (found === undefined) {
    if (!(await isEmptyOrAbsent(dir))) throw new Error(`The folder ${dir} is not empty and holds no PostgreSQL data`)
    await initialise(options)
  } else {
    const wanted = await majorVersion(native)
    if (found !== wanted) {
      throw new Error(
        `${dir} holds data of PostgreSQL ${found}, and this version of Tributary runs PostgreSQL ${wanted}. ` +
          'Start the version of Tributary that wrote it, or restore a backup made for this one.',
      )
    }
  }
  await ensureOwner(dir, server)
  await writeAccess(dir, server, client)
}
