import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

const keptLines = 20
const longestLine = 2_000

/**
 * Reads a child's stdout and stderr line by line, and calls `onLine` for each line. Returns the last 20 lines, in an
 * array that is kept up to date.
 */
export const readOutput = (child: ChildProcess, onLine: (line: string) => void): readonly string[] => {
  const lines: string[] = []
  const take = (text: string): void => {
    const line = text.slice(0, longestLine)
    lines.push(line)
    if (lines.length > keptLines) lines.shift()
    onLine(line)
  }
  const follow = (stream: Readable | null): void => {
    if (stream === null) return
    createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', take)
  }
  follow(child.stdout)
  follow(child.stderr)
  return lines
}
