// Runs root commands for scripts/run.mjs with a Node that is new enough. It installs missing packages, builds the web
// application and the server, and continues with the Node version that the project pins. This file is plain JavaScript,
// because nothing is installed when it starts.
import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isServerBuilt } from '../build/server-build.mjs'
import { distrustInstall, install, installState } from './install.mjs'
import { describeEnd, exitCodeOf, hintsAtDamage, run, stop, stoppedBy, watchStarters } from './processes.mjs'
import { LaunchFailed } from './progress.mjs'
import { createRestarts } from './restarts.mjs'
import { helpOf, tasks } from './tasks.mjs'

/** @typedef {import('./tasks.mjs').Task} Task */

const { env } = process
const checkout = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** The pipe by which a program gets the password of the first administrator. */
const passwordPipe = 4
/** The pipe by which a program that is started again reports why it ends. */
const endPipe = 5

/**
 * Returns the path of the pinned Node from the dependencies, otherwise of the running Node if it is new enough.
 * @param {string} root
 */
const pinnedNode = (root) => {
  const packaged = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')
  if (existsSync(packaged)) return packaged
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  throw new LaunchFailed(
    `On ${process.platform}-${process.arch} Tributary needs Node 24 or newer, and this is Node ${process.versions.node}. Install a newer version, and run the command again.`,
  )
}

/**
 * Returns the environment of child processes. INIT_CWD is the folder of the user; relative paths in arguments start
 * there.
 * @param {string} root @param {Task} task @param {string} node
 */
const environmentOf = (root, task, node) => ({
  ...env,
  PATH: `${dirname(node)}:${join(root, 'node_modules', '.bin')}:${env.PATH ?? ''}`,
  INIT_CWD: env.INIT_CWD ?? process.cwd(),
  UV_THREADPOOL_SIZE: env.UV_THREADPOOL_SIZE ?? '16',
  // Caches compiled code and code without types, so that a start is faster. A build of the server has its own cache in
  // its folder.
  ...(task.isBuild === true ? {} : { NODE_COMPILE_CACHE: env.NODE_COMPILE_CACHE ?? join(root, '.cache', 'compile') }),
  // glibc creates a memory arena for each thread. Arenas keep unused memory: without this limit, the product needs 40
  // MB more and is not faster.
  MALLOC_ARENA_MAX: env.MALLOC_ARENA_MAX ?? '2',
})

/**
 * Runs a program with a channel by which the program notices the end of this process, whatever the cause. A pipe passes
 * the password of the first administrator, because other programs of the same user can read an environment. The member
 * `blocked` of the result is the reason if a thread no longer responded, otherwise ''.
 *
 * @param {string} root @param {Task} task @param {string} node @param {readonly string[]} command
 * @param {NodeJS.ProcessEnv} whole
 */
const runProgram = async (root, task, node, command, whole) => {
  const { TRIBUTARY_ADMIN_PASSWORD: password = '', ...others } = whole
  const isHanded = task.takesPassword === true && password !== ''
  const given = {
    ...(isHanded ? { ...others, TRIBUTARY_ADMIN_PASSWORD_FROM: String(passwordPipe) } : whole),
    ...(task.restarts === true ? { TRIBUTARY_LAUNCHER_FILE: String(endPipe) } : {}),
  }
  /** @type {import('node:child_process').StdioOptions} */
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc', isHanded ? 'pipe' : 'ignore']
  if (task.restarts === true) stdio.push('pipe')
  let blocked = ''
  const end = await run(node, command, { cwd: root, env: given, stdio }, (child) => {
    /** @type {readonly (import('node:stream').Duplex | null | undefined)[]} */
    const pipes = /** @type {*} */ (child.stdio)
    // An error is ignored: a program that ends before it reads the password reports the reason itself.
    pipes[passwordPipe]?.on('error', () => {}).end(password)
    pipes[endPipe]?.on('data', (/** @type {Buffer} */ chunk) => {
      blocked += chunk
    })
  })
  return { end, blocked: blocked.trim() }
}

