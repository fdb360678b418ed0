// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Destination, FailureGroup, ParkedDelivery } from '@tributary/contract'
import { expect, test } from 'vitest'
import { openInWorkspace } from '../../../testing/page.tsx'
import { AffectedEvents } from './affected-events.tsx'

const time = '2026-01-01T00:00:00Z'
const record = (n: number, eventCount = 1): ParkedDelivery => ({
  name: `workspaces/w1/destinations/d1/parkedDeliveries/${n}`,
  source: 'workspaces/w1/sources/s1',
  destination: 'workspaces/w1/destinations/d1',
  state: 'dead',
  event_count: eventCount,
  attempts: 7,
  first_time: time,
  next_time: time,
  last_status: 404,
  last_reason: '',
  request: '',
  response: '',
  events: Array.from({ length: Math.min(eventCount, 100) }, (_, index) => ({
    name: `workspaces/w1/events/${n}-${index}`,
    event_id: `${n}-${index}`,
    message_id: `m-${n}-${index}`,
    event_type: 'track',
    event_title: 'Order Completed',
    user_id: 'u1',
    anonymous_id: '',
    receive_time: time,
  })),
})

const show = async (records: ParkedDelivery[]) => {
  const destination = { name: 'workspaces/w1/destinations/d1', enabled: true } as Destination
  const group = { name: 'workspaces/w1/destinations/d1/failureGroups/g1' } as FailureGroup
  openInWorkspace(<AffectedEvents destination={destination} group={group} />, {
    answers: (path) =>
      path.endsWith('/parkedDeliveries')
        ? Response.json({ parked_deliveries: records, next_page_token: 'next' })
        : undefined,
  })
  return within(await screen.findByRole('region', { name: 'Affected events' })).findAllByRole('listitem')
}

test('each record is one line with its event, and its details open below', async () => {
  const [first] = await show([record(1), record(2)])
  const line = within(first ?? document.body)
  expect(line.getByRole('link', { name: 'Order Completed' })).toBeDefined()
  expect(line.getByText('m-1-0')).toBeDefined()
  expect(line.queryByText('Attempts')).toBeNull()
  await userEvent.click(line.getByRole('button', { name: 'Details', expanded: false }))
  expect(line.getByText('Attempts').nextSibling?.textContent).toBe('7')
  await userEvent.click(line.getByRole('button', { name: 'Details', expanded: true }))
  expect(line.queryByText('Attempts')).toBeNull()
  expect(screen.getByRole('button', { name: 'Load more' })).toBeDefined()
})

test('a record of many events lists the first ten, the other known events on request, and the number of the remaining ones', async () => {
  const [only] = await show([record(1, 250)])
  const line = within(only ?? document.body)
  expect(line.getByText('250 events')).toBeDefined()
  // A single record is expanded from the start.
  expect(line.getAllByRole('link')).toHaveLength(10)
  await userEvent.click(line.getByRole('button', { name: 'Show 90 more' }))
  expect(line.getAllByRole('link')).toHaveLength(100)
  expect(line.getByText('and 150 more')).toBeDefined()
})
