import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** A process and the time when it started: by now, its PID alone may belong to another process. */
export type ProcessIdentity = {
  pid: number
  /** Time of the start in clock ticks since boot, from /proc; undefined on a system without /proc. */
  startTime: string | undefined
}

const hasProc = (): boolean => {
  try {
    readFileSync('/proc/self/stat')
    return true
  } catch {
    return false
  }
}

/**
 * Returns the fields of /proc/<pid>/stat after the command, which is in parentheses and may contain anything
 * (proc_pid_stat(5)).
 */
const statFields = (pid: number): { command: string; fields: string[] } | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const end = stat.lastIndexOf(')')
    return { command: stat.slice(stat.indexOf('(') + 1, end), fields: stat.slice(end + 2).split(' ') }
  } catch {
    return undefined
  }
}

const answersSignal = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * Returns the identity of a running process; undefined if there is none. A zombie, which is dead but not yet reaped,
 * counts as none.
 */
export const identify = (pid: number): ProcessIdentity | undefined => {
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  const stat = statFields(pid)
  if (stat !== undefined) {
    const state = stat.fields[0]
    return state === 'Z' || state === 'X' ? undefined : { pid, startTime: stat.fields[19] }
  }
  return !hasProc() && answersSignal(pid) ? { pid, startTime: undefined } : undefined
}

/** Whether exactly this process still runs: with the same PID and, if the system reports it, the same start time. */
export const isRunning = (process: ProcessIdentity): boolean => {
  const now = identify(process.pid)
  if (now === undefined) return false
  return process.startTime === undefined || now.startTime === undefined || now.startTime === process.startTime
}

/** Waits until the process has ended. Returns false if it still runs after `deadlineMs`. */
export const waitForEnd = async (process: ProcessIdentity, deadlineMs: number): Promise<boolean> => {
  const deadline = Date.now() + deadlineMs
  while (isRunning(process)) {
    if (Date.now() >= deadline) return false
    await delay(15)
  }
  return true
}

/** Sends a signal to exactly this process. Does nothing if the process has ended. */
const signalProcess = (target: ProcessIdentity, signal: NodeJS.Signals): void => {
  if (!isRunning(target)) return
  try {
    process.kill(target.pid, signal)
  } catch {
    // The process has ended meanwhile, or may not be signaled. The caller finds out when it waits for the end.
  }
}

/**
 * Sends the signals one after the other, with a wait after each, until the process has ended. Returns true if it has
 * ended.
 */
export const endProcess = async (
  target: ProcessIdentity,
  steps: readonly { signal: NodeJS.Signals; waitMs: number }[],
): Promise<boolean> => {
  for (const step of steps) {
    signalProcess(target, step.signal)
    if (await waitForEnd(target, step.waitMs)) return true
  }
  return !isRunning(target)
}

/**
 * Returns running processes with one of these command names (as /proc shows them, at most 15 characters) whose working
 * directory satisfies `inFolder`. Processes whose directory this user may not see are left out. Empty without /proc.
 */
export const findProcesses = (
  commands: readonly string[],
  inFolder: (folder: string) => boolean,
): ProcessIdentity[] => {
  if (!hasProc()) return []
  const found: ProcessIdentity[] = []
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry)
    if (!Number.isInteger(pid)) continue
    const stat = statFields(pid)
    if (stat === undefined || !commands.includes(stat.command)) continue
    try {
      if (!inFolder(readlinkSync(`/proc/${pid}/cwd`))) continue
    } catch {
      continue
    }
    const identity = identify(pid)
    if (identity !== undefined) found.push(identity)
  }
  return found
}

const descriptorsOf = (pid: number): string[] => {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((descriptor) => `/proc/${pid}/fd/${descriptor}`)
  } catch {
    return []
  }
}

/**
 * Returns other processes that have a file below `folder` (a real path) open. A shell that only has the folder as its
 * working directory does not count. Finds the processes of this user, or all processes as root. Empty without /proc.
 */
export const processesUsing = (folder: string): (ProcessIdentity & { command: string })[] => {
  if (!hasProc()) return []
  const hasFileOpen = (pid: number): boolean =>
    descriptorsOf(pid).some((descriptor) => {
      try {
        return readlinkSync(descriptor).startsWith(`${folder}/`)
      } catch {
        return false
      }
    })
  const found: (ProcessIdentity & { command: string })[] = []
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry)
    if (!Number.isInteger(pid) || pid === process.pid || !hasFileOpen(pid)) continue
    const identity = identify(pid)
    if (identity !== undefined) found.push({ ...identity, command: statFields(pid)?.command ?? '' })
  }
  return found
}
