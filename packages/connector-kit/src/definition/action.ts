import type { EventType, TargetType } from '@tributary/contract'
import type { ExactNumber, JsonObject } from '@tributary/kernel'
import type { ActionDefinition, ActionTarget, OutgoingEvent, PiiRule } from './definition.ts'

/** A field of an action's payload. */
type ActionField = Omit<ActionTarget, 'name' | 'required' | 'recommended'> & {
  readonly required?: boolean
  readonly recommended?: boolean
}

/** The value type of a field type; numbers keep their original digits. */
type ValueOf = {
  string: string
  number: number | ExactNumber
  boolean: boolean
  object: JsonObject
  array: readonly unknown[]
  /** A time as RFC 3339 in UTC with ms. */
  datetime: string
  any: unknown
} & Record<TargetType, unknown>

/** The value type of a field. Several values of personal data are a list of hashes. */
type FieldValue<Field extends ActionField> = Field extends { pii: PiiRule; maxValues: number }
  ? string | readonly string[]
  : ValueOf[Field['type']]

type RequiredNames<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends { required: true } ? Name : never
}[keyof Fields]

type Values<Fields extends Readonly<Record<string, ActionField>>> = {
  readonly [Name in RequiredNames<Fields>]: FieldValue<Fields[Name]>
} & {
  readonly [Name in Exclude<keyof Fields, RequiredNames<Fields>>]?: FieldValue<Fields[Name]>
}

/** An action whose payload has the types of the action's fields. */
export type Action<Fields extends Readonly<Record<string, ActionField>>> = ActionDefinition & {
  /** The payload that the mapping created for this action. */
  readonly payloadOf: (event: OutgoingEvent) => Values<Fields>
  /** Further fields of the payload that the user has mapped. */
  readonly customOf: (event: OutgoingEvent) => Readonly<Record<string, unknown>>
}

/** The payload type of an action, derived from its fields. */
export type PayloadOf<Made extends { payloadOf: (event: OutgoingEvent) => unknown }> = ReturnType<Made['payloadOf']>

/**
 * Defines an action of a destination by its fields, whose names have no dots. Its payload has the types of the fields.
 * This is type-safe, because a mapping converts each value to its field's type and rejects an event without a required
 * field.
 */
export const defineAction = <const Fields extends Readonly<Record<string, ActionField>>>({
  fields,
  customTargets = false,
  wholeEvent = false,
  eventTypes = [],
  ...named
}: Pick<ActionDefinition, 'name' | 'title' | 'description' | 'needsSetting'> & {
  fields: Fields
  customTargets?: boolean
  wholeEvent?: boolean
  eventTypes?: readonly EventType[]
}): Action<Fields> => ({
  ...named,
  customTargets,
  wholeEvent,
  eventTypes,
  targets: Object.entries(fields).map(([name, { required = false, recommended = false, ...field }]) => ({
    ...field,
    name,
    required,
    recommended,
  })),
  payloadOf: (event) => (event.payload ?? {}) as Values<Fields>,
  customOf: (event) =>
    Object.fromEntries(Object.entries(event.payload ?? {}).filter(([name]) => !Object.hasOwn(fields, name))),
})
