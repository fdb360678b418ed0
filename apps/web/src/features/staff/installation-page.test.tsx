// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { openInWorkspace } from '../../testing/page.tsx'
import { InstallationPage } from './installation-page.tsx'

const part = (key: string, group: string, state: string) => ({
  key,
  group,
  title: `Title of ${key}`,
  state,
  detail: `Detail of ${key}.`,
  settings: [`SETTING_OF_${key.toUpperCase()}`],
  docs: 'configuration#the-sandbox',
})

test('platform admins see which parts are configured and which are not, and the setting to copy', async () => {
  const parts = [
    part('email', 'Reach', 'missing'),
    part('payment', 'Billing', 'set'),
    part('log', 'Engines', 'built_in'),
  ]
  const held = {
    name: 'workspaces/w2/heldWork/h1',
    kind: 'call',
    title: 'Call of models.preview',
    target: '',
    workspace_title: 'Shop of others',
    reason: 'It stopped the thread main at models.preview',
    times: 2,
    last_time: '2026-03-04T05:06:07.000Z',
    hold_time: '2026-03-04T05:06:07.000Z',
    releases: 0,
    release_time: null,
  }
  const { settled } = openInWorkspace(<InstallationPage />, {
    answers: (path) =>
      path === '/installation'
        ? Response.json({ version: '1.2.3', parts })
        : path.startsWith('/heldWork')
          ? Response.json({ held_work: [held], next_page_token: '' })
          : undefined,
  })
  await settled()
  expect(screen.getByText(/version 1\.2\.3/)).toBeTruthy()
  expect(screen.getByText(/1 of 3 are not set/)).toBeTruthy()
  expect(screen.getByText(/Shop of others/)).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Try Call of models.preview again' })).toBeTruthy()
  expect(screen.getAllByText(/^(Set|Not set|Built in)$/).map(({ textContent }) => textContent)).toEqual([
    'Not set',
    'Set',
    'Built in',
  ])
  const settings = screen.getByRole('list', { name: 'Settings of Title of email' })
  expect(within(settings).getByRole('button', { name: 'Copy SETTING_OF_EMAIL' })).toBeTruthy()
  expect(screen.getByRole('link', { name: /^Docs for Title of payment/ }).getAttribute('href')).toBe(
    '/docs/configuration#the-sandbox',
  )
  await userEvent.click(screen.getByRole('button', { name: 'Show what is not set' }))
  expect(screen.queryByText('Title of payment')).toBeNull()
  expect(screen.getByText('Title of email')).toBeTruthy()
})
