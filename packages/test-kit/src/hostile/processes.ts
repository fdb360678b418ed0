import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Returns the IDs of a process and of all its descendants. */
export const processFamily = (pid: number): number[] => {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), Number(/^PPid:\s+(\d+)/m.exec(read(`/proc/${name}/status`))?.[1])] as const)
  const below = (parent: number): number[] => [
    parent,
    ...parents.flatMap(([child, itsParent]) => (itsParent === parent ? below(child) : [])),
  ]
  return below(pid)
}

const kibibytes = (pid: number, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(read(`/proc/${pid}/status`))?.[1] ?? 0)

/** The current resident memory of a process in bytes. */
export const residentBytes = (pid: number): number => kibibytes(pid, 'VmRSS') * 1024

/** The peak of resident memory in bytes since `forgetPeak`, or since the start of the process. */
export const peakBytes = (pid: number): number => kibibytes(pid, 'VmHWM') * 1024

/** Resets the kernel's memory peak of a process, which the caller must own. */
export const forgetPeak = (pid: number): void => {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // The process has ended meanwhile.
  }
}
