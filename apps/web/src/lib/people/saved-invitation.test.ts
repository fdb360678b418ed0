// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { acceptSaved } from './accept-invitation.ts'
import { saveInvitation, takeInvitation } from './saved-invitation.ts'
import { useSession } from './session.ts'

const organization = {
  name: 'organizations/o1',
  title: 'Acme',
  display_name: 'Acme',
  industry: 'other',
  extra: { logo: '' },
  auto_join_domain: '',
  subscription: { name: '', extra: { plan_name: 'plans/free' } },
  create_time: '2026-01-01T00:00:00Z',
}

let asked: { path: string; body: unknown; authorization: string | null }[] = []
let status = 200

beforeEach(() => {
  localStorage.clear()
  asked = []
  status = 200
  useSession.setState({ accessToken: 'new-token', currentUserResourceName: 'users/u1' })
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    asked.push({
      path,
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
      authorization: new Headers(init.headers).get('authorization'),
    })
    return Response.json(
      status === 200 ? { organization } : { code: status, reason: 'GONE', message: 'used', metadata: {} },
      { status },
    )
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

test('REG-16: a saved invitation is accepted once, with the token of the new session', async () => {
  saveInvitation({ kind: 'invitation', id: 'i1', token: 'secret' })
  expect(await acceptSaved()).toMatchObject({ joined: { name: 'organizations/o1' } })
  expect(asked).toEqual([
    { path: '/api/invitations/i1:accept', body: { token: 'secret' }, authorization: 'Bearer new-token' },
  ])
  expect(await acceptSaved()).toBeUndefined()
  expect(asked).toHaveLength(1)
  expect(localStorage.getItem('tributary-saved-invitation')).toBeNull()
})

test('REG-16: a saved invitation link is accepted for the new user', async () => {
  saveInvitation({ kind: 'link', organization: 'o1', id: 'l1' })
  await acceptSaved()
  expect(asked).toEqual([
    {
      path: '/api/organizations/o1/invitationlinks/l1:accept',
      body: { user: 'users/u1' },
      authorization: 'Bearer new-token',
    },
  ])
})

test('REG-17: without a saved invitation, none is accepted', async () => {
  expect(await acceptSaved()).toBeUndefined()
  expect(asked).toEqual([])
})

test('REG-18: a refused invitation is returned with its error and deleted from storage', async () => {
  saveInvitation({ kind: 'invitation', id: 'i1', token: 'secret' })
  status = 410
  expect(await acceptSaved()).toMatchObject({ refused: { status: 410, message: 'used' } })
  expect(localStorage.getItem('tributary-saved-invitation')).toBeNull()
})

test('a saved invitation is valid for 7 days, and values of an unknown form are ignored', () => {
  saveInvitation({ kind: 'link', organization: 'o1', id: 'l1' })
  vi.useFakeTimers({ now: Date.now() + 8 * 24 * 3600 * 1000 })
  expect(takeInvitation()).toBeUndefined()
  for (const text of ['{', '[]', '{"kind":"link"}']) {
    localStorage.setItem('tributary-saved-invitation', text)
    expect(takeInvitation()).toBeUndefined()
  }
})
