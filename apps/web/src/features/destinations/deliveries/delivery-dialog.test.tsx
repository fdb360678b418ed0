// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import type { Delivery } from '@tributary/contract'
import { expect, test } from 'vitest'
import { openInWorkspace } from '../../../testing/page.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'

const show = (status: Delivery['status'], reason: string): void => {
  const delivery = {
    name: '',
    destination: 'workspaces/w1/destinations/d1',
    event: 'workspaces/w1/sources/s1/events/e1',
    event_title: 'Order Completed',
    event_type: 'track',
    time: '2026-01-01T00:00:00.000Z',
    http_status: 200,
    latency_ms: 1,
    attempt: 1,
    message_id: 'm1',
    request: '',
    response: '',
    status,
    reason,
  }
  openInWorkspace(<DeliveryDialog delivery={delivery as unknown as Delivery} onClose={() => {}} />, {
    answers: () => undefined,
  })
}

const denied = `"Email" (email) is not sent: the profile's consent of 2026-01-01T00:00:00.000Z allows no values of it`

test('each note of a delivered event is an item of a list', async () => {
  show('delivered', `${denied}; currency: the default EUR is used`)
  const notes = within(await screen.findByRole('region', { name: 'Notes' }))
  expect(notes.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    denied,
    'currency: the default EUR is used',
  ])
})

test('a failed attempt has one cause, and a delivered event without notes has no list', async () => {
  show('dead', denied)
  expect(await screen.findByText(denied)).toBeDefined()
  show('delivered', '')
  expect(screen.queryByRole('region', { name: 'Notes' })).toBeNull()
})
