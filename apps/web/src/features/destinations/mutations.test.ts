// @vitest-environment happy-dom
import type { Destination } from '@tributary/contract'
import { expect, test } from 'vitest'
import { tracked } from '../../testing/tracked.tsx'
import { useCreateDestination, useDeleteDestination, useUpdateDestination, useUpdateSetting } from './mutations.ts'

const name = 'workspaces/w1/destinations/d1'
const destination: Destination = {
  name,
  title: 'Hook',
  app: {
    name: `${name}/app`,
    catalog_app: 'catalogDestinations/webhook',
    title: 'Webhook',
    display_name: 'Webhook',
    docs_url: '',
    instance_count: 1,
    extra: { app_icon: '' },
    settings: [],
  },
  state: 'ready',
  missing_settings: [],
  enabled: true,
  consent_categories: [],
  grant: null,
  create_time: '2026-01-01T00:00:00Z',
  update_time: '2026-01-01T00:00:00Z',
}

test('DST-28, OBS-02: creating, updating and deleting a destination tell one product event each', async () => {
  const done = { body: destination }
  const input = { title: 'Hook', app: { name: 'catalogDestinations/webhook' }, settings: {}, sources: [] }
  expect(await tracked(() => useCreateDestination('workspaces/w1'), input, done)).toEqual([
    { event: 'Destination Created', properties: { destination: name, app: 'catalogDestinations/webhook' } },
  ])
  expect(await tracked(() => useUpdateDestination(destination), { title: 'Hook 2' }, done)).toEqual([
    { event: 'Destination Updated', properties: { destination: name, fields: ['title'] } },
  ])
  expect(await tracked(() => useDeleteDestination(destination), undefined, { body: {} })).toEqual([
    { event: 'Destination Deleted', properties: { destination: name } },
  ])
})

test('OBS-02: a changed setting is told by its name, never with its value', async () => {
  const told = await tracked(
    () => useUpdateSetting(destination),
    { name: 'api_key', value: 'secret' },
    { body: destination.app },
  )
  expect(told).toEqual([
    { event: 'Destination Updated', properties: { destination: name, fields: ['settings.api_key'] } },
  ])
})
