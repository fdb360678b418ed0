// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { FoundObject, Workspace } from '@tributary/contract'
import { createMemoryRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { clearRecent, useRecent } from '../../lib/browser/recent.ts'
import { openCommand } from '../../lib/keyboard/command.ts'
import { clearSession, signIn } from '../../lib/people/session.ts'
import { WorkspaceProvider } from '../../lib/workspace.ts'
import { TooltipProvider } from '../../ui/overlays/tooltip.tsx'
import { areasOf } from '../areas.ts'
import { CommandPalette } from './command-palette.tsx'
import '../../testing/patience.ts'

const user = {
  name: 'users/u1',
  id: 'u1',
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'L',
  photo_url: '',
  create_time: '2026-01-01T00:00:00Z',
  is_admin: false,
}
const workspace: Workspace = {
  name: 'workspaces/w1',
  title: 'Production',
  organization: null,
  create_time: '2026-01-01T00:00:00Z',
}
const found = (title: string): FoundObject => ({
  name: `workspaces/w1/sources/${title.toLowerCase().replaceAll(' ', '-')}`,
  kind: 'source',
  title,
  app: { display_name: 'HTTP API', extra: { app_icon: '' } },
})

let searches: string[]
let answers: (search: string) => { objects: FoundObject[]; complete: boolean }
/** A fake server that answers the calls of the palette. */
const serve = async (input: RequestInfo | URL): Promise<Response> => {
  const { pathname, searchParams } = new URL(String(input instanceof Request ? input.url : input), 'http://app.test')
  if (pathname === '/api/workspaces/w1:search') {
    const search = searchParams.get('search') ?? ''
    searches.push(search)
    return Response.json(answers(search))
  }
  if (pathname === '/api/users/u1') return Response.json(user)
  return Response.json({ memberships: [], catalog_sources: [], catalog_destinations: [], next_page_token: '' })
}

beforeEach(() => {
  searches = []
  clearRecent()
  vi.stubGlobal('fetch', serve)
  signIn({ access_token: 't', set_password_otp_token: '', courier_token: '', intercom_token: '', user })
})
afterEach(() => {
  cleanup()
  clearSession()
  vi.unstubAllGlobals()
})

const open = () => {
  openCommand('palette')
  const areas = areasOf(workspace.name, { audiences: true, syncs: false, signals: false })
  const palette = <CommandPalette open onClose={() => undefined} workspace={workspace} areas={areas} />
  const router = createMemoryRouter([{ path: '*', element: palette }], { initialEntries: ['/workspaces/w1'] })
  render(
    <QueryClientProvider client={new QueryClient()}>
      <TooltipProvider>
        <WorkspaceProvider value={workspace}>
          <RouterProvider router={router} />
        </WorkspaceProvider>
      </TooltipProvider>
    </QueryClientProvider>,
  )
  return router
}
const shown = () => screen.queryAllByRole('option').map(({ textContent }) => textContent)

test('if all objects fit into one response, typing searches them without another call', async () => {
  answers = () => ({ objects: [found('Web shop'), found('Till')], complete: true })
  const router = open()
  await waitFor(() => expect(shown()).toContain('Web shopHTTP API · Source'))
  await userEvent.type(screen.getByRole('combobox'), 'wsh')
  await waitFor(() => expect(shown()).toEqual(['Web shopHTTP API · Source']))
  await userEvent.keyboard('{Enter}')
  expect(router.state.location.pathname).toBe('/workspaces/w1/sources/web-shop')
  expect(searches).toEqual([''])
  expect(useRecent.getState().byWorkspace[workspace.name]).toMatchObject([{ object: { title: 'Web shop' } }])
})

test('in a workspace with more objects, the server searches for the text after a pause in typing', async () => {
  answers = (search) =>
    search === ''
      ? { objects: [found('Web shop')], complete: false }
      : { objects: [found('Source 4711')], complete: true }
  open()
  await waitFor(() => expect(searches).toEqual(['']))
  await userEvent.type(screen.getByRole('combobox'), '4711')
  await waitFor(() => expect(shown()).toContain('Source 4711HTTP API · Source'))
  expect(searches.at(-1)).toBe('4711')
  // The calls for other texts were canceled before they were sent, unless typing paused long enough.
  expect(new Set(searches).size).toBe(searches.length)
})

test('a page is found by its name, and actions without permission are not offered', async () => {
  answers = () => ({ objects: [], complete: true })
  open()
  await waitFor(() => expect(shown()).toContain('HomeGH'))
  expect(shown()).not.toContain('New source')
  await userEvent.type(screen.getByRole('combobox'), 'change pass')
  await waitFor(() => expect(shown()).toEqual(['Change passwordMy Account']))
})

test('a tab of an object is found by the names of both, even if the server must find the object', async () => {
  answers = (search) =>
    search === 'shop' ? { objects: [found('Web shop')], complete: true } : { objects: [], complete: false }
  const router = open()
  await waitFor(() => expect(searches).toEqual(['']))
  await userEvent.type(screen.getByRole('combobox'), 'shop viol')
  await waitFor(() => expect(shown()).toEqual(['Web shop: ViolationsSource']))
  await userEvent.keyboard('{Enter}')
  expect(router.state.location).toMatchObject({ pathname: '/workspaces/w1/sources/web-shop', hash: '#violations' })
})

test('a text that looks like an ID links to the events of that user; a word that matches a name does not', async () => {
  answers = () => ({ objects: [found('Web shop')], complete: true })
  const router = open()
  await waitFor(() => expect(shown()).toContain('Web shopHTTP API · Source'))
  await userEvent.type(screen.getByRole('combobox'), 'shop')
  await waitFor(() => expect(shown()).toEqual(['Web shopHTTP API · Source']))
  await userEvent.clear(screen.getByRole('combobox'))
  await userEvent.type(screen.getByRole('combobox'), 'customer-7')
  await waitFor(() => expect(shown()).toEqual(['Events of user “customer-7”', 'Events with message ID “customer-7”']))
  await userEvent.keyboard('{Enter}')
  expect(router.state.location).toMatchObject({ pathname: '/workspaces/w1/events', search: '?user=customer-7' })
})
