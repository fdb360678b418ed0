import { expect, test } from 'vitest'
import { matchScore } from './match-text.ts'

test('each of these searches scores lower than the one before, and all of them match', () => {
  const scores = ['Web shop', 'Web', 'shop', 'hop', 'wbsh', 'wbhp'].map((search) => matchScore('Web shop', search))
  expect([...new Set(scores)].sort((one, other) => other - one)).toEqual(scores)
  expect(Math.min(...scores)).toBeGreaterThan(0)
})

test('words match in any order, letter case and spacing, and all are required', () => {
  expect(matchScore('Web shop Production', ' PROD   web ')).toBeGreaterThan(0)
  expect(matchScore('Web shop Production', 'web staging')).toBe(0)
  expect(matchScore('Web shop', 'pohs')).toBe(0)
})

test('letters that are far apart, or that begin inside a word, do not match', () => {
  expect(matchScore('A service with quite a long name', 'an')).toBeGreaterThan(0)
  expect(matchScore('A service with quite a long word', 'ad')).toBe(0)
  expect(matchScore('Web shop', 'eop')).toBe(0)
})

test('a search without a word matches every text equally', () => {
  expect(['Web shop', ''].map((text) => matchScore(text, '  '))).toEqual([1, 1])
})

test('letters beyond the basic plane and of other scripts are compared as whole characters', () => {
  expect(matchScore('🛒 Boutique été', '🛒 été')).toBeGreaterThan(0)
  expect(matchScore('متجر', 'جر')).toBeGreaterThan(0)
  expect(matchScore('🛒', '🚚')).toBe(0)
})
