import { readFileSync } from 'node:fs'
import { processFamily } from '@tributary/test-kit'

export const MiB = 1024 * 1024

/** The share of memory (bytes) that a process has, what several have in common divided among them; 0 when it has ended. */
const shareOf = (pid: number): number => {
  try {
    return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

const everyMs = 200

/** The most memory (bytes) that these processes and all below them have together, from now until `end`. Linux. */
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
