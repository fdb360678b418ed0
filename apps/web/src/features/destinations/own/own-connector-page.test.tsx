// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { CatalogDestination, OwnConnector } from '@tributary/contract'
import { Route, Routes } from 'react-router'
import { expect, test, vi } from 'vitest'
import { openInWorkspace } from '../../../testing/page.tsx'
import { OwnConnectorPage } from './own-connector-page.tsx'

// Replaces the leave guard, because it needs a router, which these tests do not have.
vi.mock('../../../components/leave-guard.tsx', () => ({ LeaveGuard: () => null }))
// A plain text field replaces the editor.
vi.mock('../../../ui/code/code-mirror.ts', () => {
  throw new Error('cannot be loaded')
})

const name = 'workspaces/w1/ownConnectors/o1'
const time = '2026-01-01T00:00:00Z'
const ownWith = (draft: OwnConnector['draft']): OwnConnector => ({
  name,
  title: 'CRM',
  app: 'catalogDestinations/own-o1-2',
  app_icon: '',
  current_version: 2,
  is_changed: true,
  destination_count: 0,
  create_time: time,
  update_time: time,
  draft,
})
const versionOf = (version: number) => ({
  name: `${name}/versions/${version}`,
  version,
  note: version === 1 ? 'The first' : '',
  created_by: 'Ada',
  create_time: time,
})
const conflict = { code: 409, reason: 'DRAFT_CHANGED', message: 'The draft was changed', metadata: {} }

const app: CatalogDestination = {
  name: 'catalogDestinations/own-o1-3',
  title: 'CRM',
  display_name: 'CRM',
  description: '',
  docs_url: '',
  instance_count: 0,
  extra: { app_icon: '' },
  data_kinds: ['Event Streams'],
  category: 'Automation',
  popular: false,
  abilities: [],
  settings: [],
  guide: [],
  objects: [],
  actions: [],
  row_objects: [],
  api_version: null,
}
const sentRequest = { method: 'DELETE', url: 'https://a.example/contacts/id-1' }
const sentText = JSON.stringify([{ ...sentRequest, headers: {} }])
const triedResult = {
  problems: [],
  event: '',
  preset: '',
  action: 'remove',
  payload: '{"id":"id-1"}',
  calls: [{ request: { ...sentRequest, headers: [], body: '' }, response: null, reason: 'No answer', latency_ms: 1 }],
  outcome: 'retry',
  reason: '',
}

/** Opens the editor of a draft with revision 1. Another user can save the draft that `theirs` gets. */
const open = (role = 'ORG_ADMIN', first = '{"a":1}') => {
  const saved: Record<string, unknown>[] = []
  const tried: Record<string, unknown>[] = []
  let stored = { description: first, guide: '', revision: 1 }
  const answers = (path: string, init?: RequestInit): Response | undefined => {
    const body = typeof init?.body === 'string' ? (JSON.parse(init.body) as Record<string, unknown>) : {}
    if (path === `/${name}` && init?.method === 'PATCH') {
      if (body.draft_revision !== stored.revision) return Response.json(conflict, { status: 409 })
      const { draft_revision: revision, ...change } = body
      saved.push(body)
      stored = { ...stored, ...change, revision: Number(revision) + 1 }
    }
    if (path === `/${name}`) return Response.json(ownWith(stored))
    if (path === `/${name}/versions`)
      return Response.json({ versions: [versionOf(2), versionOf(1)], next_page_token: '' })
    if (path === `/${name}/versions/1`)
      return Response.json({ ...versionOf(1), description: '{"old":true}', guide: '## Old' })
    if (path === `/${name}:check`) {
      const vector = { path: 'vectors.rows.0', name: '', ok: false, message: '', expected: '[]', actual: sentText }
      return Response.json({ ok: true, problems: [], vectors: [vector], destinations: [], app })
    }
    if (path === `/${name}:try`) {
      tried.push(body)
      return Response.json(triedResult)
    }
    return undefined
  }
  const page = (
    <Routes>
      <Route path="/own/:ownConnectorId" element={<OwnConnectorPage />} />
    </Routes>
  )
  return {
    ...openInWorkspace(page, { role, at: '/own/o1', answers }),
    saved,
    tried,
    theirs: (draft: { description?: string; guide?: string }): void => {
      stored = { ...stored, ...draft, revision: stored.revision + 1 }
    },
  }
}

const description = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Description as JSON' })
const edit = async (value: string): Promise<void> => {
  fireEvent.change(await description(), { target: { value } })
}
const press = async (button: string): Promise<void> =>
  userEvent.click(await screen.findByRole('button', { name: button }))
