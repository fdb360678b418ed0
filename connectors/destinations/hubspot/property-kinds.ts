import { answerObject, isJsonObject, type Lifetime, RetryableError } from '@tributary/connector-kit'
import { ask, type Context, failureOf, propertyBytes } from './request.ts'
import { canBeTime, type TimeKind, timeText } from './times.ts'

/** The properties of one object that hold a time, by their names. */
type Kinds = ReadonlyMap<string, TimeKind>

/** How long the properties of an object are kept, in ms. */
const keptMs = 10 * 60_000
/** Maximum objects of a destination whose properties are kept, and maximum properties of each. */
const maxObjects = 50
const maxProperties = 2000

const kept = new WeakMap<Lifetime, Map<string, { until: number; kinds: Kinds }>>()

/** Returns the properties that hold a time, from the answer of "Properties". */
const kindsIn = (answer: Readonly<Record<string, unknown>> | undefined): Kinds => {
  const results = answer?.['results']
  const kinds = new Map<string, TimeKind>()
  for (const property of Array.isArray(results) ? results : []) {
    if (kinds.size >= maxProperties || !isJsonObject(property)) continue
    const { name, type } = property
    if (typeof name === 'string' && (type === 'date' || type === 'datetime')) kinds.set(name, type)
  }
  return kinds
}

/**
 * Reads the properties of an object that hold a time (HubSpot, "Properties": GET /crm/v3/properties/{objectType}). If
 * the token may not read them, or the object does not exist, no property is known, and values are sent as they are.
 */
const readKinds = async (context: Context, type: string): Promise<Kinds> => {
  const call = await ask(context, 'GET', `/crm/v3/properties/${encodeURIComponent(type)}`, undefined, propertyBytes)
  const { status } = call.answer
  if (status === 403 || status === 404) return new Map()
  const failure = failureOf(call, context.clock())
  if (failure === undefined) return kindsIn(answerObject(call))
  if (failure.kind !== 'retry') return new Map()
  const { reason, retryAfterMs } = failure
  const after = retryAfterMs === undefined ? {} : { retryAfterMs }
  throw new RetryableError(`HubSpot did not list the properties: ${reason}`, { exchange: call.exchange(), ...after })
}

const kindsOf = async (context: Context, type: string): Promise<Kinds> => {
  const byType = kept.get(context.lifetime) ?? new Map<string, { until: number; kinds: Kinds }>()
  kept.set(context.lifetime, byType)
  const now = context.clock()
  const known = byType.get(type)
  if (known !== undefined && known.until > now) return known.kinds
  const kinds = await readKinds(context, type)
  byType.delete(type)
  byType.set(type, { until: now + keptMs, kinds })
  const [oldest] = byType.keys()
  if (byType.size > maxObjects && oldest !== undefined) byType.delete(oldest)
  return kinds
}

/**
 * Returns records whose times have the form that their properties take. Asks HubSpot for the properties only if a value
 * can be a time, and keeps the answer for ten minutes. Rejects with a DeliveryError if HubSpot cannot answer now.
 */
export const withTimes = async <Given extends { readonly properties: Readonly<Record<string, string>> }>(
  context: Context,
  type: string,
  records: readonly Given[],
): Promise<readonly Given[]> => {
  if (!records.some(({ properties }) => Object.values(properties).some((text) => canBeTime(text.trim()))))
    return records
  const kinds = await kindsOf(context, type)
  if (kinds.size === 0) return records
  return records.map((record) => ({
    ...record,
    properties: Object.fromEntries(
      Object.entries(record.properties).map(([name, text]) => {
        const kind = kinds.get(name)
        return [name, kind === undefined ? text : timeText(text, kind)]
      }),
    ),
  }))
}
