import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Names, noteSyncs, skipsPowerLoss } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { expectIntact, type Load, maxBodyBytes, startLoad } from './crash-rounds.ts'
import { expectAnswered, killJournalProcess } from './journal-rounds.ts'
import { bodyOf } from './load-body.ts'
import { createFolder } from './testing.ts'
import { openLogWriter } from './writer.ts'

/** Each round simulates one power loss, and continues with the remaining files. */
const rounds = Number(process.env.SOAK_ROUNDS ?? 2)

/**
 * File names reach the disk as late and as early as possible, in turns. The log and the journal need nothing of a file
 * system that POSIX does not guarantee.
 */
const namesOf = (round: number): Names => (round % 2 === 0 ? 'posix' : 'newest')

describe.skipIf(skipsPowerLoss())('after a power loss', () => {
  test(
    'after a power loss at random moments under load, the log has every acknowledged record in order, and accepts more',
    async () => {
      await using folder = await createFolder()
      const loads: Load[] = []
      let dir = join(folder.path, 'log')
      mkdirSync(dir)
      for (let round = 0; round < rounds; round++) {
        using synced = noteSyncs(dir, namesOf(round))
        const load = startLoad(dir, `round${round}`, { inline: round % 4 > 1, env: synced.env })
        loads.push(load)
        // Enough for some segments of 1.5 MB.
        const enough = 1000 + Math.floor(Math.random() * 3000)
        await load.until(`${enough} acknowledgements`, () => load.acknowledged.size >= enough)
        dir = join(folder.path, `left-${round}`)
        synced.losePower(dir)
        // Reads its output to the end.
        await load.kill()
        const writer = await openLogWriter({ dir, partitions: 8, inline: true })
        const records = await expectIntact(dir, loads)
        const id = `after${round}`
        await writer.append({ key: 'after', meta: id, body: bodyOf(id, maxBodyBytes) })
        expect(await expectIntact(dir, loads)).toBe(records + 1)
        await writer.close()
      }
    },
    180_000 + rounds * 30_000,
  )

  test(
    'after a power loss at random moments, the journal has all acknowledged writes, and a range and its IDs only together',
    async () => {
      await using folder = await createFolder()
      let dir = join(folder.path, 'journal')
      mkdirSync(dir)
      let position = 0
      for (let round = 0; round < rounds; round++) {
        using synced = noteSyncs(dir, namesOf(round))
        const answered = await killJournalProcess(join(dir, 'journal.db'), position, synced.env)
        dir = join(folder.path, `left-${round}`)
        synced.losePower(dir)
        position = expectAnswered(join(dir, 'journal.db'), answered)
      }
      expect(position).toBeGreaterThan(0)
    },
    180_000 + rounds * 30_000,
  )
})
