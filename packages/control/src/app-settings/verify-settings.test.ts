import { type DestinationDefinition, defineSettings, type SettingObjections, setting } from '@tributary/connector-kit'
import { methods } from '@tributary/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Harness,
  idIn,
  listed,
  type Organization,
  startControl,
  startOrganization,
  testCatalog,
  testDestination,
} from '../testing/control-harness.ts'

const message = 'Please verify that the SQL Query is valid.'
const asked: { settings: unknown; names: readonly string[] }[] = []
let harness: Harness
let organization: Organization
beforeAll(async () => {
  const verifying: DestinationDefinition = {
    ...testDestination,
    verifySettings: async ({ settings }, names): Promise<SettingObjections> => {
      asked.push({ settings, names })
      return settings.region === 'nowhere' && names.includes('region')
        ? { region: { message, detail: 'syntax error' } }
        : {}
    },
    settings: defineSettings({
      ...testDestination.settings.shape,
      region: setting.text({ label: 'Region', help: '' }),
    }),
  }
  harness = await startControl({ catalog: { ...testCatalog, destinations: listed(verifying) } })
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const app = { name: 'catalogDestinations/webhook' }
const settings = { url: 'https://a.example/hook', signing_secret: 'kept' }

test("a setting that the destination rejects is not saved, and the destination's message is shown at the value", async () => {
  const workspace = { workspace: organization.workspaceId }
  const caller = organization.administrator
  const made = await caller.ok(methods.destinations.create, workspace, { body: { title: 'Mine', app, settings } })
  const update = (value: string | null) =>
    caller.call('POST', `/${made.name}/app:updateSetting`, { name: 'region', value })
  expect(await update('nowhere')).toMatchObject({
    status: 400,
    body: { reason: 'VALIDATION', metadata: { value: message, detail: 'syntax error' } },
  })
  // The destination gets the complete settings after the change, including secrets.
  expect(asked.at(-1)).toEqual({
    settings: expect.objectContaining({ ...settings, region: 'nowhere' }),
    names: ['region'],
  })
  const read = await caller.ok(methods.destinations.getApp, { ...workspace, destination: idIn(made.name) })
  expect(read.settings.find(({ name }) => name === 'region')?.value).toBeNull()
  expect((await update('here')).status).toBe(200)
  const before = asked.length
  expect((await update(null)).status).toBe(200)
  expect(asked).toHaveLength(before)
})

test('a destination does not verify a new address until the secrets that would be sent there are entered again', async () => {
  const workspace = { workspace: organization.workspaceId }
  const caller = organization.administrator
  const made = await caller.ok(methods.destinations.create, workspace, {
    body: { title: 'Mine', app, settings: { ...settings, headers: { Authorization: 'Bearer kept' } } },
  })
  const before = asked.length
  const update = (body: object) =>
    caller.call('POST', `/${made.name}/app:updateSetting`, { name: 'url', value: 'https://evil.example/', ...body })
  expect(await update({})).toMatchObject({ status: 400, body: { metadata: { 'secrets.headers': /again/ } } })
  expect(asked).toHaveLength(before)
  expect(await update({ secrets: { headers: { 'X-Own': '1' } } })).toMatchObject({ status: 200 })
  expect(JSON.stringify(asked.slice(before))).not.toContain('Bearer kept')
})

test('a destination is not created with a setting that it rejects; errors name the fields of the form', async () => {
  const given = { ...settings, region: 'nowhere' }
  const path = `/workspaces/${organization.workspaceId}/destinations`
  const reply = await organization.administrator.call('POST', path, { title: 'Mine', app, settings: given })
  expect(reply).toMatchObject({
    status: 400,
    body: { message: `Region: ${message} syntax error`, metadata: { 'settings.region': `${message} syntax error` } },
  })
})

test('a destination verifies its settings once all required ones are set, including those that were set earlier', async () => {
  const workspace = { workspace: organization.workspaceId }
  const given = { region: 'nowhere', signing_secret: 'kept' }
  const before = asked.length
  const made = await organization.administrator.ok(methods.destinations.create, workspace, {
    body: { title: 'Mine', app, settings: given },
  })
  expect(asked).toHaveLength(before)
  const update = (name: string, value: string) =>
    organization.administrator.call('POST', `/${made.name}/app:updateSetting`, { name, value })
  expect(await update('url', settings.url)).toMatchObject({
    status: 400,
    body: { metadata: { value: `Region: ${message}`, detail: 'syntax error' } },
  })
  expect((await update('region', 'here')).status).toBe(200)
  expect(asked).toHaveLength(before + 1)
  expect((await update('url', settings.url)).status).toBe(200)
  expect(
    (await organization.administrator.ok(methods.destinations.get, { ...workspace, destination: idIn(made.name) }))
      .state,
  ).toBe('ready')
})
