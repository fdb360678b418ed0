import type { Handlers, WorkspaceRef } from '@tributary/http'
import { type Actor, forbidden, isRecord, randomToken } from '@tributary/kernel'
import { guestRules } from './guest-rules.ts'
import { isMasked } from './mask.ts'

/** The fields of a query that search for values of people, by method. */
const searches: Readonly<Record<string, readonly string[]>> = {
  'events.list': ['user_id', 'property_value'],
  'events.listBySource': ['user_id', 'property_value'],
  'profiles.list': ['search'],
  'signals.listConversions': ['event_id'],
}

/** The query of a guest: each value to search for is replaced by a random one, so that the answer reveals nothing. */
const withoutSearch = (fields: readonly string[], query: unknown): unknown => {
  if (!isRecord(query)) return query
  const asked = fields.filter((field) => Reflect.get(query, field) !== undefined && Reflect.get(query, field) !== '')
  return { ...query, ...Object.fromEntries(asked.map((field) => [field, randomToken(24)])) }
}

type AnyCall = {
  actor: Actor | undefined
  workspace?: Pick<WorkspaceRef, 'organizationId'>
  organization?: { id: string }
  query: unknown
}
type AnyRun = (call: AnyCall) => Promise<unknown>
type AnyRule = ((answer: unknown) => unknown) | string | undefined

/** Whether a guest of the call's workspace or organization asks. */
const isOfGuest = ({ actor, workspace, organization }: AnyCall): boolean => {
  const organizationId = workspace?.organizationId ?? organization?.id
  return actor !== undefined && organizationId !== undefined && isMasked(actor, { organizationId })
}

const maskedRun = (run: AnyRun, rule: AnyRule, fields: readonly string[]): AnyRun => {
  if (rule === 'noWorkspace') return run
  return async (call) => {
    if (!isOfGuest(call)) return await run(call)
    if (rule === undefined || rule === 'notForGuests') throw forbidden('Guests may not do this')
    const answer = await run({ ...call, query: withoutSearch(fields, call.query) })
    return typeof rule === 'function' ? rule(answer) : answer
  }
}

/**
 * Wraps the handlers so that guests get responses by the rules of their methods, and a search by a guest uses a random
 * value. A method without a rule returns 403 to guests. The types are sound because a rule returns what its method
 * returns, and queries keep their shape.
 */
export const maskedForGuests = (
  handlers: Handlers,
  rules: Readonly<Record<string, Readonly<Record<string, unknown>>>> = guestRules,
): Handlers => {
  const masked = Object.entries(handlers).map(([group, verbs]) => [
    group,
    Object.fromEntries(
      Object.entries(verbs).map(([verb, run]) => [
        verb,
        maskedRun(run as AnyRun, rules[group]?.[verb] as AnyRule, searches[`${group}.${verb}`] ?? []),
      ]),
    ),
  ])
  return Object.fromEntries(masked) as Handlers
}
