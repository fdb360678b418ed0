import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'

/** @typedef {{ pid: number, startTime: string }} Identity a pid alone may belong to another process by now */
/** @typedef {{ code: number | null, signal: NodeJS.Signals | null, error?: NodeJS.ErrnoException }} End */

/**
 * Returns fields of /proc/<pid>/stat (proc_pid_stat(5)); undefined for a process that has ended, even if it was not
 * reaped.
 * @param {number} pid
 */
const statOf = (pid) => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const end = stat.lastIndexOf(')')
    const [state = '', parent = '', ...rest] = stat.slice(end + 2).split(' ')
    if (state === 'Z' || state === 'X') return undefined
    return { command: stat.slice(stat.indexOf('(') + 1, end), parent: Number(parent), startTime: rest[17] ?? '' }
  } catch {
    return undefined
  }
}

/** Returns the running process with this ID, or undefined.
 * @param {number} pid
 * @returns {Identity | undefined} */
export const identify = (pid) => {
  const stat = statOf(pid)
  return stat && { pid, startTime: stat.startTime }
}

/** Whether exactly this process still runs.
 * @param {Identity} identity */
export const isRunning = ({ pid, startTime }) => statOf(pid)?.startTime === startTime

/**
 * Ends exactly this process with SIGKILL and waits until it has ended.
 * @param {Identity} identity
 */
export const kill = async (identity) => {
  if (isRunning(identity)) process.kill(identity.pid, 'SIGKILL')
  while (isRunning(identity)) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** @type {import('node:child_process').ChildProcess | undefined} */
let running
/** @type {NodeJS.Signals | undefined} */
let stopSignal

/** Returns the signal that stops this command; undefined if there was none. */
export const stoppedBy = () => stopSignal

/**
 * Passes a signal on to the running child, after which no other child is started. Without a child, ends this process.
 * @param {NodeJS.Signals} signal
 */
export const stop = (signal) => {
  stopSignal = signal
  if (running === undefined) process.exit(exitCodeOf({ code: null, signal }))
  running.kill(signal)
}

/**
 * Starts a program and resolves with how it ended; if the program cannot be started, the result has an error. Never
 * rejects.
 *
 * @param {string} command @param {readonly string[]} args @param {import('node:child_process').SpawnOptions} options
 * @param {(child: import('node:child_process').ChildProcess) => void} [onSpawn]
 * @returns {Promise<End>}
 */
export const run = async (command, args, options, onSpawn) => {
  if (stopSignal !== undefined) return { code: null, signal: stopSignal }
  const child = spawn(command, args, options)
  running = child
  onSpawn?.(child)
  const end = await new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, error }))
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  running = undefined
  return end
}

/**
 * Stops this command when npm, or the shell between npm and this command, has ended. It checks twice a second, because
 * no signal reports that. Without npm, nothing is watched, so that a command with nohup outlives the process that
 * started it.
 */
export const watchStarters = () => {
  const parent = process.env.npm_lifecycle_event === undefined ? undefined : statOf(process.ppid)
  if (parent === undefined) return
  // npm runs scripts in a shell, which either stays as the parent of the command or is replaced by it.
  const pids = /^(ba|da|z|k|a)?sh$/.test(parent.command) ? [process.ppid, parent.parent] : [process.ppid]
  const starters = pids.flatMap((pid) => identify(pid) ?? [])
  const timer = setInterval(() => {
    if (starters.every(isRunning)) return
    clearInterval(timer)
    stop('SIGTERM')
  }, 500)
  timer.unref()
}

/** Whether an end by this signal means that installed files may be damaged.
 * @param {End['signal']} signal */
export const hintsAtDamage = (signal) => signal === 'SIGBUS' || signal === 'SIGSEGV' || signal === 'SIGILL'

/**
 * Describes how a process ended, and the usual cause of its signal; undefined if it ended normally.
 *
 * @param {string} name @param {End} end
 */
export const describeEnd = (name, { code, signal, error }) => {
  if (error !== undefined) return `${name} could not be started (${error.code ?? error.message}).`
  if (signal === null) return code === 0 ? undefined : `${name} ended with code ${code}.`
  const end = `${name} was ended by the signal ${signal}.`
  if (hintsAtDamage(signal)) return `${end} A file that it read is damaged, or the disk is full.`
  if (signal !== 'SIGKILL') return end
  return `${end} The system usually does this when memory runs out. Add memory or close other programs, and try again.`
}

/**
 * Returns the exit code for the end of a process, as shells compute it.
 * @param {End} end
 */
export const exitCodeOf = ({ code, signal }) => code ?? (signal === null ? 1 : 128 + constants.signals[signal])
