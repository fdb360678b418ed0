import { flagDefaults } from '@tributary/contract'
import { beforeEach, expect, test } from 'vitest'
import { createFlagClient } from './flag-client.ts'
import { flagContext, useFlags } from './flags.ts'

const organization = (id: string) => ({
  name: `organizations/${id}`,
  title: id,
  display_name: id,
  industry: 'other' as const,
  extra: { logo: '' },
  auto_join_domain: '',
  subscription: { name: '', extra: { plan_name: '' } },
  create_time: '2026-01-01T00:00:00Z',
})
const state = {
  currentUserResourceName: 'users/u1',
  session: { organization: organization('o1') },
  actOnBehalfOf: null,
}

type SentRequest = { url: string; authorization: string | null; context: unknown }
let sent: SentRequest[]
let answer: () => Response
const flagsOf = (values: Record<string, boolean>) => () =>
  Response.json({ flags: Object.entries(values).map(([key, value]) => ({ key, value, reason: 'STATIC' })) })
let token: string | null
const setContext = createFlagClient({
  baseUrl: 'http://tributary.test',
  token: () => token,
  fetch: async (input, init) => {
    const request = new Request(input, init)
    sent.push({
      url: request.url,
      authorization: request.headers.get('authorization'),
      context: (await request.json()).context,
    })
    return answer()
  },
})

beforeEach(() => {
  sent = []
  token = 'secret'
})

test('OBS-07: the flag context has user, organization, and workspace, the acted-on ones while acting, and nothing when signed out', () => {
  expect(flagContext(state, 'w1')).toEqual({
    user: 'users/u1',
    organization: 'organizations/o1',
    workspace: 'workspaces/w1',
  })
  expect(flagContext({ ...state, session: { organization: null } }, undefined)).toEqual({ user: 'users/u1' })
  const other = organization('o2')
  const workspace = { name: 'workspaces/w9', title: 'W', organization: other, create_time: '2026-01-01T00:00:00Z' }
  expect(
    flagContext(
      {
        ...state,
        session: { organization: other },
        actOnBehalfOf: { organization: other, originalOrganization: organization('o1'), workspace },
      },
      'w1',
    ),
  ).toEqual({ user: 'users/u1', organization: 'organizations/o2', workspace: 'workspaces/w9' })
  expect(flagContext({ ...state, currentUserResourceName: null }, 'w1')).toEqual({})
})

test('while the server does not respond, the defaults apply, and the next change of the context sends another request', async () => {
  answer = () => new Response('', { status: 503 })
  await setContext({})
  expect(sent).toHaveLength(1)
  expect(useFlags.getState()).toEqual(flagDefaults)
  answer = flagsOf({ signals: false, audiences: true })
  await setContext({ user: 'users/u1' })
  expect(useFlags.getState()).toEqual({ ...flagDefaults, signals: false, audiences: true })
})

test('OBS-07: the flag client gets the IDs after load and again after the workspace changes', async () => {
  answer = flagsOf({ signals: true })
  await setContext(flagContext(state, 'w1'))
  answer = flagsOf({ signals: false })
  await setContext(flagContext(state, 'w2'))
  expect(sent).toEqual(
    ['workspaces/w1', 'workspaces/w2'].map((workspace) => ({
      url: 'http://tributary.test/ofrep/v1/evaluate/flags',
      authorization: 'Bearer secret',
      context: { targetingKey: 'users/u1', user: 'users/u1', organization: 'organizations/o1', workspace },
    })),
  )
  expect(useFlags.getState().signals).toBe(false)
})

test('without a session, neither a token nor a name is sent', async () => {
  answer = flagsOf({ signals: true })
  token = null
  await setContext(flagContext({ ...state, currentUserResourceName: null }, undefined))
  expect(sent).toEqual([{ url: 'http://tributary.test/ofrep/v1/evaluate/flags', authorization: null, context: {} }])
})

test('a refused token keeps the previous flags, and the next session gets new ones', async () => {
  answer = flagsOf({ signals: false })
  await setContext({ user: 'users/u2' })
  answer = () => new Response('', { status: 401 })
  await setContext({ user: 'users/u3' })
  expect(useFlags.getState().signals).toBe(false)
  answer = flagsOf({ signals: true })
  await setContext({ user: 'users/u4' })
  expect(useFlags.getState().signals).toBe(true)
})

test('if two responses arrive in the wrong order, that of the later context applies', async () => {
  let first: (response: Response) => void = () => undefined
  const answers = [new Promise<Response>((resolve) => (first = resolve)), Promise.resolve(flagsOf({ signals: true })())]
  const ask = createFlagClient({
    baseUrl: 'http://tributary.test',
    token: () => null,
    fetch: () => answers.shift() ?? Promise.reject(new Error('one too many')),
  })
  const slow = ask({ user: 'users/u5' })
  await ask({ user: 'users/u6' })
  first(flagsOf({ signals: false })())
  await slow
  expect(useFlags.getState().signals).toBe(true)
})
