import { type DestinationDefinition, defineSettings, setting } from '@tributary/connector-kit'
import { eventMappings, mappingVariables, methods } from '@tributary/contract'
import { newId, silentLogger } from '@tributary/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDestinationCache } from '../../../configuration/src/caches/destination-cache.ts'
import {
  type Harness,
  idIn,
  listed,
  type Organization,
  startControl,
  startOrganization,
  testDestination,
} from '../testing/control-harness.ts'
import { field, mappedCatalog, mappingsOf, purchase, startMapped } from '../testing/mapped-destination.ts'
import { saveMappings } from './save.ts'

/** A destination with an action that a setting turns on. */
const toggled: DestinationDefinition = {
  ...testDestination,
  slug: 'toggled',
  title: 'Toggled',
  settings: defineSettings({ extended: setting.toggle({ label: 'Extended', help: 'h', default: false }) }),
  actions: testDestination.actions.map((action) => ({ ...action, needsSetting: 'extended' })),
}
const catalog = { ...mappedCatalog, destinations: [...mappedCatalog.destinations, ...listed(toggled)] }

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl({ catalog })
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const start = () => startMapped(harness, organization)
const good = purchase({ 'user.em': field('context.traits.email'), value: field('properties.total') })
/** The mappings as delivery would receive them. */
const delivered = async (id: string) => {
  const { database, secretBox } = harness
  const cache = createDestinationCache({ db: harness.db, pool: database.pool, secretBox, logger: silentLogger })
  await cache.start()
  await cache.stop()
  return cache.get(id)
}