const conflicting = 'Another user has saved this draft in the meantime.'

test('a draft that another user has saved is not overwritten, and can be loaded', async () => {
  const { saved, theirs } = open()
  await edit('{"a":"mine"}')
  theirs({ description: '{"a":"theirs"}' })
  await press('Save draft')
  expect(await screen.findByText(conflicting)).toBeDefined()
  expect([saved, (await description()).value]).toEqual([[], '{"a":"mine"}'])
  await press('Load that draft')
  await waitFor(async () => expect((await description()).value).toBe('{"a":"theirs"}'))
  expect(screen.queryByText(conflicting)).toBeNull()
  expect(screen.queryByText('Not saved')).toBeNull()
})

test('a draft saved over that of another user is exactly what the editor shows', async () => {
  const { saved, theirs } = open()
  await edit('{"a":"mine"}')
  theirs({ guide: '## Theirs' })
  await press('Save draft')
  await press('Save mine over it')
  await waitFor(() => expect(saved).toEqual([{ description: '{"a":"mine"}', guide: '', draft_revision: 2 }]))
  await waitFor(() => expect(screen.queryByText('Not saved')).toBeNull())
  expect(screen.queryByText(conflicting)).toBeNull()
  await userEvent.click(screen.getByRole('tab', { name: 'Guide' }))
  expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Guide' }).value).toBe('')
})

test('an earlier version is restored as a draft that is not saved yet', async () => {
  const { saved } = open()
  await userEvent.click(await screen.findByRole('tab', { name: 'Versions' }))
  await press('View version 1')
  const dialog = within(await screen.findByRole('dialog', { name: 'Version 1' }))
  const restore = dialog.getByRole('button', { name: 'Restore as draft' })
  await waitFor(() => expect(restore).toHaveProperty('disabled', false))
  await userEvent.click(restore)
  expect((await description()).value).toBe('{"old":true}')
  expect([screen.getByText('Not saved').textContent, saved]).toEqual(['Not saved', []])
  expect(screen.getByRole('button', { name: 'Publish' })).toHaveProperty('disabled', true)
  await press('Save draft')
  await waitFor(() => expect(saved).toEqual([{ description: '{"old":true}', guide: '## Old', draft_revision: 1 }]))
})

test('a guest sees the texts and versions of an own connector, and cannot change, check, or export it', async () => {
  const { asked, settled } = open('ORG_GUEST')
  expect((await description()).readOnly).toBe(true)
  expect(await screen.findByText(/As a guest, you can view these settings/)).toBeDefined()
  await press('View version 1')
  expect(await screen.findByRole('dialog', { name: 'Version 1' })).toBeDefined()
  await settled()
  const buttons = screen
    .getAllByRole('button', { hidden: true })
    .map(({ textContent, ariaLabel }) => ariaLabel ?? textContent)
  for (const button of ['Save draft', 'Publish', 'Export', 'Delete', 'Restore as draft'])
    expect(buttons).not.toContain(button)
  expect(asked.filter((path) => path.endsWith(':check'))).toEqual([])
})

test('a row of a sync is tried as it was entered, and kept as a vector', async () => {
  const whole = {
    actions: { put: { fields: { id: {}, plan: {} } }, remove: { fields: { id: {} } } },
    objects: [
      { name: 'events' },
      {
        name: 'contacts',
        title: 'Contacts',
        rows: { upsert: 'put', delete: 'remove', identifiers: ['id'] },
      },
    ],
  }
  const { tried } = open('ORG_ADMIN', JSON.stringify(whole))
  await userEvent.click(await screen.findByRole('tab', { name: 'Try it' }))
  await userEvent.selectOptions(await screen.findByRole('combobox', { name: 'What is sent' }), 'The row below')
  expect(screen.getByText('Fields: id, plan')).toBeDefined()
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Operation' }), 'Delete')
  await press('Send')
  const row = { object: 'contacts', operation: 'delete', identifier: 'id', list: '' }
  await waitFor(() => expect(tried).toMatchObject([{ kind: 'row', row }]))
  await press('Keep as vector')
  const { list: _, ...kept } = row
  const vector = { ...kept, name: 'Tried remove', settings: {}, rows: [{ id: 'id-1' }] }
  await waitFor(async () =>
    expect(JSON.parse((await description()).value)).toEqual({
      ...whole,
      vectors: { rows: [{ ...vector, requests: [{ ...sentRequest, headers: {} }] }] },
    }),
  )
})
