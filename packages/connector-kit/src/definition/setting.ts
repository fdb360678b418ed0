import type { SecretTarget } from '@tributary/contract'
import { z } from 'zod'
import type { FieldDefinition, FieldType } from './definition.ts'
import { headers, template, text, url, wholeNumber } from './setting-values.ts'

/** The texts of a setting for users, and when it is shown. */
type FieldOptions = Pick<FieldDefinition, 'label' | 'help' | 'showWhen'> & {
  /** Whether the setting must have a value before anything is delivered. */
  required?: boolean
  /** Value of the setting if users enter none. */
  default?: string | number | boolean
  /** False if users cannot change the setting once it has a value. */
  editable?: boolean
}

/** Adds undefined to the type of a setting that is neither required nor has a default. */
type Presence<Options, Value> = Options extends { required: true } | { default: string | number | boolean }
  ? Value
  : Value | undefined

/** Descriptions of settings for the forms and the catalog, by their schemas. */
const descriptions = z.registry<Omit<FieldDefinition, 'name'>>()

/**
 * Adds the description to the schema of a setting. The type cast is safe, because a value is required exactly if
 * `Presence` excludes undefined.
 */
const described = <Value, const Options extends FieldOptions>(
  type: FieldType,
  rules: z.ZodType<Value>,
  options: Options,
  more: Partial<FieldDefinition> = {},
): z.ZodType<Presence<Options, Value>> => {
  const { label, help, required = false, default: value, editable = true, showWhen } = options
  const optional: z.ZodType = required ? rules : rules.optional()
  const schema = value === undefined ? optional : (rules as z.ZodType).default(value)
  const description = {
    ...more,
    type,
    label,
    help,
    required,
    editable,
    secret: type === 'secret' || type === 'headers',
    ...(value === undefined ? {} : { default: value }),
    ...(showWhen === undefined ? {} : { showWhen }),
  }
  return schema.register(descriptions, description) as z.ZodType<Presence<Options, Value>>
}

const lengthOf = ({ maxLength }: { maxLength?: number }): Pick<FieldDefinition, 'maxLength'> =>
  maxLength === undefined ? {} : { maxLength }

const targetsOf = ({ sentTo }: { sentTo?: readonly SecretTarget[] }): Pick<FieldDefinition, 'sentTo'> =>
  sentTo === undefined ? {} : { sentTo }

type Choice = { readonly value: string; readonly label: string }
type Secret = Pick<FieldDefinition, 'sentTo'>

/**
 * The kinds of settings of a connector. Each creates the Zod schema of one setting, with its description for the form.
 */
export const setting = {
  /** A line of text, at most 1,000 characters by default. */
  text: <const Options extends FieldOptions & { maxLength?: number }>(options: Options) =>
    described('string', text(options.maxLength ?? 1000), options, lengthOf(options)),
  /** A text that is stored encrypted and never shown again, at most 1,000 characters by default. */
  secret: <const Options extends Omit<FieldOptions, 'default'> & Secret & { maxLength?: number }>(options: Options) =>
    described('secret', text(options.maxLength ?? 1000), options, { ...lengthOf(options), ...targetsOf(options) }),
  /** An SQL statement, at most 1,000 characters by default. */
  sql: <const Options extends FieldOptions & { maxLength?: number }>(options: Options) =>
    described('sql', text(options.maxLength ?? 1000), options, lengthOf(options)),
  /** A Liquid template that renders to JSON. */
  template: <const Options extends FieldOptions>(options: Options) => described('template', template, options),
  /** An http or https URL. */
  url: <const Options extends FieldOptions>(options: Options) => described('url', url, options),
  /** Request headers by name; stored encrypted, because most contain credentials. */
  headers: <const Options extends Omit<FieldOptions, 'default'> & Secret>(options: Options) =>
    described('headers', headers, options, targetsOf(options)),
  /** One of several values. */
  choice: <const Options extends FieldOptions & { choices: readonly [Choice, ...Choice[]] }>(options: Options) => {
    const { choices } = options
    const error = `Choose one of ${choices.map(({ label }) => label).join(', ')}`
    const rules: z.ZodType<Options['choices'][number]['value']> = z.enum(
      choices.map(({ value }) => value),
      { error },
    )
    return described('select', rules, options, { choices })
  },
  /** A choice between yes and no. */
  toggle: <const Options extends FieldOptions>(options: Options) =>
    described('boolean', z.boolean('Choose yes or no'), options),
  /** A whole number within inclusive bounds. */
  number: <const Options extends FieldOptions & { min?: number; max?: number }>(options: Options) => {
    const { min, max } = options
    return described('number', wholeNumber(min, max), options, {
      ...(min === undefined ? {} : { min }),
      ...(max === undefined ? {} : { max }),
    })
  },
}

/** Settings by their names, in the order of the form. */
export type SettingShape = Readonly<Record<string, z.ZodType>>

/**
 * The settings of a connector: a schema for each setting, and the descriptions that form, validation and encryption
 * use.
 */
export type SettingsSchema<Shape extends SettingShape = SettingShape> = {
  readonly shape: Shape
  readonly fields: readonly FieldDefinition[]
}

/** The values of settings after `validateSettings`. */
export type SettingsOf<Schema extends SettingsSchema> = {
  readonly [Name in keyof Schema['shape']]: z.output<Schema['shape'][Name]>
}

/** Combines the settings of a connector. Throws for a schema that was not created by `setting`. */
export const defineSettings = <const Shape extends SettingShape>(shape: Shape): SettingsSchema<Shape> => ({
  shape,
  fields: Object.entries(shape).map(([name, schema]) => {
    const description = descriptions.get(schema)
    if (description === undefined) throw new Error(`The setting ${name} has no description`)
    return { name, ...description }
  }),
})
