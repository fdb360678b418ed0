import {
  asTemplate,
  isSecretName,
  type Json,
  type JsonObject,
  labelOf,
  partNameOf,
  placeholderIn,
} from './curl-parts.ts'

/** Standard fields by the usual names of members, without case and separators. */
const standards: Readonly<Record<string, string>> = {
  email: 'email',
  emailaddress: 'email',
  useremail: 'email',
  phone: 'phone',
  phonenumber: 'phone',
  userid: 'user_id',
  distinctid: 'any_id',
  externalid: 'user_id',
  externaluserid: 'user_id',
  customerid: 'user_id',
  profileid: 'any_id',
  anonymousid: 'anonymous_id',
  deviceid: 'device_id',
  event: 'event_name',
  eventname: 'event_name',
  eventtype: 'event_name',
  firstname: 'first_name',
  lastname: 'last_name',
  properties: 'properties',
  eventproperties: 'properties',
  messageid: 'message_id',
  insertid: 'message_id',
  ip: 'ip',
  ipaddress: 'ip',
  useragent: 'user_agent',
  referrer: 'referrer',
  currency: 'currency',
  revenue: 'revenue',
  orderid: 'order_id',
}

/** Members that have texts which people write. */
const isText = (name: string): boolean =>
  /^(text|message|body|content|title|subject|description|summary|note)$/i.test(name)

/** Collects the fields of the action that a body needs. */
export const createFields = () => {
  const used = new Set<string>()
  const fields: Record<string, Json> = {}
  /** Adds the field of a member, and returns the template that has its value. */
  const add = (name: string, path: readonly string[], example: Json): string => {
    const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
    const isEventName = plain === 'name' && path.at(-2)?.toLowerCase() === 'event'
    const standard = isEventName ? 'event_name' : Object.hasOwn(standards, plain) ? standards[plain] : undefined
    const fitting = standard === 'properties' ? typeof example === 'object' : typeof example === 'string'
    const part = partNameOf(path.join(' '), used)
    if (standard !== undefined && fitting) {
      fields[part] = { as: standard, required: false }
      return `{{ ${part} }}`
    }
    if (/^(timestamp|time|sentat|occurredat|eventtime|createdat)$/.test(plain) && typeof example === 'string') {
      fields[part] = { as: 'timestamp' }
      return `{{ ${part} }}`
    }
    const isPlain = typeof example === 'string' || typeof example === 'number' || typeof example === 'boolean'
    const isOpen = typeof example === 'string' && placeholderIn(example) !== undefined
    const type = Array.isArray(example) ? 'array' : example === null ? 'any' : typeof example
    fields[part] = {
      label: labelOf(path.join(' ')),
      help: `The value of ${path.join('.').slice(0, 200)}.`,
      type,
      kind: type === 'object' ? 'property' : isText(name) ? 'custom' : 'property',
      recommended: true,
      // A secret inside an object is not part of the description: users map it, or make it a secret setting.
      ...(isPlain && !isOpen && !isSecretName(name) && example !== ''
        ? { from: { type: 'CONSTANT', value: example } }
        : {}),
      ...(type === 'object' ? { from: /attributes|traits/i.test(name) ? 'traits' : 'properties' } : {}),
    }
    return `{{ ${part} }}`
  }
  /** Returns a body with templates in place of its values. Members deeper than three objects stay as they are. */
  const tree = (value: Json, path: readonly string[]): Json => {
    const name = path.at(-1) ?? ''
    if (Array.isArray(value)) {
      const [first] = value as readonly Json[]
      const isObject = typeof first === 'object' && first !== null && !Array.isArray(first)
      return isObject && path.length < 3
        ? [tree(first, path)]
        : path.length === 0
          ? literal(value)
          : add(name, path, value)
    }
    if (typeof value !== 'object' || value === null) return path.length === 0 ? literal(value) : add(name, path, value)
    const members = Object.entries(value as JsonObject)
    const isProperties = /^(.*_)?(properties|attributes|traits|custom_?data|metadata|params)$/i.test(
      name.replaceAll(/([a-z])([A-Z])/g, '$1_$2'),
    )
    if (path.length > 0 && (members.length === 0 || isProperties || path.length > 3)) return add(name, path, value)
    return Object.fromEntries(members.map(([member, inner]) => [member, tree(inner, [...path, member])]))
  }
  return { fields, add, tree }
}

/** A value whose texts are templates that give the same value. */
const literal = (value: Json): Json => {
  if (typeof value === 'string') return asTemplate(value)
  if (Array.isArray(value)) return (value as readonly Json[]).map(literal)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value as JsonObject).map(([name, inner]) => [name, literal(inner)]))
}
