// @vitest-environment happy-dom
import { act, cleanup, render, waitFor } from '@testing-library/react'
import { createMemoryRouter, Outlet } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useKnownConfig } from '../lib/config.ts'
import { flushAnalytics } from '../lib/integrations/analytics.ts'
import { clearSession, signIn } from '../lib/people/session.ts'
import { Observers } from './observers.tsx'
import '../testing/patience.ts'

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
const config = {
  sign_up_enabled: true,
  oauth: null,
  links: { terms: '', privacy: '', pricing: '', contact_sales: '', documentation: '', support_email: '' },
  sentry_dsn: '',
  environment: 'production',
  messaging_app_id: '',
  stripe_publishable_key: '',
  analytics_write_key: 'KEY',
  mail_enabled: true,
  payment: 'none',
}

type Sent = { type: string; properties?: { path: string }; traits?: { email: string }; userId?: string }
let asked: string[]
let sent: Sent[]

/** A fake server that answers the calls of the observers. */
const serve = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
  const { pathname } = new URL(String(input instanceof Request ? input.url : input), 'http://app.test')
  asked.push(pathname)
  if (pathname === '/v1/batch') sent.push(...JSON.parse(await new Response(init?.body).text()).batch)
  if (pathname === '/api/config') return Response.json(config)
  if (pathname === '/api/users/u1') return Response.json(user)
  if (pathname.endsWith('/memberships')) return Response.json({ memberships: [], next_page_token: '' })
  return Response.json({ flags: [] })
}

beforeEach(() => {
  asked = []
  sent = []
  vi.stubGlobal('fetch', serve)
  clearSession()
  useKnownConfig.setState({ config: undefined, failure: undefined })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const open = (path: string) => {
  const router = createMemoryRouter(
    [
      {
        path: '*',
        Component: () => (
          <>
            <Observers />
            <Outlet />
          </>
        ),
      },
    ],
    { initialEntries: [path] },
  )
  render(<RouterProvider router={router} />)
  return router
}

/** Returns the sent events, after the queue is empty. */
const flushed = async (): Promise<Sent[]> => {
  await waitFor(() => expect(asked).toContain('/api/config'))
  await flushAnalytics()
  return sent
}

test('OBS-05: every route change is one page view, with its path but without query and hash', async () => {
  const router = open('/auth/login?email=a')
  await act(() => router.navigate('/workspaces/w1/sources#setup'))
  await act(() => router.navigate('/workspaces/w1/sources#settings'))
  await act(() => router.navigate('/workspaces/w1/destinations?token=secret'))
  const pages = (await flushed()).filter(({ type }) => type === 'page')
  expect(pages.map(({ properties }) => properties?.path)).toEqual([
    '/auth/login',
    '/workspaces/w1/sources',
    '/workspaces/w1/destinations',
  ])
  expect(JSON.stringify(sent)).not.toContain('secret')
})

test('OBS-06: the user is identified once, when the session starts, and memberships are loaded, too', async () => {
  const router = open('/auth/login')
  expect(asked.some((path) => path.endsWith('/memberships'))).toBe(false)
  act(() => signIn({ access_token: 't', set_password_otp_token: '', courier_token: '', intercom_token: '', user }))
  await waitFor(() => expect(asked).toContain('/api/users/u1/memberships'))
  await act(() => router.navigate('/'))
  await waitFor(async () => {
    await flushAnalytics()
    expect(sent.some(({ type }) => type === 'identify')).toBe(true)
  })
  const identified = (await flushed()).filter(({ type }) => type === 'identify')
  expect(identified).toHaveLength(1)
  expect(identified[0]).toMatchObject({ userId: 'users/u1', traits: { email: 'ada@example.com', firstName: 'Ada' } })
})
