// @vitest-environment happy-dom
import { act, cleanup, render, screen } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { afterEach, expect, test } from 'vitest'
import type { LiveEvent } from './live-event.ts'
import { noFilters } from './live-filters.ts'
import { useLiveAddress } from './use-live-address.ts'

afterEach(cleanup)

const source = 'workspaces/1/sources/2'
const event = { eventId: '0-1-0' } as LiveEvent

/** Renders the page together with its URL, after another page. */
const show = () => {
  let live: ReturnType<typeof useLiveAddress> | undefined
  const Page = () => {
    live = useLiveAddress(source, noFilters, () => {})
    return <p>{`open: ${live.openId ?? 'none'}`}</p>
  }
  const router = createMemoryRouter(
    [
      { path: '/before', element: <p>before</p> },
      { path: '/workspaces/1/sources/2', element: <Page /> },
    ],
    { initialEntries: ['/before', `/${source}#live`], initialIndex: 1 },
  )
  render(<RouterProvider router={router} />)
  return { router, open: () => live?.open(event), close: () => live?.close() }
}
const settled = () => act(async () => await new Promise((resolve) => setTimeout(resolve, 20)))

test('closing an event before its URL is shown does not leave the page', async () => {
  const { router, open, close } = show()
  await act(async () => {
    open()
  })
  act(() => {
    close()
    close()
  })
  await settled()
  expect(screen.getByText('open: none')).toBeTruthy()
  expect(router.state.location.pathname).toBe(`/${source}`)
})

test('closing twice goes back only one step', async () => {
  const { router, open, close } = show()
  open()
  await settled()
  expect(screen.getByText('open: 0-1-0')).toBeTruthy()
  act(() => {
    close()
    close()
  })
  await settled()
  expect(screen.getByText('open: none')).toBeTruthy()
  expect(router.state.location.pathname).toBe(`/${source}`)
  // The event can be opened and closed again.
  open()
  await settled()
  act(() => close())
  await settled()
  expect(router.state.location.pathname).toBe(`/${source}`)
})
