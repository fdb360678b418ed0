import { eventTypeOf, trackingLimits } from '@tributary/contract'
import type { NormalEvent, ParsedEvent } from '../event-types.ts'
import { isJsonObject, type JsonObject } from '../json-text.ts'
import { ok, type Reject, reject, type Step } from '../outcome.ts'
import { eventTime, parseTime } from '../timestamps.ts'

const jsonOf = (value: JsonObject | undefined): string => (value === undefined ? '' : JSON.stringify(value))

/** Numbers that JSON.stringify writes with another value, or not all receivers can read: with exponents, or long ones. */
const unusualNumber = /[:[,]-?[\d.]+[eE]|\d{16}/

/** Whether a context as text has to be read: it says something that matters here, or has to be written anew. */
const mustBeRead = (context: string): boolean =>
  context.includes('"ip"') || context.includes('"test"') || context.includes('"traits"') || unusualNumber.test(context)

/** An object as text with one more member behind the others. */
const withMember = (object: string, name: string, value: string): string =>
  `${object.slice(0, -1)}${object === '{}' ? '' : ','}"${name}":${JSON.stringify(value)}}`

const tooLongId = reject('message_id_too_long', `A messageId may have ${trackingLimits.messageIdLength} characters.`)

/**
 * Brings the events of all clients into one shape:
 * - the type from the body (also as its letter), else from the path;
 * - `context` and `integrations` of a batch lie below those of each event (the event's own keys win);
 * - numbers given as ids become strings; '' and null count as absent;
 * - a missing message id is made from the place in the log, so that it stays the same when the record is read again;
 * - times as in `eventTime`; a client's `timestamp` is its `originalTimestamp` when it sends no other; the `timestamp`
 *   that another server passed on is right as it is;
 * - `context.ip` is the client's address if it called us itself and did not say;
 * - traits of an identify that come only as `context.traits` are its traits;
 * - keys it does not know are listed, to be kept.
 * What has the wrong shape is noted in `problem`, so that the rest of the event can still be shown.
 */
export const normalise = (): Step<ParsedEvent, NormalEvent> => {
  let problem: Reject | undefined

  const idText = (key: string, value: unknown): string => {
    if (typeof value === 'string') return value
    if (value === undefined || value === null) return ''
    if (typeof value === 'number') return String(value)
    problem ??= reject('invalid_id', `${key} must be a string or a number.`)
    return ''
  }

  const object = (key: string, value: unknown): JsonObject | undefined => {
    if (value === undefined || value === null) return undefined
    if (isJsonObject(value)) return value
    problem ??= reject('invalid_object', `${key} must be an object.`)
    return undefined
  }

  const eventName = (value: unknown): string => {
    if (typeof value === 'string') return value
    if (typeof value === 'number') return String(value)
    if (value !== undefined && value !== null) problem ??= reject('invalid_event_name', 'The name must be a string.')
    return ''
  }

  return function normaliseEvent({ raw, body, context: contextText }) {
    problem = undefined
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
    if (contextText !== undefined && (request.context !== undefined || mustBeRead(contextText))) {
      context = JSON.parse(contextText)
      contextText = undefined
    }
    if (request.context !== undefined)
      context = context === undefined ? request.context : { ...request.context, ...context }
    if (request.integrations !== undefined) integrations = { ...request.integrations, ...integrations }
    let ip = context?.['ip']
    if (meta.d === true && (ip === undefined || ip === null || ip === '')) {
      ip = meta.ip
      if (contextText === undefined) context = { ...context, ip }
      else contextText = withMember(contextText, 'ip', meta.ip)
    }
    if (type === 'identify' && traits === undefined && isJsonObject(context?.['traits'])) traits = context['traits']
    if (messageId.length > trackingLimits.messageIdLength) problem ??= tooLongId
    const originalTimestamp = parseTime(original) ?? parseTime(timestamp)
    const sentAt = parseTime(sent)
    const corrected = meta.f === true ? parseTime(timestamp) : undefined
    return ok({
      raw,
      body,
      messageId: messageId === '' ? `made-${raw.eventId}` : messageId,
      ownMessageId: messageId !== '',
      type,
      event: named
        ? eventName(name ?? event ?? properties?.['name'])
        : type === 'track' || type === ''
          ? eventName(event)
          : '',
      userId,
      anonymousId,
      groupId,
      previousId,
      properties: jsonOf(properties),
      traits: jsonOf(traits),
      context: contextText ?? (context === undefined ? '{}' : JSON.stringify(context)),
      judged: type === 'identify' ? traits : properties,
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
