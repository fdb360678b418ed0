import { createTestDatabase } from '@tributary/test-kit'
import { describe, expect, it } from 'vitest'

describe('smoke', () => {
  it('gives a migrated database', async () => {
    await using t = await createTestDatabase()
    expect(await t.db.selectFrom('users').selectAll().execute()).toEqual([])
  })
})
