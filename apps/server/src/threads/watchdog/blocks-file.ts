import { appendFileSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** The work of a thread that was ended because it did not respond. */
const block = z.object({
  id: z.string(),
  time: z.string(),
  thread: z.string(),
  step: z.string(),
  workspaceId: z.string(),
  item: z.string(),
})
export type Block = z.infer<typeof block>

/** Returns the path of the file that stores these records until they are in PostgreSQL. */
export const blocksFileOf = (dataDir: string): string => join(dataDir, 'blocked.jsonl')

/** Appends a record of a blocked thread before that thread or the process ends. */
export const noteBlock = (file: string, noted: Block): void =>
  appendFileSync(file, `${JSON.stringify(noted)}\n`, { mode: 0o600 })

/** Reads the records; an incomplete line is ignored. */
export const readBlocks = (file: string): Block[] => {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
  return text.split('\n').flatMap((line) => {
    try {
      const parsed = block.safeParse(JSON.parse(line))
      return parsed.success ? [parsed.data] : []
    } catch {
      return []
    }
  })
}

/**
 * Moves the current records aside, or returns those that an interrupted earlier call has moved. Later records are not
 * included.
 *
 * @returns the records, whether an earlier call had moved them, and a function that deletes them
 */
export const takeNoted = (file: string): { blocks: Block[]; isLeft: boolean; forget(): void } => {
  const taken = `${file}.taken`
  const isLeft = existsSync(taken)
  if (!isLeft && existsSync(file)) renameSync(file, taken)
  return { blocks: readBlocks(taken), isLeft, forget: () => rmSync(taken, { force: true }) }
}
