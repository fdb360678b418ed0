import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { patterns } from '../../lib/paths.ts'

const here = import.meta.dirname

test('DATA-12: one application has one table of routes, which contains every path pattern', async () => {
  const root = join(here, '../..')
  // The component gallery is not part of the shipped application.
  const files = (await readdir(root, { recursive: true })).filter(
    (file) => /(?<!\.test)\.tsx?$/.test(file) && !file.startsWith(join('app', 'kit')),
  )
  const sources = await Promise.all(
    files.map(async (file) => ({ file, text: await readFile(join(root, file), 'utf8') })),
  )
  const makers = sources.filter(({ text }) => /\bcreate\w*Router\(|<Routes\b|\buseRoutes\(/.test(text))
  expect(makers.map(({ file }) => file)).toEqual([join('app', 'routes', 'router.tsx')])

  const table = sources.filter(({ text, file }) => file.startsWith('app') && text.includes('RouteObject'))
  const routed = [...makers, ...table].map(({ text }) => text).join('\n')
  const places = Object.keys(patterns).map((name) => ({
    name,
    places: routed.match(new RegExp(`\\bpath: patterns\\.${name}\\b`, 'g'))?.length ?? 0,
  }))
  expect(places.filter(({ places: found }) => found !== 1)).toEqual([])
})
