/**
 * The conversion of a column's values to JSON: `integer` is a number that fits in 64 bits, `flag` is written `t` or
 * `f`, `bool` as in JSON.
 */
export type ValueKind = 'integer' | 'number' | 'flag' | 'bool' | 'json' | 'time' | 'text'

const isJsonText = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const integerType =
  /^(?:tinyint|smallint|mediumint|int|integer|oid|year)\b|^bigint$|^bit\((?:[1-9]|[1-5]\d|6[0-3])\) unsigned$/
const numericType = /^(?:bigint|bit\(64\) unsigned|numeric|decimal|real|float|double|double precision)\b/
/** Pattern of the names of ClickHouse types for whole numbers that fit in a signed number of 64 bits. */
const clickhouseInteger = /^(?:Int(?:8|16|32|64)|UInt(?:8|16|32))\b/
/** Pattern of the names of all ClickHouse types for numbers. */
const clickhouseNumber = /^(?:U?Int|Float|BFloat|Decimal)\d*\b/
/** Pattern of the names of ClickHouse types whose values are read as JSON. */
const clickhouseJson =
  /^(?:Array|Map|Tuple|Nested|JSON|Object|Variant|Dynamic|Point|Ring|(?:Multi)?(?:LineString|Polygon)|Geometry)\b/
/** Pattern of the names of BigQuery types for numbers, without those that fit in a signed number of 64 bits. */
const bigqueryNumber = /^(?:FLOAT64|NUMERIC|BIGNUMERIC)\b/
/** Pattern of the names of BigQuery types whose values are read as JSON. */
const bigqueryJson = /^(?:ARRAY|STRUCT|JSON)\b/

/** Pattern of the names of Databricks types whose values are read as JSON. */
const databricksJson = /^(?:array|map|struct)<|^(?:variant|object)\b/

/**
 * Returns the kind of the values in a column, by the name of its type in the data source; for a list of PostgreSQL, the
 * kind of its elements.
 */
export const valueKindOf = (type: string): ValueKind => {
  if (integerType.test(type) || clickhouseInteger.test(type) || type === 'INT64') return 'integer'
  if (numericType.test(type) || clickhouseNumber.test(type) || bigqueryNumber.test(type)) return 'number'
  if (/^boolean\b/.test(type)) return 'flag'
  if (type === 'Bool' || type === 'BOOL') return 'bool'
  if (
    /^(?:jsonb?|super)\b/.test(type) ||
    clickhouseJson.test(type) ||
    bigqueryJson.test(type) ||
    databricksJson.test(type)
  )
    return 'json'
  return /^(?:timestamp|datetime|DATETIME)/.test(type) ? 'time' : 'text'
}

/** Whether a type is a list of PostgreSQL, which contains the type of its elements. */
export const isList = (type: string): boolean => type.endsWith('[]')

const number = '^-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$'
const year = '(?:[0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)'
const monthAndDay =
  '(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))'
const leapYear = '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)'
/**
 * A pattern of moments in UTC, or without a zone, on a valid day of the calendar. A zero date of MySQL, or February 30,
 * is not valid.
 */
const moment = `^(${year}-${monthAndDay}|${leapYear}-02-29) ([0-9]{2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]+)?)(?:\\+00)?$`
const isNumber = new RegExp(number)
const isMoment = new RegExp(moment)
const flags: Readonly<Record<string, string>> = { t: 'true', f: 'false' }

const encoders: Readonly<Record<ValueKind, (text: string) => string>> = {
  integer: (text) => (isNumber.test(text) ? text : JSON.stringify(text)),
  number: (text) => (isNumber.test(text) ? text : JSON.stringify(text)),
  flag: (text) => flags[text] ?? JSON.stringify(text),
  bool: (text) => (text === 'true' || text === 'false' ? text : JSON.stringify(text)),
  // A line feed between two values would end the line of the row.
  json: (text) => (isJsonText(text) ? text.replace(/[\n\r]/g, ' ') : JSON.stringify(text)),
  // Writes the time as RFC 3339. A time without a zone counts as UTC.
  time: (text) => JSON.stringify(text.replace(isMoment, '$1T$2Z')),
  text: (text) => JSON.stringify(text),
}

/**
 * Returns the function that converts a value of this kind to JSON. Values that JSON cannot express, such as NaN, stay
 * texts.
 */
export const encoderOfKind = (kind: ValueKind): ((text: string) => string) => encoders[kind]

const literal = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/** Returns the same conversion as an SQL expression for a text named `key`; '' for a text that is used unchanged. */
export const keyJson = (kind: ValueKind): string => {
  switch (kind) {
    case 'integer':
    case 'number':
      return `if(match(key, ${literal(number)}), key, '')`
    case 'flag':
      return "transform(key, ['t', 'f'], ['true', 'false'], '')"
    case 'bool':
      return "if(key in ('true', 'false'), key, '')"
    case 'json':
      // A key that is text has no quotation marks.
      return "if(isValidJSON(key) and not startsWith(key, '\"'), replaceRegexpAll(key, '[\\\\n\\\\r]', ' '), '')"
    case 'time':
      return `toJSONString(replaceRegexpOne(key, ${literal(moment)}, '\\\\1T\\\\2Z'))`
    case 'text':
      return "''"
  }
}

/** Returns the end of the list element that starts here, and its value: null for NULL, undefined if it has no end. */
const readElement = (
  text: string,
  start: number,
  delimiter: string,
): { end: number; value: string | null } | undefined => {
  if (text[start] !== '"') {
    let end = start
    let value = ''
    while (end < text.length && text[end] !== delimiter && text[end] !== '}') {
      if (text[end] === '\\') end++
      value += text[end++] ?? ''
    }
    return end === text.length ? undefined : { end, value: value.toUpperCase() === 'NULL' ? null : value }
  }
  let value = ''
  for (let end = start + 1; end < text.length; end++) {
    if (text[end] === '"') return { end: end + 1, value }
    if (text[end] === '\\') end++
    value += text[end] ?? ''
  }
  return undefined
}

/**
 * Creates the function that converts a list in PostgreSQL's format to JSON with elements of the list's type. The
 * function returns undefined for a text that is not a list. Bounds that do not start with 1 are dropped.
 */
export const listJson = (type: string): ((text: string) => string | undefined) => {
  const element = type.slice(0, -2)
  const encode = encoderOfKind(valueKindOf(element))
  const delimiter = element === 'box' ? ';' : ','
  return (text) => {
    let at = text.startsWith('[') ? text.indexOf('={') + 1 : 0
    let depth = 0
    let json = ''
    while (at < text.length) {
      const character = text[at]
      if (character === '{') depth++
      if (character === '}') depth--
      if (character === '{' || character === '}') json += character === '{' ? '[' : ']'
      else if (character === delimiter) json += ','
      else {
        const found = depth > 0 ? readElement(text, at, delimiter) : undefined
        if (found === undefined) return undefined
        json += found.value === null ? 'null' : encode(found.value)
        at = found.end
        continue
      }
      at++
      if (depth === 0) break
    }
    return depth === 0 && at === text.length && isJsonText(json) ? json : undefined
  }
}

/**
 * Returns the function that converts a value of a column with this type to JSON. Values that JSON cannot express, such
 * as NaN, stay texts.
 */
export const encoderOf = (type: string): ((text: string) => string) => {
  if (!isList(type)) return encoderOfKind(valueKindOf(type))
  const toJson = listJson(type)
  return (text) => toJson(text) ?? JSON.stringify(text)
}
