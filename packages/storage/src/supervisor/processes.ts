import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** A process and the moment it started: a pid alone may by now belong to another process. */
export type ProcessIdentity = {
  pid: number
  /** Start in clock ticks since boot, from /proc; undefined on a system without /proc. */
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

/** The fields of /proc/<pid>/stat behind the command, which is in brackets and may contain anything (proc_pid_stat(5)). */
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

/** The identity of a running process, or undefined when there is none. A zombie, dead but not yet reaped, is none. */
export const identify = (pid: number): ProcessIdentity | undefined => {
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  const stat = statFields(pid)
  if (stat !== undefined) {
    const state = stat.fields[0]
    return state === 'Z' || state === 'X' ? undefined : { pid, startTime: stat.fields[19] }
  }
  return !hasProc() && answersSignal(pid) ? { pid, startTime: undefined } : undefined
}

/** Whether exactly this process still runs: same pid and, where the system reports it, same start. */
export const isRunning = (process: ProcessIdentity): boolean => {
  const now = identify(process.pid)
  if (now === undefined) return false
  return process.startTime === undefined || now.startTime === undefined || now.startTime === process.startTime
}

/** Waits until the process has ended; false when it still runs after `deadlineMs`. */
export const waitForEnd = async (process: ProcessIdentity, deadlineMs: number): Promise<boolean> => {
  const deadline = Date.now() + deadlineMs
  while (isRunning(process)) {
    if (Date.now() >= deadline) return false
    await delay(15)
  }
  return true
}

/** Sends a signal to exactly this process; does nothing when it has ended. */
const signalProcess = (target: ProcessIdentity, signal: NodeJS.Signals): void => {
  if (!isRunning(target)) return
  try {
    process.kill(target.pid, signal)
  } catch {
    // It ended in between, or it is not ours to signal: the caller sees it by waiting for its end.
  }
}

/** Sends the signals one after the other, each with its wait, until the process has ended; true when it has. */
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
 * Running processes with one of these command names (as /proc shows them, at most 15 characters) whose working
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
 * Other processes that have a file below `folder` (a real path) open. A shell that merely stands in the folder is none.
 * Sees the processes of this user, as root all. Empty without /proc.
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
