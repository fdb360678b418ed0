import { isSameTarget, templateProblemText } from '@tributary/contract'
import { isJsonObject } from '@tributary/kernel'
import type { FieldDefinition, Settings, SettingsDefinition } from './definition.ts'
import { templateLimits, templateProblem } from './json-template.ts'

/** A setting as text: '' when it is absent or no single value. */
export const settingText = (settings: Settings, name: string): string => {
  const value = settings[name]
  return value === undefined || typeof value === 'object' ? '' : String(value)
}

export type SettingsResult = { ok: true; settings: Settings } | { ok: false; errors: Record<string, string> }

type Value = Settings[string]
type Parsed = { value: Value } | { error: string }

/** RFC 9110 §5.6.2. */
const tokenPattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/
/** Headers that belong to one connection or are set by the client itself (RFC 9110 §7.6.1 and what frames a message). */
const ownHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** `Name: value` lines, a list of {name, value}, or an object, as pairs; undefined when it is none of these. */
const headerPairs = (value: unknown): [string, unknown][] | undefined => {
  if (typeof value === 'string')
    return value
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const colon = line.indexOf(':')
        return colon < 0 ? [line.trim(), undefined] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
      })
  if (Array.isArray(value))
    return value.map((item) => (isJsonObject(item) ? [String(item.name), item.value] : ['', undefined]))
  return isJsonObject(value) ? Object.entries(value) : undefined
}

/**
 * Checks header names and values: RFC 9110 tokens, printable values without line ends, none that frame the message or
 * belong to the connection, none twice; at most 50.
 */
const parseHeaders = (value: unknown): Parsed => {
  const pairs = headerPairs(value)
  if (pairs === undefined) return { error: 'Enter headers as names and values' }
  if (pairs.length > 50) return { error: 'At most 50 headers' }
  const headers: Record<string, string> = {}
  const seen = new Set<string>()
  for (const [name, text] of pairs) {
    if (!tokenPattern.test(name)) return { error: `"${name.slice(0, 60)}" is not a header name` }
    const lower = name.toLowerCase()
    if (ownHeaders.has(lower)) return { error: `The header ${name} can't be set` }
    if (seen.has(lower)) return { error: `The header ${name} is given twice` }
    // Visible characters, spaces and tabs of Latin-1 (RFC 9110 §5.5): no CR, LF or NUL.
    if (typeof text !== 'string' || !/^[\t\x20-\x7e\x80-\xff]{0,4096}$/.test(text))
      return { error: `The value of ${name} has characters that are not allowed in a header` }
    seen.add(lower)
    headers[name] = text
  }
  return { value: headers }
}

const parseUrl = (value: unknown): Parsed => {
  if (typeof value !== 'string' || value.length > 2048) return { error: 'Enter a URL of at most 2,048 characters' }
  const url = URL.parse(value.trim())
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return { error: 'Enter a URL that starts with https:// or http://' }
  if (url.username !== '' || url.password !== '') return { error: 'Put credentials in a header, not in the URL' }
  url.hash = ''
  return { value: url.href }
}

/** Liquid that renders to JSON, checked by the engine that will render it. */
const parseTemplate = (value: unknown): Parsed => {
  const longest = templateLimits.characters
  if (typeof value !== 'string') return { error: 'Enter a text' }
  if (value.length > longest) return { error: `At most ${longest} characters` }
  const problem = templateProblem(value)
  return problem === undefined ? { value } : { error: templateProblemText(problem) }
}

const parseNumber = (field: FieldDefinition, value: unknown): Parsed => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number)) return { error: 'Enter a number' }
  if (!Number.isInteger(number)) return { error: 'Enter a whole number' }
  if (field.min !== undefined && number < field.min) return { error: `At least ${field.min}` }
  if (field.max !== undefined && number > field.max) return { error: `At most ${field.max}` }
  return { value: number }
}

