import type { DestinationDefinition, OutgoingRow } from '../definition/definition.ts'

/** The operation on a record, the name of its object, and the field that identifies it. */
export type GivenRow = {
  readonly object: string
  readonly operation: OutgoingRow['operation']
  readonly identifier: string
  /** The name of an object that users name; '' for others. */
  readonly list: string
}

/** Returns values as a row of a sync, or the reason why they are none. `at` is the position among its rows. */
export const rowOf = (
  { rowObjects = [] }: Pick<DestinationDefinition, 'rowObjects'>,
  { object, operation, identifier, list }: GivenRow,
  values: Readonly<Record<string, unknown>>,
  at: number,
): OutgoingRow | { problem: string } => {
  const found = rowObjects.find(({ name }) => name === object)
  if (found === undefined) return { problem: `There is no object ${object} with rows` }
  if (found.named !== false && list.trim() === '') return { problem: `${found.title} needs a name` }
  const { [identifier]: key } = values
  if ((typeof key !== 'string' && typeof key !== 'number') || key === '')
    return { problem: `A row needs a value of ${identifier}` }
  return {
    recordId: `row-${at + 1}`,
    operation,
    object: found.address({ name: list, identifier }),
    key: String(key),
    json: JSON.stringify(values),
  }
}
