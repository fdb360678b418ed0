/**
 * Values that stand for no user, the same as `placeholderGroups` of the contract (a test compares them). They are in
 * lower case, as regular expressions for the event store.
 */
const placeholders = [
  'anonymous',
  'anon',
  'guest',
  'unknown',
  '\\(unknown\\)',
  '<unknown>',
  'none',
  '\\(none\\)',
  'n/a',
  '#n/a',
  'na',
  'not_authenticated',
  'not_available',
  'not_provided',
  '\\(not provided\\)',
  'not_set',
  'not set',
  'notset',
  '\\(not set\\)',
  'unset',
  'unspecified',
  'empty',
  '\\(empty\\)',
  'true',
  'false',
  '-1',
  'lmy47d',
  'id',
  'userid',
  'user_id',
  'anonymousid',
  'anonymous_id',
  'distinctid',
  'distinct_id',
  'deviceid',
  'device_id',
  'email',
  'null',
  'undefined',
  'nan',
  '\\{\\}',
  '\\[\\]',
  '\\[null\\]',
  '\\[undefined\\]',
  '\\[object object\\]',
  '\\[object null\\]',
  '\\[object undefined\\]',
  '\\[object promise\\]',
  '<na>',
  '\\[none\\]',
  '\\(\\)',
  '\\(none,\\)',
  'set\\(\\)',
  "b''",
  'b""',
  'nil',
  '\\[nil\\]',
  '<nil>',
  '\\[<nil>\\]',
  '\\{<nil>\\}',
  'map\\[\\]',
  '%!s\\(<nil>\\)',
  '%!d\\(<nil>\\)',
  '%!v\\(<nil>\\)',
  '%!q\\(<nil>\\)',
  '%!s\\(missing\\)',
  '%!d\\(missing\\)',
  '%!v\\(missing\\)',
  '<invalid reflect\\.value>',
  'optional\\.empty',
  'optional\\[null\\]',
  'optionalint\\.empty',
  'optionallong\\.empty',
  'kotlin\\.unit',
  '\\(null\\)',
  '<null>',
  '\\(nil\\)',
  'optional\\(nil\\)',
  'optional\\(""\\)',
  'optional\\(<null>\\)',
  'array',
  'array\\(\\)',
  'n;',
  'system\\.object',
  'system\\.dbnull',
  'dbnull',
  "instance of 'object'",
  "instance of 'null'",
  '\\\\n',
]
const quoted = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")
const value = `(|[0-]+|${placeholders.join('|')})`
const noIdentifier = `'${quoted(`^[ \\t\\r\\n]*(${value}|"${value}"|'${value}')[ \\t\\r\\n]*$`)}'`

const usable = (column: string): string =>
  `(not match(lower(${column}), ${noIdentifier}) and length(${column}) <= 512
    and position(${column}, '\\0') = 0 and position(${column}, '\ufffd') = 0)`

const identifier = `multiIf(${usable('user_id')}, concat('user_id:', user_id),
  ${usable('anonymous_id')}, concat('anonymous_id:', anonymous_id), '')`

/** The first 8 bytes of the ID of the profile that begins with the identifier: a UUID of version 8. */
const first8Bytes = `bitOr(bitAnd(
  reinterpretAsUInt64(reverse(substring(SHA256(concat(workspace_id, '\\0', ${identifier})), 1, 8))),
  18446744073709490175), 32768)`

/**
 * The owner of an event: the identifier to which the event belongs, which is its user ID, otherwise its anonymous ID.
 * The owner is stored as the first 8 bytes of the ID of the profile that begins with this identifier; 0 for none. It is
 * computed from other columns, so every way of storing an event gives the same owner.
 */
export const ownerOfEvent = `if(${identifier} = '', 0, ${first8Bytes})`
