import { isJsonObject, mapInPieces } from '@tributary/kernel'
import type { EventOutcome, OutgoingEvent, Settings } from '../../definition/definition.ts'
import { valueInAnswer } from '../answers/answer-value.ts'
import type { DescribedAction } from '../format/schema.ts'
import type { DescribedRequest } from '../format/schema-requests.ts'
import { type Described, type Envelope, openEnvelope, requestOf, variablesOf } from '../requests/open-request.ts'
import { bodyText } from '../templates/body-text.ts'
import { isTemplate, renderTree, type Scope, scopeOf, TreeProblem, templatesOf } from '../templates/render-tree.ts'

/** An event or row with its values. Those with the same key are sent in different requests, in their order. */
export type Sending = Pick<OutgoingEvent, 'action' | 'payload'> & { readonly key?: string }

/** An item of a request in the vendor's form, and the place of its list in the body. */
export type Item = { readonly value: unknown; readonly place: string; readonly bytes: number }

/** What an event sends: its request, and its items, which stay together. */
export type Unit = {
  /** The position of the event in the batch. */
  readonly index: number
  readonly name: string
  readonly request: DescribedRequest
  /** The request without its items, or that of the lookup before it. */
  readonly envelope: Envelope
  readonly items: readonly Item[]
  readonly bytes: number
  /** The values that no two units of a request may share. */
  readonly keys: readonly string[]
  readonly scope: Scope
}

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === ''

const bytesOf = (value: unknown, encoding: DescribedRequest['encoding'] = 'json'): number =>
  Buffer.byteLength(bodyText(value, isJsonObject(value) ? encoding : 'json'))

/** Returns the bytes of an item in the body of its request. In the list of a form, it has the name of the list. */
const bytesOfItem = (value: unknown, { encoding, batch }: DescribedRequest): number =>
  encoding === 'form' && batch !== undefined ? bytesOf({ [batch.at]: value }, encoding) : bytesOf(value, encoding)

/** Returns the bytes of a body besides its items: what is around them, with room for credentials. */
const frameOf = ({ open, request }: Envelope): number =>
  request.batch === undefined ? 0 : bytesOf(open.body ?? null) + 256

const labelsOf = ({ fields }: DescribedAction, groups: readonly (readonly string[])[]): string =>
  groups.map((names) => names.map((name) => fields[name]?.label ?? name).join(' with ')).join(', ')

const constants = new WeakMap<DescribedRequest, boolean>()

/** Whether a request without its items is the same for all events of a destination. */
const isConstant = (request: DescribedRequest): boolean => {
  const known = constants.get(request)
  if (known !== undefined) return known
  const { path, query, headers, body } = request
  const texts = [
    path,
    ...Object.values(query),
    ...Object.values(headers),
    ...(body === undefined ? [] : templatesOf(body)),
  ]
  const made = !texts.some(isTemplate)
  constants.set(request, made)
  return made
}

/** Opens requests; those that are the same for all events of a batch once. */
const createOpening = (described: Described, settings: Settings) => {
  const opened = new Map<string, Envelope>()
  return (name: string, scope: Scope): Envelope => {
    const known = opened.get(name)
    if (known !== undefined) return known
    const envelope = openEnvelope(described, name, scope, settings)
    if (isConstant(envelope.request)) opened.set(name, envelope)
    return envelope
  }
}

type Batch = { described: Described; settings: Settings; open: ReturnType<typeof createOpening> }

