import { expect, it } from 'vitest'
import type { DestinationDefinition, EventOutcome, OutgoingEvent, OutgoingRow } from '../definition/definition.ts'
import type { TestedDescription, VectorAnswer } from '../description/format/vectors.ts'

type Values = Readonly<Record<string, unknown>>
type Vector = TestedDescription['vectors']['requests'][number]
type Rows = NonNullable<TestedDescription['objects'][number]['rows']>
type Operation = OutgoingRow['operation']

type Given = { answers: readonly VectorAnswer[]; settings: Values }
type Sent = { outcomes: readonly EventOutcome[]; requests: readonly object[] }

/** What the tests of a description do with events and rows: they deliver both to a stand-in. */
export type RowRunner = {
  /** Returns the events of a vector as the presets map them. */
  mapped: (vector: Vector) => readonly OutgoingEvent[]
  deliver: (events: readonly OutgoingEvent[], given: Given) => Promise<Sent>
  deliverRows: (rows: readonly OutgoingRow[], given: Given) => Promise<Sent>
  /** Returns requests as a vector has them, for comparison. */
  shown: (requests: Vector['requests']) => readonly object[]
}

const operations = ['upsert', 'insert', 'update', 'delete'] as const satisfies readonly Operation[]

/** Returns payloads of events as rows of one object; undefined if no identifier is in all of them, or the list differs. */
const rowsOf = (
  definition: DestinationDefinition,
  object: string,
  { identifiers, named }: Rows,
  operation: Operation,
  payloads: readonly Values[],
): OutgoingRow[] | undefined => {
  const identifier = identifiers.find((name) => payloads.every((payload) => payload[name] !== undefined))
  const nameOf = (payload: Values): unknown => (named === undefined ? '' : payload[named.field])
  const names = new Set(payloads.map(nameOf))
  const [name] = names
  const address = definition.rowObjects?.find((one) => one.name === object)?.address
  if (identifier === undefined || typeof name !== 'string' || names.size !== 1 || address === undefined)
    return undefined
  return payloads.map((payload, at) => ({
    recordId: `row-${at + 1}`,
    operation,
    object: address({ name, identifier }),
    key: String(payload[identifier]),
    json: JSON.stringify(Object.fromEntries(Object.entries(payload).filter(([field]) => field !== named?.field))),
  }))
}

const testOwn = (
  { objects }: TestedDescription,
  definition: DestinationDefinition,
  vector: TestedDescription['vectors']['rows'][number],
  { deliverRows, shown }: RowRunner,
): void =>
  it(`the vendor receives exactly the documented request for rows: ${vector.name}`, async () => {
    const { object, operation, identifier, list, requests, outcomes, rows: values } = vector
    const rows = objects.find(({ name }) => name === object)?.rows
    if (rows === undefined) throw new Error(`There is no object ${object} with rows`)
    const payloads = values.map((one) => (rows.named === undefined ? one : { ...one, [rows.named.field]: list }))
    const made = rowsOf(definition, object, { ...rows, identifiers: [identifier] }, operation, payloads)
    const sent = await deliverRows(made ?? [], vector)
    expect(sent.outcomes).toEqual(outcomes ?? values.map(() => ({ kind: 'delivered' })))
    expect(sent.requests).toMatchObject(shown(requests))
    expect(sent.requests).toHaveLength(requests.length)
  })

/**
 * Defines the tests of a description's rows. A row has the same request as an event with its values, for the events of
 * the vectors. Operations without such an event have vectors of their own.
 */
export const testDescribedRows = (
  whole: TestedDescription,
  definition: DestinationDefinition,
  runner: RowRunner,
): void => {
  const { vectors, objects } = whole
  const { mapped, deliver, deliverRows } = runner
  for (const vector of vectors.rows) testOwn(whole, definition, vector, runner)
  const used = objects.flatMap(({ name: object, rows }) =>
    rows === undefined ? [] : operations.map((operation) => ({ object, rows, operation, action: rows[operation] })),
  )
  for (const { object, rows, operation, action } of used) {
    const isShown = vectors.rows.some((vector) => vector.object === object && vector.operation === operation)
    if (action === undefined || isShown) continue
    it(`a row of ${object} (${operation}) has the same request as an event with its values`, async () => {
      let compared = 0
      for (const vector of vectors.requests) {
        const whole = mapped(vector)
        const events = whole.filter((event) => event.action === action)
        const payloads = events.map(({ payload = {} }) => payload)
        const made = rowsOf(definition, object, rows, operation, payloads)
        if (made === undefined) continue
        const given = { settings: vector.settings, answers: events.length === whole.length ? vector.answers : [] }
        expect(await deliverRows(made, given)).toEqual(await deliver(events, given))
        compared++
      }
      expect(compared, `There is no vector with an event of ${action}, and none of rows`).toBeGreaterThan(0)
    })
  }
}
