import { describe, expect, test } from 'vitest'
import { createSecretBox, SecretBoxError } from './secret-box.ts'

const key = (byte: number): Buffer => Buffer.alloc(32, byte)

describe('the secret box', () => {
  test.each(['', 'a', 'ключ 🔑', 'x'.repeat(100_000)])('the secret box decrypts what it encrypted', (text) => {
    const box = createSecretBox(key(1))
    expect(box.open(box.seal(text, 'place'), 'place')).toBe(text)
  })

  test('the secret box encrypts the same text differently each time, and reveals nothing of it', () => {
    const box = createSecretBox(key(1))
    const [a, b] = [Buffer.from(box.seal('secret text', 'p')), Buffer.from(box.seal('secret text', 'p'))]
    expect(a.equals(b)).toBe(false)
    expect(a.includes('secret')).toBe(false)
  })

  test('the secret box decrypts only in the context of the encryption', () => {
    const box = createSecretBox(key(1))
    expect(() => box.open(box.seal('s', 'destinations/a'), 'destinations/b')).toThrow(SecretBoxError)
  })

  test('the secret box does not decrypt if a byte was changed or the end was cut off', () => {
    const box = createSecretBox(key(1))
    const sealed = Buffer.from(box.seal('secret', 'p'))
    for (let index = 0; index < sealed.length; index++) {
      const broken = Buffer.from(sealed)
      broken[index] = (broken[index] ?? 0) ^ 1
      expect(() => box.open(broken, 'p')).toThrow(SecretBoxError)
      expect(() => box.open(sealed.subarray(0, index), 'p')).toThrow(SecretBoxError)
    }
  })

  test('the secret box decrypts with a previous key, and reports an unknown key', () => {
    const old = createSecretBox(key(1)).seal('secret', 'p')
    expect(createSecretBox(key(2), [key(1)]).open(old, 'p')).toBe('secret')
    expect(() => createSecretBox(key(2)).open(old, 'p')).toThrow('another secret key')
  })

  test('the secret box refuses keys of another length', () => {
    expect(() => createSecretBox(Buffer.alloc(16))).toThrow(SecretBoxError)
  })
})
