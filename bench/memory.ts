import { readFileSync } from 'node:fs'
import { processFamily } from '@tributary/test-kit'

export const MiB = 1024 * 1024

/**
 * Returns the memory of a process in bytes; memory that several processes share is divided among them. With
 * `Pss_Anon`, the part without files. Returns 0 if the process has ended.
 */
export const shareOf = (pid: number, kind: 'Pss' | 'Pss_Anon' = 'Pss'): number => {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    return Number(new RegExp(`^${kind}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024
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
