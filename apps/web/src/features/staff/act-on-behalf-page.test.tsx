// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { FoundWorkspace } from '@tributary/contract'
import { expect, test } from 'vitest'
import { openInWorkspace, workspaceOn } from '../../testing/page.tsx'
import { ActOnBehalfPage } from './act-on-behalf-page.tsx'
import { workspaceOption } from './workspace-finder.tsx'

const { organization } = workspaceOn('plans/free')
const found = (id: string, people: FoundWorkspace['people'] = []): FoundWorkspace => ({
  workspace: {
    name: `workspaces/${id}`,
    title: 'Harbor',
    organization: organization && { ...organization, display_name: 'Zephyr Sails' },
    create_time: '2026-01-01T00:00:00Z',
  },
  people,
})

test('an option names organization, workspace and matching members; a member without a name is shown once', () => {
  const noor = { first_name: 'Noor', last_name: 'Quist', email: 'noor@zephyr.example' }
  const bare = { first_name: '', last_name: '', email: 'ops@zephyr.example' }
  expect(workspaceOption(found('w-zephyr', [noor, bare]))).toEqual({
    value: 'w-zephyr',
    title: 'Zephyr Sails · Harbor',
    note: 'Noor Quist noor@zephyr.example, ops@zephyr.example',
  })
})

test('staff find a workspace by name, without its ID', async () => {
  const user = userEvent.setup()
  const { asked } = openInWorkspace(<ActOnBehalfPage />, {
    answers: (path) =>
      path === '/workspaces:find' ? Response.json({ workspaces: [found('w-zephyr')], next_page_token: '' }) : undefined,
  })
  const finder = screen.getByRole('combobox', { name: 'Find a workspace' })
  await user.click(finder)
  await user.keyboard('zeph')
  await user.click(await screen.findByRole('option', { name: /Zephyr Sails · Harbor/ }))
  expect(screen.getByRole('textbox', { name: /Workspace ID/ })).toHaveProperty('value', 'w-zephyr')
  expect(finder.textContent).toBe('Zephyr Sails · Harbor')
  // Letters typed in quick succession become one search.
  expect(asked.filter((path) => path === '/workspaces:find')).toHaveLength(1)
})

test('a search without a match and a failed search are reported', async () => {
  const user = userEvent.setup()
  let failed = false
  openInWorkspace(<ActOnBehalfPage />, {
    answers: (path) => {
      if (path !== '/workspaces:find') return undefined
      return failed
        ? Response.json({ code: 500, reason: 'X', message: 'Internal error', metadata: {} }, { status: 500 })
        : Response.json({ workspaces: [], next_page_token: '' })
    },
  })
  await user.click(screen.getByRole('combobox', { name: 'Find a workspace' }))
  await screen.findByText('Type to search')
  await user.keyboard('none')
  await screen.findByText('No matches')
  failed = true
  await user.keyboard('!')
  await screen.findByText('The search failed. Type again to retry.')
})

test('the workspace from the link in the list of organizations is selected', () => {
  openInWorkspace(<ActOnBehalfPage />, { at: '/?workspace=w-zephyr', answers: () => undefined })
  expect(screen.getByRole('textbox', { name: /Workspace ID/ })).toHaveProperty('value', 'w-zephyr')
})
