import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { newId, noMetrics } from '@tributary/kernel'
import { createLearning } from '@tributary/profiles'
import { commandEnvironment, createTestDatabase, type TestDatabase } from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'

const script = fileURLToPath(new URL('../../../../scripts/rebuild-profiles.ts', import.meta.url))
const workspaces = [newId(), newId()]
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  const organization_id = newId()
  await database.db.insertInto('organizations').values({ id: organization_id, title: 'Acme' }).execute()
  await database.db
    .insertInto('workspaces')
    .values(workspaces.map((id, n) => ({ id, organization_id, title: `Shop ${n}` })))
    .execute()
  const time = '2026-01-01T00:00:00.000Z'
  const learn = createLearning({ db: database.db, metrics: noMetrics })
  for (const workspaceId of workspaces)
    await learn(
      [{ anonymousId: 'a' }, { userId: 'u' }, { userId: 'u', anonymousId: 'a' }].map((ids, n) => {
        const eventId = `0-${n}-0`
        const event = { eventId, messageId: `m-${n}`, type: 'track', event: 'Seen', ...ids, context: {} }
        const json = JSON.stringify({ ...event, test: false, receivedAt: time, timestamp: time })
        return { workspaceId, sourceId: newId(), eventId, json }
      }),
    )
})
afterAll(() => database.close())

/** Runs the command as a user does, but without installing. */
const run = async (args: readonly string[], env: Record<string, string> = {}) => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...args], {
    env: { ...commandEnvironment, DATABASE_URL: database.url, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  return await new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal, output })))
}

const people = async () => {
  const identifiers = await database.db
    .selectFrom('profile_identifiers')
    .selectAll()
    .orderBy('workspace_id')
    .orderBy('value')
    .execute()
  const profiles = await database.db.selectFrom('profiles').selectAll().orderBy('id').execute()
  return { identifiers, profiles }
}

test('rebuild-profiles restores manually changed profiles of one workspace or all; a kill before the end changes nothing', async () => {
  const whole = await people()
  expect(whole.identifiers).toHaveLength(4)
  await database.db.deleteFrom('profile_identifiers').execute()
  await database.db.updateTable('profiles').set({ merged_into: null }).execute()
  const broken = await people()
  expect(await run([], { TRIBUTARY_FAULT: 'rebuild-profiles.before-commit' })).toMatchObject({ signal: 'SIGKILL' })
  expect(await people()).toEqual(broken)
  const [first = ''] = workspaces
  expect(await run(['--workspace', first])).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^Shop 0: 3 of 3 entries\nRebuilt the profiles of 1 workspace from 3 entries\.\n$/),
  })
  expect((await people()).identifiers).toEqual(whole.identifiers.filter((each) => each.workspace_id === first))
  expect(await run([])).toMatchObject({ code: 0, output: expect.stringContaining('2 workspaces from 6 entries') })
  expect(await people()).toEqual(whole)
  expect(await run(['--workspace', newId()])).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^No workspace /),
  })
})
