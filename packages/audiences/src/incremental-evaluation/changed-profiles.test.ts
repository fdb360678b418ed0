import { newId } from '@tributary/kernel'
import { createTestDatabase } from '@tributary/test-kit'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { markNow } from './changed-profiles.ts'

test('changes are read up to the first one whose event is not stored, in any partition', async () => {
  const { db, close } = await createTestDatabase()
  const [organization, workspace] = [newId(), newId()]
  await db.insertInto('organizations').values({ id: organization, title: 'Acme' }).execute()
  await db.insertInto('workspaces').values({ id: workspace, organization_id: organization, title: 'Shop' }).execute()
  const touch = async (partition: number | null, offset: number | null): Promise<bigint> => {
    const { rows } = await sql<{ transaction: string }>`
      insert into audience_touches (workspace_id, profiles, log_partition, log_offset, time)
      values (${workspace}::uuid, ${[newId()]}::uuid[], ${partition}::integer, ${offset}::bigint, now() - interval '1 minute')
      returning transaction`.execute(db)
    return BigInt(rows[0]?.transaction ?? 0)
  }
  const [of2, of3] = [await touch(2, 10), await touch(3, 5)]
  const last = await touch(null, null)
  const mark = async (places: string): Promise<bigint> => BigInt(await markNow(db, workspace, places))
  // Uncommitted changes of other transactions are not visible.
  await expect.poll(() => mark('2-0000000011-a,3-0000000006-a').then((seen) => seen > last)).toBe(true)
  expect(await mark('2-0000000010-a,3-0000000006-a')).toBe(of2)
  expect(await mark('2-0000000011-a,3-0000000005-a')).toBe(of3)
  expect(await mark('3-0000000005-a')).toBe(of3)
  await expect.poll(() => mark('').then((seen) => seen > last)).toBe(true)
  await close()
})
