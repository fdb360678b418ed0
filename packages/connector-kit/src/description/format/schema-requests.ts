import { z } from 'zod'
import { partName } from './schema-settings.ts'

/** A Liquid template over the fields of an action, `custom`, and `settings` without secrets. */
const template = z.string().max(10_000)

/**
 * A JSON value whose texts are templates. A text that is one output, such as `{{ properties }}`, keeps the type of its
 * value, and is left out if there is none. Objects with these members are directives:
 * - `$merge`: a list of objects, or of lists of them, whose members are put together; later ones win. It is sent even
 *   if it is empty. Members whose names are in `$without`, a list, are left out.
 * - `$each` and `$item`: for each item of a list, `$item` with the variable `item`.
 * - `$pairs` and `$item`: the same for each member of an object; the item has `key` and `value`.
 * - `$if`, `$then`, and `$else`: one of two values.
 * - `$texts`: an object, whose members become texts; lists and objects are left out.
 * - `$flat`: an object without lists and objects in it: their members have joined names, such as `products[0].sku`.
 * - `$name` and `$value`: an object with one member, whose name is a template; nothing if one of both has no value.
 * - `$ulid` and `$at`: the ULID of an ID and a time, the same each time, for vendors that recognize events by one.
 */
export type Tree = string | number | boolean | null | readonly Tree[] | { readonly [name: string]: Tree }
export const tree: z.ZodType<Tree> = z.json()

/** Names joined by dots that lead to a value of an answer. Numbers are positions of lists; '' is the whole answer. */
export const answerPath = z.string().max(200)

/** A condition on a value of an answer, or of an entry of a list in it. */
const condition = z.union([
  z.strictObject({ path: answerPath, is: z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])).min(1) }),
  z.strictObject({ path: answerPath, contains: z.string().min(1).max(200) }),
  z.strictObject({ path: answerPath, exists: z.boolean() }),
])
export type Condition = z.output<typeof condition>

/** A condition on a header of an answer. */
const headerCondition = z.strictObject({
  header: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,100}$/)
    .toLowerCase(),
  is: z.array(z.string()).min(1),
})

const ruleCondition = z.union([condition, headerCondition])
export type RuleCondition = z.output<typeof ruleCondition>

/** Status codes: single ones, or a class such as `5xx`. */
const statuses = z.array(z.union([z.int().min(100).max(599), z.enum(['2xx', '3xx', '4xx', '5xx'])])).min(1)
export type Statuses = z.output<typeof statuses>

/**
 * The outcome of the events of a request. `misconfigured` holds them until a user changes the settings. `skipped` is for
 * rows: an insert of a record that is there.
 */
const outcome = z.enum(['delivered', 'skipped', 'rejected', 'retry', 'misconfigured'])

const rule = z.strictObject({
  status: statuses,
  /** A condition, or several that all hold. With the path '', one on the text of an answer that is no JSON. */
  when: z.union([ruleCondition, z.array(ruleCondition).min(1).max(5)]).optional(),
  outcome,
  /** The message for users, instead of the reason in the answer. */
  message: z.string().min(1).max(300).optional(),
})
export type Rule = z.output<typeof rule>

