import { eventTypeOf, trackingLimits } from '@tributary/contract'
import { isJsonObject, type JsonObject, jsonMembers, jsonText, numberText } from '@tributary/kernel'
import type { NormalEvent, ParsedEvent } from '../event-types.ts'
import { ok, type Reject, reject, type Step } from '../outcome.ts'
import { eventTime, parseTime } from '../rows/timestamps.ts'

const jsonOf = (value: JsonObject | undefined, exact: string | undefined): string =>
  value === undefined ? '' : (exact ?? JSON.stringify(value))

/** What in a context as text has to be read, since it matters here. One look: three for a text each take three times as long. */
const mattersHere = /"(?:ip|test|traits)"/

/** Members of a lossy event as texts, those of its batch below its own in context and integrations. */
const exactMembers = ({ raw, body }: ParsedEvent): Map<string, string> => {
  const members = jsonMembers(raw.original)
  for (const name of ['context', 'integrations'] as const) {
    const shared = raw.request.exact?.[name] ?? textOf(raw.request[name])
    if (shared === undefined) continue
    const own = isJsonObject(body[name]) ? jsonMembers(members.get(name) ?? '{}') : []
    members.set(name, jsonText(new Map([...jsonMembers(shared), ...own])))
  }
  return members
}

const textOf = (value: JsonObject | undefined): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value)

/** An object as text with one more member behind the others. */
const withMember = (object: string, name: string, value: string): string =>
  `${object.slice(0, -1)}${object === '{}' ? '' : ','}"${name}":${JSON.stringify(value)}}`

/** A context as text, or none, with the client's address in it. */
const withIp = (context: string | undefined, ip: string): string =>
  jsonText(jsonMembers(context ?? '{}').set('ip', JSON.stringify(ip)))

const tooLongId = reject(
  'message_id_too_long',
  `A messageId can have at most ${trackingLimits.messageIdLength} characters.`,
)

/**
 * Brings the events of all clients into one shape:
 * - the type from the body (also as its letter), else from the path;
 * - `context` and `integrations` of a batch lie below those of each event (the event's own keys win);
 * - numbers given as ids become strings, integers to the digit; '' and null count as absent;
 * - a missing message id is made from the place in the log, so that it stays the same when the record is read again;
 * - times as in `eventTime`; a client's `timestamp` is its `originalTimestamp` when it sends no other; the `timestamp`
 *   that another server passed on is right as it is;
 * - `context.ip` is the client's address if it called us itself and did not say;
 * - traits of an identify that come only as `context.traits` are its traits;
 * - keys it does not know are listed, to be kept.
 * Values are validated as JSON.parse reads them, and handed on as texts: those of a lossy event as they were written.
 * What has the wrong shape is noted in `problem`, so that the rest of the event can still be shown.
 */
