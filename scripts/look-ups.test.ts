import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'

const section =
  readFileSync('CONTRIBUTING.md', 'utf8')
    .split('\n## ')
    .find((part) => part.startsWith('Where is')) ?? ''
const rowLines = section.split('\n').filter((line) => line.startsWith('| ') && !/^\| (?:---|what )/.test(line))
const rows = rowLines.flatMap((line) => {
  const [, thing, file, name] = line.match(/^\| ([^|]+) \| `([^`]+)` \| `([^`]+)` \|$/) ?? []
  return thing === undefined || file === undefined || name === undefined ? [] : [{ thing, file, name }]
})

test('each area of the product has look-ups, and each look-up has a file and a name that occurs in it', () => {
  const areas = section.split('\n### ').slice(1)
  expect(areas.length).toBeGreaterThan(10)
  for (const area of areas) expect(area, area.split('\n')[0]).toContain('\n| --- | --- | --- |\n| ')
  expect(rows).toHaveLength(rowLines.length)
})

test.each(rows)('$thing: $file exists and contains $name', ({ file, name }) => {
  expect(existsSync(file), file).toBe(true)
  expect(readFileSync(file, 'utf8').includes(name), `${basename(file)} contains ${name}`).toBe(true)
})

const paths = readFileSync('docs/design/paths.md', 'utf8').split('\n## ').slice(1)

describe.each(paths.map((path) => ({ title: path.split('\n')[0] ?? '', path })))('$title', ({ path }) => {
  const listed = [...path.matchAll(/^\| (\d+) \| `([^`]+)` \| [^|]+ \|$/gm)].map(([, place, file = '']) => ({
    place: Number(place),
    file,
  }))
  const files = listed.map(({ file }) => file)

  test('the list contains existing files, each once', () => {
    expect(files.filter((file) => !existsSync(file))).toEqual([])
    expect(files).toHaveLength(new Set(files).size)
  })

  test('the list states the number of its files, which are numbered in order', () => {
    expect(listed.map(({ place }) => place)).toEqual(files.map((_, index) => index + 1))
    expect(Number(path.match(/ passes (\d+) files/)?.[1])).toBe(files.length)
  })
})
