// @vitest-environment happy-dom
import { QueryClient } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { remember } from '../../lib/browser/recent.ts'
import { markDone, setTheme, useUi } from '../../lib/browser/ui-store.ts'
import { setReportedUser, startErrorReporting } from '../../lib/integrations/error-reporting.ts'
import { saveInvitation } from '../../lib/people/saved-invitation.ts'
import { useSession } from '../../lib/people/session.ts'
import { forgetUser } from './forget-user.ts'
import { saveSignUp } from './saved-sign-up.ts'

test('AUTH-35, AUTH-36: signing out removes everything about the user from storage and query cache', () => {
  localStorage.setItem('tributary-sign-in-verifier', 'v'.repeat(56))
  localStorage.setItem('tributary-sign-in-state', 's')
  saveSignUp({ email: 'a@b.co', sentAt: 1 })
  saveInvitation({ kind: 'invitation', id: 'i1', token: 't' })
  useSession.setState({ accessToken: 'secret-token', currentUserResourceName: 'users/u1', courierToken: 'courier' })
  markDone('tour')
  setTheme('dark')
  useUi.setState({ lastWorkspace: 'workspaces/w1' })
  const cache = new QueryClient()
  cache.setQueryData(['config'], { sign_up_enabled: true })
  cache.setQueryData(['user', 'users/u1'], { email: 'a@b.co' })

  remember('workspaces/w1', { id: 'secret-token' })
  forgetUser(cache)

  expect(Object.keys(localStorage).toSorted()).toEqual(['tributary-session', 'tributary-ui'])
  expect(JSON.stringify(localStorage)).not.toMatch(/secret-token|courier"|users\/u1|workspaces\/w1|tour/)
  expect(useUi.getState().theme).toBe('dark')
  expect(
    cache
      .getQueryCache()
      .getAll()
      .map(({ queryKey }) => queryKey),
  ).toEqual([['config']])
})

test('AUTH-37: signing out resets the user of error reporting', async () => {
  const setUser = vi.fn<(user: { id: string } | null) => void>()
  const config = { sentry_dsn: 'https://key@errors.example.com/1', environment: 'production' } as const
  setReportedUser('users/u1')
  await startErrorReporting(config, async () => ({ setUser, captureException: () => '' }))
  expect(setUser).toHaveBeenLastCalledWith({ id: 'users/u1' })
  forgetUser(new QueryClient())
  expect(setUser).toHaveBeenLastCalledWith(null)
})

test("signing out ends the messaging widget's session", () => {
  const messenger = vi.fn()
  vi.stubGlobal('Intercom', messenger)
  forgetUser(new QueryClient())
  expect(messenger).toHaveBeenCalledExactlyOnceWith('shutdown')
  vi.unstubAllGlobals()
})