export const normalise = (): Step<ParsedEvent, NormalEvent> => {
  let problem: Reject | undefined
  let exact: Map<string, string> | undefined

  const idText = (key: string, value: unknown): string => {
    if (typeof value === 'string') return value
    if (value === undefined || value === null) return ''
    if (typeof value === 'number') return numberText(exact?.get(key) ?? String(value))
    problem ??= reject('invalid_id', `${key} must be a string or a number.`)
    return ''
  }

  const object = (key: string, value: unknown): JsonObject | undefined => {
    if (value === undefined || value === null) return undefined
    if (isJsonObject(value)) return value
    problem ??= reject('invalid_object', `${key} must be an object.`)
    return undefined
  }

  const eventName = (value: unknown, key: string): string => {
    if (typeof value === 'string') return value
    if (typeof value === 'number') return numberText(exact?.get(key) ?? String(value))
    if (value !== undefined && value !== null) problem ??= reject('invalid_event_name', 'The name must be a string.')
    return ''
  }

  return function normaliseEvent(parsed) {
    problem = undefined
    const { raw, body } = parsed
    exact = raw.lossy ? exactMembers(parsed) : undefined
    let { context: contextText } = parsed
    const { request } = raw
    const { meta } = request
    let given = ''
    let messageId = ''
    let event: unknown
    let name: unknown
    let userId = ''
    let anonymousId = ''
    let groupId = ''
    let previousId = ''
    let properties: JsonObject | undefined
    let traits: JsonObject | undefined
    let context: JsonObject | undefined
    let integrations: JsonObject | undefined
    let original: unknown
    let timestamp: unknown
    let sent: unknown = request.sentAt
    let extraKeys: string[] | undefined
    for (const key in body) {
      const value = body[key]
      switch (key) {
        case 'type':
          given = typeof value === 'string' ? value : value === null ? '' : ' '
          break
        case 'messageId':
          messageId = idText(key, value)
          break
        case 'event':
          event = value
          break
        case 'name':
          name = value
          break
        case 'userId':
          userId = idText(key, value)
          break
        case 'anonymousId':
          anonymousId = idText(key, value)
          break
        case 'groupId':
          groupId = idText(key, value)
          break
        case 'previousId':
          previousId = idText(key, value)
          break
        case 'properties':
          properties = object(key, value)
          break
        case 'traits':
          traits = object(key, value)
          break
        case 'context':
          context = object(key, value)
          break
        case 'integrations':
          integrations = object(key, value)
          break
        case 'originalTimestamp':
          original = value
          break
        case 'timestamp':
          timestamp = value
          break
        case 'sentAt':
          sent = value ?? sent
          break
        case 'writeKey':
        case 'receivedAt':
          break
        default:
          if (extraKeys === undefined) extraKeys = [key]
          else extraKeys.push(key)
      }
    }
    const type = given === '' ? (meta.t ?? '') : (eventTypeOf(given) ?? '')
    const named = type === 'page' || type === 'screen'
    if (!named && name !== undefined) extraKeys = extraKeys === undefined ? ['name'] : [...extraKeys, 'name']
    if (contextText !== undefined && (request.context !== undefined || mattersHere.test(contextText))) {
      context = JSON.parse(contextText)
      contextText = undefined
    }
    if (request.context !== undefined)
      context = context === undefined ? request.context : { ...request.context, ...context }
    if (request.integrations !== undefined) integrations = { ...request.integrations, ...integrations }
    let ip = context?.['ip']
    if (meta.d === true && (ip === undefined || ip === null || ip === '')) {
      ip = meta.ip
      if (contextText === undefined) {
        exact?.set('context', withIp(context === undefined ? undefined : exact.get('context'), meta.ip))
        context = { ...context, ip }
      } else contextText = withMember(contextText, 'ip', meta.ip)
    }
    if (type === 'identify' && traits === undefined && isJsonObject(context?.['traits'])) {
      traits = context['traits']
      exact?.set('traits', jsonMembers(exact.get('context') ?? '{}').get('traits') ?? '{}')
    }
    if (messageId.length > trackingLimits.messageIdLength) problem ??= tooLongId
    const originalTimestamp = parseTime(original) ?? parseTime(timestamp)
    const sentAt = parseTime(sent)
    const corrected = meta.f === true ? parseTime(timestamp) : undefined
    return ok({
      raw,
      body,
      exact,
      messageId: messageId === '' ? `made-${raw.eventId}` : messageId,
      ownMessageId: messageId !== '',
      type,
      event: named
        ? eventName(name ?? event ?? properties?.['name'], (name ?? event) === name ? 'name' : 'event')
        : type === 'track' || type === ''
          ? eventName(event, 'event')
          : '',
      userId,
      anonymousId,
      groupId,
      previousId,
      properties: jsonOf(properties, exact?.get('properties')),
      traits: jsonOf(traits, exact?.get('traits')),
      context: contextText ?? (context === undefined ? '{}' : jsonOf(context, exact?.get('context'))),
      validated: type === 'identify' ? traits : properties,
      integrations,
      extraKeys,
      test: context?.['test'] === true,
      ip: typeof ip === 'string' ? ip : '',
      timestamp:
        corrected === undefined
          ? eventTime(meta.r, sentAt, originalTimestamp)
          : eventTime(meta.r, undefined, corrected),
      originalTimestamp,
      sentAt,
      problem,
    })
  }
}