describe('the mappings of a destination', () => {
  test('a destination uses the mappings of its app until it has its own, and lists the options for editing them', async () => {
    const { params, destination } = await start()
    const shown = await organization.guest.ok(methods.mappings.get, params)
    expect(shown).toMatchObject({
      name: `${destination.name}/mappings`,
      is_preset: true,
      uses_profile: false,
      revision: 0,
      event_mappings: [{ event_name: 'Order Completed', event_type: 'track', destination: 'purchase', enabled: true }],
      variables: mappingVariables,
    })
    expect(eventMappings.parse(shown.event_mappings)).toEqual(shown.event_mappings)
    expect(shown.event_mappings[0]?.field_mappings.map(({ target }) => target.name)).toEqual([
      'user.em',
      'value',
      'currency',
    ])
    expect(shown.actions[0]).toMatchObject({
      name: 'purchase',
      title: 'Report purchase',
      custom_targets: false,
      whole_event: false,
      event_types: ['track'],
    })
    expect(shown.actions[0]?.targets[0]).toEqual({
      name: 'user.em',
      display_name: 'Email',
      is_required: true,
      is_recommended: false,
      type: 'string',
      kind: 'identity',
      help_text: 'Email of the order',
      choices: [],
      is_people_list: false,
      fields: [],
      pii: 'email',
    })
    expect(await organization.guest.ok(methods.mappings.get, params)).toEqual(shown)
  })

  test('mappings use the profile if a condition or a field of an enabled one does', async () => {
    const { params } = await start()
    const filters = [{ id: 'c001', field: 'profile.traits.plan', operator: 'equals', value: 'pro' }]
    const uses = async (more: object) => {
      const event_mappings = mappingsOf({ id: 'rest', destination: 'send', field_mappings: [], filters, ...more })
      return (await organization.collaborator.ok(methods.mappings.update, params, { body: { event_mappings } }))
        .uses_profile
    }
    expect(await uses({})).toBe(true)
    expect(await uses({ enabled: false })).toBe(false)
    expect(await uses({ filters: [] })).toBe(false)
  })

  test("mappings use the profile if the workspace's paths of personal data do", async () => {
    const { params } = await start()
    const event_mappings = [
      purchase({ 'user.em': { type: 'VARIABLE', name: 'user_email' }, value: field('properties.total') }),
    ]
    await organization.collaborator.ok(methods.mappings.update, params, { body: { event_mappings } })
    const uses = async (places: object) => {
      await organization.administrator.ok(methods.personDataPlaces.update, params, { body: { places } })
      return (await organization.guest.ok(methods.mappings.get, params)).uses_profile
    }
    expect(await uses({ email: ['traits.mail', 'profile.traits.email'] })).toBe(true)
    expect(await uses({})).toBe(false)
  })

  test('conditions with a wrong name of the profile, or too many of them, are refused by name', async () => {
    const { path } = await start()
    const put = (filters: object[]) =>
      organization.collaborator.call('PUT', path(''), {
        event_mappings: [{ id: 'rest', destination: 'send', field_mappings: [], filters }],
      })
    const of = (field: string, index = 0) => ({
      id: String(index).padStart(4, '0'),
      field,
      operator: 'exists',
    })
    expect(await put([of('profile.plan')])).toMatchObject({
      status: 400,
      body: { metadata: { 'event_mappings.0.filters.0.field': expect.stringContaining('profile.traits.email') } },
    })
    const many = Array.from({ length: 200 }, (_, index) => of(`profile.traits.t${index}`, index))
    expect(await put(many)).toMatchObject({ status: 400, body: { reason: 'VALIDATION' } })
  })

  test('mappings of a destination are saved together, used for deliveries, and recorded', async () => {
    const { params, destinationId, destination } = await start()
    const { administrator, collaborator, workspaceId } = organization
    const own = mappingsOf(good, { id: 'rest', destination: 'send', field_mappings: [] })
    const saved = await collaborator.ok(methods.mappings.update, params, { body: { event_mappings: own, revision: 0 } })
    expect(saved).toMatchObject({ is_preset: false, revision: 1, event_mappings: own })
    expect(await administrator.ok(methods.mappings.get, params)).toEqual({ ...saved, warnings: [] })
    expect((await delivered(destinationId))?.mappings).toEqual(own)
    expect((await harness.audits()).at(-1)).toMatchObject({
      action: 'mappings.update',
      actor_id: collaborator.userId,
      resource: destination.name,
      workspace_id: workspaceId,
      detail: { revision: 1, event_mappings: 2 },
    })
  })

  test('unreadable mappings hold the events of their destination, and do not affect other destinations', async () => {
    const { destinationId } = await start()
    const other = await start()
    const mappings = JSON.stringify([{ id: 'aaaa', destination: 'send', of: 'a later version' }])
    await harness.db.updateTable('destinations').set({ mappings }).where('id', '=', destinationId).execute()
    expect(await delivered(destinationId)).toMatchObject({ enabled: false, mappings: [] })
    expect(await delivered(other.destinationId)).toMatchObject({ enabled: true })
  })

  test('an enabled mapping whose action needs a setting is refused until the setting is on', async () => {
    const { administrator, workspaceId: workspace } = organization
    const { name } = await administrator.ok(
      methods.destinations.create,
      { workspace },
      {
        body: { title: 'Toggled', app: { name: 'catalogDestinations/toggled' }, settings: {} },
      },
    )
    const params = { workspace, destination: idIn(name) }
    const save = (enabled: boolean) =>
      administrator.call('PUT', `/${name}/mappings`, {
        event_mappings: mappingsOf({ id: 'rest', destination: 'send', field_mappings: [], enabled }),
      })
    expect(await save(true)).toMatchObject({
      status: 400,
      body: { metadata: { 'event_mappings.0.destination': expect.stringContaining('"Extended": turn it on') } },
    })
    expect(await save(false)).toMatchObject({ status: 200 })
    await administrator.ok(methods.destinations.updateSetting, params, { body: { name: 'extended', value: true } })
    expect(await save(true)).toMatchObject({ status: 200 })
  })

  test('a destination without mappings skips every event', async () => {
    const { params, destinationId } = await start()
    const saved = await organization.administrator.ok(methods.mappings.update, params, { body: { event_mappings: [] } })
    expect(saved).toMatchObject({ is_preset: false, event_mappings: [] })
    expect((await delivered(destinationId))?.mappings).toEqual([])
  })

  test('setting the mappings to null restores those of the app', async () => {
    const { params, destinationId } = await start()
    const { administrator } = organization
    const presets = await administrator.ok(methods.mappings.get, params)
    await administrator.ok(methods.mappings.update, params, { body: { event_mappings: [good] } })
    const back = await administrator.ok(methods.mappings.update, params, { body: { event_mappings: null } })
    expect(back).toEqual({ ...presets, revision: 2 })
    expect((await delivered(destinationId))?.mappings).toBeUndefined()
  })

  test('if two users change the same revision of mappings, only the first saves; without a revision, the last wins', async () => {
    const { params, path } = await start()
    const { administrator, collaborator } = organization
    const save = (caller: typeof administrator, body: object) => caller.call('PUT', path(), body)
    const both = await Promise.all([
      save(administrator, { event_mappings: [good], revision: 0 }),
      save(collaborator, { event_mappings: [], revision: 0 }),
    ])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(both.find(({ status }) => status === 409)?.body).toMatchObject({
      reason: 'MAPPINGS_CHANGED',
      message: 'Someone else changed the mappings. Reload them',
      metadata: { revision: '1' },
    })
    expect(await save(collaborator, { event_mappings: [good] })).toMatchObject({ status: 200, body: { revision: 2 } })
    expect((await administrator.ok(methods.mappings.get, params)).event_mappings).toEqual([good])
  })

  test.each<[string, object, Record<string, unknown>]>([
    [
      'a required field that is not mapped',
      { event_mappings: [purchase({ 'user.em': field('userId') })] },
      { 'event_mappings.0.field_mappings': 'Map the required field "Value"' },
    ],
    [
      'a template that does not parse',
      {
        event_mappings: [
          purchase({ 'user.em': { type: 'TEMPLATE', value: '{{ a' }, value: field('properties.total') }),
        ],
      },
      { 'event_mappings.0.field_mappings.0.source.value': expect.stringMatching(/^Error at /) },
    ],
    [
      'an unknown action',
      { event_mappings: [{ id: 'aaaa', destination: 'fly', field_mappings: [] }] },
      { 'event_mappings.0.destination': 'Mapped has no action "fly"' },
    ],
    [
      'an id that is none',
      { event_mappings: [{ ...good, id: 'abc' }] },
      { 'event_mappings.0.id': 'Must be four letters or digits' },
    ],
    [
      'a source without a name',
      {
        event_mappings: [purchase({}, { field_mappings: [] })].map((each) => ({
          ...each,
          field_mappings: [{ id: 'aaaa', source: { type: 'FIELD', name: '' }, target: { name: 'value' } }],
        })),
      },
      { 'event_mappings.0.field_mappings.0.source.name': 'Required' },
    ],
    ['nothing', {}, { event_mappings: expect.any(String) }],
  ])('mappings are refused with %s, and stay unchanged', async (_, body, metadata) => {
    const { params, path } = await start()
    const before = await organization.administrator.ok(methods.mappings.get, params)
    const reply = await organization.administrator.call('PUT', path(), body)
    expect(reply).toMatchObject({ status: 400, body: { reason: 'VALIDATION', metadata } })
    expect(Object.keys(reply.body['metadata'] ?? {})).toEqual(Object.keys(metadata))
    expect(await organization.administrator.ok(methods.mappings.get, params)).toEqual(before)
  })
})

