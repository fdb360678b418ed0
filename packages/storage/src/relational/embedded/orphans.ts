import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Logger } from '@tributary/kernel'
import { endProcess, findProcesses, identify, type ProcessIdentity } from '../../supervisor/processes.ts'

/**
 * The signals that end PostgreSQL. After the first one it rolls back and checkpoints ("fast"); after the second one it
 * exits immediately and recovers at the next start.
 */
export const shutdownSteps = [
  { signal: 'SIGINT', waitMs: 20_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
] as const

/** Initialization happens in `<dir>.init-<pid>-<random>`, which is renamed when it is complete. */
export const initPrefix = (dir: string): string => `${dir}.init-`

/** Maximum searches for orphans: a process may have started another one just before it was ended. */
const maxRounds = 5

const postmasterIn = (dir: string): ProcessIdentity | undefined => {
  try {
    return identify(Number(readFileSync(join(dir, 'postmaster.pid'), 'utf8').split('\n')[0]))
  } catch {
    return undefined
  }
}

/**
 * Ends every PostgreSQL process that works in `dir` or in one of its unfinished side folders, and removes their
 * remains: side folders and the lock file `postmaster.pid`. Call it only while holding the lock of the data folder, so
 * that any such process is the orphan of a killed predecessor.
 *
 * The postmaster is the process named by postmaster.pid whose working directory is the folder; its child processes are
 * found by their working directory. A process with the same PID that works elsewhere, or is not PostgreSQL, is left
 * alone.
 *
 * @throws if a process cannot be ended
 */
export const clearOrphans = async (dir: string, logger: Logger): Promise<void> => {
  const parent = realpathOrSame(dirname(dir))
  const folder = join(parent, basename(dir))
  const isOurs = (cwd: string): boolean => cwd === folder || cwd.startsWith(initPrefix(folder))
  const find = (): ProcessIdentity[] => findProcesses(['postgres', 'initdb'], isOurs)

  const postmaster = postmasterIn(dir)
  const orphans = find()
  const main = orphans.find(({ pid }) => pid === postmaster?.pid)
  if (main !== undefined) {
    logger.warn({ pid: main.pid, dir }, 'stopping the PostgreSQL that a killed predecessor left running')
    await endProcess(main, shutdownSteps)
  }
  let left = find()
  for (let round = 0; left.length > 0 && round < maxRounds; round++) {
    for (const orphan of left) {
      logger.warn({ pid: orphan.pid, dir }, 'ending a PostgreSQL process that a killed predecessor left running')
      await endProcess(orphan, [
        { signal: 'SIGQUIT', waitMs: 2_000 },
        { signal: 'SIGKILL', waitMs: 5_000 },
      ])
    }
    left = find()
  }
  if (left.length > 0) {
    throw new Error(
      `PostgreSQL processes of an earlier run still work in ${dir} and cannot be ended: ${left.map(({ pid }) => pid).join(', ')}`,
    )
  }
  await rm(join(dir, 'postmaster.pid'), { force: true })
  for (const entry of readdirSync(parent)) {
    if (entry.startsWith(`${basename(dir)}.init-`)) {
      await rm(join(parent, entry), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    }
  }
}

const realpathOrSame = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
