import { expect, test } from 'vitest'
import { freeMemory } from './free-memory.ts'

test('the memory of bytes of their own is given back, also when it was before', () => {
  const bytes = Buffer.allocUnsafeSlow(1000)
  freeMemory(bytes)
  expect([bytes.length, bytes.buffer.byteLength]).toEqual([0, 0])
  expect(() => freeMemory(bytes)).not.toThrow()
})

test('bytes that share their memory with others stay as they are', () => {
  const whole = Buffer.allocUnsafeSlow(1000).fill(1)
  freeMemory(whole.subarray(0, 999))
  freeMemory(whole.subarray(1))
  expect(whole.length).toBe(1000)
  expect(whole.every((byte) => byte === 1)).toBe(true)
})

test('no bytes at all are freed without a fault', () => {
  expect(() => freeMemory(Buffer.allocUnsafeSlow(0))).not.toThrow()
})