test('only permitted users can call mapping methods, and only for existing destinations', async () => {
  const { path, destinationId } = await start()
  const { administrator, guest, outsider, otherWorkspaceId, workspaceId } = organization
  const trial = { event_mapping: good, payload: '{}' }
  const calls = [
    ['GET', '', undefined],
    ['PUT', '', { event_mappings: null }],
    ['POST', ':addPresets', {}],
    ['POST', ':suggest', { destination: 'send' }],
    ['POST', ':preview', trial],
    ['POST', ':sendTest', trial],
  ] as const
  const statuses = async (verb: 'GET' | 'PUT' | 'POST', tail: string, body: object | undefined): Promise<number[]> => {
    const elsewhere = `/workspaces/${otherWorkspaceId}/destinations/${destinationId}/mappings${tail}`
    const gone = `/workspaces/${workspaceId}/destinations/${newId()}/mappings${tail}`
    return [
      (await harness.call('', verb, path(tail), body)).status,
      (await guest.call(verb, path(tail), body)).status,
      (await outsider.call(verb, path(tail), body)).status,
      (await outsider.call(verb, elsewhere, body)).status,
      (await administrator.call(verb, gone, body)).status,
    ]
  }
  expect(await Promise.all(calls.map(([verb, tail, body]) => statuses(verb, tail, body)))).toEqual([
    [401, 200, 404, 404, 404],
    [401, 403, 404, 404, 404],
    [401, 403, 404, 404, 404],
    [401, 200, 404, 404, 404],
    [401, 403, 404, 404, 404],
    [401, 403, 404, 404, 404],
  ])
})

test('mappings that were checked against another version of the app are not saved', async () => {
  const { params, destinationId: id } = await start()
  const deps = { db: harness.db, clock: harness.now }
  const read = { id, workspace_id: organization.workspaceId, app: 'own-earlier' }
  const saving = saveMappings(deps, read, undefined, ({ presetVersion }) => ({
    mappings: [],
    presetVersion,
    detail: {},
  }))
  await expect(saving).rejects.toMatchObject({ code: 409, reason: 'CHANGED' })
  expect(await organization.guest.ok(methods.mappings.get, params)).toMatchObject({ is_preset: true, revision: 0 })
})
