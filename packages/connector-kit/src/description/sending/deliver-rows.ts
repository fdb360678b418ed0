import type { SyncMode } from '@tributary/contract'
import { isJsonObject } from '@tributary/kernel'
import type {
  ActionDefinition,
  ActionTarget,
  DeliverContext,
  DeliverResult,
  DestinationDefinition,
  EventOutcome,
  OutgoingRow,
  Settings,
} from '../../definition/definition.ts'
import type { RowObjectDefinition } from '../../definition/row-objects.ts'
import { parseExactJson } from '../../exact-json.ts'
import { called, readPart } from '../../mapping/compile-field.ts'
import { sentValue } from '../../mapping/sent-value.ts'
import type { Described } from '../requests/open-request.ts'
import { TreeProblem } from '../templates/render-tree.ts'
import { deliverEvents } from './deliver-events.ts'
import type { Sending } from './make-units.ts'

type Rows = NonNullable<Described['objects'][number]['rows']>
type RowObject = Described['objects'][number] & { rows: Rows }
type Values = Readonly<Record<string, unknown>>

const rowObjectsOf = ({ objects }: Described): RowObject[] =>
  objects.flatMap(({ rows, ...object }) => (rows === undefined ? [] : [{ ...object, rows }]))

/** Returns the modes whose operations all have an action. */
const modesOf = ({ upsert, insert, update, delete: remove }: Rows): SyncMode[] => [
  ...(upsert !== undefined && remove !== undefined ? (['FULL_SYNC'] as const) : []),
  ...(upsert !== undefined ? (['UPSERT_ONLY'] as const) : []),
  ...(update !== undefined ? (['UPDATE_ONLY'] as const) : []),
  ...(insert !== undefined ? (['INSERT_ONLY'] as const) : []),
]

const rowObjectOf = (object: RowObject): RowObjectDefinition => {
  const { named } = object.rows
  const { title, description } = named ?? object
  return {
    name: object.name,
    title,
    description,
    syncModes: modesOf(object.rows),
    ...(named === undefined ? { named: false } : {}),
    address: ({ name, identifier }) =>
      ['rows', object.name, identifier, ...(named === undefined ? [] : [name.trim()])]
        .map(encodeURIComponent)
        .join('/'),
  }
}

/** Returns the value of a target for a row. A null clears the value. Throws TreeProblem. */
const valueFor = (target: ActionTarget, values: Values, settings: Settings): unknown => {
  const { [target.name]: given } = values
  if (given === null && !target.required) return target.pii === undefined ? null : undefined
  const country = values[target.countryTarget ?? ''] ?? settings[target.countrySetting ?? '']
  const sent = sentValue(target, readPart(target, given), typeof country === 'string' ? country : undefined)
  if (sent !== undefined && 'problem' in sent) throw new TreeProblem(`${called(target)} ${sent.problem}`)
  if (target.required && (sent === undefined || sent.value === ''))
    throw new TreeProblem(`${called(target)} is required`)
  return sent?.value
}

/** A row as its action takes it. Throws TreeProblem with the reason why the row cannot be written. */
const sendingOf = (
  row: OutgoingRow,
  object: RowObject,
  given: { identifier: string; name: string },
  actions: readonly ActionDefinition[],
  settings: Settings,
): Sending => {
  const { rows, title } = object
  const { operation, key } = row
  const action = actions.find(({ name }) => name === rows[operation])
  if (action === undefined) throw new TreeProblem(`${title} take no ${operation} of a row`)
  if (!rows.identifiers.includes(given.identifier))
    throw new TreeProblem(`${title} are identified by ${rows.identifiers.join(' or ')}, not by ${given.identifier}`)
  const read = parseExactJson(row.json)
  const values: Values = {
    [given.identifier]: key,
    ...(isJsonObject(read) ? read : {}),
    ...(rows.named === undefined ? {} : { [rows.named.field]: given.name }),
  }
  const isTarget = (name: string): boolean => action.targets.some((target) => target.name === name)
  const others = Object.entries(values).filter(([name]) => !isTarget(name) && operation !== 'delete')
  const [first] = others
  if (first !== undefined && !action.customTargets)
    throw new TreeProblem(`${title} have no field ${JSON.stringify(first[0])}`)
  const known = action.targets.map((target) => [target.name, valueFor(target, values, settings)] as const)
  const payload = Object.fromEntries([...known, ...others].filter(([, value]) => value !== undefined))
  return { action: action.name, payload, key }
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}

const addressOf = (described: Described, address: string) => {
  const [kind, ...parts] = address.split('/')
  const [name, identifier = '', given = ''] = parts.map(decoded)
  const object = kind === 'rows' ? rowObjectsOf(described).find((one) => one.name === name) : undefined
  return object === undefined ? undefined : { object, identifier, name: given }
}

/** A removed record that is not there is removed. */
const rowOutcome = ({ operation }: OutgoingRow, outcome: EventOutcome): EventOutcome =>
  operation === 'delete' && outcome.kind === 'skipped' ? { kind: 'delivered' } : outcome

/** Writes rows of one object in order, each by the action of its operation. Throws like `deliverEvents`. */
const deliverRows = async (
  described: Described,
  actions: readonly ActionDefinition[],
  rows: readonly OutgoingRow[],
  context: DeliverContext,
): Promise<DeliverResult> => {
  const address = addressOf(described, rows[0]?.object ?? '')
  const outcomes = rows.map((): EventOutcome => ({ kind: 'rejected', reason: `${described.title} takes no such rows` }))
  const nothing = { outcomes, httpStatus: 0, latencyMs: 0, request: '', response: '' }
  if (address === undefined) return nothing
  const sent: number[] = []
  const sendings = rows.flatMap((row, at): Sending[] => {
    try {
      const sending = sendingOf(row, address.object, address, actions, context.settings)
      sent.push(at)
      return [sending]
    } catch (error) {
      if (!(error instanceof TreeProblem)) throw error
      outcomes[at] = { kind: 'rejected', reason: error.message }
      return []
    }
  })
  if (sendings.length === 0) return nothing
  const result = await deliverEvents(described, sendings, context)
  for (const [at, outcome] of result.outcomes.entries()) {
    const index = sent[at] ?? -1
    const row = rows[index]
    if (row !== undefined) outcomes[index] = rowOutcome(row, outcome)
  }
  return outcomes.every(({ kind }) => kind === 'delivered')
    ? { ...result, outcomes }
    : { ...result, outcomes, request: result.request ?? '', response: result.response ?? '' }
}

/** Returns the part of a destination that writes rows of syncs; empty if no object of the description has rows. */
export const rowsOf = (
  described: Described,
  actions: readonly ActionDefinition[],
): Pick<DestinationDefinition, 'deliverRows' | 'describeRows' | 'rowObjects'> => {
  const objects = rowObjectsOf(described)
  if (objects.length === 0) return {}
  return {
    rowObjects: objects.map(rowObjectOf),
    deliverRows: (rows, context) => deliverRows(described, actions, rows, context),
    describeRows: async (_, { object }) => {
      const rows = objects.find(({ name }) => name === object)?.rows
      const action = actions.find(({ name }) => name === (rows?.upsert ?? rows?.insert ?? rows?.update))
      const fields = (action?.targets ?? [])
        .filter(({ name }) => name !== rows?.named?.field)
        .map(({ name, label, type, required, choices = [] }) => ({
          name,
          label,
          type,
          required,
          unique: rows?.identifiers.includes(name) === true,
          options: [...choices],
        }))
      return { fields, facts: [] }
    },
  }
}
