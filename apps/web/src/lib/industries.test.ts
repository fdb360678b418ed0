import { industries } from '@tributary/contract'
import { expect, test } from 'vitest'
import { industryTitle } from './industries.ts'

test('ORG-12: the industries are these nine, in this order', () => {
  expect(industries).toEqual([
    'e-commerce',
    'digital-marketing',
    'social-media',
    'gaming',
    'robotics',
    'telecommunications',
    'internet-of-things',
    'information-technology',
    'other',
  ])
})

test('an industry is shown by its name', () => {
  expect(industryTitle('internet-of-things')).toBe('Internet of things')
  expect(industryTitle('e-commerce')).toBe('E-commerce')
})
