import { sourceTypeOf, sourceTypes } from '@tributary/contract'
import { expect, test } from 'vitest'
import { sourceTypeName } from './source-types.ts'

test('AMB-56: each source type is found by its number; any other number is Unspecified, which has no name', () => {
  for (const [name, number] of Object.entries(sourceTypes)) expect(sourceTypeOf(number)).toBe(name)
  for (const number of [0, 8, -1, 1.5, 2 ** 31, Number.NaN]) {
    expect(sourceTypeOf(number)).toBe('Unspecified')
    expect(sourceTypeName(number)).toBe('')
  }
  expect(sourceTypeName(sourceTypes.Cloud)).toBe('Cloud')
})
