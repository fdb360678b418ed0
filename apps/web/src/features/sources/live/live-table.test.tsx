// @vitest-environment happy-dom

import { act, fireEvent, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { parseSourceSchema } from '@tributary/contract'
import { useReducer, useState } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { renderUi } from '../../../testing/render.tsx'
import type { LiveEvent } from './live-event.ts'
import { initialLive, liveReducer } from './live-events.ts'
import { LiveTable } from './live-table.tsx'
import { setDensity, useLiveView } from './live-view.ts'

const event = (n: number): LiveEvent => ({
  eventId: `0-${String(n).padStart(4, '0')}-0`,
  messageId: `m${n}`,
  type: 'track',
  title: `Event ${n}`,
  user: n % 2 === 0 ? `user-${n}` : '',
  test: false,
  receiveTime: new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString(),
  status: 'accepted',
  reason: '',
  compatibility: '',
  schemaVersion: 0,
  payload: { properties: { total: n } },
})
const fifty = Array.from({ length: 50 }, (_, index) => event(index + 1))

beforeEach(() => {
  // The test document has no layout: the area gets the height that it has in a page.
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(320)
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(900)
  useLiveView.setState({ expanded: false, density: 'comfortable', properties: {} })
})

let dispatch: (action: Parameters<typeof liveReducer>[1]) => void

/** Renders the table with these events; an opened event is recorded and shown as open. */
const show = (property = '', isOpen = false) => {
  const opened: string[] = []
  const Page = () => {
    const [state, change] = useReducer(liveReducer, fifty, (events) =>
      liveReducer(initialLive, { type: 'received', events, skipped: 0 }),
    )
    dispatch = change
    const [openId, setOpenId] = useState(isOpen ? event(50).eventId : undefined)
    return (
      <LiveTable
        state={state}
        dispatch={change}
        loading={false}
        openId={openId}
        onOpen={({ title, eventId }) => {
          opened.push(title)
          if (isOpen) setOpenId(eventId)
        }}
        setupPath="/"
        property={property}
      />
    )
  }
  renderUi(<Page />)
  return opened
}

const table = () => screen.getByRole('table', { name: 'Live events' })
const rows = () => within(table()).getAllByRole('row').slice(1)

test('type, name, environment, and time come before user and chosen property, and only visible rows are rendered (EVT-01, EVT-30)', () => {
  show('total')
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    'Event type',
    'Name',
    'Environment',
    'Received',
    'User',
    'total',
  ])
  expect(table().getAttribute('aria-rowcount')).toBe('51')
  expect(rows().length).toBeLessThan(16)
  const cells = within(rows()[0] ?? document.body).getAllByRole('cell')
  expect([1, 2, 4, 5].map((index) => cells[index]?.textContent)).toEqual(['Event 50', 'Prod', 'user-50', '50'])
  expect(within(rows()[1] ?? document.body).getAllByRole('cell')[4]?.textContent).toBe('–')
})

test('events are marked as new only if the schema has at least one event', () => {
  show()
  const names = () => rows().map((row) => within(row).getAllByRole('cell')[1]?.textContent)
  expect(names().slice(0, 2)).toEqual(['Event 50', 'Event 49'])
  const schema = parseSourceSchema('{"events":{"Event 49":{}}}')
  act(() => dispatch({ type: 'schema', schema, version: 1 }))
  expect(names().slice(0, 2)).toEqual(['Event 50New', 'Event 49'])
})

test('a value that is not loaded yet shows that it is being read, and how to see it', () => {
  show('total')
  const { payload: _, ...unread } = event(51)
  const live = { ...unread, payload: undefined }
  act(() => dispatch({ type: 'received', events: [{ ...live, values: { total: 5 } }], skipped: 0 }))
  act(() => dispatch({ type: 'received', events: [{ ...live, eventId: 'x', messageId: 'x' }], skipped: 0 }))
  const cells = rows().map((row) => within(row).getAllByRole('cell')[5])
  expect(cells.slice(0, 2).map((cell) => cell?.textContent)).toEqual(['Reading', '5'])
  expect(cells[0]?.firstElementChild?.getAttribute('title')).toMatch(/Pause the list to see it/)
})

test('without a chosen property, the table has no property column', () => {
  show()
  expect(screen.getAllByRole('columnheader')).toHaveLength(5)
})

test('Tab focuses one row; arrows, j, and k move the focus, and Enter and Space open the row', async () => {
  const opened = show()
  await userEvent.tab()
  await userEvent.tab()
  const focused = () => document.activeElement?.textContent
  expect(focused()).toContain('Event 50')
  await userEvent.keyboard('{ArrowDown}j')
  expect(focused()).toContain('Event 48')
  await userEvent.keyboard('k{Enter}')
  await userEvent.keyboard('{ArrowUp}{ArrowUp} ')
  expect(opened).toEqual(['Event 49', 'Event 50'])
  expect(table().querySelectorAll('[tabindex="0"]')).toHaveLength(1)
})

test('EVT-11: a click opens an event; its row is marked and stays on the page, and arrows open the next', async () => {
  const opened = show('', true)
  const marked = () => table().querySelector('[aria-current="true"]')?.textContent
  expect(marked()).toContain('Event 50')
  act(() => dispatch({ type: 'received', events: Array.from({ length: 30 }, (_, n) => event(51 + n)), skipped: 0 }))
  expect(marked()).toContain('Event 50')
  const row = table().querySelector('[aria-current="true"]')
  if (row !== null) fireEvent.keyDown(row, { key: 'ArrowDown' })
  expect(opened).toEqual(['Event 49'])
  expect(marked()).toContain('Event 49')
})

test('compact rows are lower, so that more of them are visible', () => {
  show()
  const before = rows().length
  act(() => setDensity('compact'))
  expect(rows().length).toBeGreaterThan(before)
})
