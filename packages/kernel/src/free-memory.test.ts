import { expect, test } from 'vitest'
import { freeMemory, freeWhole } from './free-memory.ts'

test('freeing a buffer with its own memory empties it, and freeing it again does not throw', () => {
  const bytes = Buffer.allocUnsafeSlow(1000)
  freeMemory(bytes)
  expect([bytes.length, bytes.buffer.byteLength]).toEqual([0, 0])
  expect(() => freeMemory(bytes)).not.toThrow()
})

test('bytes that share their memory with other buffers are not freed', () => {
  const whole = Buffer.allocUnsafeSlow(1000).fill(1)
  freeMemory(whole.subarray(0, 999))
  freeMemory(whole.subarray(1))
  expect(whole.length).toBe(1000)
  expect(whole.every((byte) => byte === 1)).toBe(true)
})

test('freeing zero bytes does not throw', () => {
  expect(() => freeMemory(Buffer.allocUnsafeSlow(0))).not.toThrow()
})

test('freeWhole frees the whole memory behind a part, but not the pool that small buffers share', () => {
  const whole = Buffer.allocUnsafeSlow(Buffer.poolSize + 1)
  const part = whole.subarray(10, 20)
  freeWhole(part)
  expect([part.length, whole.length]).toEqual([0, 0])
  expect(() => freeWhole(part)).not.toThrow()
  const small = Buffer.from('shared')
  freeWhole(small)
  expect(small.toString()).toBe('shared')
})
