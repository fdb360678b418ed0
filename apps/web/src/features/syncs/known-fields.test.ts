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

test('a field is told by label, type, what is asked of it, and its first values', () => {
  const fields = [
    field('plan', { label: 'Plan', type: 'enumeration', required: true, unique: true, options }),
    field('id'),
  ]
  expect(fieldNote(fields, ' plan ')).toBe('Plan · enumeration · required · unique · one of a, b, c, d, e, …')
  expect(fieldNote(fields, 'id')).toBe('')
})

test('a field that is not there is said so, unless nothing is known of the object', () => {
  expect(fieldNote([field('id')], 'Id')).toBe('Not a field there yet')
  expect(fieldNote([field('id')], ' ')).toBe('')
  expect(fieldNote([], 'id')).toBe('')
})

test('required fields are named that no included column goes to', () => {
  const row = (target: string, included = true) => ({ column: target, type: 'text', target, included })
  const fields = ['a', 'b', 'c'].map((name) => field(name, { required: name !== 'c' }))
  expect(unmappedRequired(fields, [row(' a '), row('b', false)])).toEqual(['b'])
  expect(unmappedRequired([], [])).toEqual([])
})
