import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { journalConformance } from '../journal-conformance.ts'
import { createFolder } from '../sqlite/testing.ts'
import { createFilterBank } from './filter-bank.ts'
import { openJournal } from './journal.ts'

journalConformance('SQLite', async () => {
  const folder = await createFolder()
  return {
    open: (options) => openJournal({ file: join(folder.path, 'sub', 'journal.db'), ...options }),
    remove: () => folder.remove(),
  }
})

describe('the journal on SQLite', () => {
  test('if begin fails, the journal on SQLite stores neither the range nor its IDs', async () => {
    await using folder = await createFolder()
    const file = join(folder.path, 'journal.db')
    const journal = openJournal({ file })
    const id = { hash: randomBytes(16), partition: 0, offset: 0, index: 0 }
    const blocker = new DatabaseSync(file)
    // A trigger simulates a disk error during the transaction.
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

  test('each of many filters finds its members, reports fewer than 3 in 1,000 others, and can be restored from its bytes', () => {
    const members = 2_000
    const hash = (text: string) => createHash('sha256').update(text).digest().subarray(0, 16)
    const bank = createFilterBank(members)
    const filters = Array.from({ length: 20 }, () => bank.begin())
    for (const filter of filters) for (let i = 0; i < members; i++) bank.add(filter, hash(`${filter} ${i}`))
    const again = createFilterBank(members)
    const copies = filters.toReversed().map((filter) => ({ filter, copy: again.begin(bank.bytesOf(filter)) }))
    let claimed = 0
    for (const { filter, copy } of copies)
      for (let i = 0; i < members; i++) {
        expect(again.mayHold(copy, hash(`${filter} ${i}`)) && again.mayAnyHold(hash(`${filter} ${i}`))).toBe(true)
        if (again.mayHold(copy, hash(`stranger ${i}`))) claimed++
      }
    expect(claimed).toBeLessThan(copies.length * members * 0.003)
  })

  test('a removed filter contains nothing, and the others are unchanged', () => {
    const bank = createFilterBank(100)
    const hash = randomBytes(16)
    const [first, second] = [bank.begin(), bank.begin()]
    for (const filter of [first, second]) bank.add(filter, hash)
    bank.end(first)
    expect(bank.begin()).toBe(first)
    expect(bank.mayHold(first, hash)).toBe(false)
    expect(bank.mayHold(second, hash)).toBe(true)
    bank.end(second)
    expect(bank.mayAnyHold(hash)).toBe(false)
  })
})
