import { type EventType, eventTypeOf, trackingLimits } from '@tributary/contract'
import { jsonShapeProblem } from '@tributary/http'
import type { Refusal } from './refusal.ts'
import * as refusals from './refusal.ts'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Bodies from so many bytes on are looked through before they are parsed; smaller ones cannot hold enough to matter. */
const largeBytes = 512 * 1024
/** Five times what a batch of ordinary events has, and levels far beyond what an event may have. */
const shapeLimits = { depth: 1000, values: 400_000 }

const shapeRefusal = (text: string): Refusal | undefined => {
  switch (jsonShapeProblem(text, shapeLimits)) {
    case 'depth':
      return refusals.tooDeep(trackingLimits.jsonDepth)
    case 'values':
      return refusals.tooManyValues(shapeLimits.values)
    default:
      return undefined
  }
}

/** The JSON object of a body, or why there is none. Decoded as UTF-8; broken sequences become U+FFFD. */
export const parseBody = (body: Buffer): { value: Record<string, unknown> } | { refusal: Refusal } => {
  if (body.length === 0) return { refusal: refusals.emptyBody }
  const text = body.toString('utf8')
  const unfit = body.length < largeBytes ? undefined : shapeRefusal(text)
  if (unfit !== undefined) return { refusal: unfit }
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? { value } : { refusal: refusals.notAnObject }
  } catch (error) {
    return { refusal: refusals.badJson(/position (\d+)/.exec(String(error))?.[1]) }
  }
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

const noUser = 'The event has neither `userId` nor `anonymousId`. Send at least one of them, as text.'

const checkIds = (type: EventType, event: Record<string, unknown>): Refusal | undefined => {
  if (type === 'alias') {
    if (!present(event.userId))
      return refusals.missingField(type, 'userId', 'An alias needs `userId`, the new id of the user.')
    return present(event.previousId)
      ? undefined
      : refusals.missingField(type, 'previousId', 'An alias needs `previousId`, the id the user had before.')
  }
  if (!present(event.userId) && !present(event.anonymousId)) return refusals.missingField(type, 'userId', noUser)
  if (type === 'group' && !present(event.groupId))
    return refusals.missingField(type, 'groupId', 'A group call needs `groupId`.')
  if (type === 'track' && !present(event.event)) {
    return refusals.missingField(type, 'event', 'A track call needs `event`, the name of what happened.')
  }
  return undefined
}

/**
 * Judges a single event: size (bytes as received), type (the body's own, else the path's), ids and nesting. Numbers
 * are taken as ids. Returns why it is refused, or undefined.
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

/** Judges a batch as a whole. Its events are judged one by one later, and kept as rejected when they fail. */
export const checkBatch = (body: Record<string, unknown>): Refusal | undefined => {
  if (!Array.isArray(body.batch)) return refusals.noBatch
  return body.batch.length === 0 ? refusals.emptyBatch : undefined
}
