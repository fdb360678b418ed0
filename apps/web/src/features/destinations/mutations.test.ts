// @vitest-environment happy-dom
import { useQueryClient } from '@tanstack/react-query'
import type { Destination } from '@tributary/contract'
import { expect, test } from 'vitest'
import { sourcesQuery } from '../../lib/queries/workspace-queries.ts'
import { noticed, tracked } from '../../testing/tracked.tsx'
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
    people_lists: null,
    abilities: [],
  },
  state: 'ready',
  missing_settings: [],
  enabled: true,
  consent_categories: [],
  grant: null,
  create_time: '2026-01-01T00:00:00Z',
  update_time: '2026-01-01T00:00:00Z',
}

test('creating, updating and deleting a destination send one product event each (DST-28, OBS-02)', async () => {
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

test('a changed setting is reported by its name, never with its value (OBS-02)', async () => {
  const events = await tracked(
    () => useUpdateSetting(destination),
    { name: 'api_key', value: 'secret' },
    { body: destination.app },
  )
  expect(events).toEqual([
    { event: 'Destination Updated', properties: { destination: name, fields: ['settings.api_key'] } },
  ])
})

test('a source that was chosen for a new destination but cannot be connected is reported with the reason, and the destination stays', async () => {
  const input = {
    title: 'Hook',
    app: { name: 'catalogDestinations/webhook' },
    settings: {},
    sources: ['s1', 's2', 's3'],
  }
  const refusal = { code: 409, reason: 'CONFLICT', message: 'The source was deleted', metadata: {} }
  const connection = {
    name: 'workspaces/w1/connections/c1',
    source: 's1',
    destination: name,
    enabled: true,
    filter: { match: 'all', conditions: [] },
    create_time: '2026-01-01T00:00:00Z',
    extra: Object.fromEntries(
      ['source', 'destination'].map((end) => [
        end,
        { name: '', title: '', enabled: true, display_name: '', app_icon: '' },
      ]),
    ),
  }
  const notices = await noticed(
    () => {
      useQueryClient().setQueryData<unknown>(
        [...sourcesQuery('workspaces/w1').queryKey],
        [
          { name: 's1', title: 'Shop' },
          { name: 's2', title: 'Blog' },
          { name: 's3', title: 'App' },
        ],
      )
      return useCreateDestination('workspaces/w1')
    },
    input,
    (path, body) => {
      if (!path.endsWith('/connections')) return { body: destination }
      return (body as { source: string }).source === 's1' ? { body: connection } : { status: 409, body: refusal }
    },
  )
  expect(notices).toEqual([
    ['success', 'Destination Created', ''],
    ['warning', 'Could not connect Blog and App', 'The source was deleted. Connect them on the Connections tab.'],
  ])
})
