import { expect, test } from 'vitest'
import { findInSubject, findProblems } from './findings.ts'
import { type TextKind, textsOfCode, textsOfRecord } from './texts.ts'

const rulesOf = (text: string, kind: TextKind = 'comment'): string[] =>
  findProblems({ kind, line: 1, text }).map(({ rule }) => rule)

test.each([
  'The worker is told which events are held.',
  'Nobody reads the file.',
  'Sends it to whoever asks.',
  'The platform hears of the event.',
  'A collector knows its keys.',
  'The pause goes on as one wishes.',
  'Sends it all the same.',
])('a sentence with a listed word is reported: %s', (text) => {
  expect(rulesOf(text)).toHaveLength(1)
})

test.each([
  ['Of each batch, the first is sent.', 'begins with Of'],
  ['Reads a row. Who reads it waits.', 'begins with Who'],
  ['What is held goes to the log.', 'begins with What and a verb'],
  ['What was stored\nin the log stays.', 'begins with What and a verb'],
])('a sentence that begins with a clause is found: %s', (text, rule) => {
  expect(rulesOf(text)).toContain(rule)
})

test('a sentence of 31 words is found, and two sentences of 20 words are not', () => {
  const wordsOf = (count: number): string => Array.from({ length: count }, () => 'word').join(' ')
  expect(rulesOf(wordsOf(31))).toEqual(['has 31 words'])
  expect(rulesOf(wordsOf(30))).toEqual([])
  expect(rulesOf(`${wordsOf(20)}. W${wordsOf(20)}`)).toEqual([])
  expect(rulesOf(`${wordsOf(20)}\n\n${wordsOf(20)}`)).toEqual([])
})

test('code in backticks, addresses, and plain sentences are not found', () => {
  expect(rulesOf('Calls `tell(nobody)` at https://nobody.example/told.')).toEqual([])
  expect(rulesOf('Sends the exit event for a profile that was deleted first.')).toEqual([])
  expect(rulesOf('What a batch holds, by event ID.')).toEqual([])
})

test.each(['each', 'found', 'mostBytes', 'toldUsers', 'touches'])('the vague exported name %s is reported', (name) => {
  expect(rulesOf(name, 'name')).toHaveLength(1)
})

test("an exported name in the field's own vocabulary is not reported", () => {
  expect(rulesOf('maxBatchSize', 'name')).toEqual([])
  expect(rulesOf('mostly', 'name')).toEqual([])
})

test('comments, log lines, test titles, and exported names of a file are its texts, with their lines', () => {
  const source = [
    '// One sentence',
    '// in two lines.',
    'export const mostBytes = 1',
    '/** A doc comment. */',
    "logger.warn({ id }, 'the queue is full')",
    "test.each(rows)('a title', () => {})",
    "const text = 'no text of developers'",
    '// oxlint-disable-next-line no-console -- a reason',
  ].join('\n')
  expect(textsOfCode('a.ts', source).toSorted((a, b) => a.line - b.line)).toEqual([
    { kind: 'comment', line: 1, text: ' One sentence\n in two lines.' },
    { kind: 'name', line: 3, text: 'mostBytes' },
    { kind: 'comment', line: 4, text: ' A doc comment. ' },
    { kind: 'log line', line: 5, text: 'the queue is full' },
    { kind: 'test title', line: 6, text: 'a title' },
  ])
})

test('the texts of a record are its paragraphs and items, without code', () => {
  const source = '# Title\n\nOne paragraph\nof two lines.\n\n```sh\nnobody\n```\n- an item\n- another\n'
  expect(textsOfRecord(source).map(({ line, text }) => [line, text])).toEqual([
    [1, 'Title'],
    [3, 'One paragraph\nof two lines.'],
    [9, 'an item'],
    [10, 'another'],
  ])
})

test('a commit subject names its area, is short, and breaks no rule', () => {
  expect(findInSubject('delivery: park events of a paused destination')).toEqual([])
  expect(findInSubject('Park events')).toHaveLength(1)
  expect(findInSubject(`delivery: ${'park '.repeat(14)}`)).toHaveLength(1)
  expect(findInSubject('delivery: tell nobody')).toHaveLength(2)
})
