import { presetMappings, presetVersion } from '@tributary/connector-kit'
import { methods } from '@tributary/contract'
import { silentLogger } from '@tributary/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDestinationCache } from '../../../configuration/src/caches/destination-cache.ts'
import { type Harness, listed, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import {
  field,
  mappedCatalog,
  mappedDestination,
  mappingsOf,
  purchase,
  startMapped,
} from '../testing/mapped-destination.ts'

/** The app in this version: it has two presets that 0.2.0 does not have. */
const app = {
  ...mappedDestination,
  presets: [
    ...mappedDestination.presets,
    { action: 'send', eventType: 'page' as const, fields: {}, since: 2 },
    { action: 'send', eventType: 'track' as const, eventName: 'Signed In', fields: {}, since: 2 },
  ],
}
const catalog = { ...mappedCatalog, destinations: listed(app) }
const news = [
  { event_name: '', event_type: 'page', destination: 'send' },
  { event_name: 'Signed In', event_type: 'track', destination: 'send' },
]

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl({ catalog })
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const start = () => startMapped(harness, organization)
/** Makes a destination as version 0.2.0 left it. */
const startEarlier = async () => {
  const mapped = await start()
  await harness.db
    .updateTable('destinations')
    .set({ preset_version: 1 })
    .where('id', '=', mapped.destinationId)
    .execute()
  return mapped
}
const delivered = async (id: string) => {
  const { database, secretBox } = harness
  const cache = createDestinationCache({ db: harness.db, pool: database.pool, secretBox, logger: silentLogger })
  await cache.start()
  await cache.stop()
  return cache.get(id)
}
const own = mappingsOf(purchase({ 'user.em': field('context.traits.email'), value: field('properties.total') }))

describe('presets that an update brings', () => {
  test('a new destination has the current presets', async () => {
    const { params, destinationId } = await start()
    const shown = await organization.administrator.ok(methods.mappings.get, params)
    expect(shown).toMatchObject({ is_preset: true, event_mappings: presetMappings(app), new_presets: [] })
    expect(await delivered(destinationId)).toMatchObject({ mappings: undefined, presetVersion })
  })

  test('a destination of 0.2.0 keeps its presets until a user adds the new ones', async () => {
    const { params, destinationId, destination } = await startEarlier()
    const { collaborator } = organization
    expect(await collaborator.ok(methods.mappings.get, params)).toMatchObject({
      is_preset: true,
      event_mappings: presetMappings(app, 1),
      new_presets: news,
    })
    expect(await delivered(destinationId)).toMatchObject({ mappings: undefined, presetVersion: 1 })
    const added = await collaborator.ok(methods.mappings.addPresets, params, { body: { revision: 0 } })
    expect(added).toMatchObject({
      is_preset: true,
      revision: 1,
      event_mappings: presetMappings(app),
      new_presets: [],
    })
    expect(await delivered(destinationId)).toMatchObject({ mappings: undefined, presetVersion })
    expect((await harness.audits()).at(-1)).toMatchObject({
      action: 'mappings.addPresets',
      actor_id: collaborator.userId,
      resource: destination.name,
      detail: { revision: 1, new_presets: 2 },
    })
  })

  test('new presets are added after own mappings, which stay as they are', async () => {
    const { params, destinationId } = await startEarlier()
    const { administrator } = organization
    const saved = await administrator.ok(methods.mappings.update, params, { body: { event_mappings: own } })
    expect(saved).toMatchObject({ event_mappings: own, new_presets: news })
    const added = await administrator.ok(methods.mappings.addPresets, params, { body: {} })
    expect(added).toMatchObject({ is_preset: false, event_mappings: [...own, ...presetMappings(app).slice(1)] })
    expect(added.new_presets).toEqual([])
    expect((await delivered(destinationId))?.mappings).toEqual(added.event_mappings)
    // A second call adds nothing.
    const again = await administrator.ok(methods.mappings.addPresets, params, { body: {} })
    expect(again.event_mappings).toEqual(added.event_mappings)
  })

  test('a new preset for some events is added before an own mapping that matches all of them', async () => {
    const { params } = await startEarlier()
    const { administrator } = organization
    const [named] = own
    const all = mappingsOf({ ...named, id: 'wide', event_name: '', event_type: 'track' } as (typeof own)[number])
    await administrator.ok(methods.mappings.update, params, { body: { event_mappings: [...own, ...all] } })
    const { event_mappings } = await administrator.ok(methods.mappings.addPresets, params, { body: {} })
    const [page, signedIn] = presetMappings(app).slice(-2)
    expect(event_mappings).toEqual([...own, signedIn, ...all, page])
  })

  test('a reset uses the current presets', async () => {
    const { params } = await startEarlier()
    const { administrator } = organization
    await administrator.ok(methods.mappings.update, params, { body: { event_mappings: own } })
    const reset = await administrator.ok(methods.mappings.update, params, { body: { event_mappings: null } })
    expect(reset).toMatchObject({ is_preset: true, event_mappings: presetMappings(app), new_presets: [] })
  })

  test('presets are not added over the limit of mappings, nor to a revision that has changed', async () => {
    const { params, path } = await startEarlier()
    const { administrator } = organization
    const many = Array.from({ length: 99 }, (_, n) => ({ ...own[0], id: `m0${String(n).padStart(2, '0')}` }))
    await administrator.ok(methods.mappings.update, params, { body: { event_mappings: mappingsOf(...many) } })
    expect(await administrator.call('POST', path(':addPresets'), {})).toMatchObject({
      status: 400,
      body: { reason: 'VALIDATION', message: 'With 2 presets, there would be 101 mappings. At most 100 are possible' },
    })
    expect(await administrator.call('POST', path(':addPresets'), { revision: 0 })).toMatchObject({
      status: 409,
      body: { reason: 'MAPPINGS_CHANGED' },
    })
    expect((await administrator.ok(methods.mappings.get, params)).event_mappings).toHaveLength(99)
  })
})
