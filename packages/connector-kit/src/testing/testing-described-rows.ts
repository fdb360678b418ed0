import { expect, it } from 'vitest'
import type { DestinationDefinition, EventOutcome, OutgoingEvent, OutgoingRow } from '../definition/definition.ts'
import type { Description } from '../description/schema.ts'
import type { VectorAnswer } from '../description/schema-vectors.ts'

type Values = Readonly<Record<string, unknown>>
type Vector = Description['vectors']['requests'][number]
type Rows = NonNullable<Description['objects'][number]['rows']>
type Operation = OutgoingRow['operation']

/** What the tests of a description do with rows: deliver them to a stand-in, and compare its requests. */
export type RowRunner = {
  /** Returns the events of a vector as the presets map them. */
  mapped: (vector: Vector) => readonly OutgoingEvent[]
  run: (
    rows: readonly OutgoingRow[],
    given: { answers: readonly VectorAnswer[]; settings: Values },
  ) => Promise<{ outcomes: readonly EventOutcome[]; compare: (requests: Vector['requests']) => void }>
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
  const names = new Set(payloads.map((payload) => (named === undefined ? '' : String(payload[named.field] ?? ''))))
  const [name = ''] = names
  const address = definition.rowObjects?.find((one) => one.name === object)?.address
  if (identifier === undefined || names.size !== 1 || address === undefined) return undefined
  return payloads.map((payload, at) => ({
    recordId: `row-${at + 1}`,
    operation,
    object: address({ name, identifier }),
    key: String(payload[identifier]),
    json: JSON.stringify(Object.fromEntries(Object.entries(payload).filter(([field]) => field !== named?.field))),
  }))
}

/**
 * Defines the tests of a description's rows. A row has the same request as an event with its values, by the vectors of
 * events. Operations without such an event have vectors of their own.
 */
export const testDescribedRows = (
  { vectors, objects }: Description,
  definition: DestinationDefinition,
  { mapped, run }: RowRunner,
): void => {
  for (const { name: object, rows } of objects) {
    if (rows === undefined) continue
    for (const operation of operations) {
      const action = rows[operation]
      if (action === undefined) continue
      const own = vectors.rows.filter((vector) => vector.object === object && vector.operation === operation)
      it.each(own.map((vector) => [vector.name, vector] as const))(
        `the vendor receives exactly the documented request for rows: %s`,
        async (_, { identifier, list, rows: values, answers, settings, requests, outcomes }) => {
          const payloads = values.map((one) => (rows.named === undefined ? one : { ...one, [rows.named.field]: list }))
          const made = rowsOf(definition, object, { ...rows, identifiers: [identifier] }, operation, payloads)
          const sent = await run(made ?? [], { answers, settings })
          expect(sent.outcomes).toEqual(outcomes ?? values.map(() => ({ kind: 'delivered' })))
          sent.compare(requests)
        },
      )
      if (own.length > 0) continue
      it(`a row of ${object} (${operation}) has the same request as an event with its values`, async () => {
        let compared = 0
        for (const vector of vectors.requests) {
          const events = mapped(vector)
          if (!events.every((event) => event.action === action)) continue
          const made = rowsOf(
            definition,
            object,
            rows,
            operation,
            events.map(({ payload = {} }) => payload),
          )
          if (made === undefined) continue
          const sent = await run(made, vector)
          expect(sent.outcomes).toEqual(events.map(() => ({ kind: 'delivered' })))
          sent.compare(vector.requests)
          compared++
        }
        expect(compared, `There is no vector with events of ${action} alone, and none of rows`).toBeGreaterThan(0)
      })
    }
  }
}
