import { formatSourceSchema, parseSourceSchema } from '@tributary/contract'
import { expect, test } from 'vitest'
import { mergeSchemas } from './schema-merge.ts'

const event = (properties: Record<string, string>, required: string[] = []) => ({
  properties: Object.fromEntries(Object.entries(properties).map(([name, type]) => [name, { type }])),
  required,
})
const items = (fields: Record<string, string>) => ({
  properties: { products: { type: 'array', items: event(fields) } },
})
const parse = (events: object) => parseSourceSchema(JSON.stringify({ events }))

test.each([
  [
    'different properties of one event',
    { A: event({ x: 'string', y: 'string' }) },
    { A: event({ x: 'number', y: 'string' }) },
    { A: event({ x: 'string', y: 'string', z: 'string' }, ['y']) },
    { A: event({ x: 'number', y: 'string', z: 'string' }, ['y']) },
    [],
  ],
  [
    'different events',
    { A: event({}), B: event({}) },
    { B: event({}), C: event({ c: 'string' }) },
    { A: event({}), B: event({}), D: event({}) },
    { B: event({}), D: event({}), C: event({ c: 'string' }) },
    [],
  ],
  [
    'the same event added by both',
    {},
    { A: event({ x: 'string', mine: 'string' }) },
    { A: event({ x: 'string', theirs: 'string' }) },
    { A: event({ x: 'string', theirs: 'string', mine: 'string' }) },
    [],
  ],
  [
    'the same property changed alike',
    { A: event({ x: 'string' }) },
    { A: event({ x: 'number' }) },
    { A: event({ x: 'number' }) },
    { A: event({ x: 'number' }) },
    [],
  ],
  [
    'the same property changed differently: mine',
    { A: event({ x: 'string' }) },
    { A: event({ x: 'number' }) },
    { A: event({ x: 'boolean' }, ['x']) },
    { A: event({ x: 'number' }) },
    ['A: x'],
  ],
  [
    'a property that they removed and I changed: mine',
    { A: event({ x: 'string' }) },
    { A: event({ x: 'number' }) },
    { A: event({}) },
    { A: event({ x: 'number' }) },
    ['A: x'],
  ],
  [
    'an event that they removed and I changed: it stays whole',
    { A: event({ x: 'string', y: 'string' }) },
    { A: event({ x: 'number', y: 'string' }) },
    {},
    { A: event({ x: 'number', y: 'string' }) },
    ['A'],
  ],
  [
    'an event that I removed and they changed: it goes, and is named',
    { A: event({ x: 'string' }) },
    {},
    { A: event({ x: 'string', y: 'string' }) },
    {},
    ['A'],
  ],
  [
    'different fields of the same items',
    { A: items({ sku: 'string', price: 'number' }) },
    { A: items({ sku: 'number', price: 'number' }) },
    { A: items({ sku: 'string', price: 'number', size: 'string' }) },
    { A: items({ sku: 'number', price: 'number', size: 'string' }) },
    [],
  ],
  [
    'an array that they removed and whose items I changed: it comes back whole',
    { A: items({ sku: 'string', price: 'number' }) },
    { A: items({ sku: 'number', price: 'number' }) },
    { A: event({}) },
    { A: items({ sku: 'number', price: 'number' }) },
    ['A: products › sku', 'A: products'],
  ],
])(
  "a merge of the user's changes into another user's version: %s",
  (_name, base, mine, theirs, expected, conflicts) => {
    const merged = mergeSchemas(parse(base), parse(mine), parse(theirs))
    expect(JSON.parse(formatSourceSchema(merged.schema))).toEqual(JSON.parse(formatSourceSchema(parse(expected))))
    expect(merged.conflicts).toEqual(conflicts)
  },
)
