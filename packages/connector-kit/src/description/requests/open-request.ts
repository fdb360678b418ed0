import { isJsonObject, type JsonObject } from '@tributary/kernel'
import type { DeliverContext, OutgoingEvent, Settings } from '../../definition/definition.ts'
import { withGrant } from '../../http/oauth2.ts'
import { type Call, sendRequest } from '../../http/send-request.ts'
import type { Description } from '../format/schema.ts'
import type { DescribedRequest } from '../format/schema-requests.ts'
import { contentTypes } from '../templates/body-text.ts'
import { leafText, openSettings, pathOf } from '../templates/render-text.ts'
import { renderTree, type Scope, TreeProblem } from '../templates/render-tree.ts'
import { authorize, type OpenRequest, serverOf } from './authorize.ts'

/** A described destination. */
export type Described = Description

/** Maximum bytes of an answer that are read: more if it can name items, each with a long reason, or is searched. */
const answerBytes = 64 * 1024
export const listingBytes = 1024 * 1024
const itemBytes = 1024

/** Returns a named request of a description. */
export const requestOf = ({ requests }: Described, name: string): DescribedRequest => {
  const request = requests[name]
  if (request === undefined) throw new Error(`There is no request ${name}`)
  return request
}

/** Returns the variables of an event's templates: the fields of its action, `custom` fields, and `settings`. */
export const variablesOf = (
  described: Described,
  { action, payload = {} }: Pick<OutgoingEvent, 'action' | 'payload'>,
  values: Settings,
): JsonObject => {
  const fields = described.actions[action]?.fields ?? {}
  const given: [string, unknown][] = []
  const custom: [string, unknown][] = []
  for (const member of Object.entries(payload)) (Object.hasOwn(fields, member[0]) ? given : custom).push(member)
  return { ...Object.fromEntries(given), custom: Object.fromEntries(custom), settings: openSettings(described, values) }
}

/** Returns the variables of requests without an event. */
export const settingVariables = (described: Described, values: Settings, more: JsonObject = {}): JsonObject => ({
  ...more,
  settings: openSettings(described, values),
})

const headersOf = (request: DescribedRequest, scope: Scope): Record<string, string> => {
  const headers: Record<string, string> = { accept: 'application/json', 'user-agent': 'Tributary/1.0' }
  if (request.method !== 'GET') headers['content-type'] = contentTypes[request.encoding]
  for (const [name, template] of Object.entries(request.headers)) {
    const text = leafText(template, scope)
    if (!/^[\x20-\x7e]{0,4096}$/.test(text))
      throw new TreeProblem(`The header ${name} has characters that are not allowed`)
    if (text !== '') headers[name.toLowerCase()] = text
  }
  return headers
}

/** A request with its address, headers, and the body around its items. `key` is the same for requests that can be one. */
export type Envelope = {
  readonly name: string
  readonly request: DescribedRequest
  readonly open: OpenRequest
  readonly key: string
}

/** Renders a request without its items. Throws TreeProblem, ConfigurationError. */
export const openEnvelope = (described: Described, name: string, scope: Scope, settings: Settings): Envelope => {
  const request = requestOf(described, name)
  const server = described.servers[request.server]
  const path = typeof server === 'object' && 'secret' in server ? '' : pathOf(request.path, scope)
  const url = new URL(`${serverOf(described, request.server, settings)}${path}`)
  for (const [query, template] of Object.entries(request.query)) {
    const text = leafText(template, scope)
    if (text !== '') url.searchParams.set(query, text)
  }
  const body = request.body === undefined ? undefined : renderTree(request.body, scope)
  const open = { method: request.method, url, headers: headersOf(request, scope), body }
  // A request for one event has no other events.
  const key = request.batch === undefined ? '' : JSON.stringify([name, url.href, open.headers, body ?? null])
  return { name, request, open, key }
}

/** Returns a JSON value with another value at a path of members. A number is a position of a list, at most its end. */
export const putAt = (body: unknown, path: string, value: unknown): unknown => {
  if (path === '') return value
  const [name = '', ...rest] = path.split('.')
  if (Array.isArray(body) && /^\d{1,3}$/.test(name)) {
    const list: unknown[] = [...body]
    const position = Math.min(Number(name), list.length)
    list[position] = putAt(list[position], rest.join('.'), value)
    return list
  }
  const object = isJsonObject(body) ? body : {}
  return { ...object, [name]: putAt(object[name], rest.join('.'), value) }
}

/** Returns the body of a batch: the items at their places. */
export const bodyWith = (
  { open, request }: Envelope,
  items: readonly { readonly place: string; readonly value: unknown }[],
): unknown => {
  if (request.batch === undefined) return open.body ?? items[0]?.value
  let { body } = open
  for (const [place, those] of Map.groupBy(items, (item) => item.place))
    body = putAt(
      body,
      place,
      those.map(({ value }) => value),
    )
  return body
}

/**
 * Sends a request with a number of items, and reads `maxBytes` of the answer. A token of client credentials that gets 401
 * is renewed once.
 */
export const transmit = async (
  described: Described,
  { open, request }: Envelope,
  body: unknown,
  context: DeliverContext,
  items = 0,
  maxBytes = (request.answers ?? described.answers).items.length === 0
    ? answerBytes
    : Math.max(listingBytes, items * itemBytes),
): Promise<{ call: Call; secrets: readonly string[] }> => {
  const credentials = described.auth[request.auth]
  if (credentials === undefined) throw new Error(`There are no credentials ${request.auth}`)
  const grant = credentials.find((credential) => credential.in === 'grant')
  const sending = grant === undefined ? context : withGrant(context, grant.prefix)
  const send = async (refused?: string) => {
    const made = await authorize(described, credentials, { ...open, body }, request.encoding, context, refused)
    const call = await sendRequest(sending, { ...made.request, keepBytes: maxBytes, readBytes: maxBytes }, made.hidden)
    return { call, secrets: made.hidden.texts ?? [], token: made.token }
  }
  const first = await send()
  if (first.call.answer.status !== 401 || first.token === undefined) return first
  return await send(first.token)
}
