import { readFileSync } from 'node:fs'
import { processFamily } from '@tributary/test-kit'

export const MiB = 1024 * 1024

/**
 * Returns the memory of a process in bytes; memory that several processes share is divided among them. Returns 0 if the
 * process has ended.
 */
const shareOf = (pid: number): number => {
  try {
    return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

const everyMs = 200

/**
 * Starts to measure the memory of these processes and all their children together. `end` returns the peak in bytes
 * since then. Linux only.
 */
export const beginMemory = (pids: readonly number[]): { end(): number } => {
  let most = 0
  const look = (): void => {
    const family = new Set(pids.flatMap(processFamily))
    most = Math.max(
      most,
      [...family].reduce((sum, pid) => sum + shareOf(pid), 0),
    )
  }
  look()
  const timer = setInterval(look, everyMs)
  return {
    end() {
      clearInterval(timer)
      look()
      return most
    },
  }
}
