import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'

const section =
  readFileSync('CONTRIBUTING.md', 'utf8')
    .split('\n## ')
    .find((each) => each.startsWith('Where is')) ?? ''
const rows = section.split('\n').flatMap((line) => {
  const [, thing, file, name] = line.match(/^\| ([^|]+) \| `([^`]+)` \| `([^`]+)` \|$/) ?? []
  return thing === undefined || file === undefined || name === undefined ? [] : [{ thing, file, name }]
})

test('the ten look-ups of a newcomer have their answer', () => {
  expect(rows).toHaveLength(10)
})

test.each(rows)('$thing: $file is there and holds $name', ({ file, name }) => {
  expect(existsSync(file), file).toBe(true)
  expect(readFileSync(file, 'utf8').includes(name), `${basename(file)} holds ${name}`).toBe(true)
})
