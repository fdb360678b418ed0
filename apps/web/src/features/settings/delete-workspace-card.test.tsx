// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { openInWorkspace } from '../../testing/page.tsx'
import { useNotices } from '../../ui/overlays/toast.tsx'
import { DeleteWorkspaceCard } from './delete-workspace-card.tsx'

test('a workspace is deleted only after its name was typed; the last one stays, and the reason is shown', async () => {
  useNotices.setState({ waiting: [] })
  const message = 'This is the only workspace of the organization.'
  const sent: unknown[] = []
  openInWorkspace(<DeleteWorkspaceCard workspace={{ name: 'workspaces/w1', title: 'Staging' }} />, {
    answers: (path, init) => {
      if (path !== '/workspaces/w1:delete') return undefined
      sent.push(JSON.parse(typeof init?.body === 'string' ? init.body : '{}'))
      return sent.length > 1
        ? Response.json({})
        : Response.json({ code: 409, reason: 'LAST_WORKSPACE', message, metadata: {} }, { status: 409 })
    },
  })
  await userEvent.click(screen.getByRole('button', { name: 'Delete workspace' }))
  const dialog = await screen.findByRole('dialog', { name: 'Delete workspace' })
  const button = [...dialog.querySelectorAll('button')].find(({ textContent }) => textContent === 'Delete workspace')
  if (button === undefined) throw new Error('there is no button')
  await userEvent.click(button)
  expect(await screen.findByText('Type Staging')).toBeTruthy()
  expect(sent).toEqual([])
  await userEvent.type(screen.getByRole('textbox', { name: 'Type "Staging" to confirm' }), 'Staging')
  await userEvent.click(button)
  expect(await screen.findByText(message)).toBeTruthy()
  expect(useNotices.getState().waiting).toEqual([])
  await userEvent.click(button)
  await expect.poll(() => useNotices.getState().waiting.map(({ title }) => title)).toEqual(['Workspace deleted'])
  expect(sent).toEqual([{ title: 'Staging' }, { title: 'Staging' }])
})
