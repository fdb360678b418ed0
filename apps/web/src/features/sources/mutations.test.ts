// @vitest-environment happy-dom
import { emptySchema } from '@tributary/contract'
import { expect, test } from 'vitest'
import { sourceName, sourceWith } from '../../testing/source.ts'
import { noticed, tracked } from '../../testing/tracked.tsx'
import { useCreateSource, useDeleteSource, useUpdateSource } from './mutations.ts'

const name = sourceName
const { schema, ...source } = sourceWith(emptySchema, 1)
const input = {
  title: 'Shop',
  app: {
    name: 'catalogSources/http',
    display_name: 'HTTP API',
    icon: '',
    type: 1,
    docs_url: '',
    target_product: 'CDP' as const,
  },
}

test('creating (with the title of the app), updating and deleting a source send one product event each (OBS-01, SRC-37, SRC-59)', async () => {
  const done = { body: source }
  expect(await tracked(() => useCreateSource('workspaces/w1', 'CDP'), input, done)).toEqual([
    {
      event: 'Source Created',
      properties: { source: name, app: 'catalogSources/http', app_title: 'HTTP API' },
    },
  ])
  const updated = { body: { ...source, schema } }
  expect(await tracked(() => useUpdateSource(source), { enabled: false }, updated)).toEqual([
    { event: 'Source Updated', properties: { source: name, fields: ['enabled'] } },
  ])
  expect(await tracked(() => useDeleteSource(source), undefined, { body: {} })).toEqual([
    { event: 'Source Deleted', properties: { source: name } },
  ])
})

test('a change that the server rejects sends no product event (OBS-01)', async () => {
  const refused = { status: 403, body: { code: 403, reason: 'FORBIDDEN', message: 'no', metadata: {} } }
  expect(await tracked(() => useCreateSource('workspaces/w1', 'CDP'), input, refused)).toEqual([])
  expect(await tracked(() => useDeleteSource(source), undefined, refused)).toEqual([])
})

test('a write key that was not created is reported with the reason, and the source stays', async () => {
  const refusal = { code: 503, reason: 'UNAVAILABLE', message: 'The database is starting', metadata: {} }
  const notices = await noticed(
    () => useCreateSource('workspaces/w1', 'CDP'),
    input,
    (path) => (path.endsWith('/writekeys') ? { status: 503, body: refusal } : { body: source }),
  )
  expect(notices).toEqual([
    ['success', 'Source Created', ''],
    [
      'warning',
      'No write key was created',
      'The database is starting. You need one to send events. Create it on the Set up tab.',
    ],
  ])
})
