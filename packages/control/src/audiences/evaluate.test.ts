import { newId } from '@tributary/kernel'
import { createTestDatabase, eventually } from '@tributary/test-kit'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { compileAudience } from '../../../audiences/src/compile.ts'
import { createEvaluation } from '../../../audiences/src/evaluate.ts'
import { trialAudience } from '../testing/requests.ts'

test('when a caller cancels, the relational store ends the evaluation and its slot is free again', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  const noEvents = { query: () => Promise.reject(new Error('No condition is on events')) }
  const evaluation = createEvaluation({ db, eventStore: noEvents })
  const workspaceId = newId()
  const compiled = compileAudience(trialAudience, { workspaceId, asOf: Date.now(), queryOf: () => undefined })
  const run = (text: string, signal: AbortSignal) =>
    evaluation.run(compiled, { text }, (_, rows) => Promise.resolve(rows), { workspaceId, slot: 'short', signal })
  const leaving = new AbortController()
  const waiting = run('select pg_sleep(60)', leaving.signal)
  const running = async (): Promise<boolean> => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`.execute(db)
    return rows.length > 0
  }
  await eventually('it runs', running)
  leaving.abort(new Error('Gone'))
  await expect(waiting).rejects.toThrow('Gone')
  expect(await running()).toBe(false)
  expect(await run('select count(*)::int as size from members', new AbortController().signal)).toEqual([{ size: 0 }])
})
