import { expect, test } from 'vitest'
import { fieldNote, unmappedRequired } from './known-fields.ts'

const field = (name: string, more: object = {}) => ({
  name,
  label: name,
  type: '',
  required: false,
  unique: false,
  options: [],
  ...more,
})
const options = ['a', 'b', 'c', 'd', 'e', 'f'].map((value) => ({ value, label: value.toUpperCase() }))

test('a field is described by label, type, requirements, and its first values', () => {
  const fields = [
    field('plan', { label: 'Plan', type: 'enumeration', required: true, unique: true, options }),
    field('id'),
  ]
  expect(fieldNote(fields, ' plan ')).toBe('Plan · enumeration · required · unique · one of a, b, c, d, e, …')
  expect(fieldNote(fields, 'id')).toBe('')
})

test("a missing field is reported, unless the object's fields are unknown", () => {
  expect(fieldNote([field('id')], 'Id')).toBe('Not a field there yet')
  expect(fieldNote([field('id')], ' ')).toBe('')
  expect(fieldNote([], 'id')).toBe('')
})

test('required fields without an included column are reported', () => {
  const row = (target: string, included = true) => ({ column: target, type: 'text', target, included })
  const fields = ['a', 'b', 'c'].map((name) => field(name, { required: name !== 'c' }))
  expect(unmappedRequired(fields, [row(' a '), row('b', false)])).toEqual(['b'])
  expect(unmappedRequired([], [])).toEqual([])
})
