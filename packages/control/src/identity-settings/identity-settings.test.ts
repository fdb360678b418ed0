import { createIdentityCache } from '@tributary/configuration'
import { defaultIdentityRules, type IdentityRules, methods } from '@tributary/contract'
import { newId, noMetrics, silentLogger } from '@tributary/kernel'
import { createLearning, defaultRules, rulesOf } from '@tributary/profiles'
import { openRelational } from '@tributary/storage'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Harness, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const ofWorkspace = (workspace = organization.workspaceId) => ({
  get: () => organization.administrator.ok(methods.identitySettings.get, { workspace }),
  update: (body: Partial<IdentityRules>) =>
    organization.administrator.ok(methods.identitySettings.update, { workspace }, { body }),
  refused: (body: object) =>
    organization.administrator.call('PATCH', `/workspaces/${workspace}/identitySettings`, body),
})

test('unset identity settings have defaults, and a later change keeps the other set values', async () => {
  const { get, update } = ofWorkspace()
  expect(await get()).toMatchObject({ ...defaultIdentityRules, update_time: null })
  await update({ link_email: true })
  const changed = await update({ anonymous_id_limit: 3, blocked_values: [' kiosk '] })
  expect(changed).toMatchObject({
    ...defaultIdentityRules,
    link_email: true,
    anonymous_id_limit: 3,
    blocked_values: ['kiosk'],
  })
  expect(await get()).toEqual(changed)
})

test.each([
  [{ anonymous_id_limit: 0 }, 'anonymous_id_limit'],
  [{ external_id_limit: 51 }, 'external_id_limit'],
  [{ email_limit: 1.5 }, 'email_limit'],
  [{ single_kinds: ['With Space'] }, 'single_kinds.0'],
  [{ blocked_values: [' '] }, 'blocked_values.0'],
])('the identity settings %j are refused', async (body, field) => {
  const reply = await ofWorkspace().refused(body)
  expect(reply).toMatchObject({ status: 400, body: { reason: 'VALIDATION' } })
  expect(Object.keys(reply.body.metadata as object)).toEqual([field])
})

test('profiles follow changed settings: earlier links stay, and the new rules link later events', async () => {
  const { workspaceId: workspace } = await startOrganization(harness)
  const relational = openRelational({ url: harness.database.url, logger: silentLogger, maxConnections: 4 })
  const deps = { db: relational.db, pool: relational.pool, logger: silentLogger, pollMs: 3_600_000 }
  const cache = createIdentityCache({ ...deps, make: rulesOf })
  onTestFinished(async () => {
    await cache.stop()
    await relational.close()
  })
  await cache.start()
  const learn = createLearning({
    db: relational.db,
    rulesFor: (id) => cache.find(id) ?? defaultRules,
    metrics: noMetrics,
  })
  let serial = 0
  const see = (event: object) => {
    const [eventId, time] = [`0-${++serial}-0`, '2026-01-01T00:00:00.000Z']
    const json = JSON.stringify({ eventId, type: 'identify', ...event, receivedAt: time, timestamp: time })
    return learn([{ workspaceId: workspace, sourceId: newId(), eventId, json }])
  }
  const people = async (): Promise<string[]> => {
    const rows = await harness.db
      .selectFrom('profile_identifiers')
      .selectAll()
      .where('workspace_id', '=', workspace)
      .orderBy('sequence')
      .execute()
    return [...Map.groupBy(rows, ({ profile_id }) => profile_id).values()].map((each) =>
      each.map(({ value }) => value).join(' '),
    )
  }
  const decide = async (rules: Partial<IdentityRules>) => {
    const before = await harness.db
      .selectFrom('identity_settings')
      .selectAll()
      .where('workspace_id', '=', workspace)
      .executeTakeFirst()
    await harness.db
      .insertInto('identity_settings')
      .values({ workspace_id: workspace, rules: JSON.stringify(rules), update_time: new Date(serial) })
      .onConflict((on) =>
        on.column('workspace_id').doUpdateSet({
          rules: JSON.stringify({ ...before?.rules, ...rules }),
          update_time: new Date(serial),
        }),
      )
      .execute()
    await cache.refresh()
  }
  const sent = { userId: 'u1', anonymousId: 'a1', context: {}, traits: { email: 'Ada@example.com' } }
  await see(sent)
  expect(await people()).toEqual(['u1 a1'])
  await decide({ link_email: true })
  await see(sent)
  expect(await people()).toEqual(['u1 a1 ada@example.com'])
  await decide({ link_email: false, anonymous_id_limit: 1, blocked_values: ['a9'] })
  await see({ userId: 'u1', anonymousId: 'a2', context: {} })
  await see({ userId: 'u2', anonymousId: 'a9', context: {} })
  expect(await people()).toEqual(['u1 a1 ada@example.com', 'u2'])
  await decide({ anonymous_id_limit: 2 })
  await see({ userId: 'u1', anonymousId: 'a2', context: {} })
  expect(await people()).toEqual(['u1 a1 ada@example.com a2', 'u2'])
})
