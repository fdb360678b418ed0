import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const launcher = new URL('./launch.mjs', import.meta.url).href

/** Number of files in the package `big`, large enough to interrupt an install while it writes them. */
export const bigFiles = 2000

/** A separate checkout whose dependencies are archives beside it, so that installing needs no network. */
export type Checkout = Disposable & {
  root: string
  /** Starts a program inside the checkout, in its own process group; by default `npm start`. */
  start(command?: readonly string[], options?: { env?: NodeJS.ProcessEnv }): Started
  /** Returns the number of complete files of the dependencies. */
  wholeFiles(): number
}

export type Started = {
  child: ChildProcess
  output(): string
  /** Resolves with the exit code, or the signal. */
  ended: Promise<number | NodeJS.Signals | null>
}

const pack = (root: string, name: string, files: number): void => {
  const folder = join(root, name, 'package')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '1.0.0' }))
  for (let at = 0; at < files; at++) writeFileSync(join(folder, `file-${at}.txt`), `${name} ${at}\n`.repeat(100))
  spawnSync('tar', ['-czf', join(root, `${name}.tgz`), '-C', join(root, name), 'package'])
  rmSync(join(root, name), { recursive: true })
}

/**
 * The program of the checkout. It prints its process ID and the length of the password that it received, and ends on a
 * signal or when the launcher has ended. With ENDS it ends immediately, with a code or by a signal, and sends SAYS to
 * the launcher as the reason.
 */
const server = `
import { readFileSync, writeSync } from 'node:fs'
const from = process.env.TRIBUTARY_ADMIN_PASSWORD_FROM
if (from !== undefined) process.stdout.write('a password of ' + readFileSync(Number(from), 'utf8').length + ' characters\\n')
const { ENDS, SAYS, TRIBUTARY_LAUNCHER_FILE } = process.env
if (ENDS !== undefined) {
  process.stdout.write('started\\n')
  if (SAYS !== undefined) writeSync(Number(TRIBUTARY_LAUNCHER_FILE), SAYS + '\\n')
  if (/^\\d+$/.test(ENDS)) process.exit(Number(ENDS))
  process.kill(process.pid, ENDS)
}
const stop = (why) => { process.stdout.write('stopped by ' + why + '\\n'); process.exit(0) }
process.on('SIGTERM', () => stop('SIGTERM'))
process.on('disconnect', () => stop('the end of the launcher'))
setInterval(() => {}, 1000)
process.stdout.write('ready ' + process.pid + ' in ' + process.env.INIT_CWD + '\\n')
`

/** Creates a checkout in the folder for temporary files; `files` is the number of files in the package `big`. */
export const makeCheckout = (files = bigFiles): Checkout => {
  const root = mkdtempSync(join(tmpdir(), 'tributary-checkout-'))
  pack(root, 'small', 1)
  pack(root, 'big', files)
  pack(root, 'tool', 1)
  const manifest = {
    name: 'checkout',
    private: true,
    type: 'module',
    scripts: { start: 'node run.mjs start' },
    dependencies: { big: 'file:big.tgz', small: 'file:small.tgz' },
    devDependencies: { tool: 'file:tool.tgz' },
  }
  writeFileSync(join(root, 'package.json'), JSON.stringify(manifest))
  const commands = {
    start: { script: 'server.mjs', takesPassword: true, restarts: true, does: 'Runs.' },
    build: { script: 'server.mjs', builds: true, does: '' },
    test: { script: 'server.mjs', isForDevelopers: true, does: '' },
  }
  writeFileSync(
    join(root, 'run.mjs'),
    `import { launch } from ${JSON.stringify(launcher)}
// The launcher may be where another account cannot read it.
if (process.env.LAUNCH_ACCOUNT !== undefined) {
  process.setgid(Number(process.env.LAUNCH_ACCOUNT))
  process.setuid(Number(process.env.LAUNCH_ACCOUNT))
}
await launch({ root: import.meta.dirname, commands: ${JSON.stringify(commands)} })`,
  )
  writeFileSync(join(root, 'server.mjs'), server)
  const locked = spawnSync('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'], { cwd: root })
  if (locked.status !== 0) throw new Error(locked.stderr.toString())
  const modules = join(root, 'node_modules')
  const groups: ChildProcess[] = []
  return {
    root,
    start([command = 'npm', ...args] = ['npm', 'start'], { env = process.env, ...options } = {}) {
      const child = spawn(command, args, {
        cwd: root,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env,
        ...options,
      })
      groups.push(child)
      let output = ''
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (chunk: Buffer) => {
          output += chunk.toString()
        })
      const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
        child.once('close', (code, signal) => resolve(code ?? signal)),
      )
      return { child, output: () => output, ended }
    },
    wholeFiles() {
      let whole = 0
      for (const name of ['small', 'big'])
        try {
          for (const file of readdirSync(join(modules, name)))
            if (readFileSync(join(modules, name, file), 'utf8').length > (file === 'package.json' ? 0 : 500)) whole++
        } catch {
          // The packages are not installed yet.
        }
      return whole
    },
    [Symbol.dispose]() {
      // Ends processes that a failed test leaves running.
      for (const { pid } of groups)
        try {
          process.kill(-(pid ?? Number.NaN), 'SIGKILL')
        } catch {
          // The process has already ended, as expected.
        }
      rmSync(root, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}
