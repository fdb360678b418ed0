import { describe, expect, it } from 'vitest'
import { parsePart, unacknowledgedParts, withoutLostParts } from './deduplication-log.ts'

describe('parsePart', () => {
  it.each([
    ['202609_1_1_0', { partition: '202609', least: 1, most: 1 }],
    ['all_3_17_2_21', { partition: 'all', least: 3, most: 17 }],
    ['tmp_insert_202609_2_2_0', undefined],
    ['delete_tmp_202609_2_2_0', undefined],
    ['detached', undefined],
    ['deduplication_logs', undefined],
  ])('parsePart parses %s', (name, expected) => {
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
  ])('withoutLostParts handles %s correctly', (_, text, kept) => {
    expect(withoutLostParts(text, folders)).toBe(kept ? text : '')
  })

  it('withoutLostParts keeps the order of the remaining lines', () => {
    const [first, second] = [line(1, '202609_1_1_0'), line(1, '202609_5_5_0')]
    expect(withoutLostParts(`${first}${line(1, '202609_6_6_0')}${second}`, folders)).toBe(first + second)
  })
})

describe('unacknowledgedParts', () => {
  const logOf = (...parts: string[]): string => parts.map((part) => `1\t${part}\t${part}-block\n`).join('')

  it.each([
    [
      'the part after the newest token',
      logOf('202609_1_1_0', '202609_2_2_0'),
      ['202609_2_2_0', '202609_3_3_0'],
      ['202609_3_3_0'],
    ],
    ['its mutated form', logOf('202609_2_2_0'), ['202609_2_2_0_4', '202609_3_3_0_4'], ['202609_3_3_0_4']],
    [
      'parts of another month',
      logOf('202609_2_2_0'),
      ['202610_3_3_0', '202611_4_4_0'],
      ['202610_3_3_0', '202611_4_4_0'],
    ],
    ['a merge of such parts alone', logOf('202609_2_2_0'), ['202609_3_4_1'], ['202609_3_4_1']],
    ['no part of a merge with acknowledged ones', logOf('202609_2_2_0'), ['202609_1_3_1'], []],
    ['no part older than the newest token', logOf('202609_7_7_0'), ['202609_1_1_0', '202608_6_6_0'], []],
    ['no part whose token the engine took back', '2\t202609_9_9_0\tblock\n', ['202609_8_8_0'], []],
    ['nothing when the log is empty', '', ['202609_1_1_0'], []],
    [
      'nothing that is no part',
      logOf('202609_1_1_0'),
      ['detached', 'tmp_insert_202609_5_5_0', 'format_version.txt'],
      [],
    ],
  ])('unacknowledgedParts finds %s', (_, logs, names, expected) => {
    expect(unacknowledgedParts(logs, names)).toEqual(expected)
  })

  it('unacknowledgedParts ignores logs that name far fewer parts than exist', () => {
    const names = Array.from({ length: 100 }, (_, index) => `202609_${index + 2}_${index + 2}_0`)
    expect(unacknowledgedParts(logOf('202609_1_1_0'), names)).toEqual([])
  })
})
