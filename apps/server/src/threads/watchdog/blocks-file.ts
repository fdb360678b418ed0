import { appendFileSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** The work of a thread that was ended because it did not answer. */
const block = z.object({
  id: z.string(),
  time: z.string(),
  thread: z.string(),
  step: z.string(),
  workspaceId: z.string(),
  item: z.string(),
})
export type Block = z.infer<typeof block>

/** Path of the file that keeps them until the relational store has them. */
export const blocksFileOf = (dataDir: string): string => join(dataDir, 'blocked.jsonl')

/** Notes one block, before its thread or process ends. */
export const noteBlock = (file: string, noted: Block): void =>
  appendFileSync(file, `${JSON.stringify(noted)}\n`, { mode: 0o600 })

/** Reads the noted blocks; a line that was cut off is left out. */
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
 * Sets the current notes apart, or returns those that an interrupted earlier call has set apart. Later notes are not
 * among them.
 *
 * @returns them, whether an earlier call left them, and a function that removes them
 */
export const takeNoted = (file: string): { blocks: Block[]; isLeft: boolean; forget(): void } => {
  const taken = `${file}.taken`
  const isLeft = existsSync(taken)
  if (!isLeft && existsSync(file)) renameSync(file, taken)
  return { blocks: readBlocks(taken), isLeft, forget: () => rmSync(taken, { force: true }) }
}
