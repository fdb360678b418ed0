import { readFileSync } from 'node:fs'
import { type BoardThread, createThreadBoard, readThreadBoard } from '@tributary/kernel'

/** The threads on which accepted events depend. While they lack processor time, events become old. */
const watched: readonly (string | undefined)[] = ['pipeline', 'delivery']
/** Part of the time in which a thread ran or waited for a processor, from which on it always had work. */
const busy = 0.9

/** When times were read, and for how many ms a thread had run and had waited for a processor until then. */
type Times = { at: number; ran: number; waited: number }

/** Returns the part of the time that a thread waited for a processor; 0 if it did not always have work. */
const waitedPart = (before: Times, now: Times): number => {
  const elapsed = Math.max(1, now.at - before.at)
  const waited = now.waited - before.waited
  return (now.ran - before.ran + waited) / elapsed < busy ? 0 : Math.min(1, waited / elapsed)
}

const ofBoard = (): BoardThread[] => readThreadBoard(createThreadBoard())
/** Reads what the kernel's scheduler says of a thread of this process (proc_pid_schedstat). */
const ofScheduler = (osThread: number): string => readFileSync(`/proc/self/task/${osThread}/schedstat`, 'latin1')

/**
 * Creates a function that returns how much processor time the threads lacked that handle accepted events. The result is
 * the part of the time since the last call, 0 to 1, that the worst of them waited for a processor while it always had
 * work. It is 0 if this process has no such threads, or if the kernel has no such numbers.
 */
export const createProcessorShortage = ({
  threads = ofBoard,
  read = ofScheduler,
  now = () => performance.now(),
}: {
  threads?: () => readonly Pick<BoardThread, 'name' | 'osThread'>[]
  read?: (osThread: number) => string
  now?: () => number
} = {}): (() => number) => {
  const known = new Map<number, Times>()
  const timesOf = (osThread: number): Times | undefined => {
    try {
      const [ran = 0, waited = 0] = read(osThread).split(' ').map(Number)
      return { at: now(), ran: ran / 1e6, waited: waited / 1e6 }
    } catch {
      return undefined
    }
  }
  return () => {
    let most = 0
    for (const { name, osThread } of threads()) {
      // The thread of a group of partitions has the number of the group in its name: `pipeline 1/4`.
      if (!watched.includes(name.split(' ')[0])) continue
      const times = timesOf(osThread)
      const before = known.get(osThread)
      if (times === undefined) continue
      known.set(osThread, times)
      if (before !== undefined) most = Math.max(most, waitedPart(before, times))
    }
    return most
  }
}
