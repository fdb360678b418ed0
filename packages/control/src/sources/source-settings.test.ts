import { createWriteKeyCache } from '@tributary/configuration'
import { methods, type Setting, type Source } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Caller,
  type Harness,
  idIn,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'

let harness: Harness
let organization: Organization
let administrator: Caller
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
  administrator = organization.administrator
})
afterAll(() => harness[Symbol.asyncDispose]())

const create = (settings?: Record<string, string>, app = 'signed'): Promise<Source> =>
  administrator.ok(
    methods.sources.create,
    { workspace: organization.workspaceId },
    { body: { title: 'Payments', app: { name: `catalogSources/${app}` }, ...(settings && { settings }) } },
  )

const set = (source: Source, name: string, value: unknown, caller: Caller = administrator) =>
  caller.call('POST', `/${source.app.name}:updateSetting`, { name, value })

const brief = (source: { app: { settings: Setting[] } }) =>
  source.app.settings.map(({ name, value, is_set }) => [name, value, is_set])

test('a source shows its settings and whether a secret is set, but never the secret', async () => {
  const source = await create()
  expect(brief(source)).toEqual([
    ['signing_secret', null, false],
    ['template', null, false],
  ])
  const reply = await set(source, 'signing_secret', 'whsec_very_secret')
  expect(reply).toMatchObject({ status: 200, body: { name: source.name } })
  await set(source, 'template', '{{ body | json }}')
  const params = { workspace: organization.workspaceId, source: idIn(source.name) }
  const read = await administrator.ok(methods.sources.get, params)
  expect(brief(read)).toEqual([
    ['signing_secret', null, true],
    ['template', '{{ body | json }}', true],
  ])
  const listed = await administrator.ok(methods.sources.list, { workspace: organization.workspaceId })
  expect(JSON.stringify([reply, read, listed])).not.toContain('whsec_very_secret')
  const row = await harness.db
    .selectFrom('sources')
    .selectAll()
    .where('id', '=', idIn(source.name))
    .executeTakeFirstOrThrow()
  expect(JSON.stringify(row.settings)).not.toContain('whsec')
  expect(Buffer.from(row.secrets_encrypted ?? []).includes('whsec')).toBe(false)
  expect(await set(source, 'signing_secret', null)).toMatchObject({ status: 200 })
  expect(brief(await administrator.ok(methods.sources.get, params))[0]).toEqual(['signing_secret', null, false])
})

test('settings can be given at creation; a kind of source without settings accepts none', async () => {
  expect(brief(await create({ signing_secret: 'whsec_1' }))[0]).toEqual(['signing_secret', null, true])
  const path = `/workspaces/${organization.workspaceId}/sources`
  const make = (app: string, settings: object) =>
    administrator.call('POST', path, { title: 'S', app: { name: `catalogSources/${app}` }, settings })
  expect(await make('http', { colour: 'red' })).toMatchObject({
    status: 400,
    body: { reason: 'VALIDATION', metadata: { 'settings.colour': 'Unknown setting' } },
  })
  expect(await make('signed', { template: '{{ body' })).toMatchObject({
    status: 400,
    body: { metadata: { 'settings.template': /^Error at >> 1\| \{\{ body\n/ } },
  })
})

test.each([
  ['colour', 'red', 'name', 'Signed has no setting colour'],
  ['signing_secret', 7, 'value', 'Enter a text'],
  ['signing_secret', 'x'.repeat(1001), 'value', 'At most 1000 characters'],
  ['template', '{{ body | nope }}', 'value', 'Error at >> 1| {{ body | nope }}\n      ^\nundefined filter: nope'],
  ['', 'x', 'name', 'Required'],
])('a change of %s to %j is refused', async (name, value, field, text) => {
  const source = await create()
  expect(await set(source, name, value)).toMatchObject({
    status: 400,
    body: { reason: 'VALIDATION', metadata: { [field]: text } },
  })
})

test('only editors of the workspace can change a setting, and each change is recorded without its value', async () => {
  const source = await create()
  expect(await set(source, 'signing_secret', 'x', organization.guest)).toMatchObject({ status: 403 })
  expect(await set(source, 'signing_secret', 'x', organization.outsider)).toMatchObject({ status: 404 })
  expect(await harness.call('', 'POST', `/${source.app.name}:updateSetting`, { name: 'a', value: 1 })).toMatchObject({
    status: 401,
  })
  const gone = source.app.name.replace(idIn(source.name), newId())
  expect(await administrator.call('POST', `/${gone}:updateSetting`, { name: 'a', value: 1 })).toMatchObject({
    status: 404,
  })
  expect(await set(source, 'signing_secret', 'whsec_9', organization.collaborator)).toMatchObject({ status: 200 })
  const last = (await harness.audits()).at(-1)
  expect(last).toMatchObject({ action: 'sources.updateSetting', resource: source.app.name })
  expect(JSON.stringify(last)).toContain('signing_secret')
  expect(JSON.stringify(last)).not.toContain('whsec_9')
})

test('collection gets the settings of a source with its key, and nothing if they cannot be decrypted', async () => {
  const source = await create({ signing_secret: 'whsec_2' })
  const { key } = await administrator.ok(
    methods.writekeys.create,
    { workspace: organization.workspaceId },
    { body: { source: source.name } },
  )
  const cache = createWriteKeyCache({
    db: harness.db,
    pool: harness.database.pool,
    secretBox: harness.secretBox,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  })
  await cache.start()
  expect(cache.find(key)).toMatchObject({ app: 'signed', settings: { signing_secret: 'whsec_2' } })
  await set(source, 'signing_secret', 'whsec_3')
  await cache.refresh()
  expect(cache.find(key)?.settings).toEqual({ signing_secret: 'whsec_3' })
  await harness.db
    .updateTable('sources')
    .set({ secrets_encrypted: Buffer.from('broken') })
    .where('id', '=', idIn(source.name))
    .execute()
  await cache.refresh()
  expect(cache.find(key)).toMatchObject({ app: 'signed', settings: undefined })
  await cache.stop()
  const reply = await set(source, 'signing_secret', 'whsec_4')
  expect(reply).toMatchObject({ status: 409, body: { reason: 'SECRETS_UNREADABLE' } })
})
