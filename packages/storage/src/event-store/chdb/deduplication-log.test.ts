import { describe, expect, it } from 'vitest'
import { parsePart, withoutLostParts } from './deduplication-log.ts'

describe('parsePart', () => {
  it.each([
    ['202609_1_1_0', { partition: '202609', least: 1, most: 1 }],
    ['all_3_17_2_21', { partition: 'all', least: 3, most: 17 }],
    ['tmp_insert_202609_2_2_0', undefined],
    ['delete_tmp_202609_2_2_0', undefined],
    ['detached', undefined],
    ['deduplication_logs', undefined],
  ])('reads %s', (name, expected) => {
    expect(parsePart(name)).toEqual(expected)
  })
})

describe('withoutLostParts', () => {
  const line = (operation: 1 | 2, part: string, block = `${part}-block`): string => `${operation}\t${part}\t${block}\n`
  const folders = ['202609_1_4_1', '202609_5_5_0', 'tmp_insert_202609_6_6_0', 'detached', 'deduplication_logs']

  it.each([
    ['a part that exists', line(1, '202609_5_5_0'), true],
    ['a part that went into a merged one', line(1, '202609_2_2_0'), true],
    ['a part that was never renamed', line(1, '202609_6_6_0'), false],
    ['a part of another partition', line(1, '202610_5_5_0'), false],
    ['a token the engine took back', line(1, '202608_9_9_0') + line(2, '202608_9_9_0'), true],
    ['a torn line', '1\t202609_5', false],
    ['zeros of a file that was never written', '\0'.repeat(64), false],
  ])('treats %s as it must', (_, text, kept) => {
    expect(withoutLostParts(text, folders)).toBe(kept ? text : '')
  })

  it('keeps the order of the rest', () => {
    const [first, second] = [line(1, '202609_1_1_0'), line(1, '202609_5_5_0')]
    expect(withoutLostParts(`${first}${line(1, '202609_6_6_0')}${second}`, folders)).toBe(first + second)
  })
})
