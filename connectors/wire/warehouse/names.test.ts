import { expect, test } from 'vitest'
import { quoted } from '../postgresql/identifiers.ts'
import { identifierBytes, snakeCase } from './names.ts'

test.each([
  ['Order Completed', 'order_completed'],
  ['orderCompleted', 'order_completed'],
  ['order-completed', 'order_completed'],
  ['HTTPRequest', 'http_request'],
  ['context.page.url', 'context_page_url'],
  ['2nd try', '_2nd_try'],
  ['Größe', 'größe'],
  ['注文 完了', '注文_完了'],
  ['"; drop table users; --', 'drop_table_users'],
])('the name %s becomes %s', (name, expected) => {
  expect(snakeCase(name)).toBe(expected)
})

test('a name without letters or digits still gets a unique snake_case name', () => {
  const names = ['', ' ', '"', '😀', '\0', '\ud800', '___'].map(snakeCase)
  for (const name of names) expect(name).toMatch(/^_[0-9a-f]{8}$/)
  expect(new Set(names).size).toBe(names.length)
})

test('a long name is cut to the maximum of an identifier, without splitting a character, and two long names stay different', () => {
  const names = ['a'.repeat(100), `${'a'.repeat(99)}b`, 'ü'.repeat(40), '注'.repeat(30), '𝔘'.repeat(30)].map(snakeCase)
  for (const name of names) {
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(identifierBytes)
    expect(name.isWellFormed()).toBe(true)
  }
  expect(new Set(names).size).toBe(names.length)
  expect(snakeCase('a'.repeat(63))).toBe('a'.repeat(63))
})

test('a quoted identifier cannot be ended by its content', () => {
  expect(quoted('a"; drop table "b')).toBe('"a""; drop table ""b"')
  expect(quoted('a\0b')).toBe('"ab"')
})