const parseField = (field: FieldDefinition, value: unknown): Parsed => {
  switch (field.type) {
    case 'string':
    case 'secret':
    case 'sql':
    case 'text-template': {
      const longest = field.maxLength ?? 1000
      if (typeof value !== 'string') return { error: 'Enter a text' }
      return value.length > longest ? { error: `At most ${longest} characters` } : { value }
    }
    case 'template':
      return parseTemplate(value)
    case 'url':
      return parseUrl(value)
    case 'select':
      return typeof value === 'string' && field.choices?.some((choice) => choice.value === value) === true
        ? { value }
        : { error: `Choose one of ${(field.choices ?? []).map((choice) => choice.label).join(', ')}` }
    case 'boolean':
      return typeof value === 'boolean' ? { value } : { error: 'Choose yes or no' }
    case 'number':
      return parseNumber(field, value)
    case 'headers':
      return parseHeaders(value)
  }
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === ''

type ParsedFields = { parsed: Record<string, Value>; errors: Record<string, string>; missing: string[] }

/** Each field by its own rules. `missing` are required ones without a value. */
const parseFields = (fields: readonly FieldDefinition[], settings: Readonly<Record<string, unknown>>): ParsedFields => {
  const errors: Record<string, string> = {}
  const parsed: Record<string, Value> = {}
  const missing: string[] = []
  const known = new Set(fields.map((field) => field.name))
  for (const name of Object.keys(settings)) if (!known.has(name)) errors[name] = 'Unknown setting'
  for (const field of fields) {
    const given = Object.hasOwn(settings, field.name) ? settings[field.name] : undefined
    const value = isEmpty(given) ? field.default : given
    if (isEmpty(value)) {
      if (field.required) missing.push(field.name)
      continue
    }
    const result = parseField(field, value)
    if ('error' in result) errors[field.name] = result.error
    else parsed[field.name] = result.value
  }
  return { parsed, errors, missing }
}

const noObject = { ok: false, errors: { settings: 'Settings must be an object' } } as const

/**
 * Settings as a person or a call gave them, checked field by field against the definition: parsed settings with defaults
 * filled in, or messages for people by field name. Unknown keys are errors, so that a typing mistake never passes
 * silently. Pass the whole settings, secrets included: a partial update is merged by the caller first.
 */
export const validateSettings = (
  definition: Pick<SettingsDefinition, 'fields' | 'check'>,
  settings: unknown,
): SettingsResult => {
  if (!isJsonObject(settings)) return noObject
  const { parsed, errors, missing } = parseFields(definition.fields, settings)
  for (const name of missing) errors[name] = 'Required'
  if (Object.keys(errors).length === 0) Object.assign(errors, definition.check?.(parsed))
  return Object.keys(errors).length === 0 ? { ok: true, settings: parsed } : { ok: false, errors }
}

/**
 * The secrets that are set and that the second settings would send somewhere else, or let somebody else read on their
 * way, than the first. Whoever may change settings may use a secret, not read it: each of these is to be entered again.
 */
export const redirectedSecrets = (
  { fields }: Pick<SettingsDefinition, 'fields'>,
  before: Settings,
  after: Settings,
): FieldDefinition[] =>
  fields.filter(
    ({ name, secret, sentTo = [] }) =>
      secret &&
      before[name] !== undefined &&
      sentTo.some(({ setting, by }) => !isSameTarget(by, before[setting], after[setting])),
  )

/** Settings that are right as far as they go, with the names of the required ones that are still absent. */
export type PartialSettingsResult =
  | { ok: true; settings: Settings; missing: readonly string[] }
  | { ok: false; errors: Record<string, string> }

/**
 * Checks settings as `validateSettings` does, but lets required ones be absent: `missing` names them, in the order of the
 * definition. What is given has to be valid, also by the rules that span fields.
 */
export const validatePartialSettings = (
  definition: Pick<SettingsDefinition, 'fields' | 'check'>,
  settings: unknown,
): PartialSettingsResult => {
  if (!isJsonObject(settings)) return noObject
  const { parsed, errors, missing } = parseFields(definition.fields, settings)
  if (Object.keys(errors).length === 0)
    for (const [name, text] of Object.entries(definition.check?.(parsed) ?? {}))
      if (!missing.includes(name)) errors[name] = text
  return Object.keys(errors).length === 0 ? { ok: true, settings: parsed, missing } : { ok: false, errors }
}
