// @vitest-environment happy-dom
import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { createMemoryRouter, Outlet } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { afterEach, expect, test, vi } from 'vitest'
import { askServer, serverAnswered } from '../../lib/api/reachability.ts'
import { AppBoundary, WorkspaceError } from './route-error.tsx'
import '../../testing/patience.ts'

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  serverAnswered()
  sessionStorage.clear()
})

test("an error that no route has caught shows the application's error screen, which asks for a refresh (ERR-11)", () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const Broken = (): never => {
    throw new Error('x')
  }
  render(
    <AppBoundary>
      <Broken />
    </AppBoundary>,
  )
  expect(screen.getByRole('heading').textContent).toBe('Ooops, something went wrong!')
  expect(screen.getByRole('alert').textContent).toContain('Refresh the page.')
  expect(screen.getByRole('button', { name: 'Refresh' })).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
})

/** Navigates from a page inside a frame to a page whose code cannot be loaded. */
const leaveForMissing = async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined)
  const missing = 'Failed to fetch dynamically imported module: http://app.test/assets/sources-page-1.js'
  const router = createMemoryRouter([
    {
      Component: () => (
        <>
          <nav>Frame</nav>
          <Outlet />
        </>
      ),
      children: [
        {
          ErrorBoundary: WorkspaceError,
          children: [
            { index: true, element: <h1>Home</h1> },
            { path: 'sources', lazy: () => Promise.reject(new TypeError(missing)) },
          ],
        },
      ],
    },
  ])
  const view = render(<RouterProvider router={router} />)
  await screen.findByRole('heading', { name: 'Home' })
  await act(() => router.navigate('/sources'))
  return { reload, view }
}

test('a page whose code cannot load because the server is unreachable says so in the frame, and loads once the server is back', async () => {
  let away = true
  vi.stubGlobal('fetch', () => (away ? Promise.reject(new TypeError('cut')) : Promise.resolve(new Response('{}'))))
  const { reload } = await leaveForMissing()
  expect(await screen.findByRole('heading', { name: 'Could not load this page' })).toBeTruthy()
  expect(screen.getByRole('alert').textContent).toContain("The server can't be reached.")
  expect(screen.getByText('Frame')).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }))
  await act(() => askServer())
  expect(reload).not.toHaveBeenCalled()
  away = false
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }))
  await waitFor(() => expect(reload).toHaveBeenCalledTimes(1))
})

test('a page whose file a newer build has replaced is reloaded once; if that fails, the frame shows a message', async () => {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('{}')))
  const first = await leaveForMissing()
  await waitFor(() => expect(first.reload).toHaveBeenCalledTimes(1))
  first.view.unmount()
  const second = await leaveForMissing()
  expect(await screen.findByRole('heading', { name: 'Ooops, something went wrong!' })).toBeTruthy()
  expect(screen.getByText('Frame')).toBeTruthy()
  expect(second.reload).toHaveBeenCalledTimes(1)
})
