import { expect, test } from 'vitest'
import { parseTemplate } from './liquid-parser.ts'
import { filterParts } from './template-parts.ts'

test('a template that cannot be parsed is reported with the position and the error (MAP-14)', () => {
  expect(parseTemplate('{{ a')).toMatch(/^Error at >> 1\| \{\{ a\n +\^\noutput "\{\{ a" not closed$/)
  expect(parseTemplate('one\n{{ b | shout }}')).toMatch(
    /^Error at .*>> 2\| \{\{ b \| shout \}\}.*undefined filter: shout$/s,
  )
})

test('MAP-12: each of the offered filters works in the form in which it is inserted', () => {
  for (const { insert } of filterParts) expect(parseTemplate(`{{ a${insert} }}`)).toBeUndefined()
})

test('a template that the server refuses is also refused in the browser', () => {
  expect(parseTemplate('{% include "x" %}')).toContain('tag "include" not found')
  expect(parseTemplate('{{ a | where_exp: "b", "c" }}')).toContain('undefined filter: where_exp')
  expect(parseTemplate('{{ a | json }}{% if b %}c{% endif %}')).toBeUndefined()
})
