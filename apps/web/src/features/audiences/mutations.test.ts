// @vitest-environment happy-dom
import { type Audience, audienceQuery } from '@tributary/contract'
import { expect, test } from 'vitest'
import { tracked } from '../../testing/tracked.tsx'
import { useCreateAudience, useDeleteAudience, useUpdateAudience } from './mutations.ts'

test('creating, updating and deleting an audience send one product event each, and a refused change sends none (OBS-03)', async () => {
  const query = audienceQuery.parse({
    operator: 'and',
    includeAnonymous: true,
    groups: {
      aaaa: {
        id: 'aaaa',
        operator: 'and',
        segments: [{ id: 'bbbb', queries: [{ id: 'cccc', type: 'event', selectedEvent: 'Order Completed' }] }],
      },
    },
  })
  const name = 'workspaces/w1/audiences/a1'
  const time = '2026-01-02T03:04:05.000Z'
  const audience: Audience = {
    name,
    title: 'Buyers',
    state: 'live',
    size: 0,
    destination_count: 0,
    sync_count: 0,
    as_of: time,
    progress: null,
    create_time: time,
    update_time: time,
    query,
    version: 1,
    failure: '',
    change_time: null,
    entered_count: 0,
    left_count: 0,
    author: 'Admin',
    dependents: [],
    list: null,
    warnings: [],
  }
  const done = { body: audience }
  expect(await tracked(() => useCreateAudience('workspaces/w1'), { title: 'Buyers', query }, done)).toEqual([
    { event: 'Audience Created', properties: { audience: name } },
  ])
  const change = { title: 'Customers', query, version: 1 }
  expect(await tracked(() => useUpdateAudience(audience), change, done)).toEqual([
    { event: 'Audience Updated', properties: { audience: name } },
  ])
  expect(await tracked(() => useDeleteAudience(audience), undefined, { body: {} })).toEqual([
    { event: 'Audience Deleted', properties: { audience: name } },
  ])
  const refused = { status: 403, body: { code: 403, reason: 'FORBIDDEN', message: 'no', metadata: {} } }
  expect(await tracked(() => useDeleteAudience(audience), undefined, refused)).toEqual([])
})
