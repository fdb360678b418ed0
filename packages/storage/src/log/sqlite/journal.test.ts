import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { journalConformance } from '../journal-conformance.ts'
import { bloomFilterBytes, bloomFilterFrom } from './bloom.ts'
import { openJournal } from './journal.ts'
import { createFolder } from './testing.ts'

journalConformance('SQLite', async () => {
  const folder = await createFolder()
  return {
    open: (options) => openJournal({ file: join(folder.path, 'sub', 'journal.db'), ...options }),
    remove: () => folder.remove(),
  }
})

describe('the journal on SQLite', () => {
  test('a begin that fails keeps neither its range nor its ids', async () => {
    await using folder = await createFolder()
    const file = join(folder.path, 'journal.db')
    const journal = openJournal({ file })
    const id = { hash: randomBytes(16), partition: 0, offset: 0, index: 0 }
    const blocker = new DatabaseSync(file)
    // A rule of the database stands in for a disk that refuses in the middle of the transaction.
    blocker.exec(`create trigger refuse before insert on bucket begin select raise(abort, 'refused'); end`)
    expect(() => journal.begin([{ partition: 0, from: 0, to: 1, token: 't' }], [id], 0)).toThrow('refused')
    expect(journal.openRanges()).toEqual([])
    expect(journal.firstSeen(id.hash)).toBeUndefined()
    blocker.exec('drop trigger refuse')
    blocker.close()
    journal.begin([{ partition: 0, from: 0, to: 1, token: 't' }], [id], 0)
    expect(journal.firstSeen(id.hash)).toEqual({ partition: 0, offset: 0, index: 0 })
    journal.close()
  })

  test('the filter finds every member and claims fewer than 3 in 1,000 strangers', () => {
    const members = 20_000
    const hash = (text: string) => createHash('sha256').update(text).digest().subarray(0, 16)
    const filter = bloomFilterFrom(new Uint8Array(bloomFilterBytes(members)))
    for (let i = 0; i < members; i++) filter.add(hash(`m${i}`))
    const again = bloomFilterFrom(filter.bytes.slice())
    let claimed = 0
    for (let i = 0; i < members; i++) {
      expect(again.mayHold(hash(`m${i}`))).toBe(true)
      if (again.mayHold(hash(`s${i}`))) claimed++
    }
    expect(claimed).toBeLessThan(members * 0.003)
  })
})
