// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test } from 'vitest'
import { openInWorkspace } from '../../testing/page.tsx'
import { useNotices } from '../../ui/overlays/toast.tsx'
import { DeleteOrganizationCard } from './delete-organization-card.tsx'

const usage = {
  workspaces: 2,
  sources: 1,
  profiles: 0,
  destinations: 3,
  audiences: 0,
  syncs: 1,
  members: 4,
  events: 0,
  period_end_time: '2026-04-01T00:00:00.000Z',
  limits: null,
}
const deleted: string[] = []
beforeEach(() => {
  deleted.length = 0
  useNotices.setState({ waiting: [] })
})

const open = async (refusal?: object) => {
  openInWorkspace(<DeleteOrganizationCard organization={{ name: 'organizations/o1', display_name: 'Acme' }} />, {
    answers: (path, init) => {
      if (path === '/organizations/o1/usage') return Response.json(usage)
      if (path !== '/organizations/o1:delete' || init?.method !== 'POST') return undefined
      deleted.push(path)
      return refusal === undefined ? Response.json({}) : Response.json(refusal, { status: 409 })
    },
  })
  await userEvent.click(screen.getByRole('button', { name: 'Delete organization' }))
  const dialog = await screen.findByRole('dialog', { name: 'Delete organization' })
  await screen.findByText(/2 workspaces, with 1 source, 3 destinations, 1 sync, and 0 audiences/)
  const button = [...dialog.querySelectorAll('button')].find(({ textContent }) => textContent === 'Delete organization')
  if (button === undefined) throw new Error('there is no button')
  return { button, field: screen.getByRole('textbox', { name: 'Type "Acme" to confirm' }) }
}

test('an organization is deleted only after its name was typed, and the dialog lists what is deleted', async () => {
  const { button, field } = await open()
  await userEvent.click(button)
  expect(await screen.findByText('Type Acme')).toBeTruthy()
  await userEvent.type(field, 'acme')
  await userEvent.click(button)
  expect(deleted).toEqual([])
  await userEvent.clear(field)
  await userEvent.type(field, 'Acme')
  await userEvent.click(button)
  await expect.poll(() => useNotices.getState().waiting.map(({ title }) => title)).toEqual(['Organization deleted'])
  expect(deleted).toHaveLength(1)
})

test('an organization that cannot be deleted now stays, and the reason is shown', async () => {
  const message = 'The subscription of this organization is being changed. Try again in a minute.'
  const { button, field } = await open({ code: 409, reason: 'BUSY', message, metadata: {} })
  await userEvent.type(field, 'Acme')
  await userEvent.click(button)
  expect(await screen.findByText(message)).toBeTruthy()
  expect(useNotices.getState().waiting).toEqual([])
})
