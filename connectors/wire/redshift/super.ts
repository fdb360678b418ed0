import { quoted } from '../postgresql/identifiers.ts'

/**
 * Maximum bytes of a text in a column, and of a single text in a SUPER value.
 * Sources: https://docs.aws.amazon.com/redshift/latest/dg/r_Character_types.html
 * and https://docs.aws.amazon.com/redshift/latest/dg/limitations-super.html
 */
export const textBytes = 65_535

/** The type of texts. Without a length, Redshift would cut to 256 bytes. */
export const textType = `character varying(${textBytes})`

/** Returns a literal of a text. Redshift reads backslashes in literals as PostgreSQL 8 does. */
export const literal = (text: string): string =>
  `'${text.replaceAll('\0', '').replaceAll('\\', '\\\\').replaceAll("'", "''")}'`

/** Returns the expression of a text member of a SUPER column as text; null if it is absent. */
export const textMember = (column: string, name: string): string => `${column}.${quoted(name)}::varchar(${textBytes})`

/** Returns the expression of a SUPER value as text: a text as itself, any other value as JSON, a null as null. */
export const superText = (value: string): string =>
  `case when json_typeof(${value}) = 'string' then ${value}::varchar(${textBytes}) when json_typeof(${value}) <> 'null' and json_size(${value}) <= ${textBytes} then json_serialize(${value}) end`

/**
 * Returns the expression that casts a text to a type; null if it does not fit. TRY_CAST accepts no empty texts, and
 * casts no texts to booleans. Source: https://docs.aws.amazon.com/redshift/latest/dg/r_TRY_CAST.html
 */
export const tryCast = (text: string, type: string): string => {
  const [, length] = /^character(?: varying)?\((\d+)\)$/.exec(type) ?? []
  if (length !== undefined)
    return Number(length) >= textBytes
      ? text
      : `case when octet_length(${text}) <= ${length} then ${text}::varchar(${length}) end`
  if (type === 'super') return `case when can_json_parse(${text}) then json_parse(${text}) end`
  if (type === 'boolean') return `case lower(${text}) when 'true' then true when 'false' then false end`
  return `try_cast(nullif(trim(${text}), '') as ${type})`
}

/** Returns the expression of a value as the text of which `tryCast` makes the same value. */
export const asText = (value: string, type: string): string => {
  if (type === 'super') return superText(value)
  if (type === 'boolean') return `case when ${value} then 'true' when not ${value} then 'false' end`
  if (type.startsWith('timestamp')) return `to_char(${value}, 'YYYY-MM-DD HH24:MI:SS.US')`
  if (type === 'date') return `to_char(${value}, 'YYYY-MM-DD')`
  const text = `${value}::varchar(${textBytes})`
  // Without the zeros at the end.
  return /^numeric\(\d+,[1-9]\d*\)$/.test(type) ? `rtrim(rtrim(${text}, '0'), '.')` : text
}

/** Returns the parts of a text that have at most so many bytes; no character is divided. */
export const piecesOf = (text: string, maxBytes: number = textBytes): string[] => {
  if (Buffer.byteLength(text) <= maxBytes) return [text]
  const bytes = Buffer.from(text)
  const pieces: string[] = []
  for (let start = 0; start < bytes.length; ) {
    let end = Math.min(start + maxBytes, bytes.length)
    // The bytes of a character after its first one begin with the bits 10.
    while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
    pieces.push(bytes.toString('utf8', start, end))
    start = end
  }
  return pieces
}
