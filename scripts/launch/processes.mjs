import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'

/** @typedef {{ pid: number, startTime: string }} Identity a pid alone may by now belong to another process */
/** @typedef {{ code: number | null, signal: NodeJS.Signals | null, error?: NodeJS.ErrnoException }} End */

/** The fields of /proc/<pid>/stat behind the command's name (proc_pid_stat(5)); undefined without such a process.
 * @param {number} pid */
const statOf = (pid) => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const end = stat.lastIndexOf(')')
    const [state = '', parent = '', ...rest] = stat.slice(end + 2).split(' ')
    return { command: stat.slice(stat.indexOf('(') + 1, end), state, parent: Number(parent), startTime: rest[17] ?? '' }
  } catch {
    return undefined
  }
}

/** The running process with this id; undefined when there is none, or it has ended and is only not yet reaped.
 * @param {number} pid
 * @returns {Identity | undefined} */
export const identify = (pid) => {
  const stat = statOf(pid)
  return stat === undefined || stat.state === 'Z' || stat.state === 'X' ? undefined : { pid, startTime: stat.startTime }
}

/** Whether exactly this process still runs.
 * @param {Identity} identity */
export const isRunning = ({ pid, startTime }) => identify(pid)?.startTime === startTime

/** Ends exactly this process with SIGKILL and waits until it is gone.
 * @param {Identity} identity */
export const kill = async (identity) => {
  if (isRunning(identity)) process.kill(identity.pid, 'SIGKILL')
  while (isRunning(identity)) await new Promise((resolve) => setTimeout(resolve, 20))
}

/**
 * Starts a program and resolves with how it ended; a program that cannot be started is an end with an error. Never
 * rejects.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 * @param {(child: import('node:child_process').ChildProcess) => void} [onSpawn]
 * @returns {Promise<End>}
 */
export const run = (command, args, options, onSpawn = () => {}) =>
  new Promise((resolve) => {
    const child = spawn(command, args, options)
    child.once('error', (error) => resolve({ code: null, signal: null, error }))
    child.once('close', (code, signal) => resolve({ code, signal }))
    onSpawn(child)
  })

/**
 * The processes that have to live for this command to go on: npm, when npm runs it, and the shell between them. A
 * command that was started without npm outlives who started it, as with nohup.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {Identity[]}
 */
export const startersOf = (env) => {
  if (env.npm_lifecycle_event === undefined) return []
  const parent = identify(process.ppid)
  const stat = statOf(process.ppid)
  if (parent === undefined || stat === undefined) return []
  // npm has its scripts run by a shell, which puts the command in its own place or stays between.
  const above = /^(ba|da|z|k|a)?sh$/.test(stat.command) ? identify(stat.parent) : undefined
  return above === undefined ? [parent] : [parent, above]
}

/**
 * Calls `gone` once when one of the starters has ended, however it ended: no signal tells of that. Looks twice a second.
 *
 * @param {readonly Identity[]} starters
 * @param {() => void} gone
 */
export const watchStarters = (starters, gone) => {
  if (starters.length === 0) return
  const timer = setInterval(() => {
    if (starters.every(isRunning)) return
    clearInterval(timer)
    gone()
  }, 500)
  timer.unref()
}

/** @type {Readonly<Record<string, string>>} */
const causes = {
  SIGKILL: 'The system usually does this when memory runs out. Add memory or close other programs, and try again.',
  SIGBUS: 'A file that it read is damaged, or the disk is full.',
  SIGSEGV: 'Usually, a file that it read is damaged.',
  SIGILL: 'A file that it read is damaged, or this processor lacks what the program was built for.',
}

/** Whether an end by this signal means that installed files may be damaged.
 * @param {End['signal']} signal */
export const hintsAtDamage = (signal) => signal === 'SIGBUS' || signal === 'SIGSEGV' || signal === 'SIGILL'

/**
 * How a process ended, in a sentence, and what that means where the signal tells; undefined when it ended well.
 *
 * @param {string} what
 * @param {End} end
 */
export const describeEnd = (what, { code, signal, error }) => {
  if (error !== undefined) return `${what} could not be started (${error.code ?? error.message}).`
  if (signal === null) return code === 0 ? undefined : `${what} ended with code ${code}.`
  const cause = causes[signal]
  return `${what} was ended by the signal ${signal}.${cause === undefined ? '' : ` ${cause}`}`
}

/** The exit code that tells of such an end, as shells count.
 * @param {End} end */
export const exitCodeOf = ({ code, signal }) => code ?? (signal === null ? 1 : 128 + constants.signals[signal])
