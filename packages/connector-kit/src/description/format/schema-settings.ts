import { z } from 'zod'

/** A name in snake_case, by which the parts of a description refer to each other. */
export const partName = z.string().regex(/^[a-z][a-z0-9_]{0,59}$/, 'A name has lower-case letters, digits, and _')

/** Parts of one kind by their names, at most `most`. Checks compare parts with each other, so there are few of each. */
export const parts = <Part extends z.ZodType>(part: Part, most: number) =>
  z
    .record(partName, part)
    .refine((given) => Object.keys(given).length <= most, `There are more than ${most} parts of this kind`)

const text = z.string().min(1).max(2000)

const shared = {
  label: text,
  help: text,
  required: z.boolean().default(false),
  show_when: z.strictObject({ field: partName, value: z.union([z.string(), z.number(), z.boolean()]) }).optional(),
}

const choice = z.strictObject({ value: z.string().min(1).max(200), label: text })

/** A setting of the destination, by its type: the form, the check, and the encryption follow from it. */
export const describedSetting = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('text'),
    ...shared,
    default: z.string().optional(),
    max_length: z.int().min(1).max(5000).optional(),
    /** True if the value is one label of a host name, such as an account in `account.example.com`. */
    host_label: z.literal(true).optional(),
  }),
  z.strictObject({ type: z.literal('secret'), ...shared, max_length: z.int().min(1).max(5000).optional() }),
  z.strictObject({ type: z.literal('url'), ...shared, default: z.string().optional() }),
  z.strictObject({ type: z.literal('choice'), ...shared, default: z.string(), choices: z.array(choice).min(2) }),
  z.strictObject({ type: z.literal('toggle'), ...shared, default: z.boolean() }),
  z.strictObject({
    type: z.literal('number'),
    ...shared,
    default: z.number().optional(),
    min: z.number().optional(),
    max: z.number().optional(),
  }),
])
export type DescribedSetting = z.output<typeof describedSetting>

const httpsOrigin = z
  .string()
  .regex(
    /^https:\/\/[a-z0-9.-]+$/,
    'A server is https:// and a host, without a path. For another address, name a setting of type url: { "setting": … }',
  )
  .refine((address) => URL.canParse(address), 'The host of a server is none')

/**
 * A server of the vendor, with a fixed host or one that a setting chooses. The host can have a label of a setting in place
 * of `{}`. A setting of type `url` is the user's own server. A value of an event never decides a host. With `secret`, a
 * secret setting is the whole https address of its requests, whose path is /, and which have no other credentials. Its
 * host is one of `hosts`, such as `*.example.com`, or any with `*`.
 */
export const describedServer = z.union([
  httpsOrigin,
  z.strictObject({ setting: partName, choices: z.record(z.string(), httpsOrigin) }),
  z.strictObject({
    setting: partName,
    host: z.string().regex(/^\{\}(\.[a-z0-9-]+){2,}$/, 'A host is {} and the rest of the name, such as {}.example.com'),
  }),
  z.strictObject({ setting: partName }),
  z.strictObject({
    secret: partName,
    hosts: z
      .array(z.string().regex(/^(\*|(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+)$/, 'A host is a name, *. and a name, or *'))
      .min(1),
  }),
])
export type DescribedServer = z.output<typeof describedServer>

/** A path whose segments can be templates over settings. */
const tokenPath = z.string().regex(/^\//).max(500)
const settingTemplate = z.string().max(500)
/** The text before the token in the Authorization header. */
const tokenPrefix = z.string().max(40).default('Bearer ')

/** A setting, with a fixed end such as `/token`, or a fixed text. */
const credential = z.union([
  z.strictObject({ setting: partName, suffix: z.string().max(60).default('') }),
  z.strictObject({ text: z.string() }),
])

/** Without a value of its setting, an optional credential is left out, and any other one holds the events. */
const optional = z.literal(true).optional()

/** How one credential goes into a request. Templates cannot read a secret, so this is its only way there. */
export const describedCredential = z.discriminatedUnion('in', [
  z.strictObject({
    in: z.literal('header'),
    name: z.string().regex(/^[A-Za-z0-9-]{1,60}$/),
    prefix: z.string().default(''),
    setting: partName,
    optional,
  }),
  z.strictObject({ in: z.literal('query'), name: z.string().min(1).max(60), setting: partName, optional }),
  /** The segment `{auth}` of the path, or else a last one. `at` has the secret in place of `{}`, such as `bot{}`. */
  z.strictObject({
    in: z.literal('path'),
    setting: partName,
    at: z
      .string()
      .regex(/^[\w.~-]*\{\}[\w.~-]*$/, 'A segment has {} in place of the secret')
      .default('{}'),
  }),
  z.strictObject({ in: z.literal('body'), name: z.string().min(1).max(60), setting: partName, optional }),
  z.strictObject({ in: z.literal('basic'), user: credential, password: credential }),
  z.strictObject({
    /** OAuth 2 client credentials (RFC 6749, 4.4): a token is fetched, kept, and renewed. */
    in: z.literal('client_credentials'),
    server: partName,
    path: tokenPath,
    client_id: partName,
    client_secret: partName,
    /** How the secret is sent to the token URL. */
    client_authentication: z.enum(['basic', 'body']).default('body'),
    /** The scope, and further members of the form, are templates over settings. */
    scope: settingTemplate.default(''),
    parameters: z.record(z.string(), settingTemplate).default({}),
    prefix: tokenPrefix,
  }),
  z.strictObject({
    /** OAuth 2 with consent (RFC 6749, 4.1): the users register their own client at the vendor. */
    in: z.literal('grant'),
    authorize_server: partName,
    authorize_path: tokenPath,
    token_server: partName,
    token_path: tokenPath,
    client_id: partName,
    client_secret: partName,
    client_authentication: z.enum(['basic', 'body']).default('body'),
    scopes: z.array(settingTemplate).default([]),
    parameters: z.record(z.string(), settingTemplate).default({}),
    prefix: tokenPrefix,
  }),
])
export type DescribedCredential = z.output<typeof describedCredential>
