import type { DeliverContext, DeliverResult } from '@tributary/connector-kit'
import { type GivenRow, rowOf } from '@tributary/connector-kit/own-connector'
import { badRequest, isRecord } from '@tributary/kernel'
import type { ReadOwn } from './affected.ts'

/** A row of a trial: its values as JSON text, and the action of the description that writes it; '' if there is none. */
export type TrialRow = {
  json: string
  action: string
  deliver: (context: DeliverContext) => Promise<DeliverResult>
}

const refuse = (field: string, text: string): Error => badRequest('VALIDATION', text, { [field]: text })

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the row that a user entered. Throws 400 with `row` or `row.values` if it is none. */
export const trialRow = (
  { definition, described }: ReadOwn,
  given: (GivenRow & { values: string }) | undefined,
): TrialRow => {
  if (given === undefined) throw refuse('row', 'Required')
  const values = parse(given.values)
  if (!isRecord(values)) throw refuse('row.values', 'Must be a JSON object')
  const row = rowOf(definition, given, values, 0)
  if ('problem' in row) throw refuse('row', row.problem)
  const { deliverRows } = definition
  if (deliverRows === undefined) throw refuse('row', 'The description takes no rows')
  const rows = described.objects.find(({ name }) => name === given.object)?.rows
  return {
    json: row.json,
    action: rows?.[given.operation] ?? '',
    deliver: (context) => deliverRows([row], context),
  }
}