/**
 * Runs a build script, which reports its progress itself.
 *
 * @param {string} root @param {string} node @param {NodeJS.ProcessEnv} env @param {string} name @param {string} script
 */
const build = async (root, node, env, name, script) => {
  const end = await run(node, [join(root, 'scripts', script)], { cwd: root, env, stdio: 'inherit' })
  const how = describeEnd(`The build of the ${name}`, end)
  if (how === undefined) return
  if (!hintsAtDamage(end.signal)) throw new LaunchFailed(how)
  distrustInstall(root)
  throw new LaunchFailed(`${how} Run the command again: it installs all dependencies anew first.`)
}

/** @param {string} root @param {Task} task @param {readonly string[]} args */
const runTask = async (root, task, args) => {
  const scope = task.isForDevelopers === true ? 'all' : 'run'
  if (installState(root, scope) !== 'installed') accessSync(root, constants.W_OK)
  await install(root, scope)
  const node = pinnedNode(root)
  const env = environmentOf(root, task, node)
  if (task.builds === true) {
    await build(root, node, env, 'web application', 'build-web.mjs')
    if (!isServerBuilt(root)) await build(root, node, env, 'server', 'build-server.mjs')
  }
  const command = ['--disable-warning=ExperimentalWarning', ...(task.node ?? []), join(root, task.script), ...args]
  const restarts = createRestarts()
  for (;;) {
    const { end, blocked } = await runProgram(root, task, node, command, env)
    if (blocked === '' || stoppedBy() !== undefined) return codeOf(task, node, end)
    if (!restarts.mayStart(Date.now())) throw new LaunchFailed(`${blocked}.\n${restarts.why}`)
    process.stderr.write('Tributary is started again.\n')
  }
}

/**
 * Prints how a command ended if it did not end normally, and returns its exit code.
 * @param {Task} task @param {string} node @param {import('./processes.mjs').End} end
 */
const codeOf = (task, node, end) => {
  if (end.error?.code === 'ENOENT')
    throw new LaunchFailed(
      `${node} cannot be started: Tributary needs Linux with glibc, which Alpine, for example, does not have.`,
    )
  if (end.error !== undefined || hintsAtDamage(end.signal) || end.signal === 'SIGKILL')
    process.stderr.write(`${describeEnd(task.script, end)}\n`)
  return exitCodeOf(end)
}

/** @param {unknown} error @param {string} root */
const wordsOf = (error, root) => {
  if (error instanceof LaunchFailed) return error.message
  const { code = '', path = root, stack } = /** @type {NodeJS.ErrnoException} */ (error)
  if (!['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT'].includes(code)) return stack ?? String(error)
  return `Cannot write to ${path} (${code}). Dependencies are installed and built inside the checkout, and need 1.5 GB. Use a checkout that this user can write to.`
}

/**
 * Runs a root command to its end and sets the exit code. SIGINT, SIGTERM and SIGHUP are passed on to the running child.
 * The child also gets SIGTERM when npm, which runs this command, has ended.
 *
 * @param {{ root?: string, commands?: Readonly<Record<string, Task>> }} [options]
 */
export const launch = async ({ root = checkout, commands = tasks } = {}) => {
  const [name = '', ...args] = process.argv.slice(2)
  const task = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (task === undefined) {
    process.stderr.write(`Usage: npm run <${Object.keys(commands).join('|')}>\n`)
    process.exitCode = 2
    return
  }
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(helpOf(name, task))
    return
  }
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, stop)
  watchStarters()
  try {
    process.exitCode = await runTask(root, task, args)
  } catch (error) {
    const signal = stoppedBy()
    if (signal === undefined) process.stderr.write(`${wordsOf(error, root)}\n`)
    process.exitCode = signal === undefined ? 1 : exitCodeOf({ code: null, signal })
  }
}
