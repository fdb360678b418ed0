// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Destination } from '@tributary/contract'
import { expect, test, vi } from 'vitest'
import { openInWorkspace } from '../../../testing/page.tsx'
import { DeliveriesTab } from './deliveries-tab.tsx'

const destination = { name: 'workspaces/w1/destinations/d1', title: 'Analytics', enabled: true } as Destination
const counts = [
  { reason: 'ga_x: a reserved name', delivery_count: 1200 },
  { reason: 'lead_id: not an integer', delivery_count: 3 },
]
const none = { event_count: 0, oldest_time: null }

const show = (left_out: typeof counts, at = '/') => {
  const lists: (string | null)[] = []
  const periods: number[] = []
  openInWorkspace(<DeliveriesTab destination={destination} />, {
    at,
    answers: (path, _, query) => {
      if (path.endsWith('/leftOutCounts')) {
        periods.push(Number(query.get('end_date.seconds')) - Number(query.get('start_date.seconds')))
        return Response.json({ left_out })
      }
      if (!path.endsWith('/deliveries')) return undefined
      lists.push(query.get('left_out'))
      return Response.json({ deliveries: [], next_page_token: '', waiting: none, dead: none })
    },
  })
  return { lists, periods }
}

test('reasons are listed with counts, and a click limits the list to one until the next click', async () => {
  const { lists, periods } = show(counts)
  const list = within(await screen.findByRole('list', { name: 'Sent without' }))
  expect(list.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
    'ga_x: a reserved name1,200',
    'lead_id: not an integer3',
  ])
  expect(periods[0]).toBeLessThanOrEqual(30 * 86_400 + 1)
  await userEvent.click(list.getByRole('button', { name: /lead_id/ }))
  await vi.waitFor(() => expect(lists.at(-1)).toBe('lead_id: not an integer'))
  const pressed = await screen.findByRole('button', { name: /lead_id/, pressed: true })
  await userEvent.click(pressed)
  await vi.waitFor(() => expect(lists.at(-1)).toBeNull())
})

test('a reason of the address stays removable when it has no deliveries', async () => {
  const { lists } = show([], '/?left_out=a%3A+gone')
  await userEvent.click(await screen.findByRole('button', { name: /a: gone/, pressed: true }))
  await vi.waitFor(() => expect(lists.at(-1)).toBeNull())
  expect(screen.queryByRole('list', { name: 'Sent without' })).toBeNull()
})

test('nothing is shown for a destination whose events were complete', async () => {
  const { periods } = show([])
  await vi.waitFor(() => expect(periods).toHaveLength(1))
  await screen.findByText('Nothing delivered yet')
  expect(screen.queryByRole('list', { name: 'Sent without' })).toBeNull()
})
