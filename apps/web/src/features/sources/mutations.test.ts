// @vitest-environment happy-dom
import type { Source } from '@tributary/contract'
import { expect, test } from 'vitest'
import { tracked } from '../../testing/tracked.tsx'
import { useCreateSource, useDeleteSource, useUpdateSource } from './mutations.ts'

const name = 'workspaces/w1/sources/s1'
const source: Source = {
  name,
  title: 'Shop',
  app: {
    name: `${name}/app`,
    catalog_app: 'catalogSources/http',
    display_name: 'HTTP API',
    docs_url: '',
    type: 1,
    extra: { app_icon: '' },
    settings: [],
  },
  target_product: 'CDP',
  enabled: true,
  enforcement: 'allow',
  schema_version: 1,
  create_time: '2026-01-01T00:00:00Z',
  update_time: '2026-01-01T00:00:00Z',
  has_received: false,
  last_event_time: null,
}
const input = {
  title: 'Shop',
  app: { name: 'catalogSources/http', display_name: 'HTTP API', icon: '', type: 1, docs_url: '' },
}

test('OBS-01, SRC-37, SRC-59: creating (with the title of the app), updating and deleting a source tell one product event each', async () => {
  const done = { body: source }
  expect(await tracked(() => useCreateSource('workspaces/w1'), input, done)).toEqual([
    {
      event: 'Source Created',
      properties: { source: name, app: 'catalogSources/http', app_title: 'HTTP API' },
    },
  ])
  const schema = { schema: '{"events":{}}', version: 1, update_time: '2026-01-01T00:00:00Z' }
  const updated = { body: { ...source, schema } }
  expect(await tracked(() => useUpdateSource(source), { enabled: false }, updated)).toEqual([
    { event: 'Source Updated', properties: { source: name, fields: ['enabled'] } },
  ])
  expect(await tracked(() => useDeleteSource(source), undefined, { body: {} })).toEqual([
    { event: 'Source Deleted', properties: { source: name } },
  ])
})

test('OBS-01: what the server refuses is not told', async () => {
  const refused = { status: 403, body: { code: 403, reason: 'FORBIDDEN', message: 'no', metadata: {} } }
  expect(await tracked(() => useCreateSource('workspaces/w1'), input, refused)).toEqual([])
  expect(await tracked(() => useDeleteSource(source), undefined, refused)).toEqual([])
})
