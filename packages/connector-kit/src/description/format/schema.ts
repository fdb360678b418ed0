import {
  conditionOperators,
  dataKinds,
  destinationCategories,
  eventTypes,
  fieldKinds,
  syncModes,
  targetTypes,
} from '@tributary/contract'
import { z } from 'zod'
import { descriptionLimits } from './limits.ts'
import { describedAnswers, describedRequest, tree } from './schema-requests.ts'
import { describedCredential, describedServer, describedSetting, partName, parts } from './schema-settings.ts'
import { describedSource, longField, presetFieldsOf, withUsualSources } from './schema-sources.ts'

const text = z.string().min(1).max(2000)
const choices = z.array(z.strictObject({ value: z.string(), label: text }))

const listField = z.strictObject({
  name: z.string(),
  label: text,
  help: text,
  type: z.enum(targetTypes),
  required: z.boolean().optional(),
  choices: choices.optional(),
})

/** A field of an action to which users map values. The name of a standard field stands for all of it. */
const longForm = z.strictObject({
  label: text,
  help: text,
  type: z.enum(targetTypes),
  kind: z.enum(fieldKinds),
  required: z.boolean().default(false),
  recommended: z.boolean().default(false),
  pii: z.enum(['email', 'phone', 'name', 'text']).optional(),
  /** The name of the vendor's own form of a text, from `normalizations`: before hashing with `pii`, else as it is sent. */
  normalize: partName.optional(),
  /** With `pii`: the field of the action, and the setting, that have the country of a phone number in national form. */
  country_field: partName.optional(),
  country_setting: partName.optional(),
  max_values: z.int().min(1).optional(),
  max_items: z.int().min(1).optional(),
  /** Only members that are neither lists nor objects are sent. */
  plain_members: z.literal(true).optional(),
  choices: choices.optional(),
  fields: z.array(listField).optional(),
  /** The usual source, which every preset of the action has unless it names another one. */
  from: describedSource.optional(),
})
const describedField = z.preprocess(longField, longForm)
export type DescribedField = z.output<typeof describedField>

const describedAction = z.strictObject({
  title: text,
  description: text,
  request: partName,
  /** The place of the items in the body, if it is not that of the request. */
  at: z.string().optional(),
  event_types: z.array(z.enum(eventTypes)).default([]),
  custom_fields: z.boolean().default(false),
  fields: parts(describedField, 200),
  /** Fields of which an event has at least one. A list in it has fields that are needed together. */
  needs_one_of: z
    .array(z.union([partName, z.array(partName).min(2).max(5)]))
    .min(1)
    .optional(),
  /** The record in the vendor's form; with `$each`, several records. Without it, the address says everything. */
  item: tree.optional(),
})
export type DescribedAction = z.output<typeof describedAction>

const describedPreset = z
  .strictObject({
    enabled: z.literal(false).optional(),
    event_name: z.string().optional(),
    /** One preset for each event name. The vendor's name beside it is the constant value of the field `as`. */
    event_names: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    as: partName.optional(),
    event_type: z.enum(eventTypes).optional(),
    conditions: z
      .array(z.strictObject({ field: z.string(), operator: z.enum(conditionOperators), value: z.string() }))
      .optional(),
    action: partName,
    since: z.int().optional(),
    /** Sources that differ from `from` of the action's fields. With null, the field is not mapped. */
    fields: z.record(z.string(), describedSource.nullable()).default({}),
  })
  .refine(
    ({ event_name: one, event_names: several, as }) => (several === undefined ? as === undefined : one === undefined),
    'A preset has one event_name, or event_names with `as`',
  )

const describedObject = z.strictObject({
  name: partName,
  title: text,
  description: text,
  sync_modes: z.array(z.enum(Object.keys(syncModes) as [keyof typeof syncModes, ...(keyof typeof syncModes)[]])),
  identifiers: z.array(
    z.union([
      z.strictObject({ event: z.enum(['messageId', 'userId']) }),
      z.strictObject({ target: z.string() }),
      z.strictObject({ setting: z.string() }),
    ]),
  ),
  actions: z.array(partName).min(1),
  /**
   * How syncs write rows: the action of each operation. The modes follow from them. A created record that is there, and a
   * changed one that is not, are `skipped` by a rule of the answer.
   */
  rows: z
    .strictObject({
      upsert: partName.optional(),
      insert: partName.optional(),
      update: partName.optional(),
      delete: partName.optional(),
      /** The fields of which one identifies records. */
      identifiers: z.array(partName).min(1),
      /** For objects that users name, such as lists of people: the field of the actions that has the name. */
      named: z.strictObject({ field: partName, title: text, description: text }).optional(),
    })
    .optional(),
})

const pages = z.url({ protocol: /^https$/ })

/** The members of a description. Test vectors have their schema in the test kit. */
export const descriptionParts = z.strictObject({
  /** The form of the description. A later form has another number. */
  format: z.literal(1),
  slug: z.string().regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/),
  title: text,
  category: z.enum(destinationCategories),
  popular: z.literal(true).optional(),
  description: text,
  docs_url: pages,
  kinds: z.array(z.enum(dataKinds)).min(1).default(['Event Streams']),
  /** The version of the vendor's API, the page that says so, and the day on which it ends, if there is one. */
  api_version: z.strictObject({ version: text, page: pages, until: z.iso.date().optional() }).optional(),
  settings: parts(describedSetting, 100),
  servers: parts(describedServer, 50),
  /** Credentials by name. Requests use `default` unless they name others. */
  auth: parts(z.array(describedCredential).max(20), 20),
  requests: parts(describedRequest, 100),
  /** How answers are read, if a request does not say otherwise. */
  answers: describedAnswers,
  objects: z.array(describedObject).min(1).max(100),
  actions: parts(describedAction, 50),
  presets: z.array(describedPreset).min(1).max(500),
  /** The limits of the vendor with their page: events and bytes of a delivery, requests in a time, and age. */
  limits: z.strictObject({
    page: pages,
    max_events: z.int().min(1).max(10_000),
    max_bytes: z.int().min(1).max(10_000_000),
    max_wait_ms: z.int().min(0).max(60_000),
    requests: z.int().min(1).optional(),
    per_ms: z.int().min(1).optional(),
    concurrency: z.int().min(1).max(100).optional(),
    max_event_age_ms: z.int().min(1).optional(),
  }),
  /** A request that needs the credentials and changes nothing. Status codes in `accepts` also mean success. */
  test: z.strictObject({
    request: partName,
    item: tree.optional(),
    accepts: z.array(z.int()).default([]),
    message: text,
  }),
  /** The deletion of a person: a request for each ID, or for up to `max_ids` IDs. */
  deletion: z
    .strictObject({
      request: partName,
      item: tree.optional(),
      ids: z.array(z.enum(['user_id', 'anonymous_id'])).min(1),
      max_ids: z.int().min(1).max(10_000).optional(),
      /** The setting without which nothing is deleted. */
      needs: partName.optional(),
    })
    .optional(),
  vectors: z.unknown().optional(),
})

/**
 * The description of a destination: plain data that `defineDescribed` makes a destination of. Its requests, answers, and
 * limits are those of a page of the vendor, which it names. Unknown members are refused. Test vectors are not kept.
 */
export const description = descriptionParts
  .refine((parts) => presetFieldsOf(parts) <= descriptionLimits.presetFields, {
    path: ['presets'],
    message: `All presets together map more than ${descriptionLimits.presetFields} fields`,
  })
  .transform((whole) => {
    const { vectors: _, ...described } = whole
    return withUsualSources(described)
  })
export type Description = z.output<typeof description>
