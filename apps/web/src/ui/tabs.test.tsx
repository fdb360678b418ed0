// @vitest-environment happy-dom

import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { Radio, Settings } from 'lucide-react'
import { useState } from 'react'
import { createMemoryRouter, useLocation } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { expect, test } from 'vitest'
import { renderUi } from '../testing/render.tsx'
import { onTab, Tabs, tabOfHash } from './tabs.tsx'

test.each([
  ['', 'live'],
  ['#setup', 'setup'],
  ['#unknown', 'live'],
])('the hash %j selects the tab %s', (hash, tab) => {
  expect(tabOfHash([{ id: 'live' }, { id: 'setup', hash: 'setup' }], hash)).toBe(tab)
})

test('without a hash in the URL, the tab that has no hash is shown, at any position in the list', () => {
  const tabs = [{ id: 'overview', hash: 'overview' }, { id: 'live' }]
  expect(['', '#live', '#overview'].map((hash) => tabOfHash(tabs, hash))).toEqual(['live', 'live', 'overview'])
})

const Where = () => <output>{useLocation().hash}</output>
const tabs = [
  { id: 'live', name: 'Live events', icon: <Radio />, content: 'Events' },
  { id: 'settings', name: 'Settings', icon: <Settings />, hash: 'settings', content: 'The settings' },
]

test('UI-34: a tab shows its icon and its name', () => {
  renderUi(<Tabs label="Source" tabs={tabs} />)
  const found = screen.getAllByRole('tab')
  expect(found.map(({ textContent }) => textContent)).toEqual(['Live events', 'Settings'])
  expect(found.map((tab) => tab.querySelector('svg')?.getAttribute('class'))).toEqual([
    expect.stringContaining('lucide-radio'),
    expect.stringContaining('lucide-settings'),
  ])
})

test('navigation can open a tab that the URL does not name, until the user chooses another tab', async () => {
  const router = createMemoryRouter([{ path: '*', element: <Tabs browsable label="Source" tabs={tabs} /> }], {
    initialEntries: [{ pathname: '/s1', state: onTab('settings') }],
  })
  render(<RouterProvider router={router} />)
  const selected = (): string | null => screen.getByRole('tab', { selected: true }).textContent
  expect(selected()).toBe('Settings')
  expect(router.state.location.hash).toBe('')
  await userEvent.click(screen.getByRole('tab', { name: 'Live events' }))
  expect(selected()).toBe('Live events')
  await act(() => router.navigate({ hash: 'settings' }, { state: onTab('live') }))
  expect(selected()).toBe('Settings')
})

test('if two tabs are chosen in quick succession, the second is shown, even if it was shown before', () => {
  const all = [...tabs, { id: 'setup', name: 'Set up', hash: 'setup', content: 'How to' }]
  const router = createMemoryRouter([{ path: '*', element: <Tabs browsable label="Source" tabs={all} /> }], {
    initialEntries: ['/s1#setup'],
  })
  render(<RouterProvider router={router} />)
  act(() => {
    screen.getByRole('tab', { name: 'Settings' }).click()
    screen.getByRole('tab', { name: 'Set up' }).click()
  })
  expect(screen.getByRole('tab', { selected: true }).textContent).toBe('Set up')
  expect(router.state.location.hash).toBe('#setup')
})

test('UI-38: outside of browsable mode, a tab neither reads nor changes the hash', async () => {
  renderUi(
    <>
      <Tabs label="Source" tabs={tabs} />
      <Where />
    </>,
    '/#settings',
  )
  expect(screen.getByRole('tab', { selected: true }).textContent).toBe('Live events')
  await userEvent.click(screen.getByRole('tab', { name: 'Settings' }))
  expect(screen.getByRole('tabpanel').textContent).toBe('The settings')
  await userEvent.click(screen.getByRole('tab', { name: 'Live events' }))
  expect(screen.getByRole('tabpanel').textContent).toBe('Events')
  expect(screen.getByRole('status').textContent).toBe('#settings')
})

const Anew = () => {
  const tab = useState('live')
  const [turn, setTurn] = useState(0)
  return (
    <>
      <button type="button" onClick={() => setTurn(turn + 1)}>
        Anew
      </button>
      <Tabs key={turn} label="Source" tabs={tabs} chosen={tab} />
    </>
  )
}

test('a selected tab that is stored outside stays selected when the tabs are mounted again', async () => {
  const user = userEvent.setup()
  renderUi(<Anew />)
  await user.click(screen.getByRole('tab', { name: 'Settings' }))
  await user.click(screen.getByRole('button', { name: 'Anew' }))
  expect(screen.getByRole('tab', { name: 'Settings' }).getAttribute('aria-selected')).toBe('true')
})
