import { type Method, methodList } from '@tributary/contract'
import type { Handlers } from '@tributary/http'
import { type Actor, newId, type Role } from '@tributary/kernel'
import { describe, expect, test, vi } from 'vitest'
import { maskedForGuests } from './for-guests.ts'
import { guestRules } from './guest-rules.ts'

const organizationId = newId()
const mark = 'planted-value-7f3a'

const member = (role: Role): Actor => ({
  userId: newId(),
  email: 'ada@x.test',
  isPlatformAdmin: false,
  sessionId: newId(),
  memberships: [{ organizationId, role }],
})

const rules: Readonly<Record<string, Readonly<Record<string, unknown>>>> = guestRules
const ruleOf = (name: string): unknown => {
  const [group = '', verb = ''] = name.split('.')
  return rules[group]?.[verb]
}

const isRead = ({ verb, reads }: Method): boolean => verb === 'GET' || reads === true

/** The expected rule of a method. */
const expectedRule = (method: Method): unknown => {
  const { access } = method
  if (access.scope !== 'workspace' && access.scope !== 'organization') return isRead(method) ? 'noWorkspace' : undefined
  if (access.roles.includes('ORG_GUEST')) return expect.toSatisfy(isAnswered)
  return isRead(method) ? 'notForGuests' : undefined
}

const isAnswered = (rule: unknown): boolean => typeof rule === 'function' || rule === 'open' || rule === 'byHandler'

/** Handlers for every method, each of which returns the planted value. */
const handlersOf = (run: () => Promise<unknown>): Handlers => {
  const handlers: Record<string, Record<string, unknown>> = {}
  for (const { name } of methodList) {
    const [group = '', verb = ''] = name.split('.')
    handlers[group] = { ...handlers[group], [verb]: run }
  }
  return handlers as unknown as Handlers
}

const call = async (handlers: Handlers, { name, access }: Method, actor: Actor): Promise<unknown> => {
  const [group = '', verb = ''] = name.split('.')
  const all = handlers as unknown as Record<string, Record<string, (call: unknown) => Promise<unknown>>>
  const place =
    access.scope === 'organization'
      ? { organization: { id: organizationId, roles: [] } }
      : { workspace: { id: newId(), organizationId, roles: [] } }
  return await all[group]?.[verb]?.({ actor, ...place, params: {}, query: {}, body: {} })
}

test('the table of guest rules covers every method, and names no other method', () => {
  const named = Object.entries(rules).flatMap(([group, verbs]) => Object.keys(verbs).map((verb) => `${group}.${verb}`))
  expect(new Set(methodList.map(({ name }) => name))).toEqual(
    new Set([...methodList.map(({ name }) => name), ...named]),
  )
  expect(Object.fromEntries(methodList.map((method) => [method.name, ruleOf(method.name)]))).toEqual(
    Object.fromEntries(methodList.map((method) => [method.name, expectedRule(method)])),
  )
})

describe('a method without a guest rule is forbidden for guests, and unchanged for others', () => {
  const inOrganization = methodList.filter(
    ({ access }) => access.scope === 'workspace' || access.scope === 'organization',
  )
  test.each(inOrganization.map((method) => [method.name, method] as const))('%s', async (_name, method) => {
    const run = vi.fn(async () => ({ card: mark }))
    const handlers = maskedForGuests(handlersOf(run), {})
    await expect(call(handlers, method, member('ORG_GUEST'))).rejects.toMatchObject({ code: 403, reason: 'FORBIDDEN' })
    expect(run).not.toHaveBeenCalled()
    for (const role of ['ORG_COLLABORATOR', 'ORG_ADMIN'] as const)
      expect(await call(handlers, method, member(role))).toEqual({ card: mark })
  })
})
