import type { Handlers, WorkspaceRef } from '@tributary/http'
import { type Actor, forbidden, isRecord, randomToken } from '@tributary/kernel'
import { guestRules } from './guest-rules.ts'
import { isMasked } from './mask.ts'

/** The query fields that search for values of people, by method. */
const searches: Readonly<Record<string, readonly string[]>> = {
  'events.list': ['user_id', 'property_value'],
  'events.listBySource': ['user_id', 'property_value'],
  'profiles.list': ['search'],
  'signals.listConversions': ['event_id'],
}

/**
 * Replaces each search value in the query of a guest by a random one, so that the response does not reveal whether the
 * value exists.
 */
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

/** Whether the caller is a guest of the workspace or organization of the call. */
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
 * Wraps the handlers for guests: responses are changed by the rules of their methods, and search values are replaced by
 * random ones. A method without a rule returns 403 to guests. The types are sound because a rule returns the type that
 * its method returns, and queries keep their shape.
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
