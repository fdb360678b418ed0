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

/** Checks once a second for some seconds, and returns the resulting steps. */
const watchFor = (seconds: number, threadsAt: (second: number) => readonly BoardThread[], clock = (n: number) => n) => {
  const watch = createSilenceWatch(bounds)
  return Array.from({ length: seconds }, (_, second) =>
    watch.look(clock(second) * 1000, threadsAt(second)).map(({ kind, thread }) => `${second} ${thread.name}: ${kind}`),
  ).flat()
}

test('a thread that does not respond is logged after 10 s, and its process is ended after 30 s', () => {
  expect(watchFor(60, () => [main])).toEqual(['10 main: log', '30 main: end'])
})

test('a replaceable thread is replaced alone, and its process is ended only if that fails', () => {
  expect(watchFor(60, () => [pipeline])).toEqual(['10 pipeline: log', '30 pipeline: replace', '40 pipeline: end'])
  const next = { ...pipeline, threadId: 4 }
  expect(watchFor(60, (second) => [second < 35 ? pipeline : next]).slice(0, 2)).toHaveLength(2)
  expect(watchFor(44, (second) => [second < 35 ? pipeline : next])).not.toContain('40 pipeline: end')
})

test('a thread that reads files is logged but never ended; another silent thread still ends the process', () => {
  const file = { ...main, slot: 2, threadId: 9, name: 'file', isOnlyNamed: true }
  expect(watchFor(90, () => [file])).toEqual(['10 file: log'])
  expect(watchFor(60, () => [file, main])).toEqual(['10 file: log', '10 main: log', '30 main: end'])
})

test('a thread that responds is left alone, even if it is slow, and each silence counts separately', () => {
  expect(watchFor(60, (second) => [{ ...main, beat: second }])).toEqual([])
  expect(watchFor(60, (second) => [{ ...main, beat: Math.floor(second / 9) }])).toEqual([])
  expect(watchFor(60, (second) => [{ ...main, beat: Math.floor(second / 15) }])).toEqual([
    '10 main: log',
    '25 main: log',
    '40 main: log',
    '55 main: log',
  ])
})

test('a thread that is starting or closing is not watched', () => {
  expect(watchFor(90, (second) => [{ ...main, isWatched: second > 50 && second < 65 }])).toEqual(['60 main: log'])
})

test.each<[string, (second: number) => number]>([
  ['a process that was stopped for an hour', (second) => (second < 5 ? second : second + 3600)],
  ['a machine that was suspended five times', (second) => second + 600 * Math.floor(second / 2)],
  ['a clock that stands still', () => 7],
  ['a clock that goes back', (second) => -second],
])('%s does not count as silence', (_title, clock) => {
  // In eight checks, no thread responded.
  expect(watchFor(8, () => [main, pipeline], clock).filter((step) => step.endsWith('end'))).toEqual([])
  expect(watchFor(5, () => [main, pipeline], clock)).toEqual([])
})

test('time in which a thread waited for a processor does not count', () => {
  const watch = createSilenceWatch(bounds, () => waited)
  let waited = 5000
  const steps = Array.from({ length: 120 }, (_, second) => {
    waited += 900
    return watch.look(second * 1000, [main]).map(({ kind }) => `${second} ${kind}`)
  }).flat()
  expect(steps).toEqual(['100 log'])
})

test('the silence of each of several threads is timed separately', () => {
  expect(watchFor(35, (second) => [main, { ...pipeline, beat: Math.min(second, 3) }])).toEqual([
    '10 main: log',
    '13 pipeline: log',
    '30 main: end',
    '33 pipeline: replace',
  ])
})
