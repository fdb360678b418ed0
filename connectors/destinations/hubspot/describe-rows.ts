import {
  answerObject,
  isJsonObject,
  RetryableError,
  type RowField,
  type RowObjectDetail,
} from '@tributary/connector-kit'
import { recordsObject, recordsOf } from './object-type.ts'
import { ask, type Context, failureOf, propertyBytes } from './request.ts'

type Json = Readonly<Record<string, unknown>>

const textIn = (record: Json, name: string): string => {
  const value = record[name]
  return typeof value === 'string' ? value : ''
}
const objectsIn = (record: Json | undefined, name: string): readonly Json[] => {
  const value = record?.[name]
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

/**
 * Whether users can set the value of a property ("Properties": read-only and calculated properties are HubSpot's own).
 */
const isWritable = (property: Json): boolean => {
  const { modificationMetadata: rules, hidden, calculated, archived } = property
  return (
    hidden !== true &&
    calculated !== true &&
    archived !== true &&
    !(isJsonObject(rules) && rules['readOnlyValue'] === true)
  )
}

const fieldOf = (type: string, property: Json, required: ReadonlySet<string>): RowField => {
  const name = textIn(property, 'name')
  return {
    name,
    label: textIn(property, 'label'),
    type: textIn(property, 'type'),
    required: required.has(name),
    // The email address identifies contacts, although HubSpot does not mark the property as unique.
    unique: property['hasUniqueValue'] === true || (type === 'contacts' && name === 'email'),
    options: objectsIn(property, 'options')
      .filter(({ hidden }) => hidden !== true)
      .map((option) => ({ value: textIn(option, 'value'), label: textIn(option, 'label') })),
  }
}

/**
 * Reads the names of properties that a new record must have; empty if the token cannot read schemas ("Object schemas").
 */
const requiredOf = async (context: Context, type: string): Promise<ReadonlySet<string>> => {
  const call = await ask(
    context,
    'GET',
    `/crm-object-schemas/v3/schemas/${encodeURIComponent(type)}`,
    undefined,
    propertyBytes,
  )
  const names = call.answer.status === 200 ? answerObject(call)?.['requiredProperties'] : []
  return new Set(Array.isArray(names) ? names.filter((each) => typeof each === 'string') : [])
}

/** Lists the writable properties of an object ("Properties": GET /crm/v3/properties/{objectType}), sorted by label. */
export const describeRows = async (
  context: Context,
  given: { object: string; name: string },
): Promise<RowObjectDetail> => {
  const named = given.object === 'custom_object' ? given.name : given.object
  const type = recordsOf(recordsObject({ type: named, idProperty: 'id' }))?.type
  if (type === undefined) return { fields: [], facts: [] }
  const call = await ask(context, 'GET', `/crm/v3/properties/${encodeURIComponent(type)}`, undefined, propertyBytes)
  const failure = failureOf(call, context.clock())
  if (failure !== undefined) throw new RetryableError(failure.reason, { exchange: call.exchange() })
  const required = await requiredOf(context, type)
  const fields = objectsIn(answerObject(call), 'results')
    .filter(isWritable)
    .map((property) => fieldOf(type, property, required))
  return { fields: fields.toSorted((a, b) => a.label.localeCompare(b.label)), facts: [] }
}