/** Returns what an event sends. Throws TreeProblem with the reason why it cannot be sent. */
const unitOf = ({ described, settings, open }: Batch, event: Sending, index: number): Unit => {
  const action = described.actions[event.action]
  if (action === undefined) throw new TreeProblem(`${described.title} has no action "${event.action}"`)
  const variables = variablesOf(described, event, settings)
  const needed = action.needs_one_of?.map((names) => [names].flat()) ?? []
  if (needed.length > 0 && needed.every((names) => names.some((name) => isMissing(variables[name]))))
    throw new TreeProblem(`The event has none of these: ${labelsOf(action, needed)}`)
  const scope = scopeOf(variables)
  const rendered = action.item === undefined ? undefined : renderTree(action.item, scope)
  const { request: name } = action
  const request = requestOf(described, name)
  const { batch, max_bytes: maxBytes, max_item_bytes: maxItem = maxBytes, find } = request
  const isBatch = batch !== undefined
  const inner = isBatch ? scope : { ...scope, variables: { ...variables, item: rendered } }
  const envelope = open(find?.request ?? name, inner)
  const values: readonly unknown[] = isBatch && Array.isArray(rendered) ? rendered : [rendered]
  const items = values
    .filter((value) => value !== undefined)
    .map((value): Item => ({ value, place: action.at ?? batch?.at ?? '', bytes: bytesOfItem(value, request) + 1 }))
  if (items.length === 0 && action.item !== undefined && request.method !== 'GET' && request.body === undefined)
    throw new TreeProblem('Nothing of the event is mapped')
  const bytes = items.reduce((sum, item) => sum + item.bytes, 0)
  const largest = items.reduce((most, item) => Math.max(most, item.bytes), 0)
  if (bytes + frameOf(envelope) > maxBytes || largest > maxItem) {
    const most = Math.min(maxBytes, maxItem).toLocaleString('en-US')
    throw new TreeProblem(`The event has more bytes than ${described.title} takes: at most ${most}`)
  }
  if (batch !== undefined && items.length > batch.max_items)
    throw new TreeProblem(`The event has ${items.length} records, more than the ${batch.max_items} of a request`)
  const { unique } = batch ?? {}
  const keys = items.flatMap(({ value }) => {
    const key = unique === undefined ? undefined : valueInAnswer(value, unique)
    return isMissing(key) ? [] : [JSON.stringify(key)]
  })
  if (event.key !== undefined) keys.push(`row ${event.key}`)
  return { index, name, request, envelope, items, bytes, keys, scope }
}

/** Works in pieces, and other work of the thread runs between them. Returns what the events of a batch send, and the outcomes of those that cannot be sent. */
export const makeUnits = async (
  described: Described,
  batch: readonly Sending[],
  settings: Settings,
): Promise<{ units: Unit[]; outcomes: (EventOutcome | undefined)[] }> => {
  const units: Unit[] = []
  const shared = { described, settings, open: createOpening(described, settings) }
  let next = 0
  const outcomes = await mapInPieces(batch, (event): EventOutcome | undefined => {
    const index = next++
    try {
      units.push(unitOf(shared, event, index))
      return undefined
    } catch (error) {
      if (error instanceof TreeProblem) return { kind: 'rejected', reason: error.message }
      throw error
    }
  })
  return { units, outcomes }
}

type Chunk = { units: Unit[]; items: number; bytes: number; position: number }

/**
 * Divides units into requests, to be sent one after the other. Units of one request have the same envelope, and together
 * keep its limits. Units with the same key are in different requests, in the order of their events, so that a removal
 * never overtakes an addition.
 */
export const requestsOf = (units: readonly Unit[]): Unit[][] => {
  const chunks: Chunk[] = []
  const latest = new Map<string, Chunk>()
  /** The position of the last request with each key. */
  const positions = new Map<string, number>()
  for (const unit of units) {
    const { request, envelope, keys } = unit
    const group = request.batch === undefined ? `${unit.index}` : envelope.key
    const open = latest.get(group)
    const fits =
      open !== undefined &&
      open.items + unit.items.length <= (request.batch?.max_items ?? 1) &&
      open.bytes + unit.bytes <= request.max_bytes &&
      keys.every((key) => (positions.get(key) ?? -1) < open.position)
    const chunk = fits ? open : { units: [], items: 0, bytes: frameOf(envelope), position: chunks.length }
    if (!fits) {
      chunks.push(chunk)
      latest.set(group, chunk)
    }
    chunk.units.push(unit)
    chunk.items += unit.items.length
    chunk.bytes += unit.bytes
    for (const key of keys) positions.set(key, chunk.position)
  }
  return chunks.map((chunk) => chunk.units)
}
