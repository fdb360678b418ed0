import { type EventType, eventTypeOf, trackingLimits } from '@tributary/contract'
import { isJsonObject } from '@tributary/kernel'
import { bodyKey } from '../credentials.ts'
import type { Refusal } from '../refusal.ts'
import * as refusals from '../refusal.ts'
import type { TrackRoute } from '../routes.ts'
import { type BodyOutline, type ScanFault, scanJson } from './scan-json.ts'
import { sliceBytes } from './turns.ts'

/**
 * Maximum size of a body that is parsed as a whole. Such a body is too small to block the thread; larger bodies are
 * scanned.
 */
export const parsedBytes = 64 * 1024
/**
 * Limits of a scanned body. It can have five times the values of a batch of ordinary events, and far more levels than
 * an event may have.
 */
const shapeLimits = { depth: 1000, values: 400_000, sliceBytes }

const faultRefusal = ({ fault, at }: ScanFault, body: Buffer): Refusal => {
  if (fault === 'depth') return refusals.tooDeep(trackingLimits.jsonDepth)
  if (fault === 'values') return refusals.tooManyValues(shapeLimits.values)
  return refusals.badJson(at === undefined ? undefined : String(body.toString('utf8', 0, at).length))
}

/** Parses the JSON object of a body in UTF-8, or returns why the body is not a JSON object. */
export const parseBody = (body: Buffer): { value: Record<string, unknown> } | { refusal: Refusal } => {
  if (body.length === 0) return { refusal: refusals.emptyBody }
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return isJsonObject(value) ? { value } : { refusal: refusals.notAnObject }
  } catch (error) {
    return { refusal: refusals.badJson(/position (\d+)/.exec(String(error))?.[1]) }
  }
}

/** The data for validating a body: the parsed object of a small body, otherwise the outline of a scan. */
export type ReadBody = { key: string | undefined } & (
  | { value: Record<string, unknown> }
  | { outline: Pick<BodyOutline, 'batch'> }
)

/**
 * Reads a body in UTF-8, or returns why it is not a JSON object. Small bodies are parsed at once; larger ones are
 * scanned in slices with breaks.
 */
export function* readBodyInSlices(
  body: Buffer,
  maxParsedBytes = parsedBytes,
): Generator<void, ReadBody | { refusal: Refusal }> {
  if (body.length <= maxParsedBytes) {
    const parsed = parseBody(body)
    return 'refusal' in parsed ? parsed : { key: bodyKey(parsed.value), value: parsed.value }
  }
  const found = yield* scanJson(body, shapeLimits)
  if ('fault' in found) return { refusal: faultRefusal(found, body) }
  if (!found.isObject) return { refusal: refusals.notAnObject }
  return { key: found.writeKey ?? found.firstWriteKey, outline: found }
}

/**
 * Returns why a body is not a JSON object; undefined if it is one. Scans without breaks, for content that will become
 * part of another body.
 */
export const bodyFault = (body: Buffer): Refusal | undefined => {
  const slices = readBodyInSlices(body)
  let slice = slices.next()
  while (slice.done !== true) slice = slices.next()
  return 'refusal' in slice.value ? slice.value.refusal : undefined
}

const present = (value: unknown): boolean => (typeof value === 'string' && value !== '') || typeof value === 'number'

const deeperThan = (value: unknown, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const child of Object.values(value)) {
    if (typeof child === 'object' && deeperThan(child, levels - 1)) return true
  }
  return false
}

const noUser = 'The event has no `userId` or `anonymousId`. Send at least one of them as a string.'

const checkIds = (type: EventType, event: Record<string, unknown>): Refusal | undefined => {
  if (type === 'alias') {
    if (!present(event.userId))
      return refusals.missingField(type, 'userId', "An alias call needs `userId`, the user's new ID.")
    return present(event.previousId)
      ? undefined
      : refusals.missingField(type, 'previousId', "An alias call needs `previousId`, the user's previous ID.")
  }
  if (!present(event.userId) && !present(event.anonymousId)) return refusals.missingField(type, 'userId', noUser)
  if (type === 'group' && !present(event.groupId))
    return refusals.missingField(type, 'groupId', 'A group call needs `groupId`.')
  if (type === 'track' && !present(event.event)) {
    return refusals.missingField(type, 'event', 'A track call needs `event`, the event name.')
  }
  return undefined
}

/**
 * Validates a single event: size (bytes as received), type (from the body, otherwise from the path), IDs and nesting.
 * Numbers are accepted as IDs. Returns why the event is rejected; undefined if it is valid.
 */
export const checkSingle = (
  event: Record<string, unknown>,
  size: number,
  pathType: EventType,
  maxBytes: number,
): Refusal | undefined => {
  if (size > maxBytes) return refusals.eventTooLarge(size, maxBytes)
  const given = event.type === undefined || event.type === null || event.type === '' ? pathType : event.type
  const type = typeof given === 'string' ? eventTypeOf(given) : undefined
  if (type === undefined) return refusals.unknownType(typeof given === 'string' ? given : typeof given)
  const missing = checkIds(type, event)
  if (missing !== undefined) return missing
  return deeperThan(event, trackingLimits.jsonDepth) ? refusals.tooDeep(trackingLimits.jsonDepth) : undefined
}

/**
 * Validates a body for the kind of call that sent it. Events of a batch are validated one by one later, and stored as
 * rejected if they are invalid. A single event that was too large to be parsed is rejected as too large.
 */
export const checkBody = (
  read: ReadBody,
  size: number,
  route: TrackRoute,
  maxEventBytes: number,
): Refusal | undefined => {
  if (route.kind === 'single')
    return 'value' in read
      ? checkSingle(read.value, size, route.type, maxEventBytes)
      : refusals.eventTooLarge(size, maxEventBytes)
  const batch = 'value' in read ? batchOf(read.value) : read.outline.batch
  if (batch === 'absent') return refusals.noBatch
  return batch === 'empty' ? refusals.emptyBatch : undefined
}

const batchOf = ({ batch }: Record<string, unknown>): BodyOutline['batch'] => {
  if (!Array.isArray(batch)) return 'absent'
  return batch.length === 0 ? 'empty' : 'filled'
}
