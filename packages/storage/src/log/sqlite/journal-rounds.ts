import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { openJournal } from '../file-journal/journal.ts'
import { idOf } from './load-body.ts'

/** The durable state that a journal has reported: the beginning of the last range, and the last position. */
type Answered = { begun: number; committed: number }

/** Runs a process that begins and commits ranges of ten from a position on, and kills it at a random moment. */
export const killJournalProcess = async (
  file: string,
  position: number,
  env: Record<string, string> = {},
): Promise<Answered> => {
  const script = fileURLToPath(new URL('./journal-process.ts', import.meta.url))
  const child = spawn(process.execPath, [script, file, String(position)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  let said = ''
  const enough = 100 + Math.random() * 10_000
  for await (const chunk of child.stdout) {
    said += String(chunk)
    if (said.length > enough) child.kill('SIGKILL')
  }
  const whole = said.slice(0, said.lastIndexOf('\n')).split('\n')
  const last = (kind: string): number => Number(whole.findLast((line) => line.startsWith(kind))?.split(' ')[1])
  return { begun: last('begun'), committed: last('committed') }
}

/**
 * Asserts that a journal has everything that it acknowledged, and only the IDs of its ranges. Commits open ranges.
 * Returns the position.
 */
export const expectAnswered = (file: string, answered: Answered): number => {
  const journal = openJournal({ file, bucketIds: 1000 })
  const position = journal.positions().get(0) ?? 0
  expect(position).toBeGreaterThanOrEqual(answered.committed)
  const open = journal.openRanges()
  expect(open.length).toBeLessThanOrEqual(1)
  const end = open[0]?.to ?? position
  expect(end).toBeGreaterThanOrEqual(answered.begun + 10)
  for (let offset = 0; offset < end; offset++) {
    if (journal.firstSeen(idOf(offset))?.offset !== offset) expect.fail(`the id at ${offset} is lost`)
  }
  for (let offset = end; offset < end + 20; offset++) expect(journal.firstSeen(idOf(offset))).toBeUndefined()
  journal.commit(new Map([[0, end]]))
  journal.close()
  return end
}
