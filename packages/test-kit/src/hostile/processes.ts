import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** A process and everything below it. */
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

/** Memory (bytes) that a process has resident now. */
export const residentBytes = (pid: number): number => kibibytes(pid, 'VmRSS') * 1024

/** The most memory (bytes) that a process had resident since `forgetPeak`, or since its start. */
export const peakBytes = (pid: number): number => kibibytes(pid, 'VmHWM') * 1024

/** Lets the kernel begin anew with the peak of a process; the caller owns it. */
export const forgetPeak = (pid: number): void => {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // It has ended since.
  }
}