/** Where an answer names single events of a batch. */
const itemErrors = z.strictObject({
  /** The status codes of such answers. */
  status: statuses,
  /**
   * The list of entries. An entry is an object, an index, or a key. In place of a list there may be an object of lists,
   * whose names are then the reasons.
   */
  at: answerPath,
  /** How an entry names its item: by an index at a path, by a key, by its position in the list, or by its name. */
  by: z.union([
    z.strictObject({
      /** An entry may have a list of indexes. */
      index: answerPath,
      /** The text before the index, if it is part of a longer one such as a JSON pointer. */
      after: z.string().optional(),
      /** The index of the first item, such as 1. */
      first: z.int().min(0).max(1).default(0),
    }),
    z.strictObject({ key: answerPath, of_item: answerPath }),
    /** By the name of the member of an object that has the entries: the key of the items. */
    z.strictObject({ name: z.literal('key'), of_item: answerPath }),
    z.literal('position'),
    /** By the name of the member of an object that has the entries: an index from 0. */
    z.literal('name'),
  ]),
  /** The path of the place whose items are counted, for requests with several lists of items. */
  place: answerPath.optional(),
  reason: z.array(answerPath).max(20).default([]),
  /** A text before the reason, such as `Invalid field`. */
  label: z.string().min(1).max(100).optional(),
  /** Entries that report success, or no more than a warning. */
  delivered: condition.optional(),
  /** Entries of items that the vendor has from an earlier request. They count as delivered. */
  known: condition.optional(),
  /**
   * Entries whose events are sent again later. Those of all other entries are rejected. Events of several records cannot
   * have it, because accepted records of an event are not sent again.
   */
  retry: condition.optional(),
  /**
   * What became of the items that are not named, if each entry names an item. With `not_accepted`, the vendor took none,
   * and they are sent again without the named ones. With `repeatable`, it took them, and takes a repeated item only
   * once, such as by an ID.
   */
  others: z.enum(['delivered', 'not_accepted', 'repeatable']),
})
export type ItemErrors = z.output<typeof itemErrors>

/** How answers become outcomes. What no rule covers follows the status code: see `readAnswer`. */
export const describedAnswers = z.strictObject({
  /** The first rule that fits applies. */
  rules: z.array(rule).max(100).default([]),
  /** Paths of the reason for users; the first one with a text. */
  reason: z.array(answerPath).max(20).default([]),
  /** What a successful answer says. Without it, an answer with a status 2xx is retried. */
  confirmed: condition.optional(),
  items: z.array(itemErrors).max(10).default([]),
  retry_after: z
    .strictObject({
      header: z.string().toLowerCase().optional(),
      path: answerPath.optional(),
      unit: z.enum(['seconds', 'milliseconds', 'epoch_seconds', 'epoch_milliseconds']),
    })
    .optional(),
})
export type DescribedAnswers = z.output<typeof describedAnswers>

/** A request to the vendor. Without `batch`, each event is a request of its own. */
export const describedRequest = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  server: partName,
  /** Begins with /. Values of templates are percent-encoded, and no other text is; an empty one rejects the event. */
  path: z.string().regex(/^\//).max(1000),
  query: z.record(z.string(), template).default({}),
  headers: z.record(z.string(), template).default({}),
  /** With `form`, the members of the body are a form: lists repeat their name, and other objects are JSON. */
  encoding: z.enum(['json', 'form']).default('json'),
  /** The name of the credentials. */
  auth: partName.default('default'),
  /** The body around the items. Without it, the body is the item itself, or the list of items. */
  body: tree.optional(),
  batch: z
    .strictObject({
      /** The place of the list in the body, such as `users.0.data`; '' if the body is the list. */
      at: answerPath,
      max_items: z.int().min(1).max(100_000),
      /**
       * The item's value that identifies a record. Further items with the same value go into a later request, also into
       * one of another kind, so that changes of a record keep their order.
       */
      unique: answerPath.optional(),
    })
    .optional(),
  /** Maximum bytes of an item, and of the whole body. */
  max_item_bytes: z.int().min(1).optional(),
  max_bytes: z.int().min(1).max(10_000_000).default(1_000_000),
  /**
   * A lookup before the request: `value` of the answer to `request` is the variable `found`. If there is none, the
   * request `otherwise` is sent instead, such as one that creates the record; it can have a lookup of its own. Without
   * it, the record is skipped. A deletion then sends nothing.
   */
  find: z.strictObject({ request: partName, value: answerPath, otherwise: partName.optional() }).optional(),
  answers: describedAnswers.optional(),
})
export type DescribedRequest = z.output<typeof describedRequest>
