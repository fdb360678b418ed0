import { badParameter } from './engine-error.ts'

/**
 * Converts a query parameter, as clients send it, to a typed SQL literal. Everything that reaches the SQL text is
 * digits, a quoted literal that is escaped here, or a type name rendered from a parsed tree; never the input itself.
 */
type ParamType = { name: string; literals: string[]; args: ParamType[] }

// biome-ignore format: a table
const plainTypes: ReadonlySet<string> = new Set([
  ...[8, 16, 32, 64, 128, 256].flatMap((bits) => [`Int${bits}`, `UInt${bits}`]),
  'Float32', 'Float64', 'Bool', 'String', 'Date', 'Date32', 'DateTime', 'UUID', 'IPv4', 'IPv6',
])
/** Minimum and maximum number of arguments in the brackets of a type. */
const numberArguments: ReadonlyMap<string, readonly [number, number]> = new Map([
  ['FixedString', [1, 1]],
  ['Decimal', [1, 2]],
])
const typeArguments: ReadonlyMap<string, readonly [number, number]> = new Map([
  ['Nullable', [1, 1]],
  ['LowCardinality', [1, 1]],
  ['Array', [1, 1]],
  ['Tuple', [1, 32]],
])
const timeZone = /^'[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*'$/

const unknownType = (text: string): Error => badParameter(`Parameters of type ${text.slice(0, 100)} are not accepted`)

/** Throws unless the type and its arguments are in the accepted list. */
const checkType = ({ name, literals, args }: ParamType, bracket: boolean, text: string): void => {
  const within = (count: number, range: readonly [number, number]): boolean => count >= range[0] && count <= range[1]
  const types = typeArguments.get(name)
  if (types !== undefined) {
    if (!within(args.length, types)) throw unknownType(text)
    return
  }
  const numbers = numberArguments.get(name)
  if (numbers !== undefined) {
    if (!within(literals.length, numbers) || !literals.every((part) => /^[0-9]{1,6}$/.test(part)))
      throw unknownType(text)
    return
  }
  const zone = name === 'DateTime64' ? literals[1] : literals[0]
  const knownZone = zone === undefined || timeZone.test(zone)
  if (name === 'DateTime64') {
    if (!/^[0-9]$/.test(literals[0] ?? '') || literals.length > 2 || !knownZone) throw unknownType(text)
  } else if (name === 'DateTime') {
    if (literals.length > 1 || !knownZone) throw unknownType(text)
  } else if (!plainTypes.has(name) || bracket) throw unknownType(text)
}

/** Parses an accepted type; throws BAD_QUERY_PARAMETER for any other. */
export const parseParamType = (text: string): ParamType => {
  const tokens = text.match(/[A-Za-z0-9_]+|'[^'\\]*'|[(),]|\S/g) ?? []
  let at = 0
  const next = (): string => tokens[at++] ?? ''
  const parse = (depth: number): ParamType => {
    if (depth > 8) throw unknownType(text)
    const type: ParamType = { name: next(), literals: [], args: [] }
    const bracket = tokens[at] === '('
    if (bracket) {
      at += 1
      do {
        if (typeArguments.has(type.name)) type.args.push(parse(depth + 1))
        else type.literals.push(next())
      } while (next() === ',')
      if (tokens[at - 1] !== ')') throw unknownType(text)
    }
    checkType(type, bracket, text)
    return type
  }
  const parsed = parse(0)
  if (at !== tokens.length) throw unknownType(text)
  return parsed
}

const renderType = (type: ParamType): string => {
  const inside = [...type.literals, ...type.args.map(renderType)]
  return inside.length === 0 ? type.name : `${type.name}(${inside.join(', ')})`
}

const escapes: Record<string, string> = {
  '\\': '\\\\',
  "'": "\\'",
  '\0': '\\0',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

/** A single-quoted string literal of ClickHouse's dialect. */
export const quoteString = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are escaped
  `'${text.replace(/[\\'\0\b\f\n\r\t]/g, (found) => escapes[found] ?? found)}'`

/** A quoted identifier: letters, digits and underscores, in at most two parts separated by a dot. */
export const quoteIdentifier = (text: string): string => {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}(?:\.[A-Za-z_][A-Za-z0-9_]{0,127})?$/.test(text)) {
    throw badParameter(`'${text.slice(0, 100)}' is not accepted as an identifier`)
  }
  return text
    .split('.')
    .map((part) => `\`${part}\``)
    .join('.')
}

const unescapes: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', '0': '\0', a: '\x07', v: '\v' }

/** Unescapes tab-separated text, the format of scalar parameters. */
export const unescapeTsv = (text: string): string =>
  text.replace(/\\(x[0-9a-fA-F]{2}|[\s\S])/g, (_, found: string) =>
    found.length === 3 ? String.fromCharCode(Number.parseInt(found.slice(1), 16)) : (unescapes[found] ?? found),
  )

const integerRange = (name: string): { least: bigint; most: bigint } | undefined => {
  const found = /^(U?)Int(\d+)$/.exec(name)
  if (found === null) return undefined
  const bits = BigInt(found[2] ?? '0')
  return found[1] === 'U'
    ? { least: 0n, most: 2n ** bits - 1n }
    : { least: -(2n ** (bits - 1n)), most: 2n ** (bits - 1n) - 1n }
}

const scalarLiteral = (type: ParamType, name: string, raw: string): string => {
  const range = integerRange(type.name)
  const refuse = (): Error =>
    badParameter(`Value '${raw.slice(0, 100)}' of parameter ${name} is no ${renderType(type)}`)
  if (range !== undefined) {
    if (!/^[+-]?\d{1,80}$/.test(raw)) throw refuse()
    const value = BigInt(raw.replace(/^\+/, ''))
    if (value < range.least || value > range.most) throw refuse()
    return `CAST('${value}', '${type.name}')`
  }
  if (type.name.startsWith('Float')) {
    if (!/^[+-]?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|inf|nan)$/.test(raw)) throw refuse()
    return `CAST('${raw}', '${type.name}')`
  }
  if (type.name === 'Bool') {
    const value = raw.toLowerCase()
    if (value === '1' || value === 'true') return 'true'
    if (value === '0' || value === 'false') return 'false'
    throw refuse()
  }
  const text = unescapeTsv(raw)
  if (type.name === 'String') return quoteString(text)
  return `CAST(${quoteString(text)}, ${quoteString(renderType(type))})`
}

/**
 * The literal of one parameter of the type `typeText`, as in `{name:Type}`. `raw` is the value as received. Scalars are
 * escaped as in tab-separated text; arrays and tuples are in ClickHouse's text format.
 * @throws EngineError 457 if the type is not accepted or the value does not fit it
 */
export const paramLiteral = (name: string, typeText: string, raw: string): string => {
  if (typeText.trim() === 'Identifier') return quoteIdentifier(unescapeTsv(raw))
  const type = parseParamType(typeText)
  let inner = type
  let nullable = false
  while (inner.name === 'Nullable' || inner.name === 'LowCardinality') {
    if (inner.name === 'Nullable') nullable = true
    inner = inner.args[0] ?? inner
  }
  if (nullable && raw === '\\N') return `CAST(NULL, ${quoteString(renderType(type))})`
  if (typeArguments.has(inner.name)) return `CAST(${quoteString(raw)}, ${quoteString(renderType(type))})`
  if (raw === '\\N') throw badParameter(`Parameter ${name} of type ${renderType(type)} may not be null`)
  const literal = scalarLiteral(inner, name, raw)
  return inner === type ? literal : `CAST(${literal}, ${quoteString(renderType(type))})`
}
