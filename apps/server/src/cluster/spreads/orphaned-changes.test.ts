import { spreadChange } from '@tributary/configuration'
import { newId, silentLogger } from '@tributary/kernel'
import { createTestDatabase, eventually } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { endOrphanedChanges } from './orphaned-changes.ts'

test('a waiting process abandons a spread change whose main process ended, and no other change of the workspace', async () => {
  await using stack = new AsyncDisposableStack()
  const { db, close } = await createTestDatabase()
  stack.defer(close)
  const [organization_id, workspace_id] = [newId(), newId()]
  await db.insertInto('organizations').values({ id: organization_id, title: 'Acme' }).execute()
  await db.insertInto('workspaces').values({ id: workspace_id, organization_id, title: 'Shop' }).execute()
  const first = new Date(1_700_000_000_123)
  await db
    .insertInto('workspace_spreads')
    .values({ workspace_id, spread: 2, widest: 4, next: 4, change_time: first, pause_time: first })
    .execute()
  const row = () => db.selectFrom('workspace_spreads').selectAll().executeTakeFirstOrThrow()

  let changes = [spreadChange(workspace_id, new Date(first.getTime() + 1))]
  let looks = 0
  const watch = endOrphanedChanges({
    db,
    changes: () => {
      looks++
      return changes
    },
    logger: silentLogger,
    everyMs: 5,
    afterMs: 20,
  })
  stack.defer(watch.stop)
  await eventually('it has looked', () => looks > 20)
  expect(await row()).toMatchObject({ spread: 2, next: 4, pause_time: first, problem: '' })
  changes = [spreadChange(workspace_id, first)]
  await eventually('given up', async () => (await row()).next === null)
  expect(await row()).toMatchObject({ spread: 2, widest: 4, pause_time: null })
  expect((await row()).problem).toContain('ended in the middle')
})
