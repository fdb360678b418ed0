// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react'
import { type Audience, audienceQuery, type Sync } from '@tributary/contract'
import { expect, test } from 'vitest'
import { openInWorkspace } from '../../testing/page.tsx'
import { aSync } from '../../testing/syncs.ts'
import { SettingsTab } from './settings-tab.tsx'

const time = '2026-01-01T00:00:00Z'
const queries = [{ id: 'cccc', type: 'event', selectedEvent: 'Seen' }]
const audience: Audience = {
  name: 'workspaces/w/audiences/a',
  title: 'Loyal',
  state: 'live',
  progress: null,
  size: 2,
  as_of: time,
  destination_count: 0,
  sync_count: 0,
  create_time: time,
  update_time: time,
  query: audienceQuery.parse({ groups: { aaaa: { segments: [{ id: 'bbbb', queries }] } } }),
  version: 1,
  failure: '',
  change_time: null,
  entered_count: 0,
  left_count: 0,
  author: '',
  dependents: [],
  list: null,
  warnings: [],
}

/** Renders the tab of an audience with some connected destinations, and opens the dialog that deletes it. */
const ask = async (titles: readonly string[], syncs: readonly Sync[] = []): Promise<string> => {
  const destinations = titles.map((title) => ({
    name: `workspaces/w/destinations/${title}`,
    title,
    app: { display_name: 'Webhook', extra: { app_icon: '' } },
    state: 'live',
    enabled: true,
    fill_count: 0,
    fill_sent_count: 0,
    connect_time: time,
    waiting_count: 0,
    dead_count: 0,
    last_error: '',
  }))
  openInWorkspace(<SettingsTab audience={audience} />, {
    answers: (path) =>
      path.endsWith('/syncs')
        ? Response.json({ syncs, next_page_token: '' })
        : path.endsWith('/destinations')
          ? Response.json({ destinations, available: [], next_page_token: '' })
          : undefined,
  })
  fireEvent.click(await screen.findByRole('button', { name: 'Delete audience' }))
  const dialog = await screen.findByRole('dialog')
  await screen.findByText(/This can't be undone\./)
  return dialog.textContent
}

test('deleting an audience lists the destinations that are disconnected', async () => {
  expect(await ask(['Shop', 'Mail', 'Archive'])).toContain('Shop, Mail, and Archive are disconnected')
})

test('deleting an audience lists the syncs that are deleted with it, and no others', async () => {
  const of = aSync({ title: 'Loyal to CRM', model: { name: 'm1', title: 'Loyal', audience: audience.name } })
  await ask([], [of, aSync({ name: 'workspaces/w1/syncs/s2', title: 'Shop to CRM' })])
  const { textContent } = await screen.findByText(/^Its sync Loyal to CRM is deleted, too\./)
  expect(textContent).not.toContain('Shop to CRM')
})

test('deleting an audience lists the syncs that no longer run because they run after one of its syncs', async () => {
  const of = aSync({ title: 'Loyal to CRM', model: { name: 'm1', title: 'Loyal', audience: audience.name } })
  const after = { name: of.name, title: of.title }
  await ask([], [of, aSync({ name: 'workspaces/w1/syncs/s2', title: 'Shop to CRM', after })])
  expect(await screen.findByText(/Shop to CRM runs after it and will no longer run automatically\./)).toBeTruthy()
})

test('until the syncs of an audience are loaded, its dependents are not shown and it cannot be deleted', async () => {
  const answered = Promise.withResolvers<Response>()
  openInWorkspace(<SettingsTab audience={audience} />, {
    answers: (path) =>
      path.endsWith('/syncs')
        ? answered.promise
        : path.endsWith('/destinations')
          ? Response.json({ destinations: [], available: [], next_page_token: '' })
          : undefined,
  })
  fireEvent.click(await screen.findByRole('button', { name: 'Delete audience' }))
  const dialog = await screen.findByRole('dialog')
  expect(dialog.textContent).toContain('Checking what depends on it…')
  expect(dialog.textContent).not.toContain('Nothing depends')
  answered.resolve(Response.json({ syncs: [], next_page_token: '' }))
  expect(await screen.findByText(/Nothing depends on Loyal\./)).toBeTruthy()
})

test('the dialog that deletes an audience without dependents says so', async () => {
  expect(await ask([])).toContain("Nothing depends on Loyal. This can't be undone.")
})

test('an audience to which others refer cannot be deleted, and links to them', async () => {
  const dependents = [{ name: 'workspaces/w/audiences/b', title: 'Lapsed' }]
  openInWorkspace(<SettingsTab audience={{ ...audience, dependents }} />, { answers: () => undefined })
  expect((await screen.findByRole('link', { name: 'Lapsed' })).getAttribute('href')).toContain('/audiences/b')
  expect(screen.queryByRole('button', { name: 'Delete audience' })).toBeNull()
})
