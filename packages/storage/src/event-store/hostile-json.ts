const nest = (depth: number, open: string, close: string): string => `${open.repeat(depth)}1${close.repeat(depth)}`

/**
 * JSON texts that have broken parsers and column stores, for tests. Each is stored or rejected as a whole, and never
 * affects other rows. `stored` says whether the engine stores it in a JSON column.
 */
export const hostileJson: readonly { name: string; text: string; stored: boolean }[] = [
  { name: 'an empty object', text: '{}', stored: true },
  { name: 'nulls', text: '{"a":null,"b":{"c":null}}', stored: true },
  { name: 'dotted beside nested names', text: '{"a.b":1,"a":{"b":2}}', stored: true },
  { name: 'only dots', text: '{".":1,"..":2,"a.":3,".a":4}', stored: true },
  { name: 'the same path at different depths', text: '{"a":{"b":{"c":1}},"a.b":{"c":2},"a.b.c":3}', stored: true },
  { name: 'a name twice', text: '{"a":1,"a":2}', stored: true },
  { name: 'a name as value and as object', text: '{"a":1,"a":{"b":2}}', stored: true },
  { name: 'empty names', text: '{"":1,"a":{"":{"":2}}}', stored: true },
  {
    name: 'names of prototypes and quotes',
    text: '{"__proto__":1,"constructor":2,"%":3,"`":4,"\'":5,"\\\\":6,"a\\"b":7}',
    stored: true,
  },
  { name: 'a long name', text: `{"${'k'.repeat(20_000)}":1}`, stored: true },
  { name: 'a long value', text: `{"a":"${'v'.repeat(30_000)}"}`, stored: true },
  {
    name: 'three thousand names',
    text: `{${Array.from({ length: 3000 }, (_, i) => `"k${i}":${i}`).join(',')}}`,
    stored: true,
  },
  {
    name: 'many scripts and a null character',
    text: '{"ключ 🎉":"значение 😀","a\\u0000b":"x\\u0000y"}',
    stored: true,
  },
  { name: 'integers beyond 2^53', text: '{"n":9007199254740993,"list":[9007199254740993]}', stored: true },
  { name: 'the largest unsigned integer', text: '{"n":18446744073709551615}', stored: true },
  { name: 'an integer beyond 2^64', text: '{"n":18446744073709551616}', stored: false },
  { name: 'an integer below -2^63', text: '{"n":-9223372036854775809}', stored: false },
  { name: 'a number beyond every float', text: '{"n":1e400}', stored: false },
  { name: 'a number with an exponent', text: '{"n":1.2345678901234568e28}', stored: true },
  { name: 'a tiny number', text: '{"n":1e-400}', stored: true },
  { name: 'four hundred decimals', text: `{"n":0.${'1'.repeat(400)}}`, stored: true },
  { name: 'minus zero', text: '{"a":-0,"b":-0.0}', stored: true },
  {
    name: 'lists of everything',
    text: '{"a":[1,"x",null,{"b":1},[2,[3]],1.5,true,"2026-01-01"],"b":[[]],"c":[{}]}',
    stored: true,
  },
  { name: 'lists of unlike objects', text: '{"a":[{"b":1},{"b":"x"},{"b":null},{"b":{"c":1}}]}', stored: true },
  { name: 'texts like dates', text: '{"a":"2026-01-01","b":"2026-01-01T00:00:00Z","c":"9999-99-99"}', stored: true },
  { name: 'objects 50 deep', text: nest(50, '{"a":', '}'), stored: true },
  { name: 'objects 5,000 deep', text: nest(5000, '{"a":', '}'), stored: false },
  { name: 'lists 5,000 deep', text: `{"x":${nest(5000, '[', ']')}}`, stored: false },
  { name: 'half a surrogate pair', text: '{"a":"\\ud800"}', stored: false },
  { name: 'a bad escape', text: '{"a":"\\uZZZZ"}', stored: false },
  { name: 'a control character', text: '{"a":"\u0001"}', stored: false },
  { name: 'no number', text: '{"a":NaN}', stored: false },
  { name: 'a comma too many', text: '{"a":1,}', stored: false },
  { name: 'an end too early', text: '{"a":', stored: false },
  { name: 'a list', text: '[1]', stored: false },
  { name: 'a text', text: '"x"', stored: false },
]
