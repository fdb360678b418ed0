// What scripts/run.mjs does with a Node that is new enough: installs what is missing, builds the web application and the
// server, and goes on under the Node that the project pins. Plain JavaScript, since nothing is installed when it begins.
import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { distrustInstall, install, installState } from './install.mjs'
import { describeEnd, exitCodeOf, hintsAtDamage, run, startersOf, watchStarters } from './processes.mjs'
import { LaunchFailed } from './progress.mjs'
import { isServerBuilt } from './server-build.mjs'
import { helpOf, tasks } from './tasks.mjs'

/** @typedef {import('./tasks.mjs').Task} Task */
/** @typedef {{ root: string, env: NodeJS.ProcessEnv, onSpawn: (child: import('node:child_process').ChildProcess) => void }} Context */

const checkout = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** The pinned Node from the dependencies, else this one if it is new enough.
 * @param {string} root */
const pinnedNode = (root) => {
  const packaged = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')
  if (existsSync(packaged)) return packaged
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  throw new LaunchFailed(
    `On ${process.platform}-${process.arch} Tributary needs Node 24 or newer, and this is Node ${process.versions.node}. Install a newer version, and run the command again.`,
  )
}

/** What child processes get. INIT_CWD is where the user is: paths that are given to a command count from there.
 * @param {Context} context @param {Task} task @param {string} node */
const environmentOf = ({ root, env }, task, node) => ({
  ...env,
  PATH: `${dirname(node)}:${join(root, 'node_modules', '.bin')}:${env.PATH ?? ''}`,
  INIT_CWD: env.INIT_CWD ?? process.cwd(),
  UV_THREADPOOL_SIZE: env.UV_THREADPOOL_SIZE ?? '16',
  // Compiled code and stripped types are kept: a start is faster. A build keeps that of its own beside itself.
  ...(task.isBuild === true ? {} : { NODE_COMPILE_CACHE: env.NODE_COMPILE_CACHE ?? join(root, '.cache', 'compile') }),
  // glibc makes an arena of memory for each thread, which keep what they once had: 40 MB more for nothing.
  MALLOC_ARENA_MAX: env.MALLOC_ARENA_MAX ?? '2',
})

/**
 * Runs a script that builds something, which says so on its own.
 *
 * @param {Context} context @param {string} node @param {NodeJS.ProcessEnv} env
 * @param {string} what @param {string} script
 */
const build = async ({ root, onSpawn }, node, env, what, script) => {
  const end = await run(node, [join(root, 'scripts', script)], { cwd: root, env, stdio: 'inherit' }, onSpawn)
  const how = describeEnd(`The build of the ${what}`, end)
  if (how === undefined) return
  if (!hintsAtDamage(end.signal)) throw new LaunchFailed(how)
  distrustInstall(root)
  throw new LaunchFailed(`${how} Run the command again: it installs all dependencies anew first.`)
}

/** @param {Context} context @param {Task} task @param {readonly string[]} args */
const runTask = async (context, task, args) => {
  const { root, onSpawn } = context
  if (installState(root) !== 'installed') accessSync(root, constants.W_OK)
  await install({ ...context, out: process.stdout })
  const node = pinnedNode(root)
  const env = environmentOf(context, task, node)
  if (task.builds === true) {
    await build(context, node, env, 'web application', 'build-web.mjs')
    if (!isServerBuilt(root)) await build(context, node, env, 'server', 'build-server.mjs')
  }
  const command = ['--disable-warning=ExperimentalWarning', ...(task.node ?? []), join(root, task.script), ...args]
  // By the channel the server notices that this process is gone, however it went.
  const end = await run(node, command, { cwd: root, env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] }, onSpawn)
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
  const { code, path = root } = /** @type {NodeJS.ErrnoException} */ (error)
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM')
    return `Cannot write to ${path} (${code}). Dependencies are installed and built inside the checkout. Use a checkout that this user can write to.`
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return `Cannot write to ${path}: the disk is full (${code}). Free some space, and try again.`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/**
 * Runs a root command to its end and sets the exit code. SIGINT, SIGTERM and SIGHUP are passed on to what runs just now,
 * and SIGTERM is sent to it when npm, which runs this command, is gone.
 *
 * @param {{ root?: string, commands?: Readonly<Record<string, Task>>, argv?: readonly string[], env?: NodeJS.ProcessEnv }} [options]
 */
export const launch = async ({
  root = checkout,
  commands = tasks,
  argv = process.argv.slice(2),
  env = process.env,
} = {}) => {
  const [name = '', ...args] = argv
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
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let running
  /** @type {NodeJS.Signals | undefined} */
  let stopped
  /** @param {NodeJS.Signals} signal */
  const stop = (signal) => {
    stopped = signal
    running?.kill(signal)
  }
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => stop(signal))
  watchStarters(startersOf(env), () => stop('SIGTERM'))
  /** @param {import('node:child_process').ChildProcess} child */
  const onSpawn = (child) => {
    running = child
    if (stopped !== undefined) child.kill(stopped)
  }
  try {
    process.exitCode = await runTask({ root, env, onSpawn }, task, args)
  } catch (error) {
    if (stopped === undefined) process.stderr.write(`${wordsOf(error, root)}\n`)
    process.exitCode = stopped === undefined ? 1 : exitCodeOf({ code: null, signal: stopped })
  }
}
