import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ApiClient, createApiClient } from './api-client.ts'
import { fillFolder } from './prepared-folder.ts'

/** The entry of `npm start`: the last built server. */
export const serverEntry = fileURLToPath(new URL('../../../apps/server/dist/main.mjs', import.meta.url))

export type ProductOptions = {
  /** The data folder; by default a new folder that is removed at the end. */
  dataDir?: string
  /** Variables that are added to the environment of the process. */
  env?: Record<string, string>
  /** Waits until the product is on standby, instead of ready. */
  standsBy?: true
  /** Maximum time until the product is ready, ms. */
  deadlineMs?: number
  /** Called with the process id as soon as the process runs. */
  onSpawn?: (pid: number) => void
  /** A command that replaces the server; its process counts as the product. */
  command?: readonly string[]
  /** Runs the process under this account; needs root. */
  user?: { uid: number; gid: number }
  /** Whether the test can move the product's clock, with `moveClock`. */
  movableClock?: true
  /** Starts with an empty data folder, even if the test run has prepared one with data. */
  fromNothing?: true
}

export type Product = AsyncDisposable & {
  /** `http://127.0.0.1:<port>`. */
  url: string
  pid: number
  dataDir: string
  /** Lines the process printed so far. */
  output(): string
  api: ApiClient
  /** Sends SIGTERM and waits for the end. Returns the exit code. */
  stop(): Promise<number | null>
  /**
   * Sets the clock of a product with `movableClock` ahead of the machine's by `ms`. All its threads follow within 50
   * ms; its engines keep the machine's clock. Never move it back: the product relies on that.
   */
  moveClock(ms: number): Promise<void>
  /** Sends SIGKILL to the server process only; its children keep running. */
  kill(): Promise<void>
  /** Resolves with the exit code when the process ends by itself. */
  ended: Promise<number | null>
}

/** The platform admin's credentials in a started product. */
export const adminCredentials = { email: 'admin@example.com', password: 'Correct-horse-1' }

/** Token of `/metrics` and `/dev/outbox` of a started product. */
export const metricsToken = 'metrics-token-of-tests'

/** Requests the metrics of a started product. */
export const readMetrics = (url: string): Promise<Response> =>
  fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })

/** Whether a folder or one of its parents is accessible only to its owner, like a checkout below root's home. */
const isPrivate = (path: string): boolean => {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return true
    if (folder === '/') return false
  }
}

/** Bit of CAP_DAC_READ_SEARCH in a set of capabilities. */
const readSearchBit = 1n << 2n

/**
 * Returns how to start a program under another account: command, arguments and options of `spawn`. An account without
 * access to the checkout gets one capability: reading all files, or overriding all file permissions if root cannot
 * grant that.
 */
const startedAs = (user: { uid: number; gid: number } | undefined, program: string, args: readonly string[]) => {
  if (user === undefined || !isPrivate(program)) return { program, args, options: { ...user } }
  const bounds = /^CapBnd:\s*(\w+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0'
  const capability = (BigInt(`0x${bounds}`) & readSearchBit) === 0n ? 'dac_override' : 'dac_read_search'
  const account = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups']
  // The kernel's access(2) check honors capabilities only if a change of the account does not clear them.
  const reading = ['--securebits=+no_setuid_fixup', `--inh-caps=+${capability}`, `--ambient-caps=+${capability}`]
  return { program: 'setpriv', args: [...account, ...reading, program, ...args], options: {} }
}

const environmentOf = (dataDir: string, env: Record<string, string> | undefined): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH ?? dirname(process.execPath),
  // The product's sockets are in the folder for temporary files of the test.
  TMPDIR: tmpdir(),
  UV_THREADPOOL_SIZE: '16',
  PORT: '0',
  HOST: '127.0.0.1',
  TRIBUTARY_DATA_DIR: dataDir,
  TRIBUTARY_ADMIN_EMAIL: adminCredentials.email,
  TRIBUTARY_ADMIN_PASSWORD: adminCredentials.password,
  TRIBUTARY_EGRESS_ALLOW: '127.0.0.0/8',
  TRIBUTARY_METRICS_TOKEN: metricsToken,
  TRIBUTARY_EVENT_STORE_MEMORY_MB: '2048',
  ...env,
})

/**
 * Starts the whole product as a user does, in its own process on a free port, and waits until it is ready. Destinations
 * may reach loopback. Throws with the process's output if it is not ready in time.
 */
export const startProduct = async (options: ProductOptions = {}): Promise<Product> => {
  const ownFolder = options.dataDir === undefined
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'tributary-')))
  if (options.fromNothing !== true && options.user === undefined) await fillFolder(dataDir, options.env ?? {})
  const clockFile = `${dataDir}.clock`
  const clock = `${new URL('./moved-clock.ts', import.meta.url).href}?${new URLSearchParams({ file: clockFile })}`
  const command = options.command ?? [
    '--disable-warning=ExperimentalWarning',
    // The same option as in `npm start`.
    '--max-semi-space-size=16',
    ...(options.movableClock === true ? ['--import', clock] : []),
    serverEntry,
  ]
  const { program, args, options: account } = startedAs(options.user, process.execPath, command)
  const child: ChildProcess = spawn(program, args, {
    env: environmentOf(dataDir, options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...account,
  })
  if (child.pid !== undefined) options.onSpawn?.(child.pid)
  let output = ''
  const sign = options.standsBy === true ? /Tributary stands by at (http:\S+)/ : /Tributary is ready at (http:\S+)/
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const url = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`The product was not ready in time:\n${output.slice(-4000)}`))
    }, options.deadlineMs ?? 150_000)
    const read = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-1_000_000)
      const found = sign.exec(output)
      if (found?.[1] !== undefined) {
        clearTimeout(late)
        resolve(found[1])
      }
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    void ended.then((code) => {
      clearTimeout(late)
      reject(new Error(`The product ended with ${code} before it was ready:\n${output.slice(-4000)}`))
    })
  })
  const stop = async (): Promise<number | null> => {
    child.kill('SIGTERM')
    return await ended
  }
  return {
    url,
    pid: child.pid ?? 0,
    dataDir,
    output: () => output,
    api: createApiClient(url),
    stop,
    async moveClock(ms) {
      // Renamed, so that the file is never read half-written.
      await writeFile(`${clockFile}.new`, String(ms))
      await rename(`${clockFile}.new`, clockFile)
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    ended,
    async [Symbol.asyncDispose]() {
      await stop()
      await rm(clockFile, { force: true })
      if (ownFolder) await rm(dataDir, { recursive: true, force: true })
    },
  }
}
