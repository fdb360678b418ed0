import type { Connection } from '@tributary/contract'
import { expect, test } from 'vitest'
import { layOut, type MapEnd, middleOf, pathOf, placeLabels, pointOf } from './map-layout.ts'

const end = (name: string): MapEnd => ({ name, title: `Title ${name}`, icon: '', appTitle: '' })
const connect = (source: string, destination: string) =>
  ({ name: `${source}-${destination}`, source, destination }) as Connection

const input = {
  sources: [end('s2'), end('s1'), end('s3'), end('s0')],
  destinations: [end('d1'), end('d2'), end('d3')],
  connections: [connect('s3', 'd1'), connect('s1', 'd2'), connect('s2', 'd2')],
  activities: [{ source: 's1', destination: 'd2', received: 9, filtered: 0, pending: 0, delivered: 7, failed: 2 }],
}

test('connected ends come first, each destination near its sources, and unconnected ends last', () => {
  const { sources, destinations, lines } = layOut(input, '')
  expect(sources.map(({ name }) => name)).toEqual(['s1', 's2', 's3', 's0'])
  expect(destinations.map(({ name }) => name)).toEqual(['d2', 'd1', 'd3'])
  expect(lines.map(({ from, to, outcomes }) => [from, to, outcomes.delivered, outcomes.failed])).toEqual([
    [2, 1, 0, 0],
    [0, 0, 7, 2],
    [1, 0, 0, 0],
  ])
})

test('a line whose numbers are still loading is marked, and a loaded line without activity shows zero', () => {
  expect(layOut({ ...input, activities: undefined }, '').lines.map(({ counted }) => counted)).toEqual([
    false,
    false,
    false,
  ])
  expect(layOut(input, '').lines.map(({ counted }) => counted)).toEqual([true, true, true])
})

test('a search keeps the matches with their partners', () => {
  const found = layOut(input, ' title S1 ')
  expect(found.sources.map(({ name }) => name)).toEqual(['s1'])
  expect(found.destinations.map(({ name }) => name)).toEqual(['d2'])
  expect(found.lines).toHaveLength(1)
  expect(layOut(input, 'd3')).toMatchObject({ sources: [], destinations: [{ name: 'd3' }], lines: [] })
})

test('many unconnected ends are left off the map, so that its height depends on connected ones', () => {
  const many = Array.from({ length: 500 }, (_, index) => end(`x${index}`))
  const { sources, destinations, unconnected, lines } = layOut(
    { ...input, sources: [...input.sources, ...many], destinations: [...input.destinations, ...many.slice(0, 2)] },
    '',
  )
  expect(sources.map(({ name }) => name)).toEqual(['s1', 's2', 's3'])
  expect(lines.map(({ from }) => from)).toEqual([2, 0, 1])
  expect(unconnected.sources).toHaveLength(501)
  // A few unconnected ends stay on the map.
  expect(destinations).toHaveLength(5)
  expect(unconnected.destinations).toEqual([])
})

test('a connection whose source or destination is deleted has no line', () => {
  expect(layOut({ ...input, connections: [connect('s1', 'gone')] }, '').lines).toEqual([])
})

test('a label of a connection lies on its line', () => {
  const line = { from: 0, to: 2 }
  expect(pathOf(line)).toBe(`M 0 ${middleOf(0)} C 50 ${middleOf(0)} 50 ${middleOf(2)} 100 ${middleOf(2)}`)
  expect(pointOf(line, 0)).toEqual({ x: 0, y: middleOf(0) })
  expect(pointOf(line, 1)).toEqual({ x: 100, y: middleOf(2) })
  expect(pointOf(line, 0.5)).toEqual({ x: 50, y: middleOf(1) })
})

test('labels do not overlap if lines cross, meet, or run side by side', () => {
  const width = 44
  const lines = [
    [0, 0],
    [0, 1],
    [0, 2],
    [1, 0],
    [1, 1],
    [2, 0],
    [2, 2],
    [3, 1],
    [4, 1],
    [5, 1],
  ].map(([from = 0, to = 0]) => ({ from, to, width }))
  const places = placeLabels(lines)
  const covered = places.flatMap((one, index) =>
    places
      .slice(0, index)
      .filter((other) => Math.abs(one.y - other.y) < 24 && Math.abs(one.x - other.x) * 1.8 < width)
      .map((other) => [one, other]),
  )
  expect(covered).toEqual([])
})
