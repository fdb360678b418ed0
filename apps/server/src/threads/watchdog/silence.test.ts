import type { BoardThread } from '@tributary/kernel'
import { expect, test } from 'vitest'
import { createSilenceWatch } from './silence.ts'

const bounds = { tickMs: 1000, logMs: 10_000, endMs: 30_000, graceMs: 10_000 }
const main: BoardThread = {
  slot: 0,
  threadId: 0,
  osThread: 0,
  name: 'main',
  beat: 1,
  isWatched: true,
  isReplaceable: false,
  isOnlyNamed: false,
  work: { step: 'sources.list', workspaceId: 'w', item: '' },
}
const pipeline: BoardThread = { ...main, slot: 1, threadId: 3, name: 'pipeline', isReplaceable: true }

/** Looks once a second; says when something is to be done. */
const watchFor = (seconds: number, threadsAt: (second: number) => readonly BoardThread[], clock = (n: number) => n) => {
  const watch = createSilenceWatch(bounds)
  return Array.from({ length: seconds }, (_, second) =>
    watch.look(clock(second) * 1000, threadsAt(second)).map(({ kind, thread }) => `${second} ${thread.name}: ${kind}`),
  ).flat()
}

test('a thread that does not answer is named after 10 s, and its process is to end after 30 s', () => {
  expect(watchFor(60, () => [main])).toEqual(['10 main: log', '30 main: end'])
})

test('a thread that holds nothing is to be replaced alone, and its process ends only if it cannot be', () => {
  expect(watchFor(60, () => [pipeline])).toEqual(['10 pipeline: log', '30 pipeline: replace', '40 pipeline: end'])
  const next = { ...pipeline, threadId: 4 }
  expect(watchFor(60, (second) => [second < 35 ? pipeline : next]).slice(0, 2)).toHaveLength(2)
  expect(watchFor(44, (second) => [second < 35 ? pipeline : next])).not.toContain('40 pipeline: end')
})

test('a thread that reads files is named and never ended, and a process beside it is', () => {
  const file = { ...main, slot: 2, threadId: 9, name: 'file', isOnlyNamed: true }
  expect(watchFor(90, () => [file])).toEqual(['10 file: log'])
  expect(watchFor(60, () => [file, main])).toEqual(['10 file: log', '10 main: log', '30 main: end'])
})

test('a thread that answers is left alone, also when it is slow, and each silence counts anew', () => {
  expect(watchFor(60, (second) => [{ ...main, beat: second }])).toEqual([])
  expect(watchFor(60, (second) => [{ ...main, beat: Math.floor(second / 9) }])).toEqual([])
  expect(watchFor(60, (second) => [{ ...main, beat: Math.floor(second / 15) }])).toEqual([
    '10 main: log',
    '25 main: log',
    '40 main: log',
    '55 main: log',
  ])
})

test('a thread that starts or closes is not watched', () => {
  expect(watchFor(90, (second) => [{ ...main, isWatched: second > 50 && second < 65 }])).toEqual(['60 main: log'])
})

test.each<[string, (second: number) => number]>([
  ['a process that was stopped for an hour', (second) => (second < 5 ? second : second + 3600)],
  ['a machine that was suspended five times', (second) => second + 600 * Math.floor(second / 2)],
  ['a clock that stands still', () => 7],
  ['a clock that goes back', (second) => -second],
])('%s counts for nothing', (_title, clock) => {
  // Both went on meanwhile as far as they could: nothing answered in eight looks.
  expect(watchFor(8, () => [main, pipeline], clock).filter((step) => step.endsWith('end'))).toEqual([])
  expect(watchFor(5, () => [main, pipeline], clock)).toEqual([])
})

test('time in which a thread waited for a processor counts for nothing', () => {
  const watch = createSilenceWatch(bounds, () => waited)
  let waited = 5000
  const steps = Array.from({ length: 120 }, (_, second) => {
    waited += 900
    return watch.look(second * 1000, [main]).map(({ kind }) => `${second} ${kind}`)
  }).flat()
  expect(steps).toEqual(['100 log'])
})

test('of several silent threads each has its own time', () => {
  expect(watchFor(35, (second) => [main, { ...pipeline, beat: Math.min(second, 3) }])).toEqual([
    '10 main: log',
    '13 pipeline: log',
    '30 main: end',
    '33 pipeline: replace',
  ])
})
