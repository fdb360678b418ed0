import { eventTypeOf, trackingLimits } from '@tributary/contract'
import {
  ExactNumber,
  hasDoubledNames,
  isJsonObject,
  isUnreadTime,
  type JsonObject,
  jsonMembers,
  jsonText,
  numberText,
  readEventTime,
  withoutDoubledNames,
} from '@tributary/kernel'
import { type NormalEvent, type ParsedEvent, type Reject, reject } from '../event-types.ts'
import { eventTime } from '../rows/timestamps.ts'

const jsonOf = (value: JsonObject | undefined, exact: string | undefined): string =>
  value === undefined ? '' : (exact ?? JSON.stringify(value))

/**
 * The members of a textual context that this step must read. One pattern, since three searches of each text take three
 * times as long.
 */
const mattersHere = /"(?:ip|test|traits)"/

/**
 * Members of a lossy event as texts. In context and integrations, the event's own members take precedence over those of
 * its batch.
 */
const exactMembers = ({ raw, body }: ParsedEvent): Map<string, string> => {
  const members = jsonMembers(raw.original)
  if (hasDoubledNames(raw.original, body))
    for (const [name, text] of members) members.set(name, withoutDoubledNames(text))
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

/** Adds a member at the end of a JSON object given as text. */
const withMember = (object: string, name: string, value: string): string =>
  `${object.slice(0, -1)}${object === '{}' ? '' : ','}"${name}":${JSON.stringify(value)}}`

/** A context given as text, or a new one, with the client's address added. */
const withIp = (context: string | undefined, ip: string): string =>
  jsonText(jsonMembers(context ?? '{}').set('ip', JSON.stringify(ip)))

/** The names of time members with invalid values; undefined for nearly every event. */
const unreadTimes = (times: Readonly<Record<string, unknown>>): string[] | undefined => {
  let unread: string[] | undefined
  for (const key in times) if (isUnreadTime(times[key])) unread = [...(unread ?? []), key]
  return unread
}

/** The note of an event with invalid times, as `<reason>: <what to fix>`. It contains no value. */
const noteOf = (unread: readonly string[], hasTime: boolean): string => {
  const receipt =
    hasTime || unread.every((key) => key === 'sentAt') ? '' : ' The event counts from when it was received.'
  const clock = unread.includes('sentAt') ? " The sender's clock was not corrected." : ''
  return `time_not_understood: ${unread.join(' and ')} ${unread.length === 1 ? 'is' : 'are'} not a known time, and kept as sent.${receipt}${clock} Send times such as 2026-11-20T10:00:00Z.`
}

const tooLongId = reject(
  'message_id_too_long',
  `A messageId can have at most ${trackingLimits.messageIdLength} characters.`,
)

/**
 * Brings the events of all clients into one form:
 * - the type is from the body (also as a single letter), else from the path;
 * - `context` and `integrations` of a batch are defaults for those of each event (the event's own keys win);
 * - numbers as IDs become strings, integers with all digits; '' and null count as absent;
 * - a missing message ID is made from the place in the log, so that it stays the same when the record is read again;
 * - times are parsed by `readEventTime` and corrected by `eventTime`; `note` names invalid ones, which are kept
 *   unchanged;
 * - a client's `timestamp` is its `originalTimestamp` if it sends no other; a `timestamp` that another server passed on
 *   needs no correction;
 * - `context.ip` is the client's address if the client called directly and sent no address;
 * - traits of an identify that are only in `context.traits` become its traits;
 * - unknown keys are listed, to be kept. Values are validated as JSON.parse reads them, and passed on as texts; values
 *   of a lossy event keep their original text. An invalid shape is reported in `problem`, so that the rest of the event
 *   can still be shown.
 */
export const normalize = (): ((parsed: ParsedEvent) => NormalEvent) => {
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

  /** A time as it was written, since a double cannot hold nanoseconds. */
  const written = (key: string, value: unknown): unknown =>
    typeof value === 'number' && exact?.has(key) === true ? new ExactNumber(exact.get(key) ?? '0') : value

  return function normalizeEvent(parsed) {
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
          original = written(key, value)
          break
        case 'timestamp':
          timestamp = written(key, value)
          break
        case 'sentAt':
          sent = value === undefined || value === null ? sent : written(key, value)
          break
        case 'writeKey':
        case 'receivedAt':
          break
        default:
          if (extraKeys === undefined) extraKeys = [key]
          else extraKeys.push(key)
      }
    }
    const type = given === '' ? (meta.type ?? '') : (eventTypeOf(given) ?? '')
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
    if (meta.isDirect && (ip === undefined || ip === null || ip === '')) {
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
    const stamped = readEventTime(timestamp)
    const originalTimestamp = readEventTime(original) ?? stamped
    const sentAt = readEventTime(sent)
    const corrected = meta.isForwarded ? stamped : undefined
    const isRead =
      (stamped ?? timestamp) === stamped &&
      (originalTimestamp ?? original) === originalTimestamp &&
      (sentAt ?? sent) === sentAt
    const unread = isRead ? undefined : unreadTimes({ timestamp, originalTimestamp: original, sentAt: sent })
    const kept = unread?.filter((key) => key in body)
    if (kept !== undefined && kept.length > 0) extraKeys = [...(extraKeys ?? []), ...kept]
    return {
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
          ? eventTime(meta.receivedAt, sentAt, originalTimestamp)
          : eventTime(meta.receivedAt, undefined, corrected),
      originalTimestamp,
      sentAt,
      note: unread === undefined ? '' : noteOf(unread, (corrected ?? originalTimestamp) !== undefined),
      problem,
    }
  }
}
