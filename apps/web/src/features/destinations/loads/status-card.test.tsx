// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { screen } from '@testing-library/react'
import type { Destination, WarehouseLoad, WarehouseStatus } from '@tributary/contract'
import { expect, test } from 'vitest'
import { testDestination } from '../../../testing/destination.ts'
import { renderUi } from '../../../testing/render.tsx'
import { StatusCard } from './status-card.tsx'

const status: WarehouseStatus = {
  every_minutes: 5,
  billed: false,
  next_load_time: null,
  complete_time: null,
  waiting_event_count: 0,
  loads_last_day: 0,
  seconds_last_day: 0,
  comparison: null,
}
const load: WarehouseLoad = {
  name: 'workspaces/w1/destinations/d1/warehouseLoads/l1',
  kind: 'load',
  change: '',
  state: 'failed',
  trigger: 'schedule',
  creator: null,
  create_time: '2026-03-01T12:00:00Z',
  start_time: '2026-03-01T12:00:01Z',
  finish_time: '2026-03-01T12:00:02Z',
  tables: [],
  row_count: 0,
  bytes: 0,
  unfit_count: 0,
  attempts: 6,
  reason: 'The user has no rights',
  statement: '',
}
const show = (of: Destination, part: Partial<WarehouseStatus>, loads: WarehouseLoad[] = []): string => {
  const { container, unmount } = renderUi(
    <QueryClientProvider client={new QueryClient()}>
      <StatusCard destination={of} status={{ ...status, ...part }} loads={loads} />
    </QueryClientProvider>,
  )
  const text = container.textContent
  unmount()
  return text
}

test('a warehouse without a load says when the first one comes, unless its destination is paused', () => {
  expect(show(testDestination(), {})).toContain('No load yetEvents are staged first, and loaded every 5 minutes.')
  expect(show(testDestination({ enabled: false }), {})).toContain('Nothing is loaded until you resume it.')
})

test('the time up to which tables are complete has its exact value on hover', () => {
  renderUi(
    <QueryClientProvider client={new QueryClient()}>
      <StatusCard
        destination={testDestination()}
        status={{ ...status, complete_time: '2026-03-01T12:00:00.123Z' }}
        loads={[]}
      />
    </QueryClientProvider>,
  )
  const heading = screen.getByRole('heading', { name: /^Complete up to / })
  expect(heading.querySelector('time')?.title).toBe('2026-03-01 12:00:00.123 UTC')
})

test('the reason of a failed load is shown until a later load succeeds, and changes of columns do not count', () => {
  const words = 'The last load failed: The user has no rights.'
  const change: WarehouseLoad = {
    ...load,
    name: 'other',
    kind: 'drop_column',
    change: 'tracks.plan',
    state: 'succeeded',
  }
  expect(show(testDestination(), {}, [load])).toContain(words)
  expect(show(testDestination(), {}, [change, load])).toContain(words)
  expect(show(testDestination(), {}, [{ ...load, name: 'later', state: 'succeeded', reason: '' }, load])).not.toContain(
    words,
  )
})
